"""Offers as entries of an ordinary completion list, for clients without inline completion.

What makes a client keep such an entry and insert it whole: it replaces the word before the cursor by that word and what
goes on, and its filter text begins with the word. Pure: knows LSP's shapes and an offer, not where it came from.
"""

from __future__ import annotations

from lsprotocol import types

from lsp_bridge.documents import Cursor
from lsp_bridge.items import accepted_command, with_eol
from lsp_bridge.positions import PositionEncoding, units_of
from lsp_bridge.recall import Offer

MAX_LABEL = 60
"""Code points."""
FIRST = "!"
"""Sorts before every letter and digit."""

_MORE_OF_A_WORD = dict.fromkeys(("css", "scss", "less"), "-") | dict.fromkeys(
    ("clojure", "commonlisp", "elisp", "emacs-lisp", "lisp", "lisp-data", "racket", "scheme"), "-*+!?<>=/&%$"
)
"""By language: what editors take as part of a word beside letters, digits and `_`. A client that filters by such a word
would drop an entry that begins in the middle of it."""


def list_item(
    offer: Offer, cursor: Cursor, encoding: PositionEncoding, language: str
) -> types.CompletionItem:
    """The entry for an offer at the cursor.

    It is sorted first and not preselected: the key that would take a preselected entry is mostly Enter, which a user
    types for a new line.
    """
    word = _word_before(cursor.before, language)
    start = types.Position(cursor.line, cursor.character - units_of(word, encoding))
    text = word + offer.text
    shown = _first_words(text)
    return types.CompletionItem(
        label=shown if len(shown) >= len(text.strip()) else f"{shown}…",
        kind=types.CompletionItemKind.Text,
        detail=_detail(offer.text),
        documentation=text,
        sort_text=FIRST,
        filter_text=shown,
        insert_text_format=types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AsIs,
        text_edit=types.TextEdit(
            types.Range(start, types.Position(cursor.line, cursor.character)), with_eol(text, cursor.eol)
        ),
        command=accepted_command(offer, cursor, encoding),
    )


def _word_before(before: str, language: str) -> str:
    more = "_" + _MORE_OF_A_WORD.get(language, "")
    at = len(before)
    while at and (before[at - 1].isalnum() or before[at - 1] in more):
        at -= 1
    return before[at:]


def _first_words(text: str) -> str:
    """What stands in the list: of the first line that is not blank, as much as is quickly read."""
    line = text.strip().partition("\n")[0]
    return line[:MAX_LABEL].rstrip() or "(line end)"


def _detail(added: str) -> str:
    lines = added.rstrip("\n").count("\n") + 1
    return "Draftwire" if lines == 1 else f"Draftwire, {lines} lines"
