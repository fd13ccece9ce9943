"""A short walk through a grammar, to find out before anybody types whether its masks come in time.

Some grammars load at once and then take seconds for a token: the engine builds its automata while it is used. What
is walked is a vocabulary of the 256 bytes, which meets every state that a real one would, and costs far less. No
clock but the thread's CPU time; time limits from outside are daemon/grammars/trial.py's.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Final

import numpy as np

from grammars.diagnostics import Diagnostic, GrammarError
from grammars.engine import TokenTable
from grammars.interface import Recogniser, RecogniserFailed

_SAMPLE_BYTES: Final = 4000
_STEPS: Final = 250
_WALK_S: Final = 0.25
"""CPU time of one walk. A grammar as people write them takes 20 to 100 us a step with these 257 tokens; one that takes
a millisecond takes far too long with 50,000."""

Pick = Callable[[Sequence[int], int], int]
"""The next byte of those allowed, given the byte before."""


@cache
def byte_table() -> TokenTable:
    """The vocabulary of all bytes and an end. The first call loads the engine."""
    return TokenTable([*(bytes([byte]) for byte in range(256)), b"<end>"], control_ids={256}, stop_ids={256})


def exercise(template: Recogniser, samples: Sequence[bytes]) -> None:
    """Go along the samples and three walks. Raises GrammarError if masks are slow, or the engine gives up."""
    try:
        _exercise(template, samples)
    except RecogniserFailed as error:
        raise GrammarError([_given_up(str(error))]) from error


def _exercise(template: Recogniser, samples: Sequence[bytes]) -> None:
    for sample in samples:
        recogniser = template.copy()
        recogniser.consume(list(sample[:_SAMPLE_BYTES]))
        recogniser.mask()
    for pick in (_same_again, partial(_any, random.Random(1)), partial(_any_letter, random.Random(2))):
        _walk(template.copy(), pick)


def _walk(recogniser: Recogniser, pick: Pick) -> None:
    started = time.thread_time()
    byte = 0
    for step in range(1, _STEPS + 1):
        allowed = np.flatnonzero(recogniser.mask()[:256]).tolist()
        used = time.thread_time() - started
        if used > _WALK_S:
            raise GrammarError([_slow(used / step)])
        if not allowed:
            return
        byte = pick(allowed, byte)
        if not recogniser.consume([byte]):
            return


def _same_again(allowed: Sequence[int], before: int) -> int:
    return before if before in allowed else allowed[len(allowed) // 2]


def _any(source: random.Random, allowed: Sequence[int], before: int) -> int:
    return source.choice(allowed)


def _any_letter(source: random.Random, allowed: Sequence[int], before: int) -> int:
    """Mostly what texts are made of, so that the walk gets somewhere."""
    visible = [byte for byte in allowed if 0x20 <= byte < 0x7F]
    return source.choice(visible or allowed)


def _slow(seconds: float) -> Diagnostic:
    return Diagnostic(
        "error",
        "slow-masks",
        f"what may come next takes {seconds * 1000:.1f} ms to find out, too long to be of use while typing",
        "look for rules that match the same text in many ways: repetitions within repetitions, e e, large counts",
    )


def _given_up(message: str) -> Diagnostic:
    return Diagnostic(
        "error",
        "engine-limit",
        f"the engine gives up on the grammar while following a text: {message}",
        "make terminals (@token) of rules that are made of single characters; avoid large counts ({m,n})",
    )
