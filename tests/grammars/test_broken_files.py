"""Files that are no good grammars: taken or refused with a reason and its place; nothing else, and soon."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from tests.fakes.grammar_judge import judged

FILES: Final = int(os.environ.get("DRAFTWIRE_BROKEN_FILES", "100"))
"""The suite's share of the 1,000 that are asked for."""
SLOWEST_S: Final = 10.0
"""CPU time of one file; users' own go through a trial process that ends sooner."""


def test_no_file_is_too_much() -> None:
    """In another process: an overflow or a panic of the engine would end it."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        verdicts = list(other.map(judged, range(FILES), chunksize=10))
    assert [one for one in verdicts if not one.is_fine] == []
    assert [one for one in verdicts if one.seconds > SLOWEST_S] == []
    assert set(Counter(one.outcome for one in verdicts)) >= {"compiled", "refused"}
