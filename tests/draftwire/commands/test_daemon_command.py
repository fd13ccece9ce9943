"""`draftwire daemon` and `draftwire stats`, against a scripted daemon and against none."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from daemon.api.messages import Shutdown
from daemon.api.paths import runtime_paths
from daemon.api.reasons import in_words
from daemon.serving.lifecycle import AlreadyRunning
from daemon.statistics import Request, Statistics
from daemon.target.link_session import Committed
from daemon.version import VERSION
from draftwire.cli import app
from draftwire.commands import daemon as module
from draftwire.commands.stats import _rows
from draftwire.failures import Exit
from draftwire.running_daemon import CHANGED, other_version
from tests.draftwire.conftest import RunDaemon
from tests.fakes.daemon import READY

runner = CliRunner()
STATUS = replace(
    READY,
    message="the verifier can't be reached; trying again",
    link="offline",
    verifier="gpu.example.com:8765",
    link_reason="nothing listens there",
    retry_in_ms=1500,
    round_trip_ms=12.34,
    pid=7,
    version="1.2",
    clients=2,
    sessions=3,
)


def test_status_for_people(run_daemon: RunDaemon) -> None:
    with run_daemon(status=STATUS):
        result = runner.invoke(app, ["daemon", "status"])
    assert result.exit_code == 0
    for words in (STATUS.message, "process 7, version 1.2", "1 client, 3 sessions", "offline, gpu.example.com:8765",
                  "nothing listens there", "1.5 s", "12.3 ms", "ready  scripted"):  # fmt: skip
        assert words in result.stdout
    assert "draft error" not in result.stdout


@pytest.mark.parametrize(
    ("grammars", "rows"),
    [
        (["a_b (user, /x_y/a_b.bnf): in use", "c (workspace, /z/c.bnf): not trusted"],
         ["grammars a_b (user, /x_y/a_b.bnf): in use", "c (workspace, /z/c.bnf): not trusted"]),
        ([], ["grammars none is needed by the open documents"]),
    ],
)  # fmt: skip
def test_the_grammars_have_a_row_each(run_daemon: RunDaemon, grammars: list[str], rows: list[str]) -> None:
    with run_daemon(status=replace(STATUS, grammars=grammars)):
        result = runner.invoke(app, ["daemon", "status"])
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    first = lines.index(rows[0])
    assert lines[first : first + len(rows)] == rows


def test_open_documents_that_are_not_completed_have_a_row_each(run_daemon: RunDaemon) -> None:
    with run_daemon(status=replace(STATUS, left_out={"a%20b.py": "ignored_file", ".env": "excluded_file"})):
        result = runner.invoke(app, ["daemon", "status"])
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    first = lines.index(f"not completed a b.py: {in_words('ignored_file')}")
    assert lines[first + 1] == f".env: {in_words('excluded_file')}"


def test_status_says_that_the_configuration_has_changed_since(run_daemon: RunDaemon, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    status = replace(STATUS, version=VERSION, config_file=str(path), settings_digest="others")
    with run_daemon(status=status):
        result = runner.invoke(app, ["daemon", "status"])
        values = json.loads(runner.invoke(app, ["daemon", "status", "--json"]).stdout)
    assert CHANGED in result.stdout
    assert (values["config_changed"], values["config_file"]) == (True, str(path))


def test_status_names_a_daemon_of_another_version_with_what_to_do(run_daemon: RunDaemon) -> None:
    with run_daemon(status=replace(STATUS, version="0.0.1")):
        result = runner.invoke(app, ["daemon", "status"])
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines.count(other_version("0.0.1")) == 1
    assert lines.index(other_version("0.0.1")) == 1 + next(
        number for number, line in enumerate(lines) if "version 0.0.1" in line
    )


def test_status_for_scripts(run_daemon: RunDaemon) -> None:
    with run_daemon(status=STATUS):
        values = json.loads(runner.invoke(app, ["daemon", "status", "--json"]).stdout)
    assert (values["link"], values["retry_in_ms"], values["pid"]) == ("offline", 1500, 7)
    assert (values["clients"], values["config_changed"]) == (1, False)
    assert "request" not in values


@pytest.mark.parametrize("command", [["daemon", "status"], ["daemon", "status", "--json"], ["stats"]])
def test_without_a_daemon_the_status_is_69_and_the_way_to_one_is_named(command: list[str]) -> None:
    result = runner.invoke(app, command)
    assert (result.exit_code, result.stdout) == (Exit.UNAVAILABLE, "")
    assert result.stderr == "draftwire: no daemon is running; run: draftwire daemon start\n"


def test_stats(run_daemon: RunDaemon) -> None:
    with run_daemon():
        assert json.loads(runner.invoke(app, ["stats", "--json"]).stdout) == {"suggestions": 0}
        plain = runner.invoke(app, ["stats"])
    assert "suggestions  0" in plain.stdout


def test_stats_flatten_tables() -> None:
    values = {"a_b": 1, "c": {"p50": 1.23456, "d": {"e": None}}, "gone": {}}
    assert list(_rows(values)) == [("a b", "1"), ("c p50", "1.2"), ("c d e", "-")]


def test_stats_have_units_and_no_word_twice() -> None:
    values = {
        "drafted_tokens": 4,
        "accepted_characters": 10,
        "first_ghost_ms": {"count": 2, "p50": 12.34},
        "acceptance": {"acceptance_rate": 0.632, "accepted_per_round": 1.26},
        "languages": {"plain_ms": {"rounds": 1}},
        "grammar": {"full_masks": 1, "requests": {"unmasked: not trusted: trust /a_b/proj": 2}},
    }
    assert list(_rows(values)) == [
        ("drafted", "4 tokens"),
        ("accepted", "10 characters"),
        ("first ghost count", "2"),
        ("first ghost p50", "12.3 ms"),
        ("acceptance rate", "63%"),
        ("acceptance accepted per round", "1.3"),
        ("languages plain_ms rounds", "1"),
        ("grammar full masks", "1"),
        ("grammar requests unmasked: not trusted: trust /a_b/proj", "2"),
    ]


def test_stats_say_why_nothing_was_shown_the_most_frequent_first_and_in_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """ux-52."""
    monkeypatch.setenv("COLUMNS", "60")

    async def values() -> dict[str, Any]:
        return {"requests": 16, "nothing": {"timeout": 3, "filtered_grammar": 12, "mid_word": 1}}

    monkeypatch.setattr("draftwire.commands.stats._stats", values)
    printed = runner.invoke(app, ["stats"]).stdout
    reasons = [line.rstrip() for line in printed.partition("nothing shown, because")[2].splitlines()[1:]]
    assert reasons == [
        "12  nothing of what the model would write fits the grammar",
        "    and the text after the cursor",
        "3   not there within display.answer_ms; it is shown as soon",
        "    as it is",
        "1   the cursor is inside a word, or before one",
    ]
    assert "draftwire stats" not in printed


def test_the_last_requests_say_why_nothing_was_shown(
    run_daemon: RunDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest first, as they are looked for right after one (ux-44)."""
    requests = [
        {
            "document": "file:///a/b%5B1%5D.py",
            "language": "python",
            "seconds": 0.0123,
            "shown": 4,
            "reason": None,
        },
        {
            "document": "file:///a/.env",
            "language": "x",
            "seconds": 0.0,
            "shown": 0,
            "reason": "excluded_file",
        },
    ]

    async def values() -> dict[str, Any]:
        return {"requests": 2, "last_requests": requests}

    monkeypatch.setattr("draftwire.commands.stats._stats", values)
    lines = runner.invoke(app, ["stats", "--last"]).stdout.splitlines()
    assert lines[0].strip() == "the last requests, newest first"
    assert [line.split() for line in lines[2:]] == [
        ["0.0", ".env", "0", *in_words("excluded_file").split()],
        ["12.3", "b[1].py", "4"],
    ]
    assert "last" not in runner.invoke(app, ["stats"]).stdout


def test_why_leaves_out_the_requests_that_got_text(
    run_daemon: RunDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ux-44: the reason comes first and stays in one line, however narrow the window."""
    monkeypatch.setenv("COLUMNS", "40")
    last: list[dict[str, Any]] = [
        {"document": "file:///a/b%5B1%5D.py", "seconds": 0.0123, "shown": 0, "reason": "filtered_grammar"},
        {"document": "file:///a/c.py", "seconds": 0.02, "shown": 4, "reason": None},
        {"document": "file:///a/.env", "seconds": 0.0, "shown": 0, "reason": "excluded_file"},
    ]

    async def values() -> dict[str, Any]:
        return {"requests": len(last), "last_requests": last}

    monkeypatch.setattr("draftwire.commands.stats._stats", values)
    assert runner.invoke(app, ["stats", "--why"]).stdout.splitlines() == [
        "1 of the last 3 requests got text; these got nothing, newest first",
        f"{in_words('excluded_file')} (.env, 0.0 ms)",
        f"{in_words('filtered_grammar')} (b[1].py, 12.3 ms)",
    ]
    last[:] = last[1:2]
    assert runner.invoke(app, ["stats", "--why"]).stdout == "1 of the last 1 requests got text\n"


def test_start_finds_the_one_that_runs(run_daemon: RunDaemon) -> None:
    with run_daemon():
        result = runner.invoke(app, ["daemon", "start"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"the daemon (process {os.getpid()}) runs already\n"


def test_start_says_that_the_one_that_runs_is_of_another_version(run_daemon: RunDaemon) -> None:
    with run_daemon(status=replace(STATUS, version="0.0.1")):
        result = runner.invoke(app, ["daemon", "start"])
    assert result.stderr.splitlines()[1:] == [other_version("0.0.1")]


def test_start_tells_why_one_did_not_come_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(
        module, "_run_command", lambda _: [sys.executable, "-c", "raise SystemExit('no room')"]
    )
    result = runner.invoke(app, ["daemon", "start"])
    assert result.exit_code == Exit.UNAVAILABLE
    assert "no room" in result.stderr


def test_start_does_not_try_with_a_broken_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("x = 1")
    assert runner.invoke(app, ["daemon", "start"]).exit_code == Exit.CONFIG


def test_the_configuration_is_passed_on_to_the_process_that_is_started(tmp_path: Path) -> None:
    assert module._run_command(None)[1:] == ["-m", "draftwire", "daemon", "run"]
    assert module._run_command(tmp_path / "c.toml")[-2:] == ["--config", str(tmp_path / "c.toml")]


def test_stop_asks_the_daemon_to_end(run_daemon: RunDaemon) -> None:
    with run_daemon() as daemon:
        result = runner.invoke(app, ["daemon", "stop"])
        assert daemon.of_type(Shutdown)
    assert (result.exit_code, result.stderr) == (0, f"the daemon (process {os.getpid()}) has ended\n")


def test_stop_without_a_daemon_is_no_error() -> None:
    result = runner.invoke(app, ["daemon", "stop"])
    assert (result.exit_code, result.stderr) == (0, "no daemon is running\n")


# Running in the foreground ----------------------------------------------------------------------------------


def run_with(monkeypatch: pytest.MonkeyPatch, outcome: BaseException | None) -> list[Any]:
    """Let `daemon run` call this instead of the daemon; what it was called with."""
    calls: list[Any] = []

    async def run(config: Any, paths: Any) -> None:
        calls.append((config, paths))
        if outcome is not None:
            raise outcome

    monkeypatch.setattr("daemon.serving.server.run_daemon", run)
    monkeypatch.setattr(logging, "basicConfig", lambda **options: calls.append(options["level"]))
    return calls


def test_run_is_the_daemon_with_the_configuration_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "other.toml"
    path.write_text('[daemon]\nlog_level = "debug"\n')
    calls = run_with(monkeypatch, None)
    assert runner.invoke(app, ["daemon", "run", "--config", str(path)]).exit_code == 0
    level, (config, paths) = calls
    assert level == "DEBUG"
    assert config.daemon.log_level == "debug"
    assert logging.getLogger("websockets").level == logging.WARNING
    assert paths == runtime_paths()


def test_run_ends_with_75_where_another_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    run_with(monkeypatch, AlreadyRunning("a daemon is running already"))
    result = runner.invoke(app, ["daemon", "run"])
    assert (result.exit_code, result.stderr) == (75, "draftwire: a daemon is running already\n")


def test_run_with_a_broken_configuration_ends_with_78(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[draft]\nthreads = -1\n")
    result = runner.invoke(app, ["daemon", "run"])
    assert result.exit_code == Exit.CONFIG
    assert "config.toml:2: draft.threads takes a whole number" in result.stderr


def test_ux_52_stats_show_times_acceptance_and_what_was_kept_in_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statistics = Statistics()
    committed = Committed((0, 0, 0), 3, 2, "", 0, 0)
    statistics.round("python", committed, 0.05, ["match", "model", "model"])
    statistics.answered(Request("a.py", "python", 0.01, 12, None, source="draft"), 0.031)
    statistics.answered(Request("a.py", "python", 0.01, 0, "mid_word"))
    statistics.shown = 1
    statistics.was_accepted("word", 5)
    statistics.was_kept(30, 5, 5)

    async def values() -> dict[str, Any]:
        return statistics.snapshot()

    monkeypatch.setattr("draftwire.commands.stats._stats", values)
    lines = [line.split() for line in runner.invoke(app, ["stats"]).stdout.splitlines()]
    for expected in (
        "reported as shown by the editor 1",
        "accepted word 1",
        "times, ms count p50 p90 p99",
        "key to ghost 1 31.0 31.0 31.0",
        "languages rounds drafted accepted acceptance rate accepted per round",
        "python 1 3 2 67% 2.0",
        "match 1 1 1 100% 1.0",
        "model 1 2 1 50% 1.0",
        "after 30 s 1 100% 100%",
        "after 180 s 0 - -",
        "1 the cursor is inside a word, or before one",
    ):
        assert expected.split() in lines, expected


def test_stats_begin_with_suggestions_and_times_and_leave_out_what_was_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """ux-52. Here there is neither a verifier nor a grammar."""
    statistics = Statistics(keys=2)
    statistics.answered(Request("a.py", "python", 0.01, 12, None, source="draft"), 0.031)
    statistics.answered(Request("a.py", "python", 0.01, 0, "mid_word"))
    statistics.drafted(7)

    async def values() -> dict[str, Any]:
        return statistics.snapshot()

    monkeypatch.setattr("draftwire.commands.stats._stats", values)
    lines = [" ".join(line.split()) for line in runner.invoke(app, ["stats"]).stdout.splitlines()]
    assert lines[1:] == [
        "keys 2",
        "requests 2",
        "suggestions 1",
        "reported as shown by the editor 0",
        "accepted 0 characters",
        "sources draft 1",
        "late texts 0",
        "",
        "times, ms count p50 p90 p99",
        "key to ghost 1 31.0 31.0 31.0",
        "first ghost 1 10.0 10.0 10.0",
        "",
        "nothing shown, because",
        "1 the cursor is inside a word, or before one",
        "",
        "drafts, verifier and grammars",
        "drafted 7 tokens",
    ]
