// What is on the screen, as far as the stable API lets one know: the items of the last answer and which of them is
// drawn. Takes in the daemon's later words on an item. Pure: knows neither VS Code nor the bridge.

export interface Place {
  readonly line: number;
  /** UTF-16 code units. */
  readonly character: number;
}

/** An inline completion item of the bridge, or the same after an update. */
export interface Item {
  /** Of the suggestion: the first argument of the item's command. */
  readonly id: number;
  /** All that is known of it. */
  readonly text: string;
  /** What VS Code has of it: the daemon may have said more since. */
  readonly drawn: string;
  /** UTF-16 code units from the start of `text` that are the target's own. */
  readonly verifiedLength: number;
  /** Arguments of `draftwire.accepted`: [id, length in code points, detail]. */
  readonly command: readonly unknown[];
}

/** The items drawn for one text of one document. */
export interface Shown {
  readonly uri: string;
  readonly version: number;
  readonly place: Place;
  readonly items: readonly Item[];
  readonly index: number;
}

/** The parameters of `draftwire/suggestion` (editors/README.md). */
export interface Update {
  readonly uri: string;
  readonly version: number;
  readonly position: Place;
  readonly kind: "extended" | "verified" | "corrected" | "withdrawn";
  readonly id: number;
  readonly text: string;
  readonly verifiedLength: number;
  readonly complete: boolean;
  readonly surroundings: string;
}

/** Where the editor stands now. */
export interface Now {
  readonly uri: string;
  readonly version: number;
  readonly place: Place;
}

/** What an update asks of the screen. */
export type Change =
  | { readonly do: "nothing" }
  | { readonly do: "note"; readonly shown: Shown }
  | { readonly do: "draw"; readonly shown: Shown }
  | { readonly do: "clear" };

const NOTHING: Change = { do: "nothing" };

export function current(shown: Shown | undefined): Item | undefined {
  return shown?.items[shown.index];
}

/** Whether `shown` is for this very text and cursor. */
export function isAt(shown: Shown, now: Now): boolean {
  return shown.uri === now.uri && shown.version === now.version && samePlace(shown.place, now.place);
}

/**
 * What an update changes on the screen of an editor that stands at `now`.
 *
 * `dismissed`: the user has closed what was shown for this text. VS Code can only draw an item anew as a whole, so that
 * is done where it shows something worth a frame: a first text, twice as much as is drawn, a further whole line, the
 * end, a correction.
 */
export function changed(shown: Shown | undefined, update: Update, now: Now, dismissed: boolean): Change {
  const atCursor =
    update.uri === now.uri && update.version === now.version && samePlace(update.position, now.place);
  if (!atCursor || dismissed) return NOTHING;
  const here = shown !== undefined && isAt(shown, now) ? shown : undefined;
  const index = here?.items.findIndex((item) => item.id === update.id) ?? -1;
  if (update.kind === "withdrawn") return withdrawn(here, index);
  if (update.text === "") return NOTHING;
  if (here === undefined || here.items.length === 0) {
    return update.kind === "verified" ? NOTHING : { do: "draw", shown: only(update) };
  }
  const old = here.items[index];
  if (old === undefined) return NOTHING; // another item is shown; the bridge keeps this one
  const next = replaced(here, index, updated(old, update));
  const draws = index === here.index && isWorthAFrame(old.drawn, update);
  return { do: draws ? "draw" : "note", shown: next };
}

/** The same once VS Code has been given all that is known of each item. */
export function drawn(shown: Shown): Shown {
  return { ...shown, items: shown.items.map((item) => ({ ...item, drawn: item.text })) };
}

/**
 * An answer to what VS Code asks when a part has been accepted: it leaves what is left of the item, `kept`, on the screen
 * though the answer goes on from there.
 */
export function keeping(kept: Item | undefined, answer: Shown): Shown {
  const [first, ...others] = answer.items;
  if (kept === undefined || first?.text.startsWith(kept.drawn) !== true) return answer;
  return { ...answer, items: [{ ...first, drawn: kept.drawn }, ...others] };
}

/** The same list with the item `step` further on shown, turning round at the ends. */
export function stepped(shown: Shown, step: 1 | -1): Shown {
  const count = shown.items.length;
  return count === 0 ? shown : { ...shown, index: (shown.index + step + count) % count };
}

function withdrawn(here: Shown | undefined, index: number): Change {
  if (here === undefined || index < 0) return NOTHING;
  if (index === here.index) return { do: "clear" };
  const items = here.items.filter((_, at) => at !== index);
  return { do: "note", shown: { ...here, items, index: here.index - (index < here.index ? 1 : 0) } };
}

function isWorthAFrame(drawn: string, update: Update): boolean {
  if (drawn === update.text) return false;
  if (!update.text.startsWith(drawn)) return update.kind === "corrected";
  const isTwice = update.text.length >= 2 * drawn.length;
  return update.complete || isTwice || wholeLines(update.text) > wholeLines(drawn);
}

function wholeLines(text: string): number {
  return text.split("\n").length - 1;
}

function only(update: Update): Shown {
  const detail = { uri: update.uri, version: update.version, surroundings: update.surroundings, typed: 0 };
  const command = [update.id, codePoints(update.text), detail];
  const { id, text, verifiedLength } = update;
  const item = { id, text, drawn: "", verifiedLength, command };
  return { uri: update.uri, version: update.version, place: update.position, items: [item], index: 0 };
}

function updated(old: Item, update: Update): Item {
  const [id, length, detail] = old.command;
  const longer =
    typeof length === "number" ? length - codePoints(old.text) + codePoints(update.text) : length;
  const { text, verifiedLength } = update;
  return { ...old, text, verifiedLength, command: [id, longer, detail] };
}

/** As the daemon counts: code points of the text with LF line ends. */
export function codePoints(text: string): number {
  return Array.from(text.replaceAll("\r\n", "\n")).length;
}

function replaced(shown: Shown, index: number, item: Item): Shown {
  return { ...shown, items: shown.items.map((old, at) => (at === index ? item : old)) };
}

function samePlace(one: Place, other: Place): boolean {
  return one.line === other.line && one.character === other.character;
}
