// What a change of the document means for the item drawn: the user typed along it, accepted a part of it, or neither.
// VS Code's stable API says nothing of partial acceptance, the document does. Pure.
import { codePoints, current, type Item, type Now, type Place, type Shown } from "./shown.ts";

export interface Inserted {
  readonly place: Place;
  readonly text: string;
  /** UTF-16 code units that were replaced. */
  readonly replaced: number;
}

/** Follows one item from where it was answered while the document takes in its text. */
export interface Followed {
  readonly shown: Shown;
  /** UTF-16 code units of the item that stand in the document by now. */
  readonly taken: number;
}

export type Step =
  | { readonly kind: "typed"; readonly followed: Followed }
  | { readonly kind: "part"; readonly followed: Followed }
  | { readonly kind: "all" }
  | { readonly kind: "other" };

/**
 * What this one change did to the item that is followed.
 *
 * Two or more characters at once that the item goes on with are a part accepted (a word, a line); one is a key typed.
 * What counts is what is drawn of the item: that is all there is to take.
 */
export function step(followed: Followed, inserted: Inserted): Step {
  const item = current(followed.shown);
  const rest = item?.drawn.slice(followed.taken) ?? "";
  const expected = placeAfter(followed.shown.place, item?.drawn.slice(0, followed.taken) ?? "");
  const fits = expected.line === inserted.place.line && expected.character === inserted.place.character;
  if (!fits || inserted.replaced > 0 || inserted.text === "" || !rest.startsWith(inserted.text)) {
    return { kind: "other" };
  }
  if (rest === inserted.text) return { kind: "all" };
  const next = { shown: followed.shown, taken: followed.taken + inserted.text.length };
  return { kind: Array.from(inserted.text).length > 1 ? "part" : "typed", followed: next };
}

/** Whether the followed item still stands at the cursor of `now` (whose version the caller vouches for). */
export function standsAt(followed: Followed, now: Now): boolean {
  const item = current(followed.shown);
  const place = placeAfter(followed.shown.place, item?.drawn.slice(0, followed.taken) ?? "");
  const same = place.line === now.place.line && place.character === now.place.character;
  return followed.shown.uri === now.uri && same;
}

/** The items as they are for the document and cursor of `now`: without what stands in the document by now. */
export function asOf(followed: Followed, now: Now): Shown {
  const { shown, taken } = followed;
  const typed = current(shown)?.drawn.slice(0, taken) ?? "";
  const index = shown.items.slice(0, shown.index).filter((item) => item.text.startsWith(typed)).length;
  const items = shown.items
    .filter((item) => item.text.startsWith(typed))
    .map((item) => shortened(item, typed));
  return { uri: now.uri, version: now.version, place: now.place, items, index };
}

function shortened(item: Item, typed: string): Item {
  const [id, length, detail] = item.command;
  const before = (detail as { readonly typed?: unknown } | undefined)?.typed;
  const all = (typeof before === "number" ? before : 0) + codePoints(typed);
  return {
    ...item,
    text: item.text.slice(typed.length),
    drawn: item.drawn.slice(typed.length),
    verifiedLength: Math.max(0, item.verifiedLength - typed.length),
    command: [id, length, { ...(detail as object), typed: all }],
  };
}

/** Where the cursor stands behind `text` inserted at `place`. */
export function placeAfter(place: Place, text: string): Place {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? "";
  if (lines.length === 1) return { line: place.line, character: place.character + last.length };
  return { line: place.line + lines.length - 1, character: last.length };
}
