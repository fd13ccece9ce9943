"""Ghost text while typing: drawn where it belongs, typed along, brought back, and taken away."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.editors.conftest import StartDaemon
from tests.editors.neovim.conftest import OpenEditor

ADD = "(a, b):\n    return a + b"
WIDE = " 1" + "v" * 70 + "\n" + "w" * 100
RULES: list[dict[str, Any]] = [
    {"before": "def add", "suggestions": [{"text": ADD, "verified": 6}]},
    {"before": "print(", "suggestions": [{"text": "x, y"}]},
    {"before": "wrong", "suggestions": []},
    {"before": "é你🤗 = ", "suggestions": [{"text": "名前（你好）🤗"}]},
    {"before": "tab", "suggestions": [{"text": "\tx\ty\n\tz"}]},
    {"before": "wide", "suggestions": [{"text": WIDE}]},
]


@pytest.mark.parametrize("keys", ["idef add", "odef add", "Adef add"])
def test_what_is_suggested_is_drawn(start_daemon: StartDaemon, open_editor: OpenEditor, keys: str) -> None:
    """In the screen's cells but not in the buffer, by our own trigger (ux-1, ux-19)."""
    editor = open_editor(start_daemon(RULES))
    editor.type(keys)
    editor.wait_ghost(ADD)
    row = next(i for i, line in enumerate(editor.screen()) if line == "def add(a, b):")
    assert editor.screen()[row + 1] == "    return a + b"
    assert editor.lines()[-1] == "def add"


def test_typing_along_shows_the_rest_at_once(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """In the key's own tick: no question is asked, and the ghost is right before Neovim does anything else (ux-3)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    editor.type("idef add")
    editor.wait_ghost(ADD)
    asked = len(daemon.received("complete"))
    editor.lua(
        "seen = {} vim.api.nvim_create_autocmd('TextChangedI', { callback = function() "
        "local s = require('draftwire.ghost').shown() table.insert(seen, s and s.text or '') end })"
    )
    for key in "(a, ":
        editor.type(key)
    assert editor.lua("return seen") == [ADD[length:] for length in (1, 2, 3, 4)]
    assert "def add(a, b):" in editor.screen()
    editor.wait(lambda: len(daemon.received("changedocument")) >= 11)
    assert len(daemon.received("complete")) == asked


def test_deleting_brings_it_back(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Also after a key that led away, with no new question (ux-25)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    editor.type("idef add")
    editor.wait_ghost(ADD)
    asked = len(daemon.received("complete"))
    editor.type("(a<BS>")
    assert editor.ghost() == ADD[1:]
    editor.type("<BS>")
    assert editor.ghost() == ADD
    assert len(daemon.received("complete")) == asked
    editor.type("x")
    assert editor.ghost() is None
    editor.type("<BS>")
    assert editor.ghost() == ADD


def test_a_line_break_typed_along(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """With the indentation that the editor adds by itself (ux-3, ux-12)."""
    editor = open_editor(start_daemon(RULES), setup="vim.o.autoindent = true")
    editor.type("idef add")
    editor.wait_ghost(ADD)
    editor.type("(a, b):\nret")
    editor.wait_ghost("urn a + b")


def test_what_is_typed_to_its_end(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Leaves the typed text alone and shows nothing (ux-14)."""
    editor = open_editor(start_daemon(RULES))
    editor.type("iprint(")
    editor.wait_ghost("x, y")
    editor.type("x, y")
    assert editor.ghost() is None
    assert editor.lines() == ["print(x, y"]


@pytest.mark.parametrize(
    "keys",
    [
        "<Esc>",
        "<C-o>v",
        "<C-o>gh",
        "<C-o>:",
        "<C-\\><C-n>V",
        "<Cmd>enew!<CR>",
        "<Cmd>new<CR>",
        "<Up>",
        "<Left>",
        "<C-o>R",
    ],
)
def test_it_goes_with_mode_buffer_and_window(
    start_daemon: StartDaemon, open_editor: OpenEditor, keys: str
) -> None:
    """Normal, Visual, Replace and command-line mode, another buffer, another window, another place (ux-19, ux-23)."""
    editor = open_editor(start_daemon(RULES), text="first\n\n")
    editor.type("2Gidef add")
    editor.wait_ghost(ADD)
    editor.type(keys)
    assert editor.ghost() is None
    marks = (
        "local n, all = vim.api.nvim_get_namespaces().draftwire, {} for _, b in ipairs(vim.api.nvim_list_bufs()) do "
        "vim.list_extend(all, vim.api.nvim_buf_get_extmarks(b, n, 0, -1, {})) end return #all"
    )
    assert editor.lua(marks) == 0


def test_nothing_while_a_block_is_typed_into(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """What is typed goes into several lines, of which only one could be seen; after it all is as before (ux-19)."""
    editor = open_editor(start_daemon(RULES), text="x\nx\n")
    editor.type("gg<C-v>jIdef add")
    editor.wait(lambda: any("each line of a block" in reason for reason in editor.reasons()))
    assert editor.ghost() is None
    editor.type("<Esc>")
    assert editor.lines() == ["def addx", "def addx"]
    editor.type("odef add")
    editor.wait_ghost(ADD)


def test_wide_characters(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Before the cursor and in the suggestion: drawn, typed along and asked for at the right place (ux-10, ux-48)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    editor.type("ié你🤗 = ")
    editor.wait_ghost("名前（你好）🤗")
    assert editor.screen()[0] == "é你🤗 = 名前（你好）🤗"
    assert daemon.received("complete")[-1]["offset"] == 6
    editor.type("名")
    assert editor.ghost() == "前（你好）🤗"
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("é你🤗 = 名前（你好）🤗")


def test_crlf(start_daemon: StartDaemon, open_editor: OpenEditor, tmp_path: Any) -> None:
    """A file with CRLF keeps it in what is accepted; no \\r is ever drawn (ux-11)."""
    editor = open_editor(start_daemon(RULES), text=b"x = 1\r\n\r\n")
    editor.type("2Gidef add")
    editor.wait_ghost(ADD)
    assert "    return a + b" in editor.screen()
    editor.type("<Plug>(draftwire-accept)<Esc>:w<CR>")
    file = tmp_path / "work" / "a.py"
    editor.wait(lambda: b"return" in file.read_bytes())
    assert file.read_bytes() == b"x = 1\r\ndef add(a, b):\r\n    return a + b\r\n"


def test_tabs(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Drawn as wide as they will be (ux-24)."""
    editor = open_editor(start_daemon(RULES), setup="vim.o.tabstop = 4")
    editor.type("itab")
    editor.wait_ghost("\tx\ty\n\tz")
    drawn = editor.screen()[:2]
    assert drawn == ["tab x   y", "    z"]
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("\tz")
    assert editor.screen()[:2] == drawn


def test_long_lines_wrap(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """As the accepted text will (ux-24)."""
    editor = open_editor(start_daemon(RULES), size=(20, 60))
    editor.type("iwide")
    editor.wait(lambda: editor.ghost() == WIDE)
    drawn = editor.screen()[:5]
    assert drawn == ["wide 1" + "v" * 54, "v" * 16, "w" * 60, "w" * 40, "~"]
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("w" * 100)
    assert editor.screen()[:5] == drawn


def test_text_after_the_cursor_and_inlay_hints(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Both stay where they are, the ghost between (ux-24)."""
    editor = open_editor(start_daemon(RULES), text="print\n")
    editor.lua(
        "vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace('hints'), 0, 0, "
        "{ virt_text = { { 'hint: ', 'Comment' } }, virt_text_pos = 'inline' })"
    )
    editor.type("A()<Left>")
    editor.wait_ghost("x, y")
    assert editor.screen()[0] == "hint: print(x, y)"
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("print(x, y)")
    assert editor.screen()[0] == "hint: print(x, y)"


def test_brackets_closed_by_the_editor(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """As a plugin that pairs brackets does it: the suggestion stands inside, and none is doubled (ux-13)."""
    pairs = "vim.keymap.set('i', '(', '()<C-g>U<Left>')"
    editor = open_editor(start_daemon(RULES), setup=pairs)
    editor.type("iprint(")
    editor.wait_ghost("x, y")
    assert editor.screen()[0] == "print(x, y)"
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("print(x, y)")


def test_the_popup_menu_hides_it(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """And its end shows it again: one layer at a time (ux-20)."""
    editor = open_editor(start_daemon(RULES), text="added\nadding\n")
    editor.type("Godef add")
    editor.wait_ghost(ADD)
    editor.type("<C-n>")
    editor.wait(lambda: editor.lua("return vim.fn.pumvisible()") == 1)
    editor.wait_ghost(None)
    assert "a.py: the popup menu is open (option hide_with_menu)" in editor.reasons()
    editor.type("<C-e>")
    editor.wait_ghost(ADD)


def test_a_completion_menu_may_hide_it(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Plugins that draw their own menu set a flag, and read another (ux-20)."""
    editor = open_editor(start_daemon(RULES))
    editor.type("idef add")
    editor.wait_ghost(ADD)
    assert editor.lua("return vim.b.draftwire_visible") is True
    editor.lua("vim.b.draftwire_hidden = true require('draftwire').refresh()")
    assert editor.ghost() is None
    assert editor.lua("return vim.b.draftwire_visible") is False
    editor.lua("vim.b.draftwire_hidden = false require('draftwire').refresh()")
    editor.wait_ghost(ADD)


def test_two_windows_on_one_buffer(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """The ghost is drawn where the user types and nowhere else."""
    editor = open_editor(start_daemon(RULES))
    editor.command("split")
    editor.type("idef add")
    editor.wait_ghost(ADD)
    expected = 1 if editor.lua("return vim.api.nvim__ns_set ~= nil") else 2  # in both before 0.11
    assert editor.screen().count("def add(a, b):") == expected
    editor.type("<C-o><C-w>w")
    editor.wait_ghost(None)
    assert "def add(a, b):" not in editor.screen()
    editor.type("<C-o>A")
    editor.wait_ghost(ADD)
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("    return a + b")
    assert editor.screen().count("def add(a, b):") == 2


def test_folds(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """A closed fold stays closed, and the ghost stands behind it."""
    editor = open_editor(start_daemon(RULES), text="one\ntwo\nthree\n")
    editor.type(":set foldmethod=manual<CR>1GzfjGodef add")
    editor.wait_ghost(ADD)
    assert editor.lua("return vim.fn.foldclosed(1)") == 1
    assert "def add(a, b):" in editor.screen()
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("    return a + b")
    assert editor.lua("return vim.fn.foldclosed(1)") == 1
    assert editor.lines() == ["one", "two", "three", "def add(a, b):", "    return a + b"]


def test_a_file_read_anew(start_daemon: StartDaemon, open_editor: OpenEditor, tmp_path: Any) -> None:
    """After `:e!` the bridge has the new text, and suggestions go on."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    editor.type("idef add")
    editor.wait_ghost(ADD)
    editor.type("<Esc>")
    (tmp_path / "work" / "a.py").write_text("other\n", encoding="utf-8")
    editor.command("edit!")
    editor.wait_ready()
    editor.type("oprint(")
    editor.wait_ghost("x, y")
    assert editor.lines() == ["other", "print("]
    assert daemon.received("complete")[-1]["offset"] == len("other\nprint(")


def test_a_buffer_without_a_name(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Is completed too, and so is a second one, each with its own text."""
    editor = open_editor(start_daemon(RULES))
    for _ in range(2):
        editor.command("enew!")
        editor.wait_ready()
        editor.type("idef add")
        editor.wait_ghost(ADD)
        editor.type("<Esc>")
        editor.command("set nomodified bufhidden=hide hidden")


STREAM = {
    "before": "def add",
    "suggestions": [{"text": "(a", "verified": 0, "complete": False}],
    "updates": [
        {"kind": "extended", "text": "(a, b", "complete": False, "after_ms": 20},
        {"kind": "verified", "text": "(a, b", "verified": 3, "complete": False, "after_ms": 20},
        {"kind": "extended", "text": "(a, b):", "verified": 7, "complete": True, "after_ms": 20},
    ],
}


def test_streaming_only_appends(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """No frame takes a character back that was shown, and there is no blank one (ux-21, ux-22)."""
    editor = open_editor(start_daemon([STREAM]))
    editor.lua(
        "frames = {} local ghost = require('draftwire.ghost') local show, clear = ghost.show, ghost.clear "
        "ghost.show = function(new, c) table.insert(frames, new.text) show(new, c) end "
        "ghost.clear = function() if ghost.shown() then table.insert(frames, '') end clear() end"
    )
    editor.type("idef add")
    editor.wait_ghost("(a, b):")
    frames = editor.lua("return frames")
    assert frames[0] == "(a"
    assert all(after.startswith(before) for before, after in itertools.pairwise(frames))


def test_the_colours_follow_the_scheme(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Both are the scheme's for comments, what is verified is bold; the user's own stay."""
    editor = open_editor(
        start_daemon(RULES), setup="vim.api.nvim_set_hl(0, 'DraftwireCounter', { fg = '#112233' })"
    )
    colour = "local one = vim.api.nvim_get_hl(0, { name = ..., link = false }) return { one.fg, one.bold or false }"
    for scheme in ("default", "habamax"):
        editor.command(f"set termguicolors | colorscheme {scheme}")
        comment, _ = editor.lua(colour, "Comment")
        assert editor.lua(colour, "DraftwireGhost") == [comment, False]
        assert editor.lua(colour, "DraftwireVerified") == [comment, True]


def test_what_is_verified_looks_different(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """The target's own text and the draft's have a highlight group each."""
    editor = open_editor(start_daemon(RULES))
    editor.type("idef add")
    editor.wait_ghost(ADD)
    marks = editor.lua(
        "local n = vim.api.nvim_get_namespaces().draftwire "
        "return vim.api.nvim_buf_get_extmarks(0, n, 0, -1, { details = true })"
    )
    (details,) = [mark[3] for mark in marks]
    assert details["virt_text"] == [["(a, b)", "DraftwireVerified"], [":", "DraftwireGhost"]]
    assert details["virt_lines"] == [[["    return a + b", "DraftwireGhost"]]]
    editor.type("(a")
    assert editor.lua("return require('draftwire.ghost').shown().verified") == 4


def test_a_late_first_text(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """The answer was empty, for the model was late; its text comes as a change of a suggestion nobody knows."""
    daemon = start_daemon([{"before": "never", "suggestions": []}])
    editor = open_editor(daemon)
    editor.type("idef add")
    editor.wait(lambda: daemon.received("complete"))
    uri = editor.lua("return vim.uri_from_bufnr(0)")
    params = {"uri": uri, "version": 9, "position": {"line": 0, "character": 7}, "kind": "extended", "id": 77}
    more = {"text": "(a, b)", "verifiedLength": 2, "complete": True}
    editor.type("(")
    editor.lua("vim.lsp.handlers['draftwire/suggestion'](nil, ...)", {**params, **more})
    editor.wait_ghost("a, b)")
    editor.type("x")
    assert editor.ghost() is None
    for garbage in (5, {}, {"uri": uri, "text": 3}, {**params, "text": "x", "position": {"line": "a"}}, None):
        editor.lua("vim.lsp.handlers['draftwire/suggestion'](nil, ...)", garbage)
    assert editor.ghost() is None
