"""Neovim's own inline completion (0.12) in place of our drawing, and the configuration for `vim.lsp.enable`.

No package brings a Neovim of 0.12 that could be pinned, so what draws is tested where `DRAFTWIRE_TEST_NVIM` names one.
"""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.editors.neovim import Neovim
from tests.editors.conftest import StartDaemon
from tests.editors.neovim.conftest import OpenEditor, need
from tests.fakes.scripted_daemon import ScriptedDaemonProcess

ADD = "(a, b):\n    return a + b"
RULES: list[dict[str, Any]] = [{"before": "def add", "suggestions": [{"text": ADD}]}]
CORE = "require('draftwire').setup({ display = 'core' })"
ACCEPT = "vim.keymap.set('i', '<C-l>', function() vim.lsp.inline_completion.get() end)"
"""The documented map."""
ATTACHED = "return #vim.lsp.get_clients({ name = 'draftwire', bufnr = 0 }) == 1"


def enabled(daemon: ScriptedDaemonProcess) -> str:
    """What a user has who lets none of our code start anything: the program is on PATH."""
    path = f"vim.env.PATH = '{daemon.folder}:' .. vim.env.PATH"
    return f"{path}\nvim.g.loaded_draftwire = true\nvim.lsp.enable('draftwire')"


def wait_drawn(editor: Neovim) -> None:
    """By Neovim: our own drawing has nothing."""
    editor.wait(lambda: "def add(a, b):" in editor.screen(), "what Neovim draws")
    assert "    return a + b" in editor.screen()
    assert editor.ghost() is None
    assert editor.lines() == ["def add"]


def accept(editor: Neovim, daemon: ScriptedDaemonProcess) -> None:
    """The text is in the buffer, and the daemon knows."""
    editor.type("<C-l>")
    editor.wait(lambda: editor.lines() == ["def add(a, b):", "    return a + b"], "the accepted text")
    (accepted,) = daemon.wait_for("accepted")
    assert (accepted["length"], accepted["kind"]) == (len(ADD), "all")


def test_neovim_draws_and_accepts(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """With our process, status and commands."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon, setup=f"{CORE}\n{ACCEPT}")
    need(editor, "nvim-0.12")
    editor.type("idef add")
    wait_drawn(editor)
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire"
    accept(editor, daemon)


def test_who_draws_may_change(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Without a restart, and it is never both."""
    editor = open_editor(start_daemon(RULES))
    need(editor, "nvim-0.12")
    editor.type("idef add")
    editor.wait_ghost(ADD)
    editor.lua(CORE)
    assert editor.ghost() is None
    editor.type("<BS>d")
    wait_drawn(editor)
    editor.lua("require('draftwire').setup({ display = 'plugin' })")
    editor.wait_ghost(ADD)
    assert editor.screen().count("def add(a, b):") == 1


def test_where_neovim_can_not_draw(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Before 0.12 the option is of no use, and each way to ask says so, as does the setup, once."""
    told = "told = {} vim.notify = function(text) table.insert(told, text) end"
    editor = open_editor(
        start_daemon(RULES), setup=f"local notify = vim.notify\n{told}\n{CORE}\nvim.notify = notify"
    )
    if editor.lua("return vim.fn.has('nvim-0.12') == 1"):
        pytest.skip("this Neovim can draw inline completions")
    problem = 'display = "core" needs Neovim 0.12'
    editor.lua("require('draftwire').setup({ counter = false })")
    assert editor.lua("return told") == [f"Draftwire: {problem} (option display)"]
    assert any(problem in reason for reason in editor.reasons())
    editor.command("Draftwire status")
    assert f"nothing is suggested: {problem}" in editor.messages()
    editor.command("silent checkhealth draftwire")
    assert any("ERROR" in line and problem in line for line in editor.lines())


def test_the_bridge_alone(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """`vim.lsp.enable("draftwire")` starts it; it answers; none of our events is at work."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon, setup=enabled(daemon), ready=False)
    need(editor, "nvim-0.11")
    editor.wait(lambda: editor.lua(ATTACHED), "the client")
    editor.wait(lambda: daemon.received("opendocument"))
    editor.type("idef add")
    ask = (
        "local client = vim.lsp.get_clients({ name = 'draftwire' })[1] "
        "local params = vim.lsp.util.make_position_params(0, client.offset_encoding) "
        "params.context = { triggerKind = 1 } "
        "local answer = client:request_sync('textDocument/inlineCompletion', params, 1000, 0) "
        "return answer and answer.result and answer.result.items[1] and answer.result.items[1].insertText"
    )
    editor.wait(lambda: editor.lua(ask) == ADD, "the answer")
    assert editor.lua("return vim.fn.exists('#draftwire')") == 0


def test_the_bridge_alone_and_neovims_drawing(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """As documented: drawn, and accepted."""
    daemon = start_daemon(RULES)
    draw = "if vim.lsp.inline_completion then vim.lsp.inline_completion.enable() end"
    editor = open_editor(daemon, setup=f"{enabled(daemon)}\n{ACCEPT}\n{draw}", ready=False)
    need(editor, "nvim-0.12")
    editor.wait(lambda: editor.lua(ATTACHED), "the client")
    editor.wait(lambda: daemon.received("opendocument"))
    editor.type("idef add")
    wait_drawn(editor)
    accept(editor, daemon)


def test_the_bridge_alone_gets_no_secrets(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """What is left out with the plugin is left out without (ux-39)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon, ".env", text="KEY=secret\n", setup=enabled(daemon), ready=False)
    need(editor, "nvim-0.11")
    editor.command("edit other.py")
    editor.wait(lambda: editor.lua(ATTACHED), "the client")
    opened = daemon.wait_for("opendocument")
    assert len(opened) == 1
    assert "secret" not in str(daemon.received())
