"""What of a run's text is yet to be examined: nothing twice, nothing where it can't be shown."""

from __future__ import annotations

import pytest

from daemon.documents import Document, Place
from daemon.examination import examine, unexamined
from daemon.generation import Generation, Limits
from daemon.run import Run
from tests.fakes.engine import byte_vocabulary

DOCUMENT = Document("file:///f", "x", 1, "a = \nrest")
HERE = Place(DOCUMENT, 4)


class Examiner:
    """Stands for the legality engine: half of each text fits."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    async def examine(self, run: Run, place: Place, text: str, *, last: bool = False) -> None:
        self.asked.append((text, last))
        run.grammar.examined(text, place.characters_after, len(text) // 2)


def run(text: str) -> Run:
    made = Run(Generation(HERE, [1], byte_vocabulary(), Limits(100, 8)), 0.0)
    for token in text.encode():
        made.generation.draft(token, 0.0)
    made.grammar.state = "in force"
    return made


@pytest.mark.asyncio
async def test_a_text_is_examined_once_and_as_it_would_be_shown() -> None:
    legality, one = Examiner(), run("b + c ")
    for _ in range(2):
        await examine(legality, one, HERE, "optimistic", over=True)  # type: ignore[arg-type]
    assert legality.asked == [("b + c", True)]


@pytest.mark.parametrize("state", ["none", "off"])
def test_without_a_grammar_there_is_nothing_to_examine(state: str) -> None:
    """Its state does not matter where it cuts nothing."""
    one = run("b")
    one.grammar.state = state  # type: ignore[assignment]
    assert unexamined(one, HERE, "optimistic", over=True) is None


def test_what_does_not_fit_or_says_nothing_is_not_examined() -> None:
    """Another document, an empty text."""
    elsewhere = Place(Document("file:///f", "x", 2, "z = \nrest"), 4)
    assert unexamined(run("b"), elsewhere, "optimistic", over=True) is None
    assert unexamined(run(""), HERE, "optimistic", over=True) is None
    assert unexamined(run("b"), HERE, "optimistic", over=False) == "b"
