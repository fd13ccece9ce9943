// Whether the bridge is asked at all: what only the editor knows. Languages, files and sizes are the daemon's to judge.
// Pure.

export interface Situation {
  readonly snoozedUntil: number;
  readonly now: number;
  readonly cursors: number;
  readonly hasSelection: boolean;
  readonly isWritable: boolean;
  readonly isInvoked: boolean;
}

export type Withheld = "snoozed" | "several_cursors" | "selection" | "read_only";

export const WITHHELD: Readonly<Record<Withheld, string>> = {
  snoozed: "suggestions are snoozed; `Draftwire: Snooze` ends that",
  several_cursors: "there are several cursors; press Escape for one",
  selection: "text is selected",
  read_only: "the document is read-only",
};

/** Why nothing may be shown here, or undefined. What is asked for by hand is shown while snoozed too. */
export function withheld(at: Situation): Withheld | undefined {
  if (!at.isWritable) return "read_only";
  if (at.cursors > 1) return "several_cursors";
  if (at.hasSelection) return "selection";
  if (at.now < at.snoozedUntil && !at.isInvoked) return "snoozed";
  return undefined;
}
