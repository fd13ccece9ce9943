// The settings of the editor -> those of the bridge, by dotted name (docs/configuration.md). Values go on as they are: the
// bridge leaves out what is wrong, and tells, by its own names. Pure.

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

const NAMES: Readonly<Partial<Record<keyof EditorSettings, string>>> = {
  enable: "completion.enabled",
  trigger: "completion.trigger",
  maxTokens: "completion.max_tokens",
  maxLines: "completion.max_lines",
  show: "display.policy",
  grammars: "grammars.enabled",
  exclude: "files.exclude",
};

/** `languages` that is no table is sent as one setting, so that the bridge can tell of it. */
export function bridgeSettings(given: EditorSettings, isTrusted: boolean): Readonly<Record<string, unknown>> {
  const named = Object.entries(NAMES).map(([name, as]) => [as, given[name as keyof EditorSettings]]);
  const languages = isTable(given.languages)
    ? entries(given.languages).map(([id, value]) => [`languages.${id}.enabled`, value])
    : [["languages", given.languages]];
  const set = [...named, ...languages].filter(([, value]) => value !== undefined && value !== null);
  return {
    ...Object.fromEntries(set),
    "grammars.trust_workspace": isTrusted,
    ...Object.fromEntries(entries(given.advanced)),
  };
}

/** The bridge's names of settings in `text` -> the editor's, but for those that the user wrote in `advanced`; what is quoted stays. */
export function inEditorsNames(text: string, advanced: unknown): string {
  const own = new Map(Object.entries(NAMES).map(([name, as]) => [as, name]));
  const written = new Set(entries(advanced).map(([name]) => name));
  return text.replace(/(?<!["\w.-])[a-z]+(\.[\w-]+)+/g, (found) => {
    const name = own.get(found) ?? /^(languages\.[\w-]+)\.enabled$/.exec(found)?.[1];
    return name === undefined || written.has(found) ? found : `draftwire.${name}`;
  });
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entries(value: unknown): [string, unknown][] {
  return isTable(value) ? Object.entries(value) : [];
}
