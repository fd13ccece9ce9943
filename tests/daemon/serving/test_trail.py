"""What the keys of a client leave behind: times to their first text, accepted text, texts to draft from."""

from __future__ import annotations

from daemon.api.messages import Complete, Edit, Suggestion, SuggestionUpdate
from daemon.documents import Document, Place
from daemon.serving.trail import Trail
from daemon.statistics import Statistics

NAME = "file:///a.py"
DOCUMENT = Document(NAME, "python", 1, "x = ")
TYPED = Document(NAME, "python", 2, "x = f")
SHOWN = Suggestion(7, "oo(bar)", 0, complete=True, source="draft")


class Client:
    """A trail with one document open and one key typed, at time 10."""

    def __init__(self) -> None:
        self.statistics = Statistics()
        self.now = 10.0
        self.trail = Trail(self.statistics, lambda: self.now)
        self.trail.opened(DOCUMENT, readable=True)
        self.trail.edited(DOCUMENT, [Edit(4, 4, "f")], Place(TYPED, 5), readable=True)

    def asked(self, *, version: int = 2, name: str = NAME, invoked: bool = False) -> Complete:
        return Complete(1, name, version, 5, "invoked" if invoked else "automatic")


def update(version: int) -> SuggestionUpdate:
    return SuggestionUpdate(NAME, version, 5, "extended", SHOWN)


def test_ux_52_a_key_is_timed_to_its_answer() -> None:
    client = Client()
    client.now = 10.05
    assert client.trail.answered(client.asked(), [SHOWN], too_late=False) == client.now - 10.0
    for other in (
        client.asked(version=1),
        client.asked(invoked=True),
        client.asked(name="file:///another.py"),
    ):
        assert client.trail.answered(other, [], too_late=False) is None


def test_ux_52_a_key_is_timed_to_the_update_where_its_answer_was_empty() -> None:
    """Once, and only for the version that was asked about."""
    client = Client()
    assert client.trail.answered(client.asked(), [], too_late=True) == 0.0
    client.now = 10.3
    for version in (1, 2, 2):
        client.trail.updated(update(version))
    assert client.statistics.late_texts == 1
    assert list(client.statistics.key_to_ghost_s) == [client.now - 10.0]


def test_ux_52_accepted_text_is_followed_to_its_horizons() -> None:
    client = Client()
    client.trail.answered(client.asked(), [SHOWN], too_late=False)
    taken = Document(NAME, "python", 3, "x = foo(bar)")
    client.trail.edited(TYPED, [Edit(5, 5, SHOWN.text)], Place(taken, 12), readable=True)
    client.trail.accepted(SHOWN.id, len(SHOWN.text), taken)
    client.now = 41.0
    client.trail.look()
    assert client.statistics.kept[30].summary() == {
        "suggestions": 1, "whole_share": 1.0, "characters_share": 1.0,
    }  # fmt: skip


def test_what_is_not_readable_is_no_text_to_draft_from() -> None:
    client = Client()
    there = Place(Document("file:///b.py", "python", 1, ""), 0)
    assert "x = " in client.trail.texts.around(there)
    client.trail.visited(Place(TYPED, 5), readable=False)
    assert "x = " not in client.trail.texts.around(there)
    secret = Document("file:///.env", "", 1, "password = correct horse")
    client.trail.opened(secret, readable=False)
    client.trail.edited(secret, [Edit(0, 20, "")], Place(secret, 0), readable=False)
    assert not any("horse" in text or "password" in text for text in client.trail.texts.around(there))


def test_of_a_closed_document_nothing_is_left() -> None:
    client = Client()
    client.trail.answered(client.asked(), [], too_late=True)
    client.trail.closed(NAME)
    client.trail.updated(update(2))
    assert client.trail.answered(client.asked(), [], too_late=False) is None
    assert client.statistics.late_texts == 0
    assert client.trail.texts.around(Place(DOCUMENT, 4)) == ["x = ", ""]


def typing(client: Client, text: str, document: Document = TYPED) -> None:
    """Type it at the document's end, key by key."""
    for key in text:
        before, end = document, len(document.text)
        document = document.edited([Edit(end, end, key)], document.version + 1)
        client.trail.edited(before, [Edit(end, end, key)], Place(document, end + 1), readable=True)


def test_ux_14_what_is_typed_to_its_end_is_accepted_and_followed() -> None:
    """Once, whatever an editor says of it later; what is typed behind it is no part of it."""
    client = Client()
    client.trail.answered(client.asked(), [SHOWN], too_late=False)
    typing(client, SHOWN.text[:-1])
    assert client.statistics.accepted == {}
    client = Client()
    client.trail.answered(client.asked(), [SHOWN], too_late=False)
    typing(client, SHOWN.text + "()")
    assert client.statistics.accepted == {"typed": 1}
    assert client.statistics.accepted_characters == len(SHOWN.text)
    assert client.trail.was_typed(SHOWN.id)
    assert not client.trail.was_typed(SHOWN.id + 1)
    client.now += 31
    client.trail.look()
    assert client.statistics.kept[30].whole == 1


def test_ux_14_what_an_editor_inserts_is_its_to_tell() -> None:
    """Before the text comes or after it; a word that was accepted is no reason to count the rest."""
    for told_first in (True, False):
        client = Client()
        client.trail.answered(client.asked(), [SHOWN], too_late=False)
        if told_first:
            client.trail.accepted(SHOWN.id, len(SHOWN.text), TYPED)
        taken = TYPED.edited([Edit(5, 5, SHOWN.text)], 3)
        client.trail.edited(TYPED, [Edit(5, 5, SHOWN.text)], Place(taken, 12), readable=True)
        assert client.statistics.accepted == {}
    client = Client()
    client.trail.answered(client.asked(), [SHOWN], too_late=False)
    word = TYPED.edited([Edit(5, 5, SHOWN.text[:2])], 3)
    client.trail.edited(TYPED, [Edit(5, 5, SHOWN.text[:2])], Place(word, 7), readable=True)
    client.trail.accepted(SHOWN.id, 2, word)
    typing(client, SHOWN.text[2:], word)
    assert client.statistics.accepted == {}


def test_ux_14_something_else_of_that_length_is_none() -> None:
    client = Client()
    client.trail.answered(client.asked(), [SHOWN], too_late=False)
    typing(client, "oo(baz)")
    assert client.statistics.accepted == {}
