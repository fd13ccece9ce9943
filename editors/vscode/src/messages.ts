// What the bridge has to tell the user: in this editor's names, and one message of a kind at a time.
import * as vscode from "vscode";
import { inEditorsNames } from "./pure/settings.ts";
import { advancedNow } from "./settings.ts";

/** The parameters of `window/showMessage`; the bridge warns, and says nothing else. */
interface Message {
  readonly message: string;
}

export class Messages {
  readonly #log: vscode.LogOutputChannel;
  /** Kinds of which one is on the screen: VS Code can not close it. */
  readonly #open = new Set<string>();

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  async show({ message }: Message): Promise<void> {
    const text = inEditorsNames(message, advancedNow());
    const [kind = ""] = text.split(": ", 1);
    if (this.#open.has(kind)) {
      this.#log.warn(text); // the status item says it too
      return;
    }
    this.#open.add(kind);
    await vscode.window.showWarningMessage(text);
    this.#open.delete(kind);
  }
}
