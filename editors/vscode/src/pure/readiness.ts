// Whether a question can get an answer. Pure.
import type { BridgeState } from "./status_text.ts";

/** A daemon is there, and its draft model is loaded. */
export function isReady(state: BridgeState): boolean {
  if (state.phase !== "running" || state.status === undefined) return false;
  return state.status.daemon === "connected" && state.status.draft === "ready";
}
