// How an item must be given for VS Code to draw it: text of several lines has to reach to the end of its line. Pure.

export interface Placed {
  readonly insertText: string;
  /** UTF-16 code units behind the cursor that are replaced, by the same text. */
  readonly replaces: number;
}

/** `text` for a cursor with `after` behind it in its line: what follows the cursor moves to the end of the last line. */
export function placed(text: string, after: string): Placed {
  if (after === "" || !/[\r\n]/.test(text)) return { insertText: text, replaces: 0 };
  return { insertText: text + after, replaces: after.length };
}
