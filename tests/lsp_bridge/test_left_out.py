"""Documents in which nothing is suggested: what an answer says of them, and what it does not."""

import pytest

from daemon.api.messages import NothingReason
from daemon.api.reasons import in_words
from lsp_bridge.left_out import LeftOut

FILE = "file:///a.py"


@pytest.mark.parametrize("reason", ["disabled", "excluded_file", "file_too_large", "ignored_file"])
def test_a_document_is_left_out_until_an_answer_says_otherwise(reason: NothingReason) -> None:
    left_out = LeftOut()
    assert left_out.note(FILE, reason)
    assert not left_out.note(FILE, reason)
    assert left_out.why == {FILE: in_words(reason)}
    assert not left_out.note("file:///b.py", None)
    assert left_out.note(FILE, None)
    assert left_out.why == {}


@pytest.mark.parametrize("reason", ["no_document", "stale_version", "cancelled", "superseded"])
def test_what_becomes_of_a_question_says_nothing_of_its_document(reason: NothingReason) -> None:
    left_out = LeftOut()
    left_out.note(FILE, "ignored_file")
    assert not left_out.note(FILE, reason)
    assert FILE in left_out.why


def test_a_draft_without_words_is_no_document_left_out() -> None:
    left_out = LeftOut()
    left_out.note(FILE, "ignored_file")
    assert left_out.note(FILE, "empty_draft")
    assert left_out.why == {}


def test_a_closed_document_is_forgotten() -> None:
    left_out = LeftOut()
    left_out.note(FILE, "excluded_file")
    left_out.forget(FILE)
    left_out.forget(FILE)
    assert left_out.why == {}
