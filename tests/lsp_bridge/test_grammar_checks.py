"""When a grammar file is checked, and what the editor is then shown: by a clock that jumps."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from lsprotocol import types

from daemon.api.messages import GrammarFinding, GrammarFindings
from lsp_bridge import grammar_checks
from lsp_bridge.documents import Change, Document
from lsp_bridge.grammar_checks import RETRY_S, SETTLE_S, GrammarChecks
from tests.fakes.virtual_time import VirtualTimeLoop

FILE, OTHER = "file:///work/.draftwire/grammars/a.bnf", "file:///work/.draftwire/grammars/b/grammar.g4"
BAD = GrammarFinding("error", "bad", "it is bad", "", 1, 1, 1, 4)
CHECK_S = 1.0


@dataclass
class Bench:
    """Checks that take a second and find each `bad`; what was asked and shown, each with its time."""

    loop: VirtualTimeLoop
    asked: list[tuple[float, str]] = field(default_factory=list)
    shown: list[tuple[float, int | None, int]] = field(default_factory=list)
    """(When, version, how many diagnostics)."""
    answers: list[GrammarFindings | None] = field(default_factory=list)
    """Given before any other."""
    running: int = 0

    def __post_init__(self) -> None:
        self.checks = GrammarChecks(self.check, self.publish)

    async def check(self, uri: str, text: str) -> GrammarFindings | None:
        assert self.running == 0, "two at a time"
        self.asked.append((self.loop.time(), text))
        self.running += 1
        try:
            await asyncio.sleep(CHECK_S)
        finally:
            self.running -= 1
        if self.answers:
            return self.answers.pop(0)
        return GrammarFindings(1, [BAD] * text.count("bad"))

    def publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.shown.append((self.loop.time(), params.version, len(params.diagnostics)))


@pytest.fixture
def bench() -> Iterator[Bench]:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualTimeLoop)
        asyncio.set_event_loop(loop)
        made = Bench(loop)
        yield made
        loop.run_until_complete(made.checks.close())


def opened(bench: Bench, text: str, uri: str = FILE) -> Document:
    document = Document(uri, "bnf", 1, text, "utf-16")

    async def tell() -> None:
        bench.checks.opened(document)

    bench.loop.run_until_complete(tell())
    return document


def changed(bench: Bench, document: Document, text: str) -> None:
    async def tell() -> None:
        document.change(document.version + 1, [Change(text)])
        bench.checks.changed(document)

    bench.loop.run_until_complete(tell())


def test_a_grammar_is_checked_a_moment_after_it_was_opened(bench: Bench) -> None:
    opened(bench, "bad bad")
    bench.loop.pass_time(SETTLE_S - 0.01)
    assert bench.asked == []
    bench.loop.pass_time(10)
    assert bench.asked == [(SETTLE_S, "bad bad")]
    assert bench.shown == [(SETTLE_S + CHECK_S, 1, 2)]


@pytest.mark.parametrize(
    "uri", ["file:///work/a.bnf", "untitled:.draftwire/grammars/a.bnf", "file:///work/a.py"]
)
def test_other_files_are_not(bench: Bench, uri: str) -> None:
    document = opened(bench, "bad", uri)
    changed(bench, document, "bad")
    bench.checks.closed(uri)
    bench.loop.pass_time(10)
    assert (bench.asked, bench.shown) == ([], [])


def test_typing_is_waited_for(bench: Bench) -> None:
    document = opened(bench, "")
    for end in range(1, 4):
        bench.loop.pass_time(SETTLE_S - 0.1)
        changed(bench, document, "bad"[:end])
    bench.loop.pass_time(10)
    assert [text for _, text in bench.asked] == ["bad"]
    assert [(version, found) for _, version, found in bench.shown] == [(4, 1)]


def test_a_text_that_has_changed_is_not_waited_for(bench: Bench) -> None:
    document = opened(bench, "bad")
    bench.loop.pass_time(SETTLE_S + CHECK_S / 2)
    changed(bench, document, "bad bad")
    bench.loop.pass_time(10)
    assert [text for _, text in bench.asked] == ["bad", "bad bad"]
    assert [(version, found) for _, version, found in bench.shown] == [(2, 2)]


def test_what_is_mended_is_cleared_once(bench: Bench) -> None:
    document = opened(bench, "bad")
    bench.loop.pass_time(10)
    for text in ("good", "good as well", "bad"):
        changed(bench, document, text)
        bench.loop.pass_time(10)
    assert [(version, found) for _, version, found in bench.shown] == [(1, 1), (2, 0), (4, 1)]


def test_closing_clears(bench: Bench) -> None:
    opened(bench, "bad")
    bench.loop.pass_time(10)
    opened(bench, "good", OTHER)
    bench.checks.closed(FILE)
    bench.checks.closed(OTHER)
    bench.loop.pass_time(10)
    assert [(version, found) for _, version, found in bench.shown] == [(1, 1), (None, 0)]
    assert [text for _, text in bench.asked] == ["bad"]


def test_several_files_take_turns(bench: Bench) -> None:
    opened(bench, "bad")
    opened(bench, "bad bad", OTHER)
    bench.loop.pass_time(10)
    assert bench.asked == [(SETTLE_S, "bad"), (SETTLE_S + CHECK_S, "bad bad")]
    assert [found for _, _, found in bench.shown] == [1, 2]


@pytest.mark.parametrize(
    "answer", [None, GrammarFindings(1, [], "cancelled"), GrammarFindings(1, [], "superseded")]
)
def test_without_an_answer_what_was_shown_stays(bench: Bench, answer: GrammarFindings | None) -> None:
    """Until there is a daemon again."""
    document = opened(bench, "bad")
    bench.loop.pass_time(10)
    bench.answers = [answer]
    changed(bench, document, "good")
    bench.loop.pass_time(10)
    assert [found for _, _, found in bench.shown] == [1]

    async def reconnect() -> None:
        bench.checks.all_anew([document])

    bench.loop.run_until_complete(reconnect())
    bench.loop.pass_time(10)
    assert [found for _, _, found in bench.shown] == [1, 0]


def test_a_busy_machine_is_asked_again(bench: Bench) -> None:
    bench.answers = [GrammarFindings(1, [], "busy")] * 2
    opened(bench, "bad")
    bench.loop.pass_time(60)
    period = CHECK_S + RETRY_S
    assert [when for when, _ in bench.asked] == pytest.approx(
        [SETTLE_S, SETTLE_S + period, SETTLE_S + 2 * period]
    )
    assert [found for _, _, found in bench.shown] == [1]


def test_switched_off_is_nothing_found(bench: Bench) -> None:
    document = opened(bench, "bad")
    bench.loop.pass_time(10)
    bench.answers = [GrammarFindings(1, [], "disabled")]
    changed(bench, document, "bad")
    bench.loop.pass_time(10)
    assert [found for _, _, found in bench.shown] == [1, 0]


def test_a_text_over_the_limit_is_not_sent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_checks, "MAX_GRAMMAR", 10)
    document = opened(bench, "bad")
    bench.loop.pass_time(10)
    changed(bench, document, "bad" * 4)
    bench.loop.pass_time(10)
    assert [text for _, text in bench.asked] == ["bad"]
    assert [found for _, _, found in bench.shown] == [1, 0]


def test_the_users_folder_is_looked_at_once_it_is_known(bench: Bench) -> None:
    """And no longer when it is another one."""
    document = opened(bench, "bad", "file:///home/me/my%20grammars/a.lark")
    bench.loop.pass_time(10)
    assert bench.asked == []

    async def tell(folder: str) -> None:
        bench.checks.user_folder_known(folder, [document])

    for folder in ("/home/me/my grammars", "/home/me/my grammars", ""):
        bench.loop.run_until_complete(tell(folder))
        bench.loop.pass_time(10)
    assert len(bench.asked) == 1
    assert [(version, found) for _, version, found in bench.shown] == [(1, 1), (None, 0)]
