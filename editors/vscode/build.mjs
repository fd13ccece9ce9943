// Bundles the extension into dist/extension.js; --tests: the unit tests into dist/test/; --package: small, into
// dist/package/, with all that is packaged.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const options = new Set(process.argv.slice(2));
const common = { bundle: true, platform: "node", target: "node20", logLevel: "warning" };

if (options.has("--tests")) {
  rmSync("dist/test", { recursive: true, force: true });
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await build({ ...common, entryPoints: tests.map((name) => `test/${name}`), outdir: "dist/test" });
} else {
  const packaged = options.has("--package");
  const folder = packaged ? "dist/package" : ".";
  if (packaged) fill(folder);
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: `${folder}/dist/extension.js`,
    external: ["vscode"],
    minify: packaged,
    sourcemap: !packaged,
  });
}

/** What is packaged beside the code. Its README has no pictures: they are shown from an https address alone. */
function fill(folder) {
  rmSync(folder, { recursive: true, force: true });
  const copied = ["package.json", "CHANGELOG.md", "media"];
  for (const name of copied) cpSync(name, `${folder}/${name}`, { recursive: true });
  cpSync("../../LICENSE", `${folder}/LICENSE`);
  writeFileSync(`${folder}/.vscodeignore`, ""); // all that is in the folder
  const paragraphs = readFileSync("README.md", "utf8").split("\n\n");
  writeFileSync(`${folder}/README.md`, paragraphs.filter((one) => !one.includes("![")).join("\n\n"));
}
