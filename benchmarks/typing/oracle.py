"""What an oracle says by itself: asked in this process, without drafts, network or pace."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from benchmarks.emulation.known_texts import TAIL_BYTES
from benchmarks.emulation.oracle_tokens import gguf_tokens
from benchmarks.emulation.pace import Pace
from benchmarks.emulation.target import TargetPlan, oracle_engine
from benchmarks.typing.lossless import SaysAlone
from verifier.bundled import bundled_model
from verifier.reference import greedy_continuation

_LOOKED_AT: Final = 2 * TAIL_BYTES
"""Characters before the cursor that are more than the oracle looks at."""
_TOKENS_AT_A_TIME: Final = 8


def oracle_alone(plan: TargetPlan) -> SaysAlone:
    """The oracle of a plan that has the bundled model's tokens. Raises ModelUnusable, OSError."""
    engine = oracle_engine(plan, Pace(0.0))
    tokens = gguf_tokens(bundled_model())
    stops = tokens.control_ids

    @lru_cache(4096)
    def said(before: str, count: int) -> bytes:
        ids = greedy_continuation(engine, tokens.tokenize(before), count, stops)
        return b"".join(tokens.pieces[token] for token in ids if token not in stops)

    def says(before: str, at_least: int) -> bytes:
        seen, count = before[-_LOOKED_AT:], _TOKENS_AT_A_TIME
        text = said(seen, count)
        while len(text) < at_least and len(longer := said(seen, count + _TOKENS_AT_A_TIME)) > len(text):
            text, count = longer, count + _TOKENS_AT_A_TIME
        return text

    return says
