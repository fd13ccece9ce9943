"""What can be wrong with bridge, daemon and files: nothing shown, a reason, one message, and back by itself."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.editors.neovim import Neovim
from tests.editors.conftest import StartDaemon
from tests.editors.neovim.conftest import OpenEditor, executable
from tests.fakes.processes import processes_of

RULES: list[dict[str, Any]] = [{"before": "def add", "suggestions": [{"text": "(a, b):"}]}]
COUNT_MESSAGES = "told = {} vim.notify = function(text) table.insert(told, text) end"


def told(editor: Neovim) -> list[str]:
    """The messages that the user got."""
    return list(editor.lua("return told"))


def health(editor: Neovim) -> str:
    editor.command("silent checkhealth draftwire")
    return "\n".join(editor.lines())


def wait_until(condition: Callable[[], bool]) -> None:
    """Of processes that end."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "a process was left behind"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("name", "content", "options", "reason"),
    [
        (".env", "", "", "holds secrets"),
        ("server.pem", "", "", "holds secrets"),
        ("big.py", "x = 1\n" * 200_000, "", "larger than 1048576 bytes"),
        ("image.bin", b"a\0b\n", "", "binary"),
        ("a.csv", "", "{ exclude = { '*.csv' } }", "excluded"),
        ("a.md", "", "{ filetypes = { markdown = false } }", "filetype"),
        ("a.py", "", "{ filetypes = { ['*'] = false } }", "filetype"),
        ("a.py", "", "{ enabled = false }", "switched off"),
    ],
)
def test_files_where_nothing_is_suggested(
    start_daemon: StartDaemon, open_editor: OpenEditor, name: str, content: Any, options: str, reason: str
) -> None:
    """The bridge does not even get their text; the reason stands in the trace (ux-36, ux-39, ux-44, ux-46)."""
    daemon = start_daemon(RULES, running=False)
    setup = f"require('draftwire').setup({options})" if options else ""
    editor = open_editor(daemon, name, text=content, setup=setup, ready=False)
    editor.type("Godef add")
    editor.wait(lambda: any(reason in one for one in editor.reasons()))
    assert editor.ghost() is None
    assert editor.lua("return require('draftwire.lsp').client() == nil")
    if options != "{ enabled = false }":
        assert reason in health(editor)


@pytest.mark.parametrize("option", ["readonly", "nomodifiable"])
def test_buffers_that_can_not_be_changed(
    start_daemon: StartDaemon, open_editor: OpenEditor, option: str
) -> None:
    """Nothing is shown there (ux-19)."""
    editor = open_editor(start_daemon(RULES), text="def add\n")
    editor.command(f"set {option}")
    editor.type("A")
    editor.lua("require('draftwire.completion').update()")
    assert editor.ghost() is None
    if option == "readonly":
        assert any("can't be changed" in one for one in editor.reasons())


def test_switches_take_effect_at_once(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """For a buffer, and for all, with no restart (ux-46)."""
    editor = open_editor(start_daemon(RULES))
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    editor.command("Draftwire toggle")
    assert editor.ghost() is None
    assert editor.lua("return require('draftwire').statusline()") == ""
    editor.type("<BS>d")
    assert editor.ghost() is None
    editor.command("Draftwire toggle")
    editor.wait_ghost("(a, b):")
    editor.lua("vim.b.draftwire_enabled = false")
    editor.type("<BS>d")
    assert editor.ghost() is None
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire -"
    assert editor.lua("return require('draftwire.lsp').client_of(0) == nil")
    editor.lua("vim.b.draftwire_enabled = true")
    editor.type("<BS>d")
    editor.wait_ghost("(a, b):")
    editor.lua("vim.b.draftwire_enabled = false require('draftwire').refresh()")
    assert editor.ghost() is None
    assert "switched off in this buffer" in editor.reasons()[-1]


def test_what_is_shown_goes_when_the_grammar_is_another(
    start_daemon: StartDaemon, open_editor: OpenEditor
) -> None:
    """And what was remembered, of which nothing is shown or taken any more; what fits now is asked for (ux-16)."""
    trusted = {"before": "def add", "suggestions": [], "grammar": {"line": "masked by a"}}
    rules = [
        {"before": "def add", "suggestions": [{"text": "(a; b):"}], "once": True},
        {**trusted, "once": True},
        *RULES,
    ]
    editor = open_editor(start_daemon(rules))
    editor.type("idef add")
    editor.wait_ghost("(a; b):")
    editor.type("<Plug>(draftwire-trigger)")
    editor.wait_ghost("(a, b):")
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("def add(a, b):")


def test_a_daemon_killed_and_back(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """The ghost goes; the bridge finds a daemon again, and so do suggestions, with no message (ux-23, ux-34)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon, setup=COUNT_MESSAGES)
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    daemon.kill()
    editor.wait(
        lambda: any(
            "is lost" in one["text"] for one in editor.lua("return require('draftwire.trace').events")
        )
    )
    editor.wait_ready()
    editor.wait_ghost("(a, b):")
    assert told(editor) == []


def test_two_editors_on_one_daemon(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Each with its own text; the end of one is nothing to the other (ux-5, ux-30)."""
    daemon = start_daemon(RULES, running=False)
    first, second = open_editor(daemon), open_editor(daemon, "b.py")
    assert len(daemon.pids()) == 1
    first.type("idef add")
    second.type("iclass A:<CR>def add")
    first.wait_ghost("(a, b):")
    second.wait_ghost("(a, b):")
    first.type("<Esc>:qa!<CR>", ends=True)
    first.process.wait(60)
    second.type("<Plug>(draftwire-accept)<CR>def add")
    second.wait_ghost("(a, b):")
    assert len(daemon.pids()) == 1


def test_a_bridge_that_is_killed(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Is started again; the user is told once, and not by Neovim itself (ux-45)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon, setup=COUNT_MESSAGES, size=(20, 120))
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    (bridge,) = daemon.bridges()
    os.kill(bridge, 9)
    editor.wait(lambda: told(editor))
    editor.wait_ready()
    editor.wait_ghost("(a, b):")
    assert len(told(editor)) == 1
    assert "by signal 9; it is started again (:checkhealth draftwire)" in told(editor)[0]
    assert editor.lua("return require('draftwire.bridge').problem") is None


def test_a_bridge_that_is_missing(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """One message, and the command that mends it in :checkhealth (ux-44, ux-45)."""
    editor = open_editor(
        start_daemon(running=False), setup=COUNT_MESSAGES, ready=False, command="/nowhere/draftwire"
    )
    editor.type("idef add")
    editor.wait(lambda: told(editor))
    editor.type(" and more<Esc>o")
    (said,) = told(editor)
    assert said == "Draftwire: there is no progra ... (:checkhealth draftwire)"
    assert editor.ghost() is None
    said = health(editor)
    assert 'there is no program "/nowhere/draftwire"' in said
    assert 'pipx install "draftwire[bundled-model]"' in said


def test_the_keys_after_a_program_was_found_missing(
    start_daemon: StartDaemon, open_editor: OpenEditor
) -> None:
    """Are all typed, and make no line each of `:Draftwire why` (ux-44, ux-45)."""
    editor = open_editor(start_daemon(running=False), ready=False, command="/nowhere/" + "x" * 100)
    editor.type("idef add")
    editor.wait(lambda: "Draftwire: there is no pro" in editor.messages())
    editor.type("(a, b)")
    assert editor.lines() == ["def add(a, b)"]
    editor.type("<Esc>")
    editor.command("Draftwire why")
    told = [line for line in editor.lines() if re.match(r"[\d:]{8} .*there is no program", line)]
    assert len(told) == 2, editor.lines()  # of the buffer, and of the bridge
    assert all(re.search(r" \(\d+ times\)$", line) for line in told)


@pytest.mark.parametrize("cmdheight", [1, 0, 2])
def test_long_warnings_of_the_bridge_while_somebody_types(
    start_daemon: StartDaemon, open_editor: OpenEditor, cmdheight: int
) -> None:
    """One line each, which fits; no key is lost to them, and the whole text can be read later (ux-45)."""
    texts = [f"{number} refused: " + "no such symbol, " * 20 for number in (1, 2)]
    problems = [{"about": text, "text": text} for text in texts]
    refusing = {"before": "def", "suggestions": [], "grammar": {"line": "refused", "problems": problems}}
    daemon = start_daemon([{**refusing, "once": True}])
    editor = open_editor(daemon, size=(20, 60), setup=f"vim.o.cmdheight = {cmdheight}")
    editor.type("idef")
    events = "return vim.inspect(require('draftwire.trace').events)"
    editor.wait(lambda: "2 refused" in editor.lua(events))
    for key in " add(a, b)":
        editor.type(key)
    assert editor.lua("return vim.api.nvim_get_mode()") == {"mode": "i", "blocking": False}
    assert editor.lines() == ["def add(a, b)"]
    editor.type("<Esc>")
    if cmdheight > 0:
        told = [line for line in editor.messages().splitlines() if line.endswith(" ... (:Draftwire why)")]
        assert len(told) == 2
        assert all(line.startswith("Draftwire, grammar of ") and len(line) < 60 for line in told)
    editor.command("Draftwire why")
    assert all(any(text.strip() in line for line in editor.lines()) for text in texts)


def test_a_bridge_that_ends_again_and_again(
    start_daemon: StartDaemon, open_editor: OpenEditor, tmp_path: Path
) -> None:
    """Longer and longer waits, one message, then none is started until the user asks (ux-45)."""
    daemon = start_daemon(RULES)
    broken = executable(tmp_path / "broken", f"echo >> {tmp_path}/starts; exit 3")
    fast = "local bridge = require('draftwire.bridge') bridge.FIRST_WAIT_MS, bridge.LAST_WAIT_MS = 1, 1"
    editor = open_editor(daemon, setup=COUNT_MESSAGES + "\n" + fast, ready=False, command=broken)
    events = "return vim.inspect(require('draftwire.trace').events)"
    editor.wait(lambda: ":Draftwire restart tries again" in editor.lua(events))
    assert len(told(editor)) == 1
    assert len((tmp_path / "starts").read_text().splitlines()) == 6
    editor.lua("require('draftwire').setup({ command = ... })", str(daemon.command))
    assert editor.lua("return require('draftwire.lsp').client() == nil")
    editor.command("Draftwire restart")
    editor.wait_ready()
    editor.type("idef add")
    editor.wait_ghost("(a, b):")


@pytest.mark.parametrize(
    "said",
    [
        "echo hello; echo; echo world; cat > /dev/null",
        "printf 'Content-Length: 3\\r\\n\\r\\n{x}'; cat > /dev/null",
        "printf 'Content-Length: 5\\r\\n\\r\\n12345'; cat > /dev/null",
    ],
)
def test_a_program_that_talks_nonsense(
    start_daemon: StartDaemon, open_editor: OpenEditor, tmp_path: Path, said: str
) -> None:
    """Typing goes on; :checkhealth says that it is not Draftwire."""
    command = executable(tmp_path / "nonsense", said)
    editor = open_editor(start_daemon(running=False), setup=COUNT_MESSAGES, ready=False, command=command)
    editor.type("idef add")
    editor.wait_line("def add")
    assert editor.ghost() is None
    assert len(told(editor)) <= 1
    editor.command("stopinsert")
    assert "is not Draftwire, or broken" in health(editor)


def test_a_bridge_that_is_too_old(start_daemon: StartDaemon, open_editor: OpenEditor, tmp_path: Path) -> None:
    """One message with the command (ux-44)."""
    old = tmp_path / "old.py"
    old.write_text(
        "import json, sys\n"
        "def read():\n"
        "    n = int(sys.stdin.buffer.readline().split()[1]); sys.stdin.buffer.readline()\n"
        "    return json.loads(sys.stdin.buffer.read(n))\n"
        "m = read()\n"
        "b = json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': {'capabilities': {}, "
        "'serverInfo': {'name': 'draftwire', 'version': '0.0.1'}}}).encode()\n"
        "sys.stdout.buffer.write(b'Content-Length: %d\\r\\n\\r\\n' % len(b) + b); sys.stdout.buffer.flush()\n"
        "sys.stdin.buffer.read()\n"
    )
    command = executable(tmp_path / "old", f'exec "{sys.executable}" "{old}"')
    editor = open_editor(
        start_daemon(running=False), setup=COUNT_MESSAGES, ready=False, command=command, size=(20, 120)
    )
    editor.wait(lambda: told(editor))
    assert "too old; run: pipx upgrade draftwire" in told(editor)[0]
    editor.type("idef add")
    assert editor.ghost() is None
    assert len(told(editor)) == 1


def test_quitting_with_work_in_flight(
    start_daemon: StartDaemon, open_editor: OpenEditor, tmp_path: Path
) -> None:
    """No process is left but the daemon, which ends by its own idle limit (ux-31)."""
    daemon = start_daemon([{"before": "def add", "delay_ms": 600_000, "suggestions": []}])
    editor = open_editor(daemon)
    editor.type("idef add")
    daemon.wait_for("complete")
    editor.type("<Esc>:qa!<CR>", ends=True)
    editor.process.wait(60)

    def left() -> list[int]:
        return [pid for pid in processes_of(tmp_path) if pid not in daemon.pids()]

    wait_until(lambda: not left())


def test_an_editor_that_is_killed(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """The bridge ends with it (ux-31)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    assert len(daemon.bridges()) == 1
    editor.process.kill()
    editor.process.wait(60)
    wait_until(lambda: not daemon.bridges())
