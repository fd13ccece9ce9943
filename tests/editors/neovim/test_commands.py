"""`:Draftwire`, `:checkhealth`, the options, the status line and the help."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchmarks.editors.neovim import PLUGIN, Neovim, neovim
from tests.editors.conftest import StartDaemon
from tests.editors.neovim.conftest import OpenEditor, executable

RULES: list[dict[str, Any]] = [{"before": "def add", "suggestions": [{"text": "(a, b):"}]}]


def status_of(editor: Neovim) -> str:
    """What `:Draftwire status` says."""
    editor.lua("said = nil vim.notify = function(text) said = text end")
    editor.command("Draftwire status")
    editor.wait(lambda: editor.lua("return said"), "the status")
    return str(editor.lua("return said"))


def test_status_and_health(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Each hop from the editor to the verifier (ux-44)."""
    editor = open_editor(start_daemon(RULES))
    said = status_of(editor)
    assert "Draftwire: local drafts only" in said
    assert "draft model: scripted (ready)" in said
    assert "this buffer: suggestions are offered" in said
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire"
    editor.command("silent checkhealth draftwire")
    report = "\n".join(editor.lines())
    for line in (
        "Neovim 0.",
        "the options are right",
        "the bridge runs",
        "the daemon, draft model scripted",
        "OK a.py: suggestions are offered",
    ):
        assert line in report
    assert "ERROR" not in report


@pytest.mark.parametrize("option", ["readonly", "nomodifiable"])
def test_the_status_where_nothing_can_be_typed(
    start_daemon: StartDaemon, open_editor: OpenEditor, option: str
) -> None:
    """Nothing is offered there, and so it says, as does the health report of the buffer it was asked from (ux-44)."""
    editor = open_editor(start_daemon(RULES))
    editor.command(f"setlocal {option}")
    reason = f"nothing is suggested: the buffer can't be changed ({option})"
    assert f"this buffer: {reason}" in status_of(editor)
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire -"
    editor.command("silent checkhealth draftwire")
    assert any(f"a.py: {reason}" in line for line in editor.lines())


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        (".env", b"", "the file's name says that it holds secrets"),
        ("big.py", b"x = 1\n" * 200_000, "the file is larger than 1048576 bytes"),
        ("image.bin", b"a\0b\n", "the file is binary"),
    ],
)
def test_the_status_of_a_first_file_that_is_left_out(
    start_daemon: StartDaemon, open_editor: OpenEditor, name: str, text: bytes, reason: str
) -> None:
    """The reason stands there, though nothing was started (ux-44)."""
    editor = open_editor(start_daemon(RULES, running=False), name, text=text, ready=False)
    said = status_of(editor)
    assert "Draftwire: not started: no buffer has needed it yet" in said
    assert f"this buffer: nothing is suggested: {reason}" in said
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire -"
    editor.command("silent checkhealth draftwire")
    assert any(f"{name}: nothing is suggested: {reason}" in line for line in editor.lines())


def test_the_status_without_a_program(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Nothing is offered, and what to do (ux-44)."""
    editor = open_editor(start_daemon(running=False), ready=False, command="/nowhere/draftwire")
    editor.wait(lambda: editor.lua("return require('draftwire.bridge').problem"))
    reason = (
        'there is no program "/nowhere/draftwire"; install it with: pipx install "draftwire[bundled-model]"'
    )
    said = status_of(editor)
    assert f"Draftwire: {reason}" in said
    assert f"this buffer: nothing is suggested: {reason}" in said
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire !"


def test_the_status_where_no_model_can_be_loaded(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Nothing is offered, and why (ux-44)."""
    daemon = start_daemon(
        RULES, running=False, status={"draft": "failed", "message": "there is no such model"}
    )
    editor = open_editor(daemon, ready=False)
    editor.wait(
        lambda: editor.lua(
            "return require('draftwire.status').last ~= nil and "
            "require('draftwire.status').last.draft == 'failed'"
        )
    )
    assert "this buffer: nothing is suggested: there is no such model" in status_of(editor)
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire !"


def test_the_status_without_a_verifier(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Drafts go on; the status line says beside each that something is wrong, and the status what (ux-34, ux-45)."""
    status = {"link": "offline", "message": "the verifier can't be reached"}
    editor = open_editor(start_daemon(RULES, running=False, status=status))
    said = status_of(editor)
    assert "Draftwire: the verifier can't be reached" in said
    assert "this buffer: suggestions are offered" in said
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire !"
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire ~ !"


def test_the_status_of_a_first_run(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """What is being prepared and how far it is, in the status and in no message (ux-35, ux-50)."""
    preparing = {"draft": "loading", "message": "checking m.gguf (98 MB): 41%"}
    editor = open_editor(start_daemon(RULES, running=False, status=preparing), ready=False)
    in_words = "return require('draftwire.status').in_words()"
    editor.wait(lambda: editor.lua(in_words) == "checking m.gguf (98 MB): 41%")
    assert editor.lua("return require('draftwire').statusline()") == "Draftwire ..."
    assert editor.messages() == ""
    assert "this buffer: nothing is suggested: checking m.gguf (98 MB): 41%" in status_of(editor)


def test_the_status_of_a_grammar(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """How it fares, of the buffer's own language: being compiled at first (ux-50)."""
    editor = open_editor(start_daemon(RULES))
    editor.lua(
        "require('draftwire.status').last.grammars = "
        "{ [vim.uri_from_bufnr(0)] = 'compiling json.gbnf', ['file:///b'] = 'masked by sql' }"
    )
    said = status_of(editor)
    assert "this buffer: suggestions are offered; grammar: compiling json.gbnf" in said
    assert "sql" not in said


def test_the_status_where_the_daemon_refuses(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Once an answer has said so, until one says otherwise (ux-44)."""
    refusing = {"before": "secret ", "suggestions": [], "reason": "ignored_file"}
    editor = open_editor(start_daemon([refusing, *RULES]))
    assert "this buffer: suggestions are offered" in status_of(editor)
    editor.type("isecret ")
    editor.wait(lambda: editor.lua("return require('draftwire').statusline()") == "Draftwire -")
    assert "this buffer: nothing is suggested: git ignores the file" in status_of(editor)
    editor.type("def add")
    editor.wait_ghost("(a, b):")
    editor.type("<Esc>")
    assert "this buffer: suggestions are offered" in status_of(editor)


def test_the_health_of_a_buffer_without_a_name(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """That from which it was asked, also in a window of the report's own; never the report."""
    editor = open_editor(start_daemon(RULES))
    editor.command("enew")
    editor.wait_ready()
    for how in ("", "vertical "):
        editor.command(f"silent {how}checkhealth draftwire")
        assert any("OK the buffer without a name: suggestions are offered" in line for line in editor.lines())
        assert not any("health:" in line and "suggest" in line for line in editor.lines())
        editor.command("bwipeout")


def test_the_status_line_elsewhere(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Empty in what is no file; a suggestion is of its own buffer's window alone."""
    editor = open_editor(
        start_daemon(RULES),
        setup="vim.o.laststatus = 2 vim.o.statusline = \"%{v:lua.require'draftwire'.statusline()}|\"",
    )
    editor.command("new | setlocal buftype=nofile")
    assert editor.lua("return require('draftwire').statusline()") == ""
    editor.command("wincmd p")
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    assert [row for row in editor.screen() if row.endswith("|")] == ["|", "Draftwire ~|"]


def test_the_status_line_follows_a_suggestion_that_comes_late(
    start_daemon: StartDaemon, open_editor: OpenEditor
) -> None:
    """It is drawn anew when a suggestion comes and when it is verified, with no key in between."""
    verified = {"kind": "verified", "text": "(a, b):", "verified": 7, "complete": True, "after_ms": 200}
    rules = [
        {"before": "def add", "suggestions": [{"text": "(a, b):", "complete": False}], "updates": [verified]}
    ]
    editor = open_editor(
        start_daemon(rules),
        setup="vim.o.laststatus = 2 vim.o.statusline = \"%{v:lua.require'draftwire'.statusline()}|\"",
    )
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    editor.wait(lambda: "Draftwire +|" in editor.screen())


def test_stats(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """What `draftwire stats` prints (ux-43, ux-52), in a window that q closes; one is then where one was."""
    editor = open_editor(start_daemon(RULES))
    editor.command("vsplit | split")
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    before = editor.lua("return vim.api.nvim_get_current_win()")
    editor.type("<Esc>:Draftwire stats<CR>")
    editor.wait(lambda: "suggestions  1" in editor.lines())
    assert "since the daemon started, from local data only" in editor.lines()
    assert editor.lua("return vim.bo.modifiable") is False
    editor.type("q")
    assert editor.lines() == ["def add"]
    assert editor.lua("return vim.api.nvim_get_current_win()") == before


def test_a_window_that_was_closed_before_the_answer(
    start_daemon: StartDaemon, open_editor: OpenEditor
) -> None:
    """Stays closed: none opens, or takes what is typed, later than when it was asked for."""
    editor = open_editor(start_daemon(RULES))
    editor.lua("vim.system = function(_, _, on_exit) answer = on_exit end")
    editor.command("Draftwire stats")
    assert editor.lines() == ["asking the daemon ..."]
    editor.type("q")
    editor.lua("answer({ stdout = 'late', stderr = '' })")
    editor.type("itext")
    assert editor.lines() == ["text"]
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1
    assert editor.messages() == ""


def test_why(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """What the editor and the daemon know of why nothing was shown (ux-44)."""
    editor = open_editor(start_daemon(RULES))
    editor.type("inothing")
    editor.wait(lambda: any("nothing to suggest" in one for one in editor.reasons()))
    editor.type("<Esc>")
    editor.command("Draftwire why")
    editor.wait(lambda: "the last requests, newest first" in editor.lines())
    assert any(
        line.endswith("a.py: not in Insert mode") or "nothing to suggest" in line for line in editor.lines()
    )


def test_why_has_the_newest_first(start_daemon: StartDaemon, open_editor: OpenEditor, tmp_path: Path) -> None:
    """In each of its parts; the daemon's is told in the words of `draftwire stats --last` (ux-44)."""
    daemon = start_daemon(RULES)
    last = 'if [ "$*" = "stats --last" ]; then printf "the newest \\n\\nthe oldest\\n"; exit; fi'
    program = executable(tmp_path / "program", f'{last}\nexec "{daemon.command}" "$@"')
    editor = open_editor(daemon, command=program)
    editor.lua(
        "local trace = require('draftwire.trace') trace.reasons, trace.events = {}, {} "
        "trace.nothing(0, 'here before') trace.nothing(0, 'here') trace.event('then') trace.event('now')"
    )
    editor.command("Draftwire why")
    editor.wait(lambda: "the newest" in editor.lines())
    lines = [re.sub(r"^[\d:]{8} (a\.py: )?", "", line) for line in editor.lines()]
    assert lines == [
        *("seen here, newest first", "here", "here before", ""),
        *("the newest", "", "the oldest", ""),
        *("the bridge, newest first", "now", "then"),
    ]


def test_why_without_a_program(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """What there is to do about it, in place of what it would say (ux-44)."""
    editor = open_editor(start_daemon(running=False), ready=False, command="/nowhere/draftwire")
    editor.command("Draftwire why")
    assert any('there is no program "/nowhere/draftwire"' in line for line in editor.lines())


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


def test_restart(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Is confirmed, and the bridge is another."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    editor.lua("vim.notify = function(text) said = text end")
    editor.command("Draftwire restart")
    assert editor.lua("return said") == "Draftwire: restarting"
    daemon.wait_for("hello", 2)


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


def test_help_where_no_plugin_manager_has_made_the_tags(tmp_path: Path) -> None:
    """A folder that is put on the runtime path has its help from the first start on."""
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin, ignore=shutil.ignore_patterns("tags"))
    with neovim(
        tmp_path / "nvim",
        {},
        setup=f"vim.opt.runtimepath:remove({str(PLUGIN)!r}) vim.opt.runtimepath:prepend({str(plugin)!r})",
    ) as editor:
        editor.command("help draftwire-options")
        assert editor.lua("return vim.api.nvim_buf_get_name(0)") == str(plugin / "doc" / "draftwire.txt")
        assert editor.messages() == ""


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
