// The small rules: placing, gate, backoff, versions, settings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff, ending } from "../src/pure/backoff.ts";
import { withheld } from "../src/pure/gate.ts";
import { placed } from "../src/pure/placing.ts";
import { bridgeSettings, inEditorsNames } from "../src/pure/settings.ts";
import { isOlder } from "../src/pure/version.ts";

test("text of one line is inserted, of several it reaches to the end of its line", () => {
  assert.deepEqual(placed("a", ")"), { insertText: "a", replaces: 0 });
  assert.deepEqual(placed("a\n", ""), { insertText: "a\n", replaces: 0 });
  assert.deepEqual(placed("a\r\nb", "😀)"), { insertText: "a\r\nb😀)", replaces: 3 });
});

test("the editor's own reasons to show nothing", () => {
  const at = {
    snoozedUntil: 0,
    now: 10,
    cursors: 1,
    hasSelection: false,
    isWritable: true,
    isInvoked: false,
  };
  assert.equal(withheld(at), undefined);
  assert.equal(withheld({ ...at, snoozedUntil: 11 }), "snoozed");
  assert.equal(withheld({ ...at, snoozedUntil: 11, isInvoked: true }), undefined);
  assert.equal(withheld({ ...at, cursors: 2 }), "several_cursors");
  assert.equal(withheld({ ...at, hasSelection: true }), "selection");
  assert.equal(withheld({ ...at, isWritable: false }), "read_only");
});

test("a bridge that keeps ending is left after three more tries, with growing waits", () => {
  const backoff = new Backoff();
  const waits = Array.from({ length: 5 }, () => backoff.afterCrash(100));
  assert.deepEqual(waits, [500, 2_000, 8_000, undefined, undefined]);
  backoff.reset();
  assert.equal(backoff.afterCrash(100), 500);
  assert.equal(backoff.afterCrash(180_000), 500);
});

test("the log says of each end what follows", () => {
  const [again, last] = [ending("it has ended", 2_600, 500), ending("it has ended", 200, undefined)];
  assert.equal(again, "The bridge is gone after 3 s: it has ended; starting it again in 0.5 s");
  assert.equal(last, "The bridge is gone after 0 s: it has ended; it keeps ending and is left alone");
});

test("versions", () => {
  assert(isOlder("0.0.9", "0.1.0"));
  assert(isOlder("0.1", "0.1.1"));
  for (const version of ["0.1.0", "0.1.0.dev1", "0.2", "1.0.0", "test", undefined])
    assert(!isOlder(version, "0.1.0"));
});

const GIVEN = {
  enable: true,
  languages: { markdown: false },
  exclude: ["*.secret"],
  trigger: "manual",
  maxTokens: 16,
  maxLines: 3,
  show: "verified",
  grammars: false,
  advanced: { "completion.temperature": 0.5 },
};

test("settings get the bridge's names", () => {
  assert.deepEqual(bridgeSettings(GIVEN, true), {
    "completion.enabled": true,
    "completion.trigger": "manual",
    "completion.max_tokens": 16,
    "completion.max_lines": 3,
    "display.policy": "verified",
    "grammars.enabled": false,
    "files.exclude": ["*.secret"],
    "languages.markdown.enabled": false,
    "grammars.trust_workspace": true,
    "completion.temperature": 0.5,
  });
});

test("settings are told by the names they have here", () => {
  const told: [string, string][] = [
    ["files.exclude takes a list", "draftwire.exclude takes a list"],
    ["languages.c.enabled takes true or false", "draftwire.languages.c takes true or false"],
    ["languages takes tables", "languages takes tables"],
    ["completion.temperature is below 0", "completion.temperature is below 0"],
    ['did you mean "completion.max_lines"?', 'did you mean "completion.max_lines"?'],
  ];
  for (const [text, here] of told) assert.equal(inEditorsNames(text, 3), here);
  const advanced = { "files.exclude": "*.py" };
  assert.equal(inEditorsNames("files.exclude takes a list", advanced), "files.exclude takes a list");
});

test("what is not set is not sent, and a value of the wrong type is the bridge's to tell of", () => {
  const unset = Object.fromEntries(
    Object.keys(GIVEN).map((name) => [name, undefined]),
  ) as unknown as typeof GIVEN;
  assert.deepEqual(bridgeSettings(unset, false), { "grammars.trust_workspace": false });
  const wrong = { maxTokens: "many", exclude: "*.py", languages: { c: "no" }, advanced: 3 };
  assert.deepEqual(bridgeSettings({ ...unset, ...wrong } as unknown as typeof GIVEN, false), {
    "completion.max_tokens": "many",
    "files.exclude": "*.py",
    "languages.c.enabled": "no",
    "grammars.trust_workspace": false,
  });
  const list = { ...unset, languages: ["python"] } as unknown as typeof GIVEN;
  assert.deepEqual(bridgeSettings(list, false), {
    languages: ["python"],
    "grammars.trust_workspace": false,
  });
});
