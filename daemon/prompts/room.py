"""How long a prompt may be, and what is drafted after it: what is set, as far as both models can hold it. Pure."""

from __future__ import annotations

from daemon.documents import Place
from daemon.generation import Limits
from daemon.settings.config_sections import CompletionConfig


def limits(place: Place, completion: CompletionConfig, n_context: int, heading: str = "") -> Limits:
    """Where a continuation ends: in the middle of a line on that line; at the end of a line more lines may follow.

    n_context: tokens that the draft model can hold; half of them at most are a continuation's. heading: how prompts
    begin another file.
    """
    max_lines = 1 if place.line_after.strip() else completion.max_lines
    return Limits(_longest(completion, n_context), max_lines, heading)


def window_tokens(wanted: int, completion: CompletionConfig, n_context: int, target: int | None) -> int:
    """The longest prompt: `wanted`, but so that a continuation has room after it in the draft model and the target.

    target: tokens that the target can hold, if there is one.
    """
    longest = _longest(completion, n_context)
    room = n_context - longest
    if target is not None:
        room = min(room, max(target - longest, target // 2))
    return min(wanted, room)


def _longest(completion: CompletionConfig, n_context: int) -> int:
    return min(completion.max_tokens, n_context // 2)
