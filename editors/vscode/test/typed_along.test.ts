import assert from "node:assert/strict";
import { test } from "node:test";
import { asOf, placeAfter, standsAt, step } from "../src/pure/typed_along.ts";

const PLACE = { line: 0, character: 2 };
const TEXT = "ab😀 cd\r\n  ef";
const ITEM = { id: 1, text: TEXT, drawn: TEXT, verifiedLength: 0, command: [] };
const SHOWN = { uri: "file:///a", version: 1, place: PLACE, items: [ITEM], index: 0 };

const table: [string, number, string, string, number?][] = [
  ["a key of it", 0, "a", "typed"],
  ["one character of two units is a key", 2, "😀", "typed"],
  ["two characters at once are a part", 0, "ab", "part"],
  ["a line end and an indentation are a part", 7, "\r\n  ", "part"],
  ["all that is left", 7, "\r\n  ef", "all"],
  ["the last key", 12, "f", "all"],
  ["another key", 0, "x", "other"],
  ["a deletion", 1, "", "other"],
  ["a replacement", 0, "a", "other", 1],
];
for (const [name, taken, text, expected, replaced = 0] of table) {
  test(name, () => {
    const place = placeAfter(PLACE, ITEM.text.slice(0, taken));
    assert.equal(step({ shown: SHOWN, taken }, { place, text, replaced }).kind, expected);
  });
}

test("what is drawn is all there is to take, whatever is known beside", () => {
  const shown = { ...SHOWN, items: [{ ...ITEM, drawn: "ab" }] };
  const taking = (text: string) => step({ shown, taken: 0 }, { place: PLACE, text, replaced: 0 }).kind;
  assert.equal(taking("ab"), "all");
  assert.equal(taking("a"), "typed");
});

test("a change somewhere else is no step along it", () => {
  assert.equal(
    step({ shown: SHOWN, taken: 0 }, { place: { line: 3, character: 2 }, text: "a", replaced: 0 }).kind,
    "other",
  );
});

test("what was typed moves the item along", () => {
  const result = step({ shown: SHOWN, taken: 0 }, { place: PLACE, text: "ab", replaced: 0 });
  assert(result.kind === "part");
  assert.equal(result.followed.taken, 2);
  assert(standsAt(result.followed, { uri: SHOWN.uri, version: 2, place: { line: 0, character: 4 } }));
  assert(!standsAt(result.followed, { uri: SHOWN.uri, version: 2, place: PLACE }));
  assert(!standsAt(result.followed, { uri: "file:///b", version: 2, place: { line: 0, character: 4 } }));
});

test("nothing shown, nothing taken", () => {
  const none = { shown: { ...SHOWN, items: [] }, taken: 0 };
  assert.equal(step(none, { place: PLACE, text: "a", replaced: 0 }).kind, "other");
  assert(standsAt(none, { uri: SHOWN.uri, version: 1, place: PLACE }));
});

test("the items as they are after a part was typed; one that says otherwise is gone", () => {
  const items = [
    { ...ITEM, id: 3, text: "xy", drawn: "xy" },
    { ...ITEM, text: `${TEXT} gh`, verifiedLength: 6, command: [1, 9, { typed: 2 }] },
  ];
  const now = { uri: SHOWN.uri, version: 4, place: { line: 0, character: 6 } };
  const shown = asOf({ shown: { ...SHOWN, items, index: 1 }, taken: 4 }, now);
  assert.deepEqual(shown.items, [
    {
      ...ITEM,
      text: " cd\r\n  ef gh",
      drawn: " cd\r\n  ef",
      verifiedLength: 2,
      command: [1, 9, { typed: 5 }],
    },
  ]);
  assert.deepEqual([shown.index, shown.version, shown.place], [0, 4, now.place]);
});
