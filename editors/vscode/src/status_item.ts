// The status item: where everything stands, how much of the suggestion is verified. The words are pure/status_text.ts.
import { hostname } from "node:os";
import * as vscode from "vscode";
import type { Bridge } from "./bridge.ts";
import { statusText } from "./pure/status_text.ts";
import { advancedNow, isEnabled } from "./settings.ts";
import type { Suggestions } from "./suggestions.ts";

const COLOURS = { warning: "statusBarItem.warningBackground", error: "statusBarItem.errorBackground" };

export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("status", vscode.StatusBarAlignment.Right, 100);
  readonly #bridge: Bridge;
  readonly #suggestions: Suggestions;
  readonly #listener = vscode.window.onDidChangeTextEditorSelection(() => {
    if (cursorsNow() !== this.#cursors) this.draw();
  });
  #cursors = 1;

  constructor(bridge: Bridge, suggestions: Suggestions) {
    this.#bridge = bridge;
    this.#suggestions = suggestions;
    this.#item.name = "Draftwire";
    this.draw();
    this.#item.show();
  }

  draw(): void {
    const document = vscode.window.activeTextEditor?.document;
    this.#cursors = cursorsNow();
    const said = statusText({
      bridge: this.#bridge.state,
      isEnabled: document === undefined || isEnabled(document.languageId),
      advanced: advancedNow(),
      snoozedUntil: this.#suggestions.snoozeEnd,
      item: this.#suggestions.item,
      cursors: this.#cursors,
      host: vscode.env.remoteName === undefined ? "this machine" : `${hostname()} (${vscode.env.remoteName})`,
      uri: document?.uri.toString() ?? "",
    });
    this.#item.text = said.text;
    this.#item.tooltip = said.tooltip;
    this.#item.command = said.command;
    this.#item.backgroundColor =
      said.severity === "none" ? undefined : new vscode.ThemeColor(COLOURS[said.severity]);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#item.dispose();
  }
}

function cursorsNow(): number {
  return vscode.window.activeTextEditor?.selections.length ?? 1;
}
