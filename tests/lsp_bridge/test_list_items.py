"""An offer as an entry of a completion list: what is replaced, filtered by and read."""

from __future__ import annotations

import pytest

from daemon.api.messages import Suggestion
from lsp_bridge.documents import Cursor, Document
from lsp_bridge.items import ACCEPTED_COMMAND
from lsp_bridge.list_items import MAX_LABEL, list_item
from lsp_bridge.positions import PositionEncoding, units_of
from lsp_bridge.recall import Offer

ENCODINGS: list[PositionEncoding] = ["utf-8", "utf-16", "utf-32"]


def cursor_behind(before: str, encoding: PositionEncoding = "utf-16", after: str = "") -> Cursor:
    document = Document("file:///a", "python", 1, before + after, encoding)
    return document.cursor_at(len(before.replace("\r\n", "\n")))


def offer(text: str, typed: int = 0) -> Offer:
    return Offer(Suggestion(7, text, verified=0, complete=True, source="draft"), typed)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line", ["x = gho", "é你🤗🇨🇳 gho", "数据.计算", "f(", ""])
def test_the_word_before_the_cursor_is_replaced_by_itself_and_what_goes_on(
    encoding: PositionEncoding, line: str
) -> None:
    """In the client's units, behind characters of all widths, with the line ends of the file (ux-10, ux-11)."""
    cursor = cursor_behind(f"\r\n{line}", encoding, ")\r\n")
    item = list_item(offer("st(\n)"), cursor, encoding, "python")
    edit = item.text_edit
    assert edit is not None
    assert not hasattr(edit, "insert")
    start, end = edit.range.start, edit.range.end
    assert (start.line, end.line, end.character) == (1, 1, units_of(line, encoding))
    word = edit.new_text.removesuffix("st(\r\n)")
    assert line.endswith(word)
    assert start.character == units_of(line.removesuffix(word), encoding)
    assert item.filter_text is not None
    assert item.filter_text.startswith(word)


@pytest.mark.parametrize(
    ("language", "line", "word"),
    [
        ("python", "a = b-ba", "ba"),
        ("css", "  border-le", "border-le"),
        ("emacs-lisp", "(set-buffer-mod", "set-buffer-mod"),
        ("clojure", "(swap!", "swap!"),
        ("python", "snake_ca", "snake_ca"),
        ("python", "f(", ""),
    ],
)
def test_what_a_word_is_depends_on_the_language(language: str, line: str, word: str) -> None:
    """Or a client that filters by its own word would drop the entry."""
    item = list_item(offer("X"), cursor_behind(line), "utf-16", language)
    assert item.filter_text == f"{word}X"


@pytest.mark.parametrize(
    ("before", "text", "label", "detail"),
    [
        ("gho", "st()", "ghost()", "Draftwire"),
        ("def ", "ghost(x):\n    return x", "ghost(x):…", "Draftwire, 2 lines"),
        ("if a:", "\n    b()\n    c()", "b()…", "Draftwire, 3 lines"),
        ("def f(a):", "\n    return a\n", "return a", "Draftwire, 2 lines"),
        ("x = ", " 1\n", "1", "Draftwire"),
        ("(", "\n", "(line end)", "Draftwire"),
        ("", "y" * 100, "y" * MAX_LABEL + "…", "Draftwire"),
    ],
)
def test_a_label_is_short(before: str, text: str, label: str, detail: str) -> None:
    """One line of it, and a sign that there is more."""
    item = list_item(offer(text), cursor_behind(before), "utf-16", "python")
    assert (item.label, item.detail) == (label, detail)


def test_a_list_keeps_its_order_and_its_enter_key() -> None:
    """Sorted first, plain text as it is, nothing preselected; it tells that it was accepted, as ghost text does."""
    item = list_item(offer("ghost()", typed=2), cursor_behind("gh"), "utf-16", "python")
    assert item.sort_text is not None
    assert item.sort_text < "0"
    assert not item.preselect
    assert (item.insert_text_format, item.insert_text_mode) == (1, 1)
    assert item.documentation == "ghost()"
    assert item.command is not None
    assert (item.command.command, item.command.arguments[:2]) == (ACCEPTED_COMMAND, [7, len("ghost()")])  # type: ignore[index]
