// The rows of the status item's menu: each says what it does now. Pure.

export interface MenuInputs {
  readonly isEnabledEverywhere: boolean;
  /** The language of the document in front, and whether it is switched on. */
  readonly language: { readonly id: string; readonly isEnabled: boolean } | undefined;
  /** The time of day at which a snooze ends. */
  readonly snoozedUntil: string | undefined;
}

export interface MenuRow {
  readonly label: string;
  /** Without the `draftwire.` in front. */
  readonly command: string;
}

export function menuRows(of: MenuInputs): readonly MenuRow[] {
  const { language, snoozedUntil } = of;
  return [
    { label: `${toggling(of.isEnabledEverywhere)} everywhere`, command: "toggle" },
    ...(language
      ? [{ label: `${toggling(language.isEnabled)} for ${language.id}`, command: "toggleLanguage" }]
      : []),
    snoozedUntil === undefined
      ? { label: "$(bell-slash) Snooze", command: "snooze" }
      : { label: `$(bell) Wake up now: snoozed until ${snoozedUntil}`, command: "wake" },
    { label: "$(question) Why was nothing shown?", command: "whyNothing" },
    { label: "$(graph) Statistics", command: "statistics" },
    { label: "$(pulse) Doctor: check each part", command: "doctor" },
    { label: "$(output) Show the log", command: "showLog" },
    { label: "$(debug-restart) Restart", command: "restart" },
    { label: "$(gear) Settings", command: "openSettings" },
  ];
}

function toggling(isEnabled: boolean): string {
  return isEnabled ? "$(circle-slash) Switch off" : "$(sparkle) Switch on";
}
