// Asks once more, as if a key had been pressed, where a question got nothing because daemon or model were away.
import * as vscode from "vscode";
import { nowIn, sameNow } from "./items.ts";
import type { Now } from "./pure/shown.ts";

const TRIGGER = "editor.action.inlineSuggest.trigger";

export class AskingAgain {
  #isAsking = false;
  /** Where the last question got nothing, or what it got was lost with the daemon. */
  inVain: Now | undefined;

  /** Whether nothing has moved since, and VS Code would ask by itself. */
  isDue(editor: vscode.TextEditor): boolean {
    const isHere = this.inVain && sameNow(this.inVain, nowIn(editor.document, editor.selection.active));
    const section = vscode.workspace.getConfiguration("editor", editor.document);
    return isHere === true && section.get("inlineSuggest.enabled") === true && vscode.window.state.focused;
  }

  async ask(): Promise<void> {
    this.#isAsking = true;
    try {
      await vscode.commands.executeCommand(TRIGGER);
    } finally {
      this.#isAsking = false;
    }
  }

  /** What VS Code says of a question; of one by `ask` it says that the user has asked by hand. */
  asMeant(context: vscode.InlineCompletionContext): vscode.InlineCompletionContext {
    if (!this.#isAsking) return context;
    return { ...context, triggerKind: vscode.InlineCompletionTriggerKind.Automatic };
  }
}
