// Why nothing is shown at the cursor: what the editor itself has to say, then the bridge and the daemon.
import * as vscode from "vscode";
import type { Bridge } from "./bridge.ts";
import { WITHHELD } from "./pure/gate.ts";
import { isEnabled } from "./settings.ts";
import type { Suggestions } from "./suggestions.ts";

/** The answer to `draftwire/stats`, as far as it is read here. */
interface Statistics {
  /** Oldest first; `document`: the last part of its URI; `why` is empty where there was text. A bridge of 0.1.0 may not have it. */
  readonly last_requests?: readonly { readonly document: string; readonly why?: string }[];
}

/** The editor's own reasons, as of the last question. */
export function reasonsHere(suggestions: Suggestions): string[] {
  const document = vscode.window.activeTextEditor?.document;
  return [
    document === undefined && "no document is in front",
    document && !isEnabled(document.languageId) && `the settings switch ${document.languageId} off`,
    suggestions.lastWithheld && WITHHELD[suggestions.lastWithheld],
    !vscode.workspace.getConfiguration("editor").get("inlineSuggest.enabled") &&
      "editor.inlineSuggest.enabled is off",
  ].filter((reason) => typeof reason === "string");
}

/** The first reason there is for the last question, in a line. */
export async function whyNothing(bridge: Bridge, suggestions: Suggestions): Promise<string> {
  const [own] = reasonsHere(suggestions);
  if (own !== undefined) return own;
  const { state } = bridge;
  if ("message" in state) return state.message;
  if (state.phase !== "running" || state.status === undefined) return "Draftwire is starting";
  if (state.status.daemon !== "connected") return state.status.message;
  const newest = (await bridge.ask<Statistics>("draftwire/stats"))?.last_requests?.at(-1);
  const here = vscode.window.activeTextEditor?.document.uri.toString().split("/").at(-1);
  return (newest?.document === here && newest?.why) || "there is nothing to suggest here";
}
