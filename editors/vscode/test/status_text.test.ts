import assert from "node:assert/strict";
import { test } from "node:test";
import { isReady } from "../src/pure/readiness.ts";
import { type BridgeStatus, type StatusInputs, statusText } from "../src/pure/status_text.ts";

const WELL: BridgeStatus = {
  kind: "Normal",
  reason: "",
  message: "local drafts only",
  daemon: "connected",
  draft: "ready",
  link: "off",
  draftModel: "small",
  targetModel: "large",
  verifier: "wss://host",
  roundTripMs: 12.4,
  grammars: { "file:///a": "json" },
};
const INPUTS: StatusInputs = {
  bridge: { phase: "running", status: WELL },
  isEnabled: true,
  advanced: {},
  snoozedUntil: undefined,
  cursors: 1,
  item: undefined,
  host: "this machine",
  uri: "file:///a",
};
const withStatus = (given: Partial<BridgeStatus>): StatusInputs => ({
  ...INPUTS,
  bridge: { phase: "running", status: { ...WELL, ...given } },
});
const item = (verified: number): StatusInputs => ({ ...INPUTS, item: { length: 4, verified } });

const table: [string, StatusInputs, string, string][] = [
  ["all is well", INPUTS, "$(sparkle) Draftwire", "draftwire.menu"],
  [
    "left out by the daemon",
    withStatus({ leftOut: { "file:///a": "git ignores the file" } }),
    "$(circle-slash) Draftwire",
    "draftwire.menu",
  ],
  [
    "another is left out",
    withStatus({ leftOut: { "file:///b": "git ignores the file" } }),
    "$(sparkle) Draftwire",
    "draftwire.menu",
  ],
  ["provisional", item(0), "$(circle-outline) Draftwire", "draftwire.menu"],
  ["verified in part", item(2), "$(pass) Draftwire", "draftwire.menu"],
  ["verified", item(4), "$(pass-filled) Draftwire", "draftwire.menu"],
  ["looking", { ...INPUTS, bridge: { phase: "looking" } }, "$(loading~spin) Draftwire", "draftwire.menu"],
  [
    "no word yet",
    { ...INPUTS, bridge: { phase: "running", status: undefined } },
    "$(loading~spin) Draftwire",
    "draftwire.menu",
  ],
  [
    "no program",
    { ...INPUTS, bridge: { phase: "missing", message: "m" } },
    "$(error) Draftwire",
    "draftwire.install",
  ],
  [
    "too old",
    { ...INPUTS, bridge: { phase: "too_old", message: "m" } },
    "$(error) Draftwire",
    "draftwire.install",
  ],
  [
    "crashed",
    { ...INPUTS, bridge: { phase: "crashed", message: "m" } },
    "$(error) Draftwire",
    "draftwire.restart",
  ],
  [
    "no daemon",
    withStatus({ kind: "Error", reason: "daemon_unavailable" }),
    "$(error) Draftwire",
    "draftwire.restart",
  ],
  [
    "a daemon that hangs",
    withStatus({ kind: "Error", reason: "daemon_silent" }),
    "$(error) Draftwire",
    "draftwire.doctor",
  ],
  [
    "a daemon that was stopped",
    withStatus({ kind: "Warning", reason: "daemon_stopped" }),
    "$(sparkle) Draftwire $(warning)",
    "draftwire.restart",
  ],
  [
    "no model",
    withStatus({ kind: "Error", reason: "draft_failed" }),
    "$(error) Draftwire",
    "draftwire.doctor",
  ],
  [
    "no verifier",
    withStatus({ kind: "Warning", reason: "verifier_offline" }),
    "$(sparkle) Draftwire $(warning)",
    "draftwire.doctor",
  ],
  [
    "a daemon of another version",
    withStatus({ kind: "Warning", reason: "other_version" }),
    "$(sparkle) Draftwire $(warning)",
    "draftwire.doctor",
  ],
  [
    "loading",
    withStatus({ kind: "Inactive", reason: "draft_loading" }),
    "$(loading~spin) Draftwire",
    "draftwire.menu",
  ],
  ["switched off", { ...INPUTS, isEnabled: false }, "$(circle-slash) Draftwire", "draftwire.menu"],
  ["snoozed", { ...INPUTS, snoozedUntil: "14:05" }, "$(bell-slash) Draftwire", "draftwire.menu"],
];
for (const [name, inputs, text, command] of table) {
  test(name, () => {
    const said = statusText(inputs);
    assert.deepEqual([said.text, said.command], [text, command]);
  });
}

test("a first run says what is prepared, how far it is, and which grammar is compiled (ux-50)", () => {
  const preparing = withStatus({
    kind: "Inactive",
    reason: "draft_loading",
    message: "checking m.gguf (98 MB): 41%",
    grammars: { "file:///a": "compiling json.gbnf" },
  });
  const said = statusText(preparing);
  assert.equal(said.severity, "none");
  const lines = said.tooltip.split("\n");
  assert.ok(lines.includes("checking m.gguf (98 MB): 41%"));
  assert.ok(lines.includes("Grammar: compiling json.gbnf"));
});

test("a lost verifier is told beside the mark of the suggestion", () => {
  const status = {
    ...WELL,
    kind: "Warning",
    reason: "verifier_offline",
    message: "it can't be reached",
  } as const;
  const said = statusText({ ...item(0), bridge: { phase: "running", status } });
  assert.deepEqual([said.text, said.severity], ["$(circle-outline) Draftwire $(warning)", "warning"]);
  assert.deepEqual(said.tooltip.split("\n").slice(0, 2), [
    "The suggestion is provisional: a local draft.",
    "it can't be reached",
  ]);
});

test("a setting that is left out is told by the name it has here", () => {
  const message = "settings left out: completion.max_tokens takes a whole number";
  const leftOut = withStatus({ kind: "Warning", reason: "bad_setting", message });
  const [first] = statusText(leftOut).tooltip.split("\n");
  assert.equal(first, "settings left out: draftwire.maxTokens takes a whole number");
});

test("the tooltip names models, times, grammar and where it runs", () => {
  const said = statusText(item(2)).tooltip.split("\n");
  assert.deepEqual(said, [
    "Of the suggestion, 2 of 4 characters are verified; the rest is provisional.",
    "local drafts only",
    "Draft: small",
    "Verifier: wss://host, large",
    "Round trip: 12 ms",
    "Grammar: json",
    "Runs on this machine.",
    "Click: what can be done",
  ]);
});

test("a snooze is told with its end", () => {
  const said = statusText({ ...INPUTS, snoozedUntil: "14:05" });
  assert.equal(said.tooltip.split("\n")[0], "Snoozed until 14:05.");
});

test("several cursors are told as what stands in the way", () => {
  const said = statusText({ ...INPUTS, cursors: 2 });
  assert.equal(said.text, "$(circle-slash) Draftwire");
  assert.equal(
    said.tooltip.split("\n")[0],
    "Nothing is suggested here: there are several cursors; press Escape for one.",
  );
});

test("ready is a daemon with its model", () => {
  assert.equal(isReady(INPUTS.bridge), true);
  for (const not of [{ daemon: "stopped" }, { daemon: "silent" }, { draft: "loading" }, { draft: "failed" }])
    assert.equal(isReady(withStatus(not).bridge), false);
  assert.equal(isReady({ phase: "running", status: undefined }), false);
  assert.equal(isReady({ phase: "starting" }), false);
});
