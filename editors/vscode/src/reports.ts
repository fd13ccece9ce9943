// What `draftwire doctor` and `draftwire stats` print, as read-only documents.
import { execFile } from "node:child_process";
import * as vscode from "vscode";

const SCHEME = "draftwire-report";
const WITHIN_MS = 60_000;

export class Reports implements vscode.Disposable, vscode.TextDocumentContentProvider {
  /** By the address of the document: each report has its own, since VS Code may keep the text of one it has shown. */
  readonly #texts = new Map<string, string>();
  readonly #registered = [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
  ];
  #count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  /** Run the program and show what it says, below `preface`. */
  async show(name: string, program: string, args: readonly string[], preface = ""): Promise<void> {
    const title = { location: vscode.ProgressLocation.Window, title: `Draftwire: ${name}` };
    const output = await vscode.window.withProgress(title, () => outputOf(program, args));
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/Draftwire ${name}`, query: `${this.#count}` });
    this.#texts.set(uri.toString(), preface + output);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    for (const one of this.#registered) one.dispose();
  }
}

/** What it prints, whatever its exit status: a check that fails says so in its text. */
function outputOf(program: string, args: readonly string[]): Promise<string> {
  const options = { timeout: WITHIN_MS, env: { ...process.env, NO_COLOR: "1", COLUMNS: "110" } };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`;
      resolve(said !== "" ? said : `${program} ${args.join(" ")}: ${error ?? "said nothing"}\n`);
    });
  });
}
