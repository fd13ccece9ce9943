"""Questions about the texts of grammar files: one at a time, each answered once; the last with the real compiler."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from daemon.api.messages import CheckGrammar, DaemonMessage, Failed, GrammarFindings
from daemon.grammars.checks import GrammarChecks
from daemon.grammars.runner import GrammarRunner, Outcome
from daemon.grammars.store import GrammarStore
from daemon.settings.config import Config, parse_config
from grammars.diagnostics import Diagnostic

pytestmark = pytest.mark.asyncio

BAD = Diagnostic("error", "bad", "it is bad")


class HeldRunner(GrammarRunner):
    """Finds everything bad, once it is let; knows how many of its trials were cut short."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Event()
        self.begun: list[str] = []
        self.cut = 0
        self.error: Exception | None = None

    async def run(
        self,
        text: str,
        file_name: str,
        *,
        schema: str = "",
        dialect: str = "",
        samples: Sequence[str] = (),
        patience: float = 1.0,
    ) -> Outcome:
        self.begun.append(text)
        try:
            await self.let.wait()
        except asyncio.CancelledError:
            self.cut += 1
            raise
        if self.error is not None:
            raise self.error
        return Outcome(None, (BAD,))


class Desk:
    """Checks, and what was answered."""

    def __init__(self, runner: GrammarRunner | None = None, config: Config | None = None) -> None:
        self.answers: list[DaemonMessage] = []
        self.store = GrammarStore(config or Config(), lambda _: None, runner=runner)
        self.checks = GrammarChecks(self.store, self.answers.append)

    def begin(self, request: int, text: str, name: str = "file:///g/a.bnf") -> None:
        self.checks.begin(CheckGrammar(request, name, text), enabled=True)

    async def settle(self) -> None:
        async with asyncio.timeout(60):
            while self.checks._tasks:
                await asyncio.sleep(0.001)

    def findings(self) -> list[GrammarFindings]:
        return [one for one in self.answers if isinstance(one, GrammarFindings)]

    def reasons(self) -> list[tuple[int, str | None]]:
        return [(one.request, one.reason) for one in self.findings()]


@pytest_asyncio.fixture
async def runner() -> HeldRunner:
    return HeldRunner()


@pytest_asyncio.fixture
async def desk(runner: HeldRunner) -> AsyncIterator[Desk]:
    made = Desk(runner)
    yield made
    await made.checks.close()


async def test_a_question_is_answered_once(desk: Desk, runner: HeldRunner) -> None:
    runner.let.set()
    desk.begin(4, "text")
    assert 4 in desk.checks
    await desk.settle()
    assert 4 not in desk.checks
    desk.checks.cancel(4)
    [answer] = desk.findings()
    assert (answer.request, [one.code for one in answer.findings]) == (4, ["bad"])


async def test_the_newest_wins(desk: Desk, runner: HeldRunner) -> None:
    """Those before it are answered at once; what they had begun is cut short."""
    desk.begin(1, "one")
    await asyncio.sleep(0)
    desk.begin(2, "two")  # ended before it has had a turn
    desk.begin(3, "three")
    assert desk.reasons() == [(1, "superseded"), (2, "superseded")]
    runner.let.set()
    await desk.settle()
    assert desk.reasons() == [(1, "superseded"), (2, "superseded"), (3, None)]
    assert (runner.begun, runner.cut) == (["one", "three"], 1)


async def test_a_cancelled_one_is_answered_and_cut_short(desk: Desk, runner: HeldRunner) -> None:
    desk.begin(1, "one")
    await asyncio.sleep(0)
    desk.checks.cancel(2)
    desk.checks.cancel(1)
    desk.checks.cancel(1)
    await desk.settle()
    assert desk.reasons() == [(1, "cancelled")]
    assert runner.cut == 1


async def test_one_that_is_cancelled_as_it_is_done_has_one_answer(desk: Desk, runner: HeldRunner) -> None:
    runner.let.set()
    desk.begin(1, "one")
    await asyncio.sleep(0)
    desk.checks.cancel(1)
    await desk.settle()
    assert len(desk.answers) == 1


async def test_nothing_is_compiled_where_grammars_are_switched_off(desk: Desk, runner: HeldRunner) -> None:
    desk.checks.begin(CheckGrammar(1, "a.bnf", "text"), enabled=False)
    assert desk.reasons() == [(1, "disabled")]
    assert runner.begun == []


async def test_a_fault_of_ours_is_an_answer(
    desk: Desk, runner: HeldRunner, caplog: pytest.LogCaptureFixture
) -> None:
    runner.error = ZeroDivisionError()
    runner.let.set()
    desk.begin(1, "one")
    await desk.settle()
    [failed] = desk.answers
    assert isinstance(failed, Failed)
    assert (failed.code, failed.request) == ("internal", 1)
    assert "ZeroDivisionError" in caplog.text


async def test_the_end_leaves_nothing_under_way(desk: Desk, runner: HeldRunner) -> None:
    desk.begin(1, "one")
    await asyncio.sleep(0)
    await desk.checks.close()
    assert (runner.cut, desk.reasons()) == (1, [(1, "cancelled")])


async def test_the_real_compiler_finds_the_place_in_code_points(tmp_path: Path) -> None:
    """Behind names in Chinese and a character that takes two units in UTF-16."""
    desk = Desk(config=parse_config("", tmp_path / "config.toml"))
    desk.begin(1, '<状态机> ::= "🤗" <名字>\n<别的> ::= "x"\n', "file:///%E5%B7%A5/.draftwire/grammars/a.bnf")
    await desk.settle()
    desk.begin(2, '<a> ::= "x" | "x" <a>\n')
    await desk.settle()
    broken, mended = desk.findings()
    [error] = [one for one in broken.findings if one.severity == "error"]
    assert "名字" in error.message
    assert (error.line, error.column, error.end_line, error.end_column) == (1, 15, 1, 19)
    assert error.advice
    assert (mended.findings, mended.reason) == ([], None)
