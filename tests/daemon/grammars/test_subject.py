"""What a place is about: an island, or the whole document; and what of a draft belongs to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.documents import Document, Place
from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.subject import SUFFIX_CHARACTERS, Inside, Subject, Subjects
from grammars.islands import Island
from tests.fakes.grammars import lets, quoted, whole

FENCED = DocumentGrammar(
    lets(), ((Island("^```\n", "^```", "lets"), lets()), (Island("<<", ">>", "lets"), lets()))
)


def at(marked: str) -> Place:
    """`|` is the cursor."""
    before, _, after = marked.partition("|")
    return Place(Document("x", "lets", 1, before + after), len(before))


def subject(marked: str, grammars: DocumentGrammar = FENCED) -> Subject:
    found = Subjects(grammars).at(at(marked))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("marked", "text", "offset", "closed"),
    [
        ("a <<b| c>> d", "b c", 1, True),
        ("a <<b| c", "b", 1, False),
        ("a <<b>> c| d", "a <<b>> c d", 9, False),
        ("```\na|\n```\n", "a\n", 1, True),
    ],
)
def test_an_island_before_the_whole(marked: str, text: str, offset: int, closed: bool) -> None:
    found = subject(marked)
    assert (found.text, found.offset, found.is_closed) == (text, offset, closed)


def test_without_a_grammar_for_the_whole_there_is_nothing_outside() -> None:
    subjects = Subjects(quoted())
    assert subjects.at(at('lets"x" |')) is None
    assert subjects.at(at('lets"x| ')) is not None


def test_where_the_grammar_is_not_there_is_told_apart_from_where_none_should_be() -> None:
    island = Island("<<", ">>", "y")
    refused = DocumentGrammar(None, ((island, "refused: y.bnf"),), "compiling x.bnf", required=True)
    for grammars, outside, inside in (
        (refused, "compiling x.bnf", "refused: y.bnf"),
        (replace(refused, required=False), "", "refused: y.bnf"),
        (replace(refused, whole=lets()), "", "refused: y.bnf"),
        (FENCED, "", ""),
    ):
        subjects = Subjects(grammars)
        assert [subjects.lack(at(marked)) for marked in ("a |", "a <<b|")] == [outside, inside]
        assert (subjects.at(at("a <<b|")) is None) is bool(inside)


def test_places_are_told_apart_by_version_and_offset() -> None:
    subjects, place = Subjects(FENCED), at("a <<b|")
    found = subjects.at(place)
    assert subjects.at(Place(place.document, place.offset)) is found
    assert subjects.at(Place(place.document, 1)) is not found
    later = Place(replace(place.document, version=2), place.offset)
    assert subjects.at(later) is not found
    assert subjects.at(place) is not found  # two are kept


def test_the_same_subject_goes_on_while_its_text_grows() -> None:
    subjects = Subjects(FENCED)
    one, grown, other = (subjects.at(at(marked)) for marked in ("a <<b|", "a <<bc|", "a <<b>>|"))
    assert one is not None
    assert one.is_same(grown)
    assert not one.is_same(other)
    assert not one.is_same(None)


def test_what_is_after_counts_up_to_the_close_and_not_at_any_length() -> None:
    assert subject("<<b|, c>> d").after == ", c"
    assert subject("<<b| \n >> d").after == ""
    assert subject("<<b| , c>>").left().after == ""
    assert len(subject("|" + "a" * 5000, whole()).after) == SUFFIX_CHARACTERS
    assert subject("a|; b", whole()).suffix().text == b"; b"


@pytest.mark.parametrize(
    ("marked", "text", "inside"),
    [
        ("<<a|", "b >> c >> d", Inside("b ", True)),
        ("<<a|", "b > c", Inside("b > c", False)),
        ("<<a|", "状态 >", Inside("状态 ", False)),
        ("<<a >|", "> b", Inside("", True)),
        ("```\n|", "a ```\n```\nb", Inside("a ```\n", True)),
        ("x|", "y >> z", Inside("y >> z", False)),
    ],
)
def test_what_of_a_draft_belongs_to_the_island(marked: str, text: str, inside: Inside) -> None:
    assert subject(marked).inside(text) == inside


def test_what_a_draft_opens_is_text_of_the_host() -> None:
    assert subject("x |").inside("<<b>> c") == Inside("<<b>> c", False)
