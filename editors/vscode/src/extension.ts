// Puts the parts together: bridge, suggestions, status item, commands.
import * as vscode from "vscode";
import { Bridge } from "./bridge.ts";
import { install, registerCommands } from "./commands.ts";
import { Messages } from "./messages.ts";
import { isReady } from "./pure/readiness.ts";
import type { Update } from "./pure/shown.ts";
import type { BridgeState } from "./pure/status_text.ts";
import { Reports } from "./reports.ts";
import { SECTION } from "./settings.ts";
import { StatusItem } from "./status_item.ts";
import { Suggestions } from "./suggestions.ts";

const AGAIN_MS = 10_000;

let running: Bridge | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Draftwire", { log: true });
  const bridge = new Bridge(log, () => ({ middleware: suggestions.middleware }), {
    "window/showMessage": (message) => void messages.show(message as Parameters<Messages["show"]>[0]),
    "draftwire/suggestion": (update) => void suggestions.update(update as Update),
  });
  const messages = new Messages(log);
  const suggestions = new Suggestions((method, params) => bridge.notify(method, params), log);
  const status = new StatusItem(bridge, suggestions);
  const reports = new Reports();
  const redraw = (): void => status.draw();
  const again = setInterval(() => {
    redraw(); // a snooze may have run out
    void bridge.lookAgain();
  }, AGAIN_MS);
  running = bridge;
  context.subscriptions.push(
    log,
    bridge,
    suggestions,
    status,
    reports,
    { dispose: () => clearInterval(again) },
    ...registerCommands({ bridge, suggestions, reports, log, redraw }),
    bridge.onDidChangeState(redraw),
    bridge.onDidChangeState(clearingOnLoss(suggestions)),
    bridge.onDidChangeState(askingOnceReady(suggestions)),
    bridge.onDidChangeState(tellingOnce(bridge)),
    bridge.onDidChangeState((state) => {
      void vscode.commands.executeCommand("setContext", "draftwire.isRunning", state.phase === "running");
    }),
    suggestions.onDidChange(redraw),
    vscode.window.onDidChangeActiveTextEditor(redraw),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration(SECTION)) return;
      const restarts = ["path", "logLevel"].some((name) => event.affectsConfiguration(`${SECTION}.${name}`));
      if (restarts) void bridge.restart();
      else bridge.configure();
      redraw();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void bridge.restart()),
  );
  void bridge.restart();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

/** What was shown is taken off the screen when the daemon or the bridge is lost (ux-23). */
function clearingOnLoss(suggestions: Suggestions): (state: BridgeState) => void {
  let wasThere = false;
  return (state) => {
    const isThere =
      state.phase === "running" && (state.status === undefined || state.status.daemon === "connected");
    if (wasThere && !isThere) void suggestions.lose();
    wasThere = isThere;
  };
}

/** What was asked for in vain while daemon or model were away is asked for again. */
function askingOnceReady(suggestions: Suggestions): (state: BridgeState) => void {
  let wasReady = false;
  return (state) => {
    const isNow = isReady(state);
    if (isNow && !wasReady) void suggestions.askAgain();
    wasReady = isNow;
  };
}

/** One message for a state that only the user can end; then the status item says it (ux-45). */
function tellingOnce(bridge: Bridge): (state: BridgeState) => void {
  const told = new Set<string>();
  return (state) => {
    if (!("message" in state) || told.has(state.phase)) return;
    told.add(state.phase);
    void (state.phase === "crashed" ? tellOfCrashes(state.message) : install(bridge));
  };
}

async function tellOfCrashes(message: string): Promise<void> {
  const [again, log, doctor] = ["Start Again", "Show Log", "Doctor"];
  const chosen = await vscode.window.showErrorMessage(message, again, log, doctor);
  const commands = { [again]: "restart", [log]: "showLog", [doctor]: "doctor" };
  if (chosen !== undefined) await vscode.commands.executeCommand(`draftwire.${commands[chosen]}`);
}
