"""How many threads the draft model decodes with on this machine, and how they wait for work: as it was measured."""

from __future__ import annotations

from daemon.draft.calibration import Threads
from draftwire.doctor.findings import Finding

SLOWEST_MS = 100.0
"""A token that takes longer is no help to anybody who types."""
_DAY_S = 86_400


def threads_finding(threads: Threads, now_unix_s: float, *, is_set: bool) -> Finding:
    """What is known of the threads; `is_set`: the user set their number."""
    counts, calibration = threads.counts, threads.calibration
    if is_set:
        return Finding("model", "threads", "info", f"{counts[-1]}, as draft.threads says; {threads.waiting}")
    if len(counts) == 1:
        return Finding("model", "threads", "info", f"{counts[-1]}, for the one core that may be used")
    if calibration is None:
        fix = "close what keeps the processor busy, then run this again; drafts adapt meanwhile"
        return Finding(
            "model", "threads", "warning", "this machine was never quiet enough to measure them", fix
        )
    times = ", ".join(f"{_threads(n)} {ms:g} ms" for n, ms in sorted(calibration.token_ms.items()))
    age = _age(now_unix_s - calibration.measured_unix_s)
    text = f"{calibration.fastest} at the start (a token: {times}; measured {age}); {threads.waiting}"
    if min(calibration.token_ms.values()) > SLOWEST_MS:
        fix = "other programs may have held the processor then; it is measured anew while drafting"
        return Finding("model", "threads", "warning", text, fix)
    return Finding("model", "threads", "ok", text)


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def _age(seconds: float) -> str:
    days = int(seconds // _DAY_S)
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"
