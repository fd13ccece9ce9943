"""The user of `test_completion_faults.py`, who now also asks for another candidate, and chooses one.

The first of a list is what was shown, or goes on from it; no two say the same; one that was chosen only grows, whatever
comes of the others, and what is added to it is what a model says after the text that was typed along it.
"""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from daemon.api.messages import Suggestion
from daemon.completion import Answer
from daemon.documents import Place
from daemon.screen.distinct import is_new
from tests.daemon.test_completion_faults import Faults, Shown, continued, said_by_draft


class Choosing(Faults):
    """What happens next."""

    @initialize()
    def nothing_listed(self) -> None:
        self.place: Place | None = None
        self.listed: list[Suggestion] = []

    def take_list(self, place: Place, answer: Answer) -> None:
        """Judge it as the first alone is judged, and each other one by its own words."""
        if place.document is not self.client.document:
            return
        self.client.answered(place, answer)
        texts = [one.text for one in answer.suggestions]
        assert len(texts) <= 3
        for index, one in enumerate(answer.suggestions[1:], 1):
            assert is_new(one.text, texts[:index])
            self.judge_other(one)
        self.place, self.listed = place, answer.suggestions

    def judge_other(self, one: Suggestion) -> None:
        """The draft's, after a first word that it would not have said; or what was left off the screen."""
        before, text = self.client.document.text, one.text
        word = len(text) - len(text.lstrip()) + 1
        if text[word:] != continued(before + text[:word], said_by_draft, len(text) - word):
            self.client.judge(one)

    @rule()
    def ask_another(self) -> None:
        place = self.client.place

        async def answer() -> None:
            self.take_list(place, await self.completer.complete(place, "first", another=True))

        self.do(lambda: self.asked.add(asyncio.ensure_future(answer())))

    @precondition(lambda self: self.listed and self.place.document is self.client.document)
    @rule(index=st.integers(0, 2), data=st.data())
    def choose(self, index: int, data: Any) -> None:
        """Another one is on the screen now, and is typed along, or accepted."""
        one = self.listed[index % len(self.listed)]
        if index % len(self.listed):
            now = self.loop.time()
            self.client.shown = Shown(one.id, one.text, one.verified, now, corrected=True)
        if self.client.shown is not None:
            text = self.client.shown.text
            self.edit(text[: data.draw(st.integers(1, len(text)))])

    def teardown(self) -> None:
        """Nothing that is known goes along with the last key."""
        if hasattr(self, "loop"):
            self.edit("z")
        super().teardown()


Choosing.TestCase.settings = hypothesis_settings(max_examples=60, stateful_step_count=40)
test_no_choice_is_taken_back = Choosing.TestCase
