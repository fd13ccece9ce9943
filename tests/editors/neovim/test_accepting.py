"""Accepting, in whole and in part: the text, undo, the dot, macros, what the daemon is told; and other candidates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editors.conftest import StartDaemon
from tests.editors.neovim.conftest import OpenEditor

ADD = "(a, b):\n    return a + b"
SCRIPTS = "你好，世界にカナ 🤗🤗 end\n。"
RULES: list[dict[str, Any]] = [
    {
        "before": "def add",
        "suggestions": [{"text": ADD}, {"text": "(x, y):"}, {"text": "_all(values):"}],
    },
    {"before": "a + b", "suggestions": [{"text": " + c"}]},
    {"before": "say ", "suggestions": [{"text": SCRIPTS}]},
]
TAB = """vim.keymap.set("i", "<Tab>", function()
  return require("draftwire").is_visible() and "<Plug>(draftwire-accept)" or "<Tab>"
end, { expr = true, remap = true })"""


def test_all_with_a_tab_that_falls_back(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """The documented map accepts what was displayed, and is a Tab where nothing is (ux-9, ux-29)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon, setup=TAB)
    editor.type("idef add")
    editor.wait_ghost(ADD)
    editor.type("(<Tab>")
    editor.wait_line("    return a + b")
    assert editor.lines() == ["def add(a, b):", "    return a + b"]
    (accepted,) = daemon.wait_for("accepted")
    assert (accepted["length"], accepted["kind"]) == (len(ADD), "all")
    editor.wait_ghost(" + c")
    editor.type("<Esc>onothing<Tab>")
    editor.wait_line("nothing\t" if editor.lua("return not vim.bo.expandtab") else "nothing ")


def test_no_key_is_taken(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Without maps of the user's own no key of Insert mode means anything else than before (ux-29)."""
    editor = open_editor(start_daemon(RULES), ready=False)
    maps = editor.lua("return vim.tbl_map(function(map) return map.lhs end, vim.api.nvim_get_keymap('i'))")
    ours = editor.lua(
        "return vim.tbl_map(function(m) return m.desc end, vim.tbl_filter(function(m) "
        "return m.lhs:sub(1, 6) ~= '<Plug>' and (m.desc or ''):find('Draftwire') end, vim.api.nvim_get_keymap('i')))"
    )
    assert "<Plug>(draftwire-accept)" in maps
    assert ours in ([], {})


def test_word_by_word_then_line_then_all(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Each takes its part and the rest stays on the screen; each is one undo step (ux-26)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    editor.type("idef add")
    editor.wait_ghost(ADD)
    accepts = [("word", "("), ("word", "a"), ("line", ", b):"), ("word", "\n    "), ("word", "return")]
    taken = ""
    for part, text in accepts:
        taken += text
        editor.type(f"<Plug>(draftwire-accept-{part})")
        editor.wait_ghost(ADD.removeprefix(taken))
    assert editor.lines() == ["def add(a, b):", "    return"]
    told = [(one["length"], one["kind"]) for one in daemon.wait_for("accepted", 5)]
    assert told == [(1, "word"), (2, "word"), (7, "line"), (12, "word"), (18, "word")]
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("    return a + b")
    editor.type("<Esc>")
    first = "def add(a, b):"
    for lines in (
        [first, "    return"],
        [first, "    "],
        [first],
        ["def add(a"],
        ["def add("],
        ["def add"],
        [""],
    ):
        editor.type("u")
        assert editor.lines() == lines
    editor.type("<C-r><C-r>")
    assert editor.lines() == ["def add("]


def test_words_of_all_scripts(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """A word is what `w` goes over, letters of one script; a sign and a line break go by themselves (ux-48)."""
    editor = open_editor(start_daemon(RULES))
    editor.type("isay ")
    editor.wait_ghost(SCRIPTS)
    rest = SCRIPTS
    for word in ("你好", "，", "世界", "に", "カナ", " 🤗🤗", " end", "\n"):
        rest = rest.removeprefix(word)
        editor.type("<Plug>(draftwire-accept-word)")
        editor.wait_ghost(rest)
    editor.type("<Plug>(draftwire-accept-word)")
    editor.wait_line("。")
    assert "\n".join(editor.lines()) == "say " + SCRIPTS


def test_typing_goes_on_after_accepting(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """What is typed next is undone apart from what was accepted (ux-26)."""
    editor = open_editor(start_daemon(RULES))
    editor.type("idef add")
    editor.wait_ghost(ADD)
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("    return a + b")
    editor.type("!!<Esc>u")
    assert editor.lines() == ["def add(a, b):", "    return a + b"]
    editor.type("u")
    assert editor.lines() == ["def add"]


def test_the_dot_repeats_what_was_accepted(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """With what was typed before and after it; Neovim 0.10 indents it anew."""
    editor = open_editor(start_daemon(RULES))
    editor.type("odef add")
    editor.wait_ghost(ADD)
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("    return a + b")
    editor.type(" # sum<Esc>")
    editor.type("G.")
    indent = " " * (4 if editor.lua("return vim.fn.has('nvim-0.11') == 1") else 8)
    again = ["def add(a, b):", indent + "return a + b # sum"]
    assert editor.lines()[1:] == ["def add(a, b):", "    return a + b # sum", *again]


def test_macros_do_not_depend_on_suggestions(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Nothing is shown while one is recorded or run, and it does the same each time."""
    editor = open_editor(start_daemon(RULES), setup=TAB + "\nvim.o.expandtab = false")
    editor.type("qaodef add")
    editor.wait(lambda: any("macro" in reason for reason in editor.reasons()))
    editor.type("<Tab>x<Esc>q@a")
    assert editor.lines()[1:] == [editor.lines()[1]] * 2
    assert "(" not in editor.lines()[1]
    assert editor.ghost() is None


def test_a_paste_of_the_users_own(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Where vim.paste was replaced, what is accepted does not go through it (ux-9)."""
    editor = open_editor(start_daemon(RULES), setup="vim.paste = function() error('not for this') end")
    editor.type("idef add")
    editor.wait_ghost(ADD)
    editor.type("<Plug>(draftwire-accept)!")
    editor.wait_line("    return a + b!")
    assert editor.lines() == ["def add(a, b):", "    return a + b!"]


def test_accepting_by_function(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """For maps that do more; false where nothing is shown."""
    setup = "vim.keymap.set('i', '<C-l>', function() done = require('draftwire').accept_line() end)"
    editor = open_editor(start_daemon(RULES), setup=setup)
    editor.type("i<C-l>")
    assert editor.lua("return done") is False
    editor.type("def add")
    editor.wait_ghost(ADD)
    editor.type("<C-l>")
    editor.wait_ghost("\n    return a + b")
    assert editor.lua("return done") is True
    assert editor.lines() == ["def add(a, b):"]


@pytest.mark.parametrize("step", ["next", "previous"])
def test_other_candidates(start_daemon: StartDaemon, open_editor: OpenEditor, step: str) -> None:
    """Round and round, counted, never waiting; the one chosen is typed along, reported and accepted (ux-27)."""
    daemon = start_daemon(RULES)
    editor = open_editor(daemon)
    editor.type("idef add")
    editor.wait_ghost(ADD)
    order = {"next": [("(x, y):", 2), ("_all(values):", 3), (ADD, 1), ("(x, y):", 2)]}
    order["previous"] = [("_all(values):", 3), ("(x, y):", 2)]
    for text, number in order[step]:
        editor.type(f"<Plug>(draftwire-{step})")
        editor.wait_ghost(text)
        assert any(row.endswith(f"({number}/3)") for row in editor.screen())
        assert editor.lua("return require('draftwire').statusline()") == f"Draftwire ~ {number}/3"
    assert [one["trigger"] for one in daemon.received("complete")] == ["automatic", "invoked"]
    editor.type("(x")
    editor.wait_ghost(", y):")
    editor.type("<Plug>(draftwire-accept)")
    editor.wait_line("def add(x, y):")
    (accepted,) = daemon.wait_for("accepted")
    assert accepted["length"] == len("(x, y):")
    assert daemon.received("shown")[-1]["suggestion"] == accepted["suggestion"]


def test_dismissing(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """Hidden until the text changes, or the user asks: then others come first, and nothing is lost."""
    editor = open_editor(start_daemon(RULES))
    editor.type("idef add")
    editor.wait_ghost(ADD)
    editor.type("<Plug>(draftwire-dismiss)")
    assert editor.ghost() is None
    editor.lua("require('draftwire').refresh()")
    assert editor.ghost() is None
    for text in ("(x, y):", "_all(values):", ADD, "(x, y):"):
        editor.type("<Plug>(draftwire-trigger)")
        editor.wait_ghost(text)
        assert any(row.endswith("(1/3)") for row in editor.screen())
        editor.type("<Plug>(draftwire-dismiss)")
    editor.type("(")
    editor.wait_ghost("x, y):")


def test_only_when_asked_for(start_daemon: StartDaemon, open_editor: OpenEditor) -> None:
    """With auto = false nothing is shown until the user asks (ux-46)."""
    editor = open_editor(start_daemon(RULES), setup="require('draftwire').setup({ auto = false })")
    editor.type("idef add")
    editor.wait(lambda: "a.py: only when asked for (option auto)" in editor.reasons())
    assert editor.ghost() is None
    editor.type("<Plug>(draftwire-trigger)")
    editor.wait_ghost(ADD)
