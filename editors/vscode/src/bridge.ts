// The bridge as a process: found, started, started again with growing waits when it ends by itself. Knows nothing of
// suggestions.
import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import { findProgram } from "./program.ts";
import { Backoff, ending } from "./pure/backoff.ts";
import { type Candidate, howToInstall } from "./pure/locate.ts";
import type { BridgeState, BridgeStatus } from "./pure/status_text.ts";
import { isOlder, OLDEST_BRIDGE } from "./pure/version.ts";
import { bridgeSettingsNow, logLevel, programSetting } from "./settings.ts";

const STOP_WITHIN_MS = 2_000;
/** A Python process on a busy machine. */
const START_WITHIN_MS = 60_000;

/** Its troubles go to the log; what the user has to know is said once, by this extension (ux-45). */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Bridge implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #options: () => Partial<LanguageClientOptions>;
  readonly #listeners: Readonly<Record<string, (params: unknown) => void>>;
  readonly #changed = new vscode.EventEmitter<BridgeState>();
  readonly #backoff = new Backoff();
  #state: BridgeState = { phase: "looking" };
  #client: LanguageClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Counts starts; what belongs to an older one is over. */
  #run = 0;
  /** All that were stopped have ended: two at once would register the same commands. */
  #ended: Promise<unknown> = Promise.resolve();

  readonly onDidChangeState = this.#changed.event;
  /** The program in use, for the commands that call it, and the version it has told. */
  program: Candidate | undefined;
  version: string | undefined;

  /** `listeners`: for notifications of the bridge, by method. */
  constructor(
    log: vscode.LogOutputChannel,
    options: () => Partial<LanguageClientOptions>,
    listeners: Readonly<Record<string, (params: unknown) => void>>,
  ) {
    this.#log = log;
    this.#options = options;
    this.#listeners = listeners;
  }

  get state(): BridgeState {
    return this.#state;
  }

  /** Stop what runs, forget earlier crashes, start. */
  async restart(): Promise<void> {
    this.#backoff.reset();
    this.#leave();
    await this.#start();
  }

  /** Where no program was found: start one that has been installed since. */
  async lookAgain(): Promise<void> {
    if (this.#state.phase !== "missing" || (await findProgram(this.#log)) === undefined) return;
    await this.restart();
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#ended;
  }

  /** A notification to the bridge, if it runs. */
  notify(method: string, params: unknown): void {
    if (this.#state.phase !== "running") return;
    this.#client?.sendNotification(method, params).catch((error) => this.#log.warn(`${method}: ${error}`));
  }

  /** What it answers to a request of its own; undefined where there is no answer to be had. */
  async ask<Answer>(method: string): Promise<Answer | undefined> {
    if (this.#state.phase !== "running") return undefined;
    try {
      return await this.#client?.sendRequest<Answer>(method);
    } catch (error) {
      this.#log.warn(`${method}: ${error}`);
      return undefined;
    }
  }

  /** The editor's settings have changed. */
  configure(): void {
    this.notify("workspace/didChangeConfiguration", { settings: bridgeSettingsNow() });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#changed.dispose();
  }

  async #start(): Promise<void> {
    const run = this.#run;
    this.#become({ phase: "looking" });
    await this.#ended;
    const found = await findProgram(this.#log);
    if (run !== this.#run) return;
    this.program = found;
    this.version = undefined;
    if (found === undefined) {
      this.#become({ phase: "missing", message: howToInstall(programSetting()) });
      return;
    }
    this.#log.info(`Starting ${found.file} (${found.where})`);
    this.#become({ phase: "starting" });
    await this.#connect(found.file, run);
  }

  async #connect(program: string, run: number): Promise<void> {
    const startedAt = Date.now();
    const ended = (why: string): void => {
      if (run === this.#run) this.#crashed(why, Date.now() - startedAt);
    };
    const broken = (why: string): void => {
      if (run !== this.#run) return;
      this.#leave();
      this.#crashed(why, Date.now() - startedAt);
    };
    const settings = bridgeSettingsNow();
    const options = this.#clientOptions(ended, broken, settings);
    const client = new QuietClient("draftwire", "Draftwire", executable(program), options);
    // A status may come before the client has registered what it provides: nothing typed then gets a suggestion, so it
    // is not running yet.
    let isReady = false;
    let status: BridgeStatus | undefined;
    client.onNotification("draftwire/status", (told: BridgeStatus) => {
      status = told;
      if (isReady && run === this.#run) this.#become({ phase: "running", status });
    });
    for (const [method, listener] of Object.entries(this.#listeners)) client.onNotification(method, listener);
    this.#client = client;
    const seconds = START_WITHIN_MS / 1000;
    const late = setTimeout(() => broken(`it has not answered within ${seconds} s`), START_WITHIN_MS);
    try {
      await client.start();
    } catch (error) {
      ended(String(error));
      return;
    } finally {
      clearTimeout(late);
    }
    if (run !== this.#run) return;
    const version = client.initializeResult?.serverInfo?.version;
    this.version = version;
    if (isOlder(version, OLDEST_BRIDGE)) await this.#tooOld(String(version));
    else this.#become({ phase: "running", status });
    isReady = true;
    if (!isDeepStrictEqual(settings, bridgeSettingsNow())) this.configure(); // changed while it was starting
  }

  /** `ended`: its process has; `broken`: what comes from it is of no use, and it is to end. */
  #clientOptions(
    ended: (why: string) => void,
    broken: (why: string) => void,
    settings: object,
  ): LanguageClientOptions {
    return {
      documentSelector: ["file", "untitled", "vscode-notebook-cell", "vscode-vfs"].map((scheme) => ({
        scheme,
      })),
      initializationOptions: { settings },
      outputChannel: this.#log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        // What comes is no LSP: nothing behind it would be understood.
        error: (error) => {
          broken(error.message);
          return { action: ErrorAction.Continue, handled: true };
        },
        closed: () => {
          ended("it has ended");
          const message = "The connection to the bridge is closed"; // the client's own says that no other is started
          return { action: CloseAction.DoNotRestart, handled: true, message };
        },
      },
      ...this.#options(),
    };
  }

  /** What runs is no longer ours to use. */
  #leave(): void {
    this.#run += 1;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) this.#ended = Promise.all([this.#ended, this.#end(client)]);
  }

  /** Stop it in order; one that is still starting can not be asked to. The process is killed where that does not help. */
  async #end(client: LanguageClient): Promise<void> {
    if (client.state === State.Starting) {
      const waited = new Promise((resolve) => setTimeout(resolve, STOP_WITHIN_MS));
      await Promise.race([waited, client.start().catch(() => undefined)]);
    }
    try {
      await client.dispose(STOP_WITHIN_MS);
    } catch (error) {
      this.#log.warn(`The bridge did not stop in order: ${error}`);
    }
  }

  #crashed(why: string, livedMs: number): void {
    this.#run += 1;
    this.#client = undefined;
    const wait = this.#backoff.afterCrash(livedMs);
    this.#log.error(ending(why, livedMs, wait));
    if (wait === undefined) {
      const message =
        "The Draftwire bridge keeps ending. The log says why; `draftwire doctor` checks each part.";
      this.#become({ phase: "crashed", message });
      return;
    }
    this.#become({ phase: "starting" });
    this.#timer = setTimeout(() => void this.#start(), wait);
  }

  async #tooOld(version: string): Promise<void> {
    await this.stop();
    const message = `Draftwire ${version} is too old for this extension, which needs ${OLDEST_BRIDGE}. Run: pipx upgrade draftwire`;
    this.#become({ phase: "too_old", message });
  }

  #become(state: BridgeState): void {
    this.#state = state;
    this.#changed.fire(state);
  }
}

function executable(program: string): { command: string; args: string[] } {
  return { command: program, args: ["lsp", "--log-level", logLevel()] };
}
