import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changed,
  current,
  drawn,
  keeping,
  type Now,
  type Shown,
  stepped,
  type Update,
} from "../src/pure/shown.ts";

const NOW: Now = { uri: "file:///a", version: 3, place: { line: 1, character: 4 } };
const item = (id: number, text: string) => ({
  id,
  text,
  drawn: text,
  verifiedLength: 0,
  command: [id, 5, { typed: 1 }] as const,
});
const SHOWN: Shown = { ...NOW, items: [item(1, "first"), item(2, "other")], index: 0 };
const update = (given: Partial<Update>): Update => ({
  uri: NOW.uri,
  version: NOW.version,
  position: NOW.place,
  kind: "extended",
  id: 1,
  text: "first line",
  verifiedLength: 3,
  complete: true,
  surroundings: "",
  ...given,
});

const table: [string, Shown | undefined, Partial<Update>, string][] = [
  ["the end of what is shown is drawn", SHOWN, {}, "draw"],
  ["a further whole line is drawn", SHOWN, { text: "first\nse", complete: false }, "draw"],
  ["some more of a line is noted alone", SHOWN, { text: "first se", complete: false }, "note"],
  ["twice as much of a line is drawn", SHOWN, { text: "first secon", complete: false }, "draw"],
  ["a verdict on the same text is noted alone", SHOWN, { kind: "verified", text: "first" }, "note"],
  ["a correction is drawn", SHOWN, { kind: "corrected", text: "fixed" }, "draw"],
  ["other words are no extension", SHOWN, { text: "fixed" }, "note"],
  ["a withdrawn one is taken away", SHOWN, { kind: "withdrawn", text: "" }, "clear"],
  ["another that is withdrawn is forgotten", SHOWN, { kind: "withdrawn", text: "", id: 2 }, "note"],
  ["an unknown one that is withdrawn is nothing", SHOWN, { kind: "withdrawn", text: "", id: 9 }, "nothing"],
  ["another in the list is noted alone", SHOWN, { id: 2, text: "other one" }, "note"],
  ["one that is not in the list waits", SHOWN, { id: 9 }, "nothing"],
  ["a late first text is drawn", undefined, { id: 9 }, "draw"],
  ["a late first text is drawn where an older is shown", { ...SHOWN, version: 2 }, { id: 9 }, "draw"],
  ["a verdict on what is not shown is nothing", undefined, { kind: "verified" }, "nothing"],
  ["an empty text is nothing", undefined, { text: "" }, "nothing"],
  ["for another version: nothing", SHOWN, { version: 2 }, "nothing"],
  ["for another place: nothing", SHOWN, { position: { line: 1, character: 5 } }, "nothing"],
  ["for another document: nothing", SHOWN, { uri: "file:///b" }, "nothing"],
];
for (const [name, shown, given, expected] of table) {
  test(name, () => assert.equal(changed(shown, update(given), NOW, false).do, expected));
}

test("what was noted is compared with what is drawn, until that is drawn too", () => {
  const noted = changed(SHOWN, update({ text: "first se", complete: false }), NOW, false);
  assert(noted.do === "note");
  assert.deepEqual([current(noted.shown)?.text, current(noted.shown)?.drawn], ["first se", "first"]);
  const twice = changed(noted.shown, update({ text: "first secon", complete: false }), NOW, false);
  assert(twice.do === "draw");
  const after = drawn(twice.shown);
  assert.equal(current(after)?.drawn, "first secon");
  assert.equal(changed(after, update({ text: "first second", complete: false }), NOW, false).do, "note");
});

test("the end of what was noted is drawn when it comes with no further text", () => {
  const noted = changed(SHOWN, update({ text: "first se", complete: false }), NOW, false);
  assert(noted.do === "note");
  assert.equal(changed(noted.shown, update({ text: "first se", complete: true }), NOW, false).do, "draw");
});

test("what is left when a part was accepted stays drawn, though the answer goes on from there", () => {
  const answer = { ...SHOWN, items: [item(1, "first second"), item(2, "other")] };
  const kept = keeping(item(1, "first"), answer);
  assert.deepEqual(
    kept.items.map((one) => one.drawn),
    ["first", "other"],
  );
  assert.equal(keeping(item(1, "fist"), answer), answer);
  assert.equal(keeping(undefined, answer), answer);
  assert.deepEqual(keeping(item(1, "first"), { ...SHOWN, items: [] }).items, []);
});

test("what the user has put away does not come back", () => {
  assert.equal(changed(undefined, update({}), NOW, true).do, "nothing");
});

test("the command of an extended item has the new length in code points of LF text", () => {
  const change = changed(SHOWN, update({ text: "first\r\n😀" }), NOW, false);
  assert(change.do === "draw");
  assert.deepEqual(current(change.shown)?.command, [1, 7, { typed: 1 }]);
});

test("the command of a late first text names its suggestion and all of it", () => {
  const change = changed(undefined, update({ id: 7, text: "你好" }), NOW, false);
  assert(change.do === "draw");
  assert.deepEqual(current(change.shown)?.command.slice(0, 2), [7, 2]);
});

test("a command whose length is not ours is left as it is", () => {
  const odd = { ...SHOWN, items: [{ ...item(1, "first"), command: [1, undefined, {}] }] };
  const change = changed(odd, update({}), NOW, false);
  assert(change.do === "draw");
  assert.deepEqual(current(change.shown)?.command, [1, undefined, {}]);
});

test("next and previous turn round, also in an empty list", () => {
  assert.equal(stepped(SHOWN, 1).index, 1);
  assert.equal(stepped(stepped(SHOWN, 1), 1).index, 0);
  assert.equal(stepped(SHOWN, -1).index, 1);
  assert.equal(stepped({ ...SHOWN, items: [] }, 1).index, 0);
});

test("the shown item stays shown when one before it is withdrawn", () => {
  const change = changed({ ...SHOWN, index: 1 }, update({ kind: "withdrawn", text: "", id: 1 }), NOW, false);
  assert(change.do === "note");
  assert.equal(current(change.shown)?.id, 2);
});
