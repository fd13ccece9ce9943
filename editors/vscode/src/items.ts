// Items between VS Code's shapes, the bridge's and ours.
import * as vscode from "vscode";
import { placed } from "./pure/placing.ts";
import type { Item, Now } from "./pure/shown.ts";

const ACCEPTED = "draftwire.accepted";

/** The item as the bridge wants to be told of it; `kind`: the part of it that was accepted, if that is known. */
export function told(item: Item, kind?: "word" | "line"): object {
  const [id, length, detail] = item.command;
  const known = kind === undefined ? detail : { ...(detail as object), kind };
  return { insertText: item.text, command: { command: ACCEPTED, arguments: [id, length, known] } };
}

export function itemOf(item: vscode.InlineCompletionItem): Item[] {
  const [id, , detail] = item.command?.arguments ?? [];
  if (typeof id !== "number" || typeof item.insertText !== "string") return [];
  const { verifiedLength } = (detail ?? {}) as Readonly<Record<string, unknown>>;
  const verified = typeof verifiedLength === "number" ? verifiedLength : 0;
  const command = item.command?.arguments ?? [];
  return [{ id, text: item.insertText, drawn: item.insertText, verifiedLength: verified, command }];
}

export function drawable(item: Item, position: vscode.Position, after: string): vscode.InlineCompletionItem {
  const { insertText, replaces } = placed(item.text, after);
  const range = new vscode.Range(position, position.translate(0, replaces));
  const command = { title: "Draftwire: accepted", command: ACCEPTED, arguments: [...item.command] };
  return new vscode.InlineCompletionItem(insertText, range, command);
}

export function nowIn(document: vscode.TextDocument, position: vscode.Position): Now {
  const place = { line: position.line, character: position.character };
  return { uri: document.uri.toString(), version: document.version, place };
}

export function sameNow(one: Now, other: Now): boolean {
  return (
    one.uri === other.uri &&
    one.version === other.version &&
    one.place.line === other.place.line &&
    one.place.character === other.place.character
  );
}
