"""The contention benchmark: what it counts of keys and answers, against a scripted bridge; that its busy loops end."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import contention
from benchmarks.contention import START, Times, Typist, busy_loops, cores

TEXT = "x" * START + "ab\ncd"


class ScriptedBridge:
    """Refuses what it does not know at once; answers for ghost text with what the script says next."""

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        self.errors = 0
        self.answers = list(answers)
        self.changes: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []

    def notify(self, method: str, params: Any) -> float:
        if method == "textDocument/didChange":
            self.changes.append(params)
        return 10.0

    def request(self, method: str, params: Any, on_result: Callable[[Any, float], None]) -> int:
        if method == "draftwire/none":
            self.errors += 1
            on_result(None, 10.002)
        else:
            self.asked.append(params["position"])
            on_result({"items": self.answers.pop(0)}, 10.05)
        return 1


def item(source: str, typed: int = 0) -> dict[str, Any]:
    return {"command": {"arguments": [1, 3, {"source": source, "typed": typed}]}}


@pytest.fixture(autouse=True)
def no_rhythm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contention, "RHYTHM_S", 0.0)


@pytest.mark.asyncio
async def test_keys_are_typed_and_their_answers_told_apart() -> None:
    """ux-49."""
    bridge = ScriptedBridge([item("draft")], [item("recall")], [item("draft", 2)], [])
    typist = Typist(TEXT)
    times = await typist.type(bridge, 4)  # type: ignore[arg-type]
    typed = [change["contentChanges"][0] for change in bridge.changes]
    assert [one["text"] for one in typed] == ["a", "b", "\n", "c"]
    assert typed[3]["range"]["start"] == {"line": 1, "character": 0}
    assert bridge.asked[3] == {"line": 1, "character": 1}
    assert (times.keys, times.remembered, times.with_text) == (4, 2, 1)
    assert times.answers == pytest.approx([50.0, 50.0])
    assert times.refusals == pytest.approx([2.0] * 4)
    assert bridge.errors == 0, "what is refused on purpose is no error"


@pytest.mark.asyncio
async def test_text_that_comes_after_an_empty_answer_is_timed_from_the_key() -> None:
    bridge = ScriptedBridge([], [item("draft")])
    typist = Typist(TEXT)
    await typist.type(bridge, 1)  # type: ignore[arg-type]
    typist.notified("draftwire/suggestion", {"version": 1, "text": "of another version"}, 10.1)
    for now in (10.3, 10.4):
        typist.notified("draftwire/suggestion", {"version": 2, "text": "foo"}, now)
    assert typist.times.late_texts == pytest.approx([300.0])
    await typist.type(bridge, 1)  # type: ignore[arg-type]
    typist.notified("draftwire/suggestion", {"version": 3, "text": "more"}, 10.5)
    assert typist.times.late_texts == []


def test_it_begins_when_the_model_is_there() -> None:
    typist = Typist(TEXT)
    typist.notified("draftwire/status", {"draft": "loading"}, 0.0)
    assert not typist.ready.is_set()
    typist.notified("draftwire/status", {"draft": "ready"}, 0.0)
    assert typist.ready.is_set()


def test_figures_of_a_phase_without_keys_are_none() -> None:
    """What didChange took is one of them (ux-6)."""
    assert set(Times().figures("busy").values()) == {None}
    found = Times(2, 1, [10.0], 1, [], [9.0], [1.0, 3.0]).figures("busy")
    assert (found["with_text_busy"], found["remembered_busy"], found["change_p50_ms_busy"]) == (1.0, 0.5, 2.0)


def test_busy_loops_end_with_their_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(command: list[str]) -> subprocess.Popen[bytes]:
        started.append(popen(command))
        return started[-1]

    monkeypatch.setattr("benchmarks.contention.subprocess.Popen", start)
    with busy_loops(2):
        assert [loop.poll() for loop in started] == [None, None]
    assert all(loop.returncode is not None for loop in started)
    assert cores() >= 1
