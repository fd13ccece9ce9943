// When to start the bridge again after it has ended by itself. Pure: the clock is a parameter.

const WAITS_MS = [500, 2_000, 8_000];
/** A bridge that lived this long was well; what it did before is forgotten. */
const STEADY_MS = 180_000;

/** A line for the log: how long the bridge lived, why it is gone, and what follows. */
export function ending(why: string, livedMs: number, waitMs: number | undefined): string {
  const next =
    waitMs === undefined ? "it keeps ending and is left alone" : `starting it again in ${waitMs / 1000} s`;
  return `The bridge is gone after ${Math.round(livedMs / 1000)} s: ${why}; ${next}`;
}

export class Backoff {
  #crashes = 0;

  /** The bridge has ended after `livedMs`: how long to wait before the next start; undefined: leave it. */
  afterCrash(livedMs: number): number | undefined {
    if (livedMs >= STEADY_MS) this.#crashes = 0;
    const wait = WAITS_MS[this.#crashes];
    this.#crashes += 1;
    return wait;
  }

  /** The user asked for a start. */
  reset(): void {
    this.#crashes = 0;
  }
}
