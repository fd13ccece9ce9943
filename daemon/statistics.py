"""What the daemon counts, for `draftwire stats`: local, in memory, numbers and reasons only (no code text).

Latencies are seconds from the message's arrival at the daemon to its answer; of a key, from its edit's arrival.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

import numpy as np

from daemon.api.messages import AcceptKind, NothingReason
from daemon.serving.retention import HORIZONS_S, Kept
from daemon.target.link_session import Committed

KEPT_REQUESTS = 50
KEPT_LATENCIES = 10_000
MOST_MODES = 24
"""Reasons for going unmasked that are counted by themselves: some name a place in a text."""

Drafter = Literal["match", "model", "healing"]
"""Who named a draft token: a text around (`daemon/draft/text_drafts.py`), the draft model, or it while it healed."""


@dataclass(slots=True)
class Acceptance:
    """What the verifier made of the drafts of one language, or of one drafter."""

    rounds: int = 0
    """Those with at least one draft token of it."""
    drafted: int = 0
    """Draft tokens verified."""
    accepted: int = 0

    def add(self, drafted: int, accepted: int) -> None:
        """Count one round."""
        self.rounds += 1
        self.drafted += drafted
        self.accepted += accepted

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted draft tokens / draft tokens verified; None without any."""
        return self.accepted / self.drafted if self.drafted else None

    @property
    def accepted_per_round(self) -> float | None:
        """Accepted draft tokens / rounds; the correction or bonus token is not counted. None without rounds."""
        return self.accepted / self.rounds if self.rounds else None


@dataclass(slots=True)
class GrammarUse:
    """What a grammar had to do with drafts: of one run, or of all of them."""

    searches: int = 0
    """Draft tokens that were chosen under the grammar."""
    checks: int = 0
    """Candidates looked at for them, until one was legal."""
    full_masks: int = 0
    """Searches that found none, so that the whole vocabulary had to be looked at."""
    repeated_tokens: int = 0
    """Draft tokens that were taken from earlier text; the model was not asked."""
    late_answers: int = 0
    """Answers of the legality engine that were not waited for."""
    stuck_calls: int = 0
    """Calls of the engine that were given up with their thread."""
    illegal_target_runs: int = 0
    """Runs in which a search came after a token of the target that the grammar does not allow; it stands all the same.

    What comes after it can't be judged: there is one in a run at most."""
    trimmed_characters: int = 0
    """Cut from the end of what would have been shown, for it would not fit the text after the cursor."""
    engine_s: float = 0.0
    """CPU time of the legality engine."""
    draft_s: float = 0.0
    """Time the draft model took for the tokens of runs with a grammar."""

    def add(self, other: GrammarUse) -> None:
        """Count what the other has counted."""
        for part in fields(self):
            setattr(self, part.name, getattr(self, part.name) + getattr(other, part.name))

    def summary(self) -> dict[str, Any]:
        """Plain values, times in milliseconds."""
        values = asdict(self)
        engine_s, draft_s = values.pop("engine_s"), values.pop("draft_s")
        return {
            **values,
            "engine_ms": round(engine_s * 1000, 2),
            "engine_share": round(engine_s / draft_s, 4) if draft_s else None,
        }


@dataclass(frozen=True, slots=True)
class Request:
    """One of the last requests: what became of it."""

    document: str
    language: str
    seconds: float
    shown: int
    """Code points answered with."""
    reason: NothingReason | None
    grammar: str = ""
    """How much the grammar knew: "masked", or "resynced: ...", "unmasked: ..." or "held back: ..." and why; empty
    without one."""
    source: str = ""
    """Where the text came from, if there was one: "recall", "draft", "target", "stopgap"."""


@dataclass(slots=True)
class Statistics:
    """Counters since the daemon started."""

    keys: int = 0
    requests: int = 0
    suggestions: int = 0
    drafted_tokens: int = 0
    target_alone_tokens: int = 0
    """Tokens the target decoded without a draft."""
    continuations: int = 0
    """Times that a user got to the end of a suggestion behind which had been drafted already."""
    ends: int = 0
    """Times that a user got to the end of what was shown, typing or accepting, where drafts go ahead ..."""
    foreseen: int = 0
    """... and that what follows was known by then, from the same run or the one ahead; or that nothing follows."""
    shown: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    accepted_characters: int = 0
    kept: dict[int, Kept] = field(default_factory=lambda: {horizon_s: Kept() for horizon_s in HORIZONS_S})
    """What became of accepted text, by seconds after it was accepted."""
    nothing: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    """Answers with text, as in `Request.source`."""
    by_language: dict[str, Acceptance] = field(default_factory=dict)
    by_drafter: dict[str, Acceptance] = field(default_factory=dict)
    late_texts: int = 0
    """First texts that came as an update, after an empty answer."""
    key_to_ghost_s: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT_LATENCIES))
    first_ghost_s: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT_LATENCIES))
    verdict_s: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT_LATENCIES))
    grammar: GrammarUse = field(default_factory=GrammarUse)
    grammar_modes: Counter[str] = field(default_factory=Counter)
    """Requests by what the grammar knew, as in `Request.grammar`."""
    last: deque[Request] = field(default_factory=lambda: deque(maxlen=KEPT_REQUESTS))

    def drafted(self, tokens: int) -> None:
        self.drafted_tokens += tokens

    def round(
        self, language: str, committed: Committed, seconds: float, drafters: Sequence[Drafter] = ()
    ) -> None:
        """A verdict came, `seconds` after the one before it (or after the context was sent).

        drafters: who named each of the draft tokens it is about.
        """
        self.verdict_s.append(seconds)
        if committed.drafted == 0:
            self.target_alone_tokens += 1
            return
        self.by_language.setdefault(language, Acceptance()).add(committed.drafted, committed.accepted)
        for drafter in sorted(set(drafters)):
            accepted = list(drafters[: committed.accepted]).count(drafter)
            self.by_drafter.setdefault(drafter, Acceptance()).add(list(drafters).count(drafter), accepted)

    def answered(self, request: Request, key_to_ghost_s: float | None = None) -> None:
        """A request is over; with the seconds since the key that it was made for, if it was."""
        self.requests += 1
        self.last.append(request)
        if request.grammar:
            is_known = request.grammar in self.grammar_modes or len(self.grammar_modes) < MOST_MODES
            self.grammar_modes[request.grammar if is_known else "others"] += 1
        if request.reason is not None:
            self.nothing[request.reason] += 1
        else:
            self.suggestions += 1
            self.sources[request.source] += 1
            self.first_ghost_s.append(request.seconds)
            if key_to_ghost_s is not None:
                self.key_to_ghost_s.append(key_to_ghost_s)

    def came_late(self, key_to_ghost_s: float) -> None:
        """The first text for a key came as an update, after an empty answer."""
        self.late_texts += 1
        self.key_to_ghost_s.append(key_to_ghost_s)

    def was_accepted(self, kind: AcceptKind | Literal["typed"], characters: int) -> None:
        """So much of a suggestion was taken. typed: character by character, to its end."""
        self.accepted[kind] += 1
        self.accepted_characters += characters

    def was_kept(self, horizon_s: int, characters: int, kept: int) -> None:
        """Of a suggestion of which so many characters were accepted, so many were still there after that time."""
        self.kept[horizon_s].add(characters, kept)

    def snapshot(self) -> dict[str, Any]:
        """Plain values for `draftwire stats`. Times in milliseconds."""
        total = _sum(self.by_language.values())
        return {
            "keys": self.keys,
            "requests": self.requests,
            "suggestions": self.suggestions,
            "shown": self.shown,
            "accepted": dict(self.accepted),
            "accepted_characters": self.accepted_characters,
            "kept": {f"after {horizon_s} s": kept.summary() for horizon_s, kept in self.kept.items()},
            "continuations": self.continuations,
            "continuations_foreseen_share": round(self.foreseen / self.ends, 4) if self.ends else None,
            "drafted_tokens": self.drafted_tokens,
            "target_alone_tokens": self.target_alone_tokens,
            "key_to_ghost_ms": percentiles(self.key_to_ghost_s),
            "first_ghost_ms": percentiles(self.first_ghost_s),
            "verdict_ms": percentiles(self.verdict_s),
            "acceptance": _with_rates(total),
            "languages": {name: _with_rates(counts) for name, counts in sorted(self.by_language.items())},
            "drafters": {name: _with_rates(counts) for name, counts in sorted(self.by_drafter.items())},
            "sources": dict(self.sources),
            "late_texts": self.late_texts,
            "grammar": {**self.grammar.summary(), "requests": dict(self.grammar_modes)},
            "nothing": dict(self.nothing),
            "last_requests": [asdict(request) for request in self.last],
        }


def percentiles(seconds: Iterable[float]) -> dict[str, float | int]:
    """Count, and P50, P90, P99 in milliseconds (absent without values)."""
    values = np.fromiter(seconds, dtype=np.float64) * 1000
    if not len(values):
        return {"count": 0}
    p50, p90, p99 = (round(float(value), 2) for value in np.percentile(values, [50, 90, 99]))
    return {"count": len(values), "p50": p50, "p90": p90, "p99": p99}


def _sum(parts: Iterable[Acceptance]) -> Acceptance:
    total = Acceptance()
    for part in parts:
        total.rounds += part.rounds
        total.drafted += part.drafted
        total.accepted += part.accepted
    return total


def _with_rates(counts: Acceptance) -> dict[str, Any]:
    rate, per_round = counts.acceptance_rate, counts.accepted_per_round
    return {
        "rounds": counts.rounds,
        "drafted": counts.drafted,
        "accepted": counts.accepted,
        "acceptance_rate": None if rate is None else round(rate, 4),
        "accepted_per_round": None if per_round is None else round(per_round, 3),
    }
