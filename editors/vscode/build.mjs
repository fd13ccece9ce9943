// Bundles the extension into dist/extension.js; --tests: the unit tests into dist/test/; --package: small, and with
// the license beside it, as vsce wants.
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const options = new Set(process.argv.slice(2));
const common = { bundle: true, platform: "node", target: "node20", logLevel: "warning" };

if (options.has("--tests")) {
  rmSync("dist/test", { recursive: true, force: true });
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await build({ ...common, entryPoints: tests.map((name) => `test/${name}`), outdir: "dist/test" });
} else {
  const packaged = options.has("--package");
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: packaged,
    sourcemap: !packaged,
  });
  if (packaged) copyFileSync("../../LICENSE", "LICENSE");
}
