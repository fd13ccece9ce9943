"""Grammars compiled in processes of their own: real processes, with a compiler that does what hostile text might."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from daemon.grammars import runner as grammar_runner
from daemon.grammars.runner import GrammarRunner, Outcome, cpu_budget_s
from grammars.compiled import CompiledGrammar
from grammars.diagnostics import Diagnostic, Span
from grammars.emit import HEADER
from tests.fakes.processes import processes_of

pytestmark = pytest.mark.asyncio

WITH_COMPILER = """
import os, signal, sys, time, types
from grammars.compiled import CompiledGrammar
from grammars.diagnostics import Diagnostic, GrammarError, Span

def compile_text(text, *, file_name, dialect):
    {body}

compiler = types.ModuleType("grammars.compiler")
compiler.compile_text = compile_text
sys.modules["grammars.compiler"] = compiler
schema = types.ModuleType("grammars.json_schema")
schema.compile_schema = lambda text, *, name: CompiledGrammar(name, "json-schema", text, 1)
sys.modules["grammars.json_schema"] = schema
from daemon.grammars.trial import main
sys.exit(main())
"""


def command(folder: Path, program: str) -> list[str]:
    """`folder`: in the command line, so that a process left behind is found."""
    return [sys.executable, "-c", program, str(folder)]


async def outcome_of(
    folder: Path, body: str, text: str = "x", *, schema: str = "", dialect: str = ""
) -> Outcome:
    runner = GrammarRunner(command(folder, WITH_COMPILER.format(body=body)))
    outcome = await runner.run(text, "x.bnf", schema=schema, dialect=dialect)
    assert processes_of(folder) == []
    return outcome


async def outcome_of_program(folder: Path, program: str) -> Outcome:
    outcome = await GrammarRunner(command(folder, program)).run("x", "x.bnf")
    assert processes_of(folder) == []
    return outcome


FINITE = HEADER + '\nstart: "a"\n'
COMPILE = "return CompiledGrammar(file_name, dialect, text, 1, diagnostics=(Diagnostic('note', 'c', 'm'),))"


async def test_what_compiles_and_walks_is_returned(tmp_path: Path) -> None:
    outcome = await outcome_of(tmp_path, COMPILE, 'start: "规" start?\n', dialect="d")
    assert outcome.compiled == CompiledGrammar(
        "x.bnf", "d", 'start: "规" start?\n', 1, diagnostics=(Diagnostic("note", "c", "m"),)
    )
    assert outcome.diagnostics == outcome.compiled.diagnostics
    assert (outcome.why, outcome.passing) == ("", False)


async def test_a_schema_is_compiled_as_one(tmp_path: Path) -> None:
    outcome = await outcome_of(tmp_path, "1/0", FINITE, schema="s")
    assert outcome.compiled == CompiledGrammar("s", "json-schema", FINITE, 1)


async def test_errors_come_back_as_they_are(tmp_path: Path) -> None:
    body = "raise GrammarError([Diagnostic('error', 'undefined-rule', 'no a', 'define a', Span(3, 1, 3, 2))] * 3)"
    outcome = await outcome_of(tmp_path, body)
    assert (
        outcome.diagnostics
        == (Diagnostic("error", "undefined-rule", "no a", "define a", Span(3, 1, 3, 2)),) * 3
    )
    assert outcome.why == "line 3: no a; define a (and 2 more)"


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("raise RecursionError", "too-deep", "nested too deeply"),
        ("raise ValueError('odd')", "compiler-failed", r"\(ValueError: odd\); .* please report it"),
        ("sys.exit(1)", "compiler-failed", "SystemExit"),
        ("bytearray(1 << 30)", "too-large", "more than 512 MB of memory; use smaller counts"),
        ("print('memory allocation of 8 bytes failed', file=sys.stderr); os.abort()", "too-large", "512 MB"),
        ("os.abort()", "compiler-crash", r"crash \(SIGABRT\)"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "compiler-crash", r"crash \(SIGSEGV\)"),
        ("os._exit(3)", "compiler-crash", r"crash \(exit status 3\)"),
        ("os._exit(0)", "compiler-crash", "gave no result"),
        ("print('x' * 100_000, file=sys.stderr); os.abort()", "compiler-crash", "SIGABRT"),
    ],
)
async def test_whatever_happens_is_told(tmp_path: Path, body: str, code: str, said: str) -> None:
    outcome = await outcome_of(tmp_path, body)
    assert (outcome.compiled, outcome.diagnostics[0].code, outcome.passing) == (None, code, False)
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(outcome.why)


async def test_computing_for_ever_is_ended_in_a_second(tmp_path: Path) -> None:
    outcome = await outcome_of(tmp_path, "while True: pass")
    assert outcome.diagnostics[0].code == "too-slow"
    assert "takes more than 0.8 s" in outcome.why


async def test_there_may_be_more_time(tmp_path: Path) -> None:
    runner = GrammarRunner(command(tmp_path, WITH_COMPILER.format(body="while True: pass")))
    assert "takes more than 0.2 s" in (await runner.run("x", "x.bnf", patience=0.2)).why


async def test_a_regular_expression_can_not_hold_it_up(tmp_path: Path) -> None:
    outcome = await outcome_of(tmp_path, "import re; re.match('(a+)+b', 'a' * 60)")  # the GIL is not given up
    assert outcome.diagnostics[0].code == "too-slow"


async def test_slow_masks_are_found_before_anybody_types(tmp_path: Path) -> None:
    outcome = await outcome_of(tmp_path, COMPILE, 'start: e\ne: e "+" e | e e | "x" | "(" e ")"\n')
    assert outcome.diagnostics[0].code == "slow-masks"


async def test_a_machine_without_time_says_nothing_of_the_grammar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammar_runner, "_WALL_FACTOR", 0.2)
    outcome = await outcome_of(tmp_path, "time.sleep(60)")
    assert (outcome.passing, outcome.why) == (
        True,
        "this machine was too busy to compile it; it is tried again",
    )
    killed = await outcome_of(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    assert (killed.passing, killed.diagnostics[0].code) == (True, "busy")
    assert "ended from outside" in killed.why


async def test_a_process_that_is_never_ready_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammar_runner, "START_S", 0.1)
    assert (await outcome_of_program(tmp_path, "import time; time.sleep(60)")).passing


async def test_a_trial_that_does_not_start_says_nothing_of_the_grammar(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for program in ("print('hello')", "import absent_module"):
        outcome = await outcome_of_program(tmp_path, program)
        assert outcome.passing
        assert "does not start" in outcome.why
    assert "No module named 'absent_module'" in caplog.text


async def test_what_is_no_result_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no result" in (await outcome_of_program(tmp_path, "print('ready'); print('{}')")).why
    many = "print('ready'); print('x' * 3_000_000)"
    monkeypatch.setattr(grammar_runner, "_MAX_RESULT_BYTES", 1000)
    assert "no result" in (await outcome_of_program(tmp_path, many)).why


async def test_without_a_process_it_is_tried_later() -> None:
    outcome = await GrammarRunner(["/no/such/program"]).run("x", "x.bnf")
    assert (outcome.passing, outcome.compiled) == (True, None)
    assert "no process can be started" in outcome.why


async def test_a_large_text_is_refused_without_a_process() -> None:
    outcome = await GrammarRunner(["/no/such/program"]).run("规" * 400_000, "x.bnf")
    assert outcome.diagnostics[0].code == "too-large"


async def test_one_runs_at_a_time_and_few_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_runner, "MAX_WAITING", 2)
    body = f"""
    place = {str(tmp_path / "here")!r}
    os.mkdir(place)
    os.rmdir(place)
    raise ValueError("alone")
"""
    runner = GrammarRunner(command(tmp_path, WITH_COMPILER.format(body=body.strip())))
    first, second, third = await asyncio.gather(*(runner.run("x", "x.bnf") for _ in range(3)))
    assert "alone" in first.why
    assert "alone" in second.why
    assert (third.passing, third.why) == (True, "2 other grammars wait to be compiled; it is tried again")


async def test_who_gives_up_leaves_no_process_behind(tmp_path: Path) -> None:
    started = tmp_path / "started"
    body = f"open({str(started)!r}, 'w').close(); time.sleep(60)"
    runner = GrammarRunner(command(tmp_path, WITH_COMPILER.format(body=body)))
    task = asyncio.create_task(runner.run("x", "x.bnf"))
    while not started.exists():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert processes_of(tmp_path) == []


async def test_the_process_is_of_low_priority_and_limited(tmp_path: Path) -> None:
    body = (
        "import resource; raise ValueError((os.nice(0), resource.getrlimit(resource.RLIMIT_AS)[0] >> 20, "
        "resource.getrlimit(resource.RLIMIT_CPU)[1], resource.getrlimit(resource.RLIMIT_CORE)))"
    )
    said = (await outcome_of(tmp_path, body)).why
    numbers = said.partition("(ValueError: (")[2].split(",")
    assert int(numbers[0]) == min(os.nice(0) + 10, 19)
    assert 512 < int(numbers[1]) < 4096
    assert int(numbers[2]) <= 8
    assert "(0, 0)" in said


async def test_larger_grammars_have_more_time() -> None:
    assert [cpu_budget_s(size) for size in (0, 16_000, 116_000, 1_000_000)] == [0.8, 0.8, 1.8, 2.0]


async def test_an_error_without_a_place_is_told_without() -> None:
    outcome = Outcome(None, (Diagnostic("warning", "w", "a warning"), Diagnostic("error", "e", "an error")))
    assert outcome.why == "an error"
    assert Outcome(None, (Diagnostic("error", "e", "here", span=Span(2, 1, 2, 2)),)).why == "line 2: here"
