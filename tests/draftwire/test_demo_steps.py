"""The steps of the demonstrations, with an editor that only notes what it is told."""

from __future__ import annotations

from typing import Any

import pytest

from draftwire.demo import steps
from draftwire.demo.script import Passage
from draftwire.demo.steps import target_threads, type_all


@pytest.mark.asyncio
async def test_a_passage_is_opened_asked_about_and_typed_key_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "RHYTHM_S", 0.0)
    told: list[str] = []

    class NotingEditor:
        def invoke(self) -> None:
            told.append("invoke")

        def press(self, key: str) -> None:
            told.append(f"press {key}")

        async def settled(self, timeout_s: float) -> None:
            told.append("settled")

    async def opened(passage: Passage) -> None:
        told.append(f"open {passage.before}|{passage.after}")

    editor: Any = NotingEditor()
    await type_all(editor, [Passage("ab", "你c", "z")], opened)
    assert told == ["open ab|z", "invoke", "settled", "press 你", "press c", "settled"]


def test_the_target_gets_half_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, threads in ((None, 1), (1, 1), (8, 4)):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert target_threads() == threads
