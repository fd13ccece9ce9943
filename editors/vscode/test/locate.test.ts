import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, firstProgram, howToInstall, howToUpgrade, type Machine } from "../src/pure/locate.ts";

const LINUX: Machine = { platform: "linux", env: { PATH: "/usr/bin:relative:/opt/bin" }, home: "/home/u" };
const WINDOWS: Machine = { platform: "win32", env: { Path: "C:\\bin" }, home: "C:\\Users\\u" };
const files = (machine: Machine, setting = "", environments: string[] = []) =>
  candidates(machine, { setting, environments }).map(({ file }) => file);

test("environments first, then the PATH without relative folders, then pipx", () => {
  assert.deepEqual(files(LINUX, "", ["/env"]), [
    "/env/bin/draftwire",
    "/usr/bin/draftwire",
    "/opt/bin/draftwire",
    "/home/u/.local/bin/draftwire",
  ]);
});

test("pipx's own folder of programs", () => {
  const machine = { ...LINUX, env: { PIPX_BIN_DIR: "/pipx" } };
  assert.deepEqual(files(machine), ["/pipx/draftwire", "/home/u/.local/bin/draftwire"]);
});

test("on Windows", () => {
  assert.deepEqual(files(WINDOWS, "", ["D:\\env"]), [
    "D:\\env\\Scripts\\draftwire.exe",
    "C:\\bin\\draftwire.exe",
    "C:\\Users\\u\\.local\\bin\\draftwire.exe",
  ]);
});

test("a path that is set is the only one", () => {
  assert.deepEqual(files(LINUX, " /x/draftwire ", ["/env"]), ["/x/draftwire"]);
  assert.deepEqual(files(LINUX, "~/x/draftwire"), ["/home/u/x/draftwire"]);
  assert.deepEqual(files(LINUX, "draftwire-dev"), ["/usr/bin/draftwire-dev", "/opt/bin/draftwire-dev"]);
});

test("the first that is a program", async () => {
  const found = await firstProgram(candidates(LINUX, { setting: "", environments: [] }), async (file) =>
    file.startsWith("/opt"),
  );
  assert.deepEqual(found, { file: "/opt/bin/draftwire", where: "PATH" });
  assert.equal(await firstProgram([], async () => true), undefined);
});

test("what to do names the command, or the setting that is wrong", () => {
  assert.match(howToInstall(""), /pipx install "draftwire\[bundled-model\]"$/);
  assert.match(howToInstall("/gone"), /\/gone/);
});

test("what is in use is told with its version and place, and how to upgrade it there", () => {
  const file = "/bin/draftwire";
  assert.equal(
    howToUpgrade({ file, where: "PATH" }, "0.1.0"),
    "Draftwire 0.1.0 is at /bin/draftwire (PATH). To upgrade it, run: pipx upgrade draftwire",
  );
  assert.match(
    howToUpgrade({ file, where: "Python environment" }, undefined),
    /^Draftwire is at .*: pip install --upgrade draftwire$/,
  );
});
