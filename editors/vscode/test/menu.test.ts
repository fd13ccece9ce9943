import assert from "node:assert/strict";
import { test } from "node:test";
import { type MenuInputs, menuRows } from "../src/pure/menu.ts";

const ON: MenuInputs = {
  isEnabledEverywhere: true,
  language: { id: "python", isEnabled: true },
  snoozedUntil: undefined,
};
const first = (of: MenuInputs, count = 3): string[] =>
  menuRows(of)
    .slice(0, count)
    .map((row) => row.label);

test("the rows say what they do in the present state", () => {
  assert.deepEqual(first(ON), [
    "$(circle-slash) Switch off everywhere",
    "$(circle-slash) Switch off for python",
    "$(bell-slash) Snooze",
  ]);
  const off = { isEnabledEverywhere: false, language: { id: "c", isEnabled: false }, snoozedUntil: "14:05" };
  assert.deepEqual(first(off), [
    "$(sparkle) Switch on everywhere",
    "$(sparkle) Switch on for c",
    "$(bell) Wake up now: snoozed until 14:05",
  ]);
  assert.equal(menuRows(off)[2]?.command, "wake");
});

test("with no document in front there is no row for its language", () => {
  assert.deepEqual(first({ ...ON, language: undefined }, 2), [
    "$(circle-slash) Switch off everywhere",
    "$(bell-slash) Snooze",
  ]);
});
