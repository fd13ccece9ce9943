// Looks for the `draftwire` program on this machine: where to look is pure/locate.ts.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { type Candidate, candidates, firstProgram } from "./pure/locate.ts";
import { programSetting } from "./settings.ts";

const PYTHON_EXTENSION = "ms-python.python";
const PYTHON_WITHIN_MS = 5_000;

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(of: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly sysPrefix?: string } } | undefined>;
  };
}

/** The program to start, or undefined where there is none. */
export async function findProgram(log: vscode.LogOutputChannel): Promise<Candidate | undefined> {
  const machine = { platform: process.platform, env: process.env, home: homedir() };
  const setting = programSetting();
  const environments = setting === "" && vscode.workspace.isTrusted ? await trustedEnvironments(log) : [];
  return firstProgram(candidates(machine, { setting, environments }), isProgram);
}

async function trustedEnvironments(log: vscode.LogOutputChannel): Promise<string[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const own = folders
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => join(folder.uri.fsPath, ".venv"));
  const active = await activeEnvironment(log);
  return active === undefined ? own : [active, ...own];
}

async function activeEnvironment(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>(PYTHON_EXTENSION);
  if (extension === undefined) return undefined;
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PYTHON_WITHIN_MS));
  try {
    return await Promise.race([late, sysPrefix(extension)]);
  } catch (error) {
    log.warn(`The Python extension did not tell its environment: ${error}`);
    return undefined;
  }
}

async function sysPrefix(extension: vscode.Extension<PythonExtension>): Promise<string | undefined> {
  const { environments } = await extension.activate();
  if (environments === undefined) return undefined;
  const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
  const resolved = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(resource));
  return resolved?.executable.sysPrefix;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false; // not there, or not ours to run: the next place is tried
  }
}
