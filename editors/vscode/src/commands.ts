// The commands of the palette, and what they are bound to.
import * as vscode from "vscode";
import type { Bridge } from "./bridge.ts";
import { howToInstall, howToUpgrade } from "./pure/locate.ts";
import { menuRows } from "./pure/menu.ts";
import type { Reports } from "./reports.ts";
import {
  isEnabled,
  isEnabledEverywhere,
  programSetting,
  SECTION,
  toggleEverywhere,
  toggleLanguage,
} from "./settings.ts";
import type { Suggestions } from "./suggestions.ts";
import { reasonsHere, whyNothing } from "./why_nothing.ts";

/** A reason in the status bar. */
const SAID_MS = 2_000;
const SNOOZE_MINUTES = [5, 15, 60, 240];

export interface Parts {
  readonly bridge: Bridge;
  readonly suggestions: Suggestions;
  readonly reports: Reports;
  readonly log: vscode.LogOutputChannel;
  /** Called after what the status item shows has changed. */
  readonly redraw: () => void;
}

type Command = () => unknown;

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const all: Readonly<Record<string, Command>> = {
    ...acceptance(parts),
    ...showing(parts),
    ...care(parts),
  };
  return Object.entries(all).map(([name, run]) => vscode.commands.registerCommand(`draftwire.${name}`, run));
}

function acceptance({ bridge, suggestions }: Parts): Readonly<Record<string, Command>> {
  const run = (command: string) => (): Thenable<unknown> => vscode.commands.executeCommand(command);
  return {
    accept: run("editor.action.inlineSuggest.commit"),
    acceptWord: () => suggestions.accept("word"),
    acceptLine: () => suggestions.accept("line"),
    trigger: async () => {
      await vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
      if (suggestions.item === undefined) await sayWhyNothing(bridge, suggestions);
    },
  };
}

async function sayWhyNothing(bridge: Bridge, suggestions: Suggestions): Promise<void> {
  const why = await whyNothing(bridge, suggestions);
  if (suggestions.item === undefined) vscode.window.setStatusBarMessage(`Draftwire: ${why}`, SAID_MS);
}

function showing({ suggestions, redraw }: Parts): Readonly<Record<string, Command>> {
  return {
    next: () => suggestions.cycle(1),
    previous: () => suggestions.cycle(-1),
    dismiss: () => suggestions.dismiss(),
    toggle: toggleEverywhere,
    toggleLanguage: async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document !== undefined) await toggleLanguage(document.languageId);
    },
    snooze: async () => {
      await snooze(suggestions);
      redraw();
    },
    wake: () => {
      suggestions.snoozedUntil = 0;
      redraw();
    },
  };
}

function care(parts: Parts): Readonly<Record<string, Command>> {
  const { bridge, log } = parts;
  return {
    showLog: () => log.show(),
    restart: () => bridge.restart(),
    doctor: () => report(parts, "Doctor", ["doctor"]),
    statistics: () => report(parts, "Statistics", ["stats"]),
    whyNothing: () => report(parts, "Why Nothing Shown", ["stats", "--why"], hereAndNow(parts.suggestions)),
    openSettings: () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:draftwire.draftwire"),
    install: () => install(bridge),
    menu: () => menu(parts.suggestions),
  };
}

async function report(
  { bridge, reports }: Parts,
  name: string,
  args: readonly string[],
  preface = "",
): Promise<void> {
  if (bridge.program === undefined) await install(bridge);
  else await reports.show(name, bridge.program.file, args, preface);
}

/** What the editor itself has to say of the place of the cursor, before the daemon's list. */
function hereAndNow(suggestions: Suggestions): string {
  const reasons = reasonsHere(suggestions);
  return reasons.length === 0 ? "" : `In the editor: ${reasons.join("; ")}\n\n`;
}

/** Say what is missing and how to get it; where nothing is, what is in use and how to get a newer one. */
export async function install(bridge: Bridge): Promise<void> {
  const { says, isWrong } = programTold(bridge);
  const command = /: (pipx .*)$/.exec(says)?.[1];
  const [inTerminal, settings] = ["Run in Terminal", "Open Settings"];
  const again = isWrong ? "Look Again" : "Restart";
  const show = isWrong ? vscode.window.showErrorMessage : vscode.window.showInformationMessage;
  const chosen = await show(says, ...(command ? [inTerminal] : []), settings, again);
  if (chosen === inTerminal && command !== undefined) {
    const terminal = vscode.window.createTerminal("Draftwire");
    terminal.show();
    terminal.sendText(command, false); // the user presses Enter
  }
  if (chosen === settings)
    await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.path`);
  if (chosen === again) await bridge.restart();
}

function programTold(bridge: Bridge): { readonly says: string; readonly isWrong: boolean } {
  const { state, program, version } = bridge;
  if (state.phase === "missing" || state.phase === "too_old") return { says: state.message, isWrong: true };
  if (program === undefined) return { says: howToInstall(programSetting()), isWrong: true };
  return { says: howToUpgrade(program, version), isWrong: false };
}

async function snooze(suggestions: Suggestions): Promise<void> {
  const wake = suggestions.snoozeEnd ? [{ label: "Wake up now", minutes: 0 }] : [];
  const times = SNOOZE_MINUTES.map((minutes) => ({ label: `${minutes} minutes`, minutes }));
  const chosen = await vscode.window.showQuickPick([...wake, ...times], { title: "Show no suggestions for" });
  if (chosen === undefined) return;
  suggestions.snoozedUntil = Date.now() + chosen.minutes * 60_000;
  if (chosen.minutes > 0) await suggestions.clear();
}

async function menu(suggestions: Suggestions): Promise<void> {
  const id = vscode.window.activeTextEditor?.document.languageId;
  const rows = menuRows({
    isEnabledEverywhere: isEnabledEverywhere(),
    language: id === undefined ? undefined : { id, isEnabled: isEnabled(id) },
    snoozedUntil: suggestions.snoozeEnd,
  });
  const chosen = await vscode.window.showQuickPick(rows, { title: "Draftwire" });
  if (chosen !== undefined) await vscode.commands.executeCommand(`draftwire.${chosen.command}`);
}
