// Suggestions between VS Code and the bridge: answers pass through, later words of the daemon are drawn, what the user
// takes of an item is told. What a change means is in pure/shown.ts and pure/typed_along.ts.
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import { AskingAgain } from "./asking_again.ts";
import { drawable, itemOf, nowIn, sameNow, told } from "./items.ts";
import { WITHHELD, type Withheld, withheld } from "./pure/gate.ts";
import {
  changed,
  current,
  drawn,
  isAt,
  keeping,
  type Now,
  type Shown,
  stepped,
  type Update,
} from "./pure/shown.ts";
import { asOf, type Followed, standsAt, step } from "./pure/typed_along.ts";

const HIDE = "editor.action.inlineSuggest.hide";
const TRIGGER = "editor.action.inlineSuggest.trigger";
/** For the key that dismisses: VS Code does not tell that its own command has hidden an item. */
const IS_SHOWN = "draftwire.isShown";

type Answer = vscode.InlineCompletionItem[] | vscode.InlineCompletionList | null | undefined;
type Notify = (method: string, params: unknown) => void;

export class Suggestions implements vscode.Disposable {
  readonly #notify: Notify;
  readonly #log: vscode.LogOutputChannel;
  readonly #changedEvent = new vscode.EventEmitter<void>();
  readonly #listeners: vscode.Disposable[];
  readonly #again = new AskingAgain();
  #followed: Followed | undefined;
  /** To be given at VS Code's next question, which is our own. */
  #toDraw: { shown: Shown } | undefined;
  /** The last change took a part of what is followed. */
  #isPartTaken = false;
  #dismissedAt: Now | undefined;
  #besidePopup = false;
  #lastTold = 0;
  #isShown = false;
  /** A part of this kind is being accepted by our own command. */
  #accepting: "word" | "line" | undefined;
  snoozedUntil = 0;
  /** Why the extension itself has shown nothing at the last question. */
  lastWithheld: Withheld | undefined;

  /** What is on the screen has changed. */
  readonly onDidChange = this.#changedEvent.event;
  readonly middleware: Middleware = {
    provideInlineCompletionItems: async (document, position, given, token, next) => {
      const now = nowIn(document, position);
      const context = this.#again.asMeant(given);
      if (this.#toDraw !== undefined) {
        const { shown } = this.#toDraw;
        this.#toDraw = undefined;
        if (isAt(shown, now)) return this.#given(drawn(shown), document, position);
      }
      this.lastWithheld = this.#withheld(document, context);
      if (this.lastWithheld !== undefined) {
        this.#log.debug(`Nothing shown: ${WITHHELD[this.lastWithheld]}`);
        this.#again.inVain = undefined;
        return [];
      }
      this.#besidePopup = context.selectedCompletionInfo !== undefined;
      const answer = await next(document, position, context, token);
      return token.isCancellationRequested ? [] : this.#answered(document, position, answer);
    },
  };

  constructor(notify: Notify, log: vscode.LogOutputChannel) {
    this.#notify = notify;
    this.#log = log;
    this.#listeners = [
      vscode.workspace.onDidChangeTextDocument((event) => this.#documentChanged(event)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.#cursorMoved(event.textEditor)),
      vscode.window.onDidChangeActiveTextEditor(() => this.#follow(undefined)),
    ];
  }

  /** The item on the screen, and how much of what is left of it is verified. */
  get item(): { readonly length: number; readonly verified: number } | undefined {
    const item = current(this.#followed?.shown);
    if (item === undefined || this.#followed === undefined) return undefined;
    const { taken } = this.#followed;
    return { length: item.drawn.length - taken, verified: Math.max(0, item.verifiedLength - taken) };
  }

  /** The time of day at which a snooze ends; undefined: none is on. */
  get snoozeEnd(): string | undefined {
    if (Date.now() >= this.snoozedUntil) return undefined;
    return new Date(this.snoozedUntil).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }

  /** `draftwire/suggestion`. */
  async update(update: Update): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const now = nowIn(editor.document, editor.selection.active);
    const isQuiet = this.#isDismissed(now) || this.#isQuiet(editor);
    const change = changed(this.#shownAt(now), update, now, isQuiet);
    if (change.do === "clear") await this.clear();
    else if (change.do !== "nothing") this.#follow({ shown: change.shown, taken: 0 });
    if (change.do === "draw") await this.#draw(change.shown);
  }

  /** Take what is shown off the screen: it holds no more. */
  async clear(): Promise<void> {
    this.#toDraw = undefined;
    this.#follow(undefined);
    await vscode.commands.executeCommand(HIDE);
  }

  /** As `clear`, because the daemon is gone. */
  async lose(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const now = editor && nowIn(editor.document, editor.selection.active);
    if (now !== undefined && current(this.#shownAt(now)) !== undefined) this.#again.inVain = now;
    await this.clear();
  }

  /** The daemon can answer now: ask once more where it could not, as if a key had been pressed. */
  async askAgain(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || this.#besidePopup || this.#isQuiet(editor) || !this.#again.isDue(editor))
      return;
    const now = nowIn(editor.document, editor.selection.active);
    if (!this.#isDismissed(now) && current(this.#shownAt(now)) === undefined) await this.#again.ask();
  }

  /** As `clear`, by the user: nothing comes back for this text. */
  async dismiss(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined) this.#dismissedAt = nowIn(editor.document, editor.selection.active);
    await this.clear();
  }

  /** Take the next word or line of what is shown. */
  async accept(part: "word" | "line"): Promise<void> {
    this.#accepting = part;
    try {
      await vscode.commands.executeCommand(
        `editor.action.inlineSuggest.acceptNext${part === "word" ? "Word" : "Line"}`,
      );
    } finally {
      this.#accepting = undefined;
    }
  }

  /** Show the next item or the one before; the bridge then keeps the chosen one first. */
  async cycle(by: 1 | -1): Promise<void> {
    await vscode.commands.executeCommand(
      `editor.action.inlineSuggest.${by === 1 ? "showNext" : "showPrevious"}`,
    );
    if (this.#followed === undefined) return;
    this.#follow({ shown: stepped(this.#followed.shown, by), taken: this.#followed.taken });
    this.#tellShown();
  }

  dispose(): void {
    this.#changedEvent.dispose();
    for (const one of this.#listeners) one.dispose();
  }

  /**
   * One command that hides and asks again: no other way of the stable API changes text that is drawn. One question for
   * each: a second one would be asked by hand for other suggestions.
   */
  async #draw(shown: Shown): Promise<void> {
    if (this.#besidePopup) return;
    if (this.#toDraw !== undefined) {
      this.#toDraw.shown = shown; // the question on its way takes it along
      return;
    }
    const own = { shown };
    this.#toDraw = own;
    try {
      await vscode.commands.executeCommand("runCommands", { commands: [HIDE, TRIGGER] });
    } finally {
      if (this.#toDraw === own) this.#toDraw = undefined; // VS Code has not asked
    }
  }

  #answered(
    document: vscode.TextDocument,
    position: vscode.Position,
    answer: Answer,
  ): vscode.InlineCompletionItem[] {
    const items = (Array.isArray(answer) ? answer : (answer?.items ?? [])).flatMap(itemOf);
    const now = nowIn(document, position);
    this.#again.inVain = items.length === 0 ? now : undefined;
    const kept = this.#isPartTaken ? current(this.#shownAt(now)) : undefined;
    return this.#given(keeping(kept, { ...now, items, index: 0 }), document, position);
  }

  #given(
    shown: Shown,
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.InlineCompletionItem[] {
    this.#follow(shown.items.length === 0 ? undefined : { shown, taken: 0 });
    this.#tellShown();
    const after = document.lineAt(position.line).text.slice(position.character);
    return shown.items.map((item) => drawable(item, position, after));
  }

  #withheld(document: vscode.TextDocument, context: vscode.InlineCompletionContext): Withheld | undefined {
    const editor = vscode.window.activeTextEditor;
    const isOurs = editor?.document === document;
    return withheld({
      snoozedUntil: this.snoozedUntil,
      now: Date.now(),
      cursors: isOurs ? editor.selections.length : 1,
      hasSelection: isOurs && !editor.selection.isEmpty,
      isWritable: vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) !== false,
      isInvoked: context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke,
    });
  }

  /** What is shown, as it is for the text of now: along which the user may have typed since VS Code asked last. */
  #shownAt(now: Now): Shown | undefined {
    const followed = this.#followed;
    return followed !== undefined && standsAt(followed, now) ? asOf(followed, now) : undefined;
  }

  #isDismissed(now: Now): boolean {
    return this.#dismissedAt !== undefined && sameNow(this.#dismissedAt, now);
  }

  #isQuiet(editor: vscode.TextEditor): boolean {
    return this.snoozeEnd !== undefined || editor.selections.length > 1 || !editor.selection.isEmpty;
  }

  #documentChanged(event: vscode.TextDocumentChangeEvent): void {
    const followed = this.#followed;
    if (followed?.shown.uri !== event.document.uri.toString() || event.contentChanges.length === 0) return;
    const [change, ...others] = event.contentChanges;
    if (change === undefined || others.length > 0) {
      this.#follow(undefined);
      return;
    }
    const place = { line: change.range.start.line, character: change.range.start.character };
    const result = step(followed, { place, text: change.text, replaced: change.rangeLength });
    const isPart = result.kind === "part" || (result.kind === "typed" && this.#accepting !== undefined);
    this.#isPartTaken = isPart;
    if (isPart) this.#tellPart(result.followed);
    this.#follow(result.kind === "typed" || result.kind === "part" ? result.followed : undefined);
  }

  #cursorMoved(editor: vscode.TextEditor): void {
    const followed = this.#followed;
    if (followed?.shown.uri !== editor.document.uri.toString()) return;
    const isSame = standsAt(followed, nowIn(editor.document, editor.selection.active));
    if (!isSame || !editor.selection.isEmpty) this.#follow(undefined);
  }

  #follow(followed: Followed | undefined): void {
    this.#followed = followed;
    const isShown = current(followed?.shown) !== undefined;
    if (isShown !== this.#isShown) void vscode.commands.executeCommand("setContext", IS_SHOWN, isShown);
    this.#isShown = isShown;
    this.#changedEvent.fire();
  }

  #tellShown(): void {
    const item = current(this.#followed?.shown);
    if (item === undefined || item.id === this.#lastTold) return;
    this.#lastTold = item.id;
    this.#notify("textDocument/didShowCompletion", { item: told(item) });
  }

  #tellPart(followed: Followed): void {
    const item = current(followed.shown);
    if (item === undefined) return;
    const params = { item: told(item, this.#accepting), acceptedLength: followed.taken };
    this.#notify("textDocument/didPartiallyAcceptCompletion", params);
  }
}
