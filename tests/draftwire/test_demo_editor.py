"""The demonstration's editor: which text stands where, when updates and keys cross."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

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


@pytest.mark.parametrize("params", [update(3, "x", 0), update(2, "x", 0, id=8)])
def test_an_update_of_something_else_changes_nothing(editor: Editor, params: dict[str, object]) -> None:
    editor.updated(params)
    assert editor.session.suggested[0].ghost == Ghost("cd", 0, False)


def test_a_withdrawn_suggestion_is_gone(editor: Editor) -> None:
    editor.updated(update(2, "", 0, kind="withdrawn"))
    assert editor._shown is None
