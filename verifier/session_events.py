"""What goes into a session and what comes out of it: plain values (`session.py` is the machine)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from speculation.messages import Cancel, Context, Draft, Error, Resume, Verdict
from verifier.engine import Request, Result

DropReason = Literal[
    "no_context", "stale_epoch", "stale_context", "stale_round", "duplicate", "off_path", "over_credit", "finished",
    "overlapped", "tail_rejected", "stale_cancel",
]  # fmt: skip
"""Why something had no effect. "overlapped" tokens were right but late; the rest was wrong, late or superfluous."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server allows a session."""

    n_vocab: int
    max_context: int
    max_draft: int
    credit: int
    stop_ids: frozenset[int]
    """Where generation ends if the client names no stop ids itself."""


@dataclass(frozen=True, slots=True)
class Round:
    """A piece of work for the engine, and what the session needs to understand its result."""

    request: Request
    seqs: tuple[int, ...]
    """The DRAFT frames it takes in."""
    n_taken: int
    """Draft tokens of those frames (`path.Taken`)."""
    queue_us: int
    """How long it could have run and waited for its step."""


@dataclass(frozen=True, slots=True)
class RoundDone:
    """The engine's result for a round."""

    round: Round
    result: Result
    verify_us: int


@dataclass(frozen=True, slots=True)
class Send:
    """Send this to the client."""

    message: Verdict | Error


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something had no effect; count it."""

    reason: DropReason
    n_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Released:
    """The session is over: its cache slot is free."""


Event = Context | Draft | Cancel | Resume | RoundDone
Effect = Send | Dropped | Released
