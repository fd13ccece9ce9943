// Where the `draftwire` program may be, in the order in which it is looked for. Pure: the machine is a parameter.
import { posix, win32 } from "node:path";

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export interface Wishes {
  /** The setting `draftwire.path`; empty: look for it. */
  readonly setting: string;
  /** Folders of Python environments: of the Python extension, of the workspace. Only those the user trusts. */
  readonly environments: readonly string[];
}

export interface Candidate {
  readonly file: string;
  readonly where: string;
}

/** The files to try, first match wins. A path that is set is the only one: no other is what the user meant. */
export function candidates(machine: Machine, wishes: Wishes): readonly Candidate[] {
  const { join, isAbsolute } = machine.platform === "win32" ? win32 : posix;
  const setting = expanded(wishes.setting.trim(), machine);
  if (setting !== "") {
    const files = isAbsolute(setting) ? [setting] : onPath(machine, [setting]);
    return files.map((file) => ({ file, where: "setting draftwire.path" }));
  }
  const names = machine.platform === "win32" ? ["draftwire.exe"] : ["draftwire"];
  const bin = machine.platform === "win32" ? "Scripts" : "bin";
  const of = (where: string, folders: readonly string[]): Candidate[] =>
    folders.flatMap((folder) => names.map((name) => ({ file: join(folder, name), where })));
  return [
    ...of(
      "Python environment",
      wishes.environments.map((folder) => join(folder, bin)),
    ),
    ...onPath(machine, names).map((file) => ({ file, where: "PATH" })),
    ...of("pipx", [machine.env.PIPX_BIN_DIR, join(machine.home, ".local", "bin")].filter(isFolder)),
  ];
}

/** The first candidate that `isProgram` accepts. */
export async function firstProgram(
  among: readonly Candidate[],
  isProgram: (file: string) => Promise<boolean>,
): Promise<Candidate | undefined> {
  for (const candidate of among) {
    if (await isProgram(candidate.file)) return candidate;
  }
  return undefined;
}

/** What to do where there is none: the exact command. */
export function howToInstall(setting: string): string {
  if (setting.trim() !== "") {
    return `No program at draftwire.path (${setting}). Correct the setting, or empty it to have Draftwire looked for.`;
  }
  return 'The program draftwire was not found. Install it, with a model: pipx install "draftwire[bundled-model]"';
}

/** What is in use, and how to get a newer one. */
export function howToUpgrade(used: Candidate, version: string | undefined): string {
  const what = `Draftwire${version === undefined ? "" : ` ${version}`} is at ${used.file} (${used.where})`;
  return used.where === "Python environment"
    ? `${what}. To upgrade it, run in that environment: pip install --upgrade draftwire`
    : `${what}. To upgrade it, run: pipx upgrade draftwire`;
}

function expanded(setting: string, machine: Machine): string {
  return setting.replace(/^~(?=[/\\]|$)/, machine.home);
}

function onPath(machine: Machine, names: readonly string[]): string[] {
  const { join, delimiter, isAbsolute } = machine.platform === "win32" ? win32 : posix;
  const folders = (machine.env.PATH ?? machine.env.Path ?? "").split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

function isFolder(folder: string | undefined): folder is string {
  return folder !== undefined && folder !== "";
}
