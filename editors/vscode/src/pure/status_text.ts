// What the status item says and what a click does. Pure.
import { WITHHELD } from "./gate.ts";
import { inEditorsNames } from "./settings.ts";

/** `draftwire/status`, as far as it is shown (editors/README.md). */
export interface BridgeStatus {
  readonly kind: "Normal" | "Warning" | "Error" | "Inactive";
  readonly reason: string;
  readonly message: string;
  readonly daemon: string;
  readonly draft: string;
  readonly link: string;
  readonly draftModel: string;
  readonly targetModel: string;
  readonly verifier: string;
  readonly roundTripMs: number;
  readonly grammars: Readonly<Record<string, string>>;
  /** Why nothing is suggested in a document, by its URI. A bridge of 0.1.0 may not have it. */
  readonly leftOut?: Readonly<Record<string, string>>;
}

export type BridgeState =
  | { readonly phase: "looking" | "starting" }
  | { readonly phase: "running"; readonly status: BridgeStatus | undefined }
  | { readonly phase: "missing" | "too_old" | "crashed"; readonly message: string };

export interface StatusInputs {
  readonly bridge: BridgeState;
  readonly isEnabled: boolean;
  /** The setting of this name. */
  readonly advanced: unknown;
  /** The time of day at which a snooze ends. */
  readonly snoozedUntil: string | undefined;
  /** The item on the screen: its length and how much of it is verified, in the same units. */
  readonly item: { readonly length: number; readonly verified: number } | undefined;
  readonly cursors: number;
  readonly host: string;
  readonly uri: string;
}

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly severity: "none" | "warning" | "error";
  readonly command: string;
}

/** One action for each state that needs one; else the menu. */
const ACTIONS: Readonly<Record<string, { readonly command: string; readonly label: string }>> = {
  missing: { command: "draftwire.install", label: "Click: how to install it" },
  too_old: { command: "draftwire.install", label: "Click: how to upgrade it" },
  crashed: { command: "draftwire.restart", label: "Click: start it again" },
  daemon_silent: { command: "draftwire.doctor", label: "Click: see what is wrong" },
  daemon_stopped: { command: "draftwire.restart", label: "Click: start it again" },
  daemon_unavailable: { command: "draftwire.restart", label: "Click: start it again" },
  daemon_refused: { command: "draftwire.doctor", label: "Click: see what is wrong" },
  draft_failed: { command: "draftwire.doctor", label: "Click: see what is wrong" },
  bad_setting: { command: "draftwire.openSettings", label: "Click: open the settings" },
  other_version: { command: "draftwire.doctor", label: "Click: see what is wrong" },
  verifier_offline: { command: "draftwire.doctor", label: "Click: see what is wrong" },
  verifier_refused: { command: "draftwire.doctor", label: "Click: see what is wrong" },
  verifier_slow: { command: "draftwire.statistics", label: "Click: see the times" },
  grammar_unused: { command: "draftwire.showLog", label: "Click: open the log" },
};

const MENU = { command: "draftwire.menu", label: "Click: what can be done" };

export function statusText(of: StatusInputs): StatusText {
  const { bridge } = of;
  if (bridge.phase === "missing" || bridge.phase === "too_old" || bridge.phase === "crashed") {
    return withAction("$(error) Draftwire", bridge.message, "error", bridge.phase);
  }
  if (bridge.phase !== "running" || bridge.status === undefined) {
    return withAction("$(loading~spin) Draftwire", "Draftwire is starting.", "none", "");
  }
  const { status } = bridge;
  const tooltip = [...lines(status, of), `Runs on ${of.host}.`].join("\n");
  if (!of.isEnabled)
    return withAction("$(circle-slash) Draftwire", `Switched off here.\n${tooltip}`, "none", "");
  if (status.kind === "Error") return withAction("$(error) Draftwire", tooltip, "error", status.reason);
  const why = of.cursors > 1 ? WITHHELD.several_cursors : status.leftOut?.[of.uri];
  if (why !== undefined)
    return withAction(
      "$(circle-slash) Draftwire",
      `Nothing is suggested here: ${why}.\n${tooltip}`,
      "none",
      "",
    );
  if (of.snoozedUntil !== undefined)
    return withAction("$(bell-slash) Draftwire", `Snoozed until ${of.snoozedUntil}.\n${tooltip}`, "none", "");
  if (status.kind === "Inactive")
    return withAction("$(loading~spin) Draftwire", tooltip, "none", status.reason);
  const mark = of.item === undefined ? "$(sparkle)" : markOf(of.item);
  const warns = status.kind === "Warning" ? " $(warning)" : "";
  const said = of.item === undefined ? tooltip : `${saidOf(of.item)}\n${tooltip}`;
  return withAction(
    `${mark} Draftwire${warns}`,
    said,
    status.kind === "Warning" ? "warning" : "none",
    status.reason,
  );
}

function lines(status: BridgeStatus, of: StatusInputs): string[] {
  const grammar = status.grammars[of.uri];
  return [
    status.reason === "bad_setting" ? inEditorsNames(status.message, of.advanced) : status.message,
    status.draftModel && `Draft: ${status.draftModel}`,
    status.verifier && `Verifier: ${status.verifier}${status.targetModel && `, ${status.targetModel}`}`,
    status.roundTripMs > 0 && `Round trip: ${Math.round(status.roundTripMs)} ms`,
    grammar && `Grammar: ${grammar}`,
  ].filter((line): line is string => typeof line === "string" && line !== "");
}

function markOf(item: { readonly length: number; readonly verified: number }): string {
  if (item.verified >= item.length) return "$(pass-filled)";
  return item.verified > 0 ? "$(pass)" : "$(circle-outline)";
}

function saidOf(item: { readonly length: number; readonly verified: number }): string {
  if (item.verified >= item.length) return "The suggestion is verified.";
  if (item.verified === 0) return "The suggestion is provisional: a local draft.";
  return `Of the suggestion, ${item.verified} of ${item.length} characters are verified; the rest is provisional.`;
}

function withAction(
  text: string,
  tooltip: string,
  severity: StatusText["severity"],
  state: string,
): StatusText {
  const action = ACTIONS[state] ?? MENU;
  return { text, tooltip: `${tooltip}\n${action.label}`, severity, command: action.command };
}
