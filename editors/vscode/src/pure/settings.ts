// The settings of the editor -> those of the bridge, by dotted name (docs/configuration.md), and what is wrong. Pure.

export interface EditorSettings {
  readonly enable: unknown;
  readonly languages: unknown;
  readonly exclude: unknown;
  readonly trigger: unknown;
  readonly maxTokens: unknown;
  readonly maxLines: unknown;
  readonly show: unknown;
  readonly grammars: unknown;
  readonly advanced: unknown;
}

export interface BridgeSettings {
  readonly values: Readonly<Record<string, unknown>>;
  /** What was left out, a sentence each. */
  readonly problems: readonly string[];
}

/** The schema in package.json shows mistakes while they are written; a setting of the wrong type is left out here. */
export function bridgeSettings(given: EditorSettings, isTrusted: boolean): BridgeSettings {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const take = (name: string, as: string, value: unknown, expected: string, isRight: boolean): void => {
    if (isRight) values[as] = value;
    else if (value !== undefined && value !== null)
      problems.push(`draftwire.${name} must be ${expected}; it is left out`);
  };
  take("enable", "completion.enabled", given.enable, "true or false", typeof given.enable === "boolean");
  take(
    "trigger",
    "completion.trigger",
    given.trigger,
    '"automatic" or "manual"',
    isOneOf(given.trigger, ["automatic", "manual"]),
  );
  take(
    "maxTokens",
    "completion.max_tokens",
    given.maxTokens,
    "a whole number from 1 to 512",
    isWhole(given.maxTokens, 512),
  );
  take(
    "maxLines",
    "completion.max_lines",
    given.maxLines,
    "a whole number from 1 to 200",
    isWhole(given.maxLines, 200),
  );
  take(
    "show",
    "display.policy",
    given.show,
    '"optimistic" or "verified"',
    isOneOf(given.show, ["optimistic", "verified"]),
  );
  take("grammars", "grammars.enabled", given.grammars, "true or false", typeof given.grammars === "boolean");
  take("exclude", "files.exclude", given.exclude, "a list of globs", isTexts(given.exclude));
  for (const [id, value] of entries(given.languages)) {
    take(`languages.${id}`, `languages.${id}.enabled`, value, "true or false", typeof value === "boolean");
  }
  values["grammars.trust_workspace"] = isTrusted;
  return { values: { ...values, ...Object.fromEntries(entries(given.advanced)) }, problems };
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function isOneOf(value: unknown, among: readonly string[]): boolean {
  return typeof value === "string" && among.includes(value);
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
