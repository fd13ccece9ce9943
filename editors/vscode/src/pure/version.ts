// Versions of the bridge. Pure.

/** The oldest bridge whose messages this extension understands. */
export const OLDEST_BRIDGE = "0.1.0";

/** Whether `version` is older than `oldest`. What is no version (a development build's name) is not. */
export function isOlder(version: string | undefined, oldest: string): boolean {
  const [ours, theirs] = [parts(version ?? ""), parts(oldest)];
  if (ours === undefined || theirs === undefined) return false;
  for (let at = 0; at < 3; at++) {
    const difference = (ours[at] ?? 0) - (theirs[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function parts(version: string): readonly number[] | undefined {
  return /^(\d+)\.(\d+)(?:\.(\d+))?/
    .exec(version)
    ?.slice(1)
    .map((part) => Number(part ?? 0));
}
