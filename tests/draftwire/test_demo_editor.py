"""The demonstration's editor: which text stands where, when updates and keys cross."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest
from lsprotocol.types import Position

from draftwire.demo.editor import Editor, Ghost, Suggested


@pytest.fixture
def editor() -> Editor:
    """With "ab" typed, and "cd" shown after it."""
    editor = Editor(MagicMock(), lambda buffer, ghost: None)
    editor.buffer, editor._version = "ab", 2
    editor._shown, editor._shown_id = Suggested("ab", Ghost("cd", 0, False), 5.0, fresh=True), 7
    editor.session.suggested.append(editor._shown)
    return editor


def update(version: int, text: str, verified: int, **more: object) -> dict[str, object]:
    return {"id": 7, "version": version, "kind": "extended", "text": text, "verifiedLength": verified,
            "complete": False, **more}  # fmt: skip


def test_an_update_at_the_same_place_is_of_the_suggestion_shown(editor: Editor) -> None:
    editor.updated(update(2, "cde", 2))
    assert editor.session.suggested[0].ghost == Ghost("cde", 2, False)


def test_an_update_after_typing_along_is_of_another_place(editor: Editor) -> None:
    """What is claimed of the first place must stay what was said there."""
    editor.buffer, editor._version = "abc", 3
    editor.updated(update(3, "de", 2))
    assert editor.session.suggested[0].ghost == Ghost("cd", 0, False)
    assert editor._shown is not None
    assert (editor._shown.before, editor._shown.ghost.text, editor._shown.fresh) == ("abc", "de", False)


def test_what_is_verified_after_typing_along_is_so_from_where_it_began(editor: Editor) -> None:
    editor._show(Ghost("cd", 0, False), 7, 5.0, fresh=True)
    editor.buffer, editor._version = "abc", 3
    editor.updated(update(3, "de", 0))
    assert not editor.session.typed_along
    editor.updated(update(3, "def", 2))
    assert editor.session.typed_along[7].before == "ab"
    assert editor.session.typed_along[7].ghost == Ghost("cdef", 3, False)


@pytest.mark.parametrize("params", [update(3, "x", 0), update(2, "x", 0, id=8)])
def test_an_update_of_something_else_changes_nothing(editor: Editor, params: dict[str, object]) -> None:
    editor.updated(params)
    assert editor.session.suggested[0].ghost == Ghost("cd", 0, False)


def test_a_withdrawn_suggestion_is_gone(editor: Editor) -> None:
    editor.updated(update(2, "", 0, kind="withdrawn"))
    assert editor._shown is None


def test_ux_49_the_first_text_after_an_empty_answer_is_shown(editor: Editor) -> None:
    """It was in time for nobody, but it is for this place; another version's is not."""
    editor.updated(update(2, "", 0, kind="withdrawn"))
    editor.updated({**update(2, "late", 0, kind="extended"), "version": 99})
    assert editor._shown is None
    editor.updated({**update(2, "late", 0, kind="extended"), "id": 7})
    assert editor._shown is not None
    assert (editor._shown.ghost.text, editor._shown.fresh, editor._shown.key_to_ghost_ms) == (
        "late",
        True,
        None,
    )
    editor.updated({**update(2, "later", 0, kind="extended"), "id": 7})
    assert editor._shown.ghost.text == "later"


# Text that is not ASCII -------------------------------------------------------------------------------------


def test_positions_count_utf_16_units_and_text_after_the_cursor_stays() -> None:
    client = MagicMock()
    editor = Editor(client, lambda buffer, ghost: None)
    editor.open("状态\n🤗你", "后\n", uri="file:///work/a.fsm", language="fsm")
    [opened] = client.text_document_did_open.call_args.args
    assert (opened.text_document.uri, opened.text_document.language_id) == ("file:///work/a.fsm", "fsm")
    assert opened.text_document.text == "状态\n🤗你后\n"
    assert editor._cursor() == Position(1, 3)
    assert (editor._start, editor._after) == (5, "后\n")


def test_the_verified_length_is_in_utf_16_units_too(editor: Editor) -> None:
    editor.updated(update(2, "🤗你cd", 3))
    assert editor.session.suggested[0].ghost == Ghost("🤗你cd", 2, False)
