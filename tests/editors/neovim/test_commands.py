"""`:Draftwire`, `:checkhealth`, the options, the status line and the help."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editors.conftest import StartDaemon
from tests.editors.neovim.conftest import OpenEditor

RULES: list[dict[str, Any]] = [{"before": "def add", "suggestions": [{"text": "(a, b):"}]}]


def test_status_and_health(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Each hop from the editor to the verifier (ux-44)."""
    editor = open_editor(start_daemon(RULES))
    editor.command("Draftwire status")
    said = editor.messages()
    assert "Draftwire: local drafts only" in said
    assert "draft model: scripted (ready)" in said
    assert "this buffer: suggestions are offered" in said
    editor.command("silent checkhealth draftwire")
    report = "\n".join(editor.lines())
    for line in ("the options are right", "the bridge runs", "the daemon, draft model scripted", "Neovim 0."):
        assert line in report
    assert "ERROR" not in report
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire"


def test_stats(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """The daemon's own figures (ux-43, ux-52)."""
    editor = open_editor(start_daemon(RULES))
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    editor.type("<Esc>:Draftwire stats<CR>")
    editor.wait(lambda: "suggestions: 1" in editor.lines())
    editor.type("q")
    assert editor.lines() == ["def add"]


def test_why(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """What the editor and the daemon know of why nothing was shown (ux-44)."""
    editor = open_editor(start_daemon(RULES))
    editor.type("inothing")
    editor.wait(lambda: any("nothing to suggest" in one for one in editor.reasons()))
    editor.type("<Esc>")
    editor.command("Draftwire why")
    editor.wait(lambda: "The daemon's last requests, newest first:" in editor.lines())
    assert any(
        line.endswith("a.py: not in Insert mode") or "nothing to suggest" in line for line in editor.lines()
    )


def test_a_reason_of_several_lines(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Is shown as it is."""
    editor = open_editor(start_daemon(RULES))
    editor.lua("require('draftwire.trace').nothing(0, 'one\\ntwo')")
    editor.command("Draftwire why")
    editor.wait(lambda: any(line.endswith("one") for line in editor.lines()) and "two" in editor.lines())


def test_toggling_without_settings(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Nobody is told of settings that nobody made."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    for _ in range(2):
        editor.command("Draftwire toggle")
    editor.type("ix")
    editor.wait(lambda: editor.lua("return require('draftwire').statusline()") == "Draftwire")
    assert "leaves out" not in editor.messages()


def test_log(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Opens what the bridge wrote to standard error."""
    editor = open_editor(start_daemon(RULES))
    editor.command("Draftwire log")
    assert editor.lua("return vim.api.nvim_buf_get_name(0)").endswith("lsp.log")


def test_a_wrong_subcommand(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Is named, with those there are; they are also completed."""
    editor = open_editor(start_daemon(RULES))
    editor.lua("vim.notify = function(text) said = text end")
    editor.command("Draftwire sttus")
    assert editor.lua("return said") == (
        "Draftwire: there is no :Draftwire sttus; there are log, restart, stats, status, toggle, why"
    )
    assert editor.lua("return vim.fn.getcompletion('Draftwire st', 'cmdline')") == ["stats", "status"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("{ enabled = 1 }", "enabled is 1; it must be true or false"),
        ("{ enable = true }", 'there is no option "enable"; there are auto, command'),
        ("{ filetypes = { 'lua' } }", "it must be a table such as { markdown = false }"),
        ("{ display = 'both' }", 'display is "both"; it must be one of "plugin", "core"'),
        ("{ max_file_bytes = -1 }", "max_file_bytes is -1; it must be a number of bytes, or 0"),
        ("7", "setup takes a table of options, or nothing"),
    ],
)
def test_wrong_options(
    start_daemon: StartDaemon, open_editor: OpenEditor, options: str, problem: str
) -> None:
    """Named with what they must be; the rest goes on as before (ux-51)."""
    setup = f"vim.notify = function(text) said = text end\nrequire('draftwire').setup({options})"
    editor = open_editor(start_daemon(RULES), setup=setup)
    assert problem in editor.lua("return said")
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    editor.command("stopinsert")
    editor.command("silent checkhealth draftwire")
    assert any(problem in line for line in editor.lines())


def test_settings_reach_the_daemon(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """At the start and when they change, for this editor alone (ux-33)."""
    daemon = start_daemon(RULES)
    settings = "require('draftwire').setup({ settings = { completion = { enabled = true } } })"
    editor = open_editor(daemon, setup=settings)
    assert daemon.received("hello")[0]["settings"] == {"completion.enabled": True}
    editor.lua("require('draftwire').setup({ settings = { ['completion.trigger'] = 'manual' } })")
    assert daemon.wait_for("configure")[-1]["settings"] == {"completion.trigger": "manual"}


def test_help(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Every option, command and map has its tag."""
    editor = open_editor(start_daemon(RULES), ready=False)
    tags = editor.lua(
        "local folder = vim.fn.tempname() vim.fn.mkdir(folder .. '/doc', 'p') "
        "local doc = vim.api.nvim_get_runtime_file('doc/draftwire.txt', false)[1] "
        "vim.uv.fs_copyfile(doc, folder .. '/doc/draftwire.txt') vim.cmd.helptags(folder .. '/doc') "
        "return vim.fn.readfile(folder .. '/doc/tags')"
    )
    tags = [line.partition("\t")[0] for line in tags]
    options = editor.lua("return vim.tbl_keys(require('draftwire.config').options)")
    wanted = [f"draftwire-option-{name}" for name in options]
    wanted += [":Draftwire", "<Plug>(draftwire-accept)", "<Plug>(draftwire-next)", "b:draftwire_visible"]
    wanted += [
        "draftwire",
        "draftwire-options",
        "draftwire-core",
        "draftwire.statusline()",
        "hl-DraftwireGhost",
    ]
    assert set(wanted) <= set(tags)
