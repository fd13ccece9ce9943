"""`draftwire complete`: places, files, answers and reasons, against a scripted daemon."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from daemon.api.messages import Complete, OpenDocument, Suggestion
from daemon.api.reasons import in_words
from draftwire.cli import app
from draftwire.commands import answer
from draftwire.commands import complete as module
from draftwire.commands.complete import Place, offset_of, parse_place, read_source
from draftwire.failures import CommandFailed, Exit
from draftwire.running_daemon import CHANGED, other_version
from grammars.interface import DEPARTED
from tests.draftwire.conftest import RunDaemon
from tests.fakes.daemon import READY

runner = CliRunner()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a b:c.py"
    path.write_bytes("import os\r\n# 你好\r\nos.\r\n".encode())
    return path


def suggest(text: str, verified: int = 0) -> Any:
    return lambda _text, _offset: [Suggestion(1, text, verified, complete=True, source="draft")]


def test_the_suggestion_is_printed(source: Path, run_daemon: RunDaemon) -> None:
    with run_daemon(suggest("getcwd()\n", 3)) as daemon:
        result = runner.invoke(app, ["complete", f"{source}:3:4"])
    assert (result.exit_code, result.stdout_bytes, result.stderr) == (0, b"getcwd()\r\n\n", "")
    [opened] = daemon.of_type(OpenDocument)
    assert opened == OpenDocument(source.as_uri(), "python", 1, "import os\n# 你好\nos.\n")
    [asked] = daemon.of_type(Complete)
    assert (asked.offset, asked.trigger, asked.wait) == (len("import os\n# 你好\nos."), "invoked", "settled")


def test_json(source: Path, run_daemon: RunDaemon) -> None:
    with run_daemon(suggest("getcwd()", 3)) as daemon:
        result = runner.invoke(app, ["complete", f"{source}:2:5", "--json", "--wait", "first"])
    assert json.loads(result.stdout) == {
        "suggestions": [{"text": "getcwd()", "verified_characters": 3, "complete": True, "source": "draft"}],
        "reason": None,
        "grammar": "",
    }
    assert daemon.of_type(Complete)[0].wait == "first"
    assert daemon.of_type(Complete)[0].offset == len("import os\n# 你好")


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("masked", ""),
        ("resynced: resumed after the error at line 1, column 1", ""),
        (
            "unmasked: line 1, column 1 is not as the grammar has it",
            "the grammar took no part; unmasked: line 1, column 1 is not as the grammar has it\n",
        ),
        (f"unmasked: {DEPARTED}", "the model's own text departs from the grammar; it is shown up to there\n"),
    ],
)
def test_an_answer_without_its_grammar_says_why(
    source: Path, run_daemon: RunDaemon, mode: str, said: str
) -> None:
    with run_daemon(suggest("getcwd()")) as daemon:
        daemon.grammar = mode
        result = runner.invoke(app, ["complete", f"{source}:3:4"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "getcwd()\n", said)


def test_nothing_for_want_of_a_grammar_says_which_and_what_is_wrong_with_it(
    source: Path, run_daemon: RunDaemon
) -> None:
    with run_daemon() as daemon:
        daemon.reason, daemon.grammar = "grammar_unused", "held back: refused: lets.bnf: line 2: no"
        result = runner.invoke(app, ["complete", f"{source}:3:4"])
    assert (result.exit_code, result.stdout) == (Exit.NOTHING, "")
    assert result.stderr == (
        "the grammar took no part; held back: refused: lets.bnf: line 2: no\n"
        f"draftwire: nothing to suggest at {source}:3:4: {in_words('grammar_unused')}\n"
    )


def test_nothing_to_show_is_status_1_with_the_reason(source: Path, run_daemon: RunDaemon) -> None:
    with run_daemon() as daemon:
        daemon.reason = "excluded_file"
        plain = runner.invoke(app, ["complete", f"{source}:3:4"])
        as_json = runner.invoke(app, ["complete", f"{source}:3:4", "--json"])
    assert (plain.exit_code, plain.stdout) == (Exit.NOTHING, "")
    assert plain.stderr == f"draftwire: nothing to suggest at {source}:3:4: {in_words('excluded_file')}\n"
    assert as_json.exit_code == Exit.NOTHING
    assert json.loads(as_json.stdout) == {"suggestions": [], "reason": "excluded_file", "grammar": ""}


def test_verified_and_provisional_text_differ_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    console = Console(force_terminal=True, color_system="standard", width=80)
    monkeypatch.setattr(module, "out", lambda: console)
    with console.capture() as capture:
        module._print_suggestion(Suggestion(1, "abcd", 2, complete=True, source="target"))
    assert capture.get() == "ab\x1b[2;3mcd\x1b[0m\n"


def test_it_waits_until_the_draft_model_is_loaded(source: Path, run_daemon: RunDaemon) -> None:
    with run_daemon(suggest("x"), status=replace(READY, draft="loading")) as daemon:
        results: list[Any] = []
        thread = threading.Thread(
            target=lambda: results.append(runner.invoke(app, ["complete", f"{source}:1:1"]))
        )
        thread.start()
        while not daemon.connections:
            thread.join(0.01)
        assert not daemon.of_type(Complete)
        loop = daemon.connections[0].writer.transport._loop
        loop.call_soon_threadsafe(daemon.push, READY)
        thread.join(20)
    assert (results[0].exit_code, results[0].stdout) == (0, "x\n")


def test_a_model_that_never_loads_is_an_error(
    source: Path, run_daemon: RunDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "READY_TIMEOUT_S", 0.05)
    with run_daemon(suggest("x"), status=replace(READY, draft="loading")):
        result = runner.invoke(app, ["complete", f"{source}:1:1"])
    assert result.exit_code == Exit.UNAVAILABLE
    assert "not ready after 0.05 s; run: draftwire doctor" in result.stderr


def test_a_failed_model_is_named_and_the_answer_still_asked_for(source: Path, run_daemon: RunDaemon) -> None:
    status = replace(READY, draft="failed", draft_error="the file is cut off")
    with run_daemon(suggest("from the target"), status=status):
        result = runner.invoke(app, ["complete", f"{source}:1:1"])
    assert (result.exit_code, result.stdout) == (0, "from the target\n")
    assert result.stderr == "the draft model failed: the file is cut off\n"


@pytest.mark.parametrize(
    ("link", "reason", "said"),
    [
        ("online", "", "the verifier did not answer in time (verifier.deadline_ms), or decided on less"),
        ("offline", "no route", "the verifier is offline (no route)"),
        ("connecting", "", "the verifier is connecting"),
        ("off", "", "no verifier is configured (verifier.url)"),
    ],
)
def test_when_verified_text_is_wanted_what_is_not_has_a_status_of_its_own_and_a_reason(
    source: Path, run_daemon: RunDaemon, monkeypatch: pytest.MonkeyPatch, link: str, reason: str, said: str
) -> None:
    monkeypatch.setattr(answer, "LINK_TIMEOUT_S", 0.05)
    with run_daemon(suggest("xyz", 1), status=replace(READY, link=link, link_reason=reason)):
        result = runner.invoke(app, ["complete", f"{source}:1:1", "--wait", "verified"])
    assert (result.exit_code, result.stdout) == (Exit.UNVERIFIED, "xyz\n")
    assert result.stderr == f"draftwire: 1 of 3 characters are verified: {said}\n"


def test_when_all_of_the_text_is_verified_the_status_is_0(source: Path, run_daemon: RunDaemon) -> None:
    with run_daemon(suggest("a\nb", 3), status=replace(READY, link="online")):
        result = runner.invoke(app, ["complete", f"{source}:1:1", "--wait", "verified", "--json"])
    assert (result.exit_code, result.stderr) == (0, "")
    [suggestion] = json.loads(result.stdout)["suggestions"]
    assert (suggestion["text"], suggestion["verified_characters"]) == ("a\r\nb", 4)


def test_a_slow_start_is_explained_once(
    source: Path, run_daemon: RunDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "SLOW_S", 0.0)
    monkeypatch.setattr(answer, "READY_TIMEOUT_S", 0.2)
    with run_daemon(suggest("x"), status=replace(READY, draft="loading")):
        result = runner.invoke(app, ["complete", f"{source}:1:1"])
    assert result.stderr.splitlines()[0] == "starting the daemon and loading the draft model ..."
    assert result.stderr.count("loading the draft model") == 1


def test_older_settings_of_the_daemon_are_named(source: Path, run_daemon: RunDaemon, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    status = replace(READY, config_file=str(config), settings_digest="others")
    with run_daemon(suggest("x"), status=status):
        result = runner.invoke(app, ["complete", f"{source}:1:1"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "x\n", f"{CHANGED}\n")


def test_a_daemon_of_another_version_is_named(source: Path, run_daemon: RunDaemon) -> None:
    with run_daemon(suggest("x"), status=replace(READY, version="0.0.1")):
        result = runner.invoke(app, ["complete", f"{source}:1:1"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "x\n", f"{other_version('0.0.1')}\n")


def test_a_broken_configuration_is_the_error_itself(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "SLOW_S", 60.0)  # a busy machine takes its time to start a process
    config = tmp_path / "config.toml"
    config.write_text("\nnonsense = 1\n")
    result = runner.invoke(app, ["complete", f"{source}:1:1"])
    started = runner.invoke(app, ["daemon", "start"])
    assert (result.exit_code, result.stdout) == (Exit.CONFIG, "")
    assert result.stderr.startswith(f'draftwire: {config}:2: unknown setting "nonsense"')
    assert (started.exit_code, started.stderr) == (result.exit_code, result.stderr)


def test_a_silent_daemon_is_not_waited_for_for_ever(
    source: Path, run_daemon: RunDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "ANSWER_TIMEOUT_S", 0.05)
    with run_daemon() as daemon:
        daemon.silent = True
        result = runner.invoke(app, ["complete", f"{source}:1:1"])
    assert result.exit_code == Exit.UNAVAILABLE
    assert "no answer within 0.05 s" in result.stderr


# Places and files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a.py:1:2", Place(Path("a.py"), 1, 2)),
        ("c:/x y/a.py:10:1", Place(Path("c:/x y/a.py"), 10, 1)),
        ("a:1:2:3:4", Place(Path("a:1:2"), 3, 4)),
    ],
)
def test_places(text: str, place: Place) -> None:
    assert parse_place(text) == place


@pytest.mark.parametrize(
    "text", ["", "a.py", "a.py:1", "a.py:0:1", "a.py:1:0", "a.py:-1:1", "a.py:x:1", ":1:1", "a:1:²"]
)
def test_bad_places_are_wrong_usage(text: str) -> None:
    with pytest.raises(CommandFailed, match="is not FILE:LINE:COL") as caught:
        parse_place(text)
    assert caught.value.status == Exit.USAGE


@pytest.mark.parametrize(("line_end"), ["\n", "\r\n", "\r"])
def test_text_is_asked_about_with_lf_and_answered_with_the_files_own_line_ends(
    tmp_path: Path, line_end: str
) -> None:
    path = tmp_path / "f"
    path.write_bytes(f"a{line_end}b".encode())
    source = read_source(path)
    assert source.text == "a\nb"
    answered = source.in_its_line_ends(Suggestion(1, "x\ny\n", 2, complete=True, source="draft"))
    assert (answered.text, answered.verified) == (f"x{line_end}y{line_end}", 1 + len(line_end))


def test_offsets_count_code_points() -> None:
    text = "aé\n🤗🤗b\n"
    assert [offset_of(text, Place(Path(), *at)) for at in [(1, 1), (1, 3), (2, 1), (2, 3), (2, 4), (3, 1)]] == [
        0, 2, 3, 5, 6, 7,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("at", "said"), [((4, 1), "has 3 lines, not 4"), ((2, 5), "ends at column 4, before column 5")]
)
def test_places_outside_the_file_are_named(at: tuple[int, int], said: str) -> None:
    with pytest.raises(CommandFailed, match=said) as caught:
        offset_of("aé\n🤗🤗b\n", Place(Path("f"), *at))
    assert caught.value.status == Exit.USAGE


def test_a_missing_file_and_invalid_utf8_are_named(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"ok \xe9\n")
    (tmp_path / "a.out").write_bytes(b"x\0\xff\n")
    (tmp_path / "wide.py").write_bytes("ok = 1\n".encode("utf-16"))
    for name, said in [
        ("gone.py", "can't be read: No such file"),
        ("latin.py", "is not UTF-8 text (byte 3)"),
        ("a.out", "is a binary file (byte 1 is NUL), not text"),
        ("wide.py", "is UTF-16 text; save it as UTF-8"),
    ]:
        result = runner.invoke(app, ["complete", f"{tmp_path / name}:1:1"])
        assert result.exit_code == Exit.UNREADABLE
        assert said in result.stderr
