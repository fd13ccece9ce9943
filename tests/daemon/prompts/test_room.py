"""How long prompts and continuations may be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.documents import Document, Place
from daemon.generation import Limits
from daemon.prompts.room import limits, window_tokens
from daemon.settings.config import Config

COMPLETION = replace(Config().completion, max_tokens=32, max_lines=6)


@pytest.mark.parametrize(
    ("after", "n_context", "expected"),
    [
        ("", 4096, Limits(32, 6)),
        ("  \nx", 4096, Limits(32, 6)),
        (" x", 4096, Limits(32, 1)),
        ("", 20, Limits(10, 6)),
    ],
)
def test_where_a_continuation_ends(after: str, n_context: int, expected: Limits) -> None:
    assert limits(Place(Document("x", "sql", 1, after), 0), COMPLETION, n_context) == expected


@pytest.mark.parametrize(
    ("wanted", "n_context", "target", "expected"),
    [
        (1024, 4096, None, 1024),
        (1024, 512, None, 480),
        (1024, 20, None, 10),
        (1024, 4096, 512, 480),
        (1024, 4096, 40, 20),
        (1024, 512, 4096, 480),
    ],
)
def test_a_prompt_leaves_room_for_what_comes_after_it(
    wanted: int, n_context: int, target: int | None, expected: int
) -> None:
    assert window_tokens(wanted, COMPLETION, n_context, target) == expected
