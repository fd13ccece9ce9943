"""Which file is the exemplar, where it is cut, and the ids it becomes. The tokenizer here: one id a character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.prompts.exemplar import Candidate, budget_tokens, choose, cut, opening_comment, opening_ids

DOCUMENT = "select alpha, beta, gamma, delta, epsilon, zeta, eta from theta, iota;\n"
PADDING = "\n-- one two three\n" * 40


def characters(text: str) -> list[int]:
    return [ord(one) for one in text]


def candidate(
    name: str, text: str = "", *, distance: int = 0, modified_s: float = 0.0, given: bool = False
) -> Candidate:
    return Candidate(name, text + PADDING, distance, modified_s, given)


@pytest.mark.parametrize(
    ("case", "candidates", "chosen"),
    [
        ("nothing there", [], None),
        ("only blank files", [Candidate("a", " \n")], None),
        (
            "the most alike",
            [candidate("a", "alpha beta", distance=0), candidate("b", DOCUMENT, distance=9)],
            "b",
        ),
        (
            "as alike: the nearest",
            [candidate("a", DOCUMENT, distance=2), candidate("b", DOCUMENT, distance=1)],
            "b",
        ),
        (
            "as near: the newest",
            [candidate("a", DOCUMENT, modified_s=1.0), candidate("b", DOCUMENT, modified_s=2.0)],
            "b",
        ),
        ("as new: by name", [candidate("b", DOCUMENT), candidate("a", DOCUMENT)], "a"),
        (
            "one word more says nothing",
            [candidate("a", DOCUMENT, distance=3), candidate("b", DOCUMENT.replace("beta", ""), distance=1)],
            "b",
        ),
        ("own files come first", [candidate("a", DOCUMENT, given=True), candidate("b")], "b"),
        ("an example, if there are no own files", [candidate("a", DOCUMENT, given=True)], "a"),
        ("a short file only for want of longer ones", [Candidate("a", DOCUMENT), candidate("b")], "b"),
        ("a short file for want of longer ones", [Candidate("a", DOCUMENT)], "a"),
    ],
)
def test_the_file_most_like_the_document_is_chosen(
    case: str, candidates: list[Candidate], chosen: str | None
) -> None:
    found = choose(DOCUMENT, candidates)
    assert (found and found.name) == chosen, case


def test_an_empty_document_is_like_nothing_yet() -> None:
    near, alike = candidate("near", distance=0), candidate("far", DOCUMENT, distance=1)
    assert choose("", [alike, near]) == near
    assert choose("select alpha", [alike, near]) == near


@pytest.mark.parametrize(("window", "budget"), [(64, 0), (96, 32), (1024, 341), (4096, 700)])
def test_the_exemplar_has_a_share_of_the_window(window: int, budget: int) -> None:
    assert budget_tokens(window) == budget


@pytest.mark.parametrize(
    ("case", "text", "budget", "expected"),
    [
        ("all of it", "a\nb\n", 4, "a\nb\n"),
        ("all of it, without a last line end", "a\nb", 3, "a\nb"),
        ("after a blank line", "a {\n  b\n}\n\nc {\n  d\n}\n", 16, "a {\n  b\n}\n\n"),
        ("before a line that is not indented", "a\n  b\nc\n  d\ne\n", 12, "a\n  b\nc\n  d\n"),
        ("not before a closing bracket", "a {\n  b\n}\nc {\n  d\n}\n", 18, "a {\n  b\n}\n"),
        (
            "not if more than half would go",
            "a\n\n  bbbb\n  cccc\n  dddd\n  eeee\n  f\n",
            31,
            "a\n\n  bbbb\n  cccc\n  dddd\n  eeee\n",
        ),
        ("no whole line", "abcdef\n", 3, ""),
        ("nothing", "", 3, ""),
        ("no room", "a\n", -1, ""),
        ("one line", "a\nb\n", 2, "a\n"),
    ],
)
def test_the_beginning_is_kept_in_whole_statements(case: str, text: str, budget: int, expected: str) -> None:
    assert cut(text, budget, characters) == expected, case


@given(st.text("ab \n}", max_size=60), st.integers(-2, 70))
def test_what_is_cut_is_whole_lines_within_the_budget(text: str, budget: int) -> None:
    found = cut(text, budget, characters)
    assert text.startswith(found)
    assert len(found) <= max(budget, 0)
    assert found in ("", text) or found.endswith("\n")


def test_comments_tell_where_the_one_file_ends_and_the_other_begins() -> None:
    ids = opening_ids(Candidate("a.sql", "select 1;\n\n"), "b.sql", characters, budget=100, line_comment="--")
    assert "".join(map(chr, ids)) == "-- file: a.sql\nselect 1;\n\n-- file: b.sql\n"


def test_without_comments_a_blank_line_tells() -> None:
    ids = opening_ids(Candidate("a.x", "select 1;\n"), "b.x", characters, budget=100)
    assert "".join(map(chr, ids)) == "select 1;\n\n"


SEPARATOR = 1_000_000


def test_a_model_that_has_a_separator_of_files_is_given_it() -> None:
    """As Qwen2.5-Coder was trained: the separator, the name, the text; then the separator and the document's name."""
    ids = opening_ids(
        Candidate("a.sql", "select 1;\n\n"),
        "b.sql",
        characters,
        budget=100,
        line_comment="--",
        file_separator=SEPARATOR,
    )
    assert ids == [SEPARATOR, *characters("a.sql\nselect 1;\n"), SEPARATOR, *characters("b.sql\n")]


@pytest.mark.parametrize("budget", [0, 5, 11])
def test_no_room_for_a_whole_line_no_exemplar(budget: int) -> None:
    assert opening_ids(Candidate("a.x", "select 1;\n"), "b.x", characters, budget=budget) == []


def test_a_tokenizer_that_makes_more_of_the_whole_than_of_its_lines_breaks_no_promise() -> None:
    def unruly(text: str) -> list[int]:
        return characters(text) * (1 + text.count("\n"))

    assert opening_ids(Candidate("a.x", "a\nb\nc\n"), "b.x", unruly, budget=18) == []


@given(st.text("ab \n}", max_size=60), st.integers(0, 70), st.sampled_from([None, SEPARATOR]))
def test_the_ids_never_exceed_the_budget(text: str, budget: int, separator: int | None) -> None:
    ids = opening_ids(
        Candidate("a", text), "b", characters, budget=budget, line_comment="#", file_separator=separator
    )
    assert len(ids) <= budget


@pytest.mark.parametrize(
    ("text", "line_comment", "opening"),
    [
        ("// Copyright\n//\n\nsyntax", "//", "// Copyright\n//\n\n"),
        ("syntax\n// later", "//", ""),
        ("  # indented\ncode", "#", "  # indented\n"),
        ("# all of it", "#", "# all of it"),
        ("# unknown\n", "", ""),
    ],
)
def test_the_comment_that_a_file_opens_with(text: str, line_comment: str, opening: str) -> None:
    assert text[: opening_comment(text, line_comment)] == opening
