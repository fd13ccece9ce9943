// Profiles the thread of the extension host, which all extensions share: from one key to another. What was sampled is
// written to the file that DRAFTWIRE_HOST_PROFILE names; nothing runs in between.
const { renameSync, writeFileSync } = require("node:fs");
const { Session } = require("node:inspector/promises");
const vscode = require("vscode");

const INTERVAL_US = 200;

exports.activate = (context) => {
  const session = new Session();
  session.connect();
  const register = (name, action) =>
    context.subscriptions.push(vscode.commands.registerCommand(`draftwireProfiler.${name}`, action));
  register("begin", async () => {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: INTERVAL_US });
    await session.post("Profiler.start");
    writeFileSync(`${process.env.DRAFTWIRE_HOST_PROFILE}.begun`, "");
  });
  register("end", async () => {
    const { profile } = await session.post("Profiler.stop");
    const file = process.env.DRAFTWIRE_HOST_PROFILE;
    writeFileSync(`${file}.part`, JSON.stringify(profile));
    renameSync(`${file}.part`, file);
  });
};
