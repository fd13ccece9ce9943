"""The document store against a naive one that walks over every character, in all encodings."""

import time
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.api.messages import Edit
from daemon.api.text import surroundings_hash
from lsp_bridge import documents as documents_module
from lsp_bridge.documents import NO_VERSION, Change, Document, Documents
from lsp_bridge.lines import with_lf
from lsp_bridge.positions import PositionEncoding, units_of

ENCODINGS: tuple[PositionEncoding, ...] = get_args(PositionEncoding)
RAW = st.text(st.sampled_from("ab \r\n\r\n\x0c\u2028é你🤗🇨🇳"), max_size=30)
PLACE = st.tuples(st.integers(0, 6), st.integers(0, 12))
CHANGES = st.lists(st.builds(Change, RAW, PLACE, PLACE) | st.builds(Change, RAW), max_size=5)


def raw_index(raw: str, place: tuple[int, int], encoding: PositionEncoding) -> int:
    """Where in the raw text a position is: character by character."""
    line, units = place
    at = 0
    while line:
        while at < len(raw) and raw[at] not in "\r\n":
            at += 1
        if at == len(raw):
            return at
        at += 2 if raw[at : at + 2] == "\r\n" else 1
        line -= 1
    while at < len(raw) and raw[at] not in "\r\n":
        units -= units_of(raw[at], encoding)
        if units < 0:
            break
        at += 1
    return at


def change_naively(raw: str, change: Change, encoding: PositionEncoding) -> str:
    if change.start is None or change.end is None:
        return change.text
    start, end = sorted(raw_index(raw, place, encoding) for place in (change.start, change.end))
    return raw[:start] + change.text + raw[end:]


def replay(text: str, edits: Sequence[Edit]) -> str:
    """What the daemon makes of the edits."""
    for edit in edits:
        assert 0 <= edit.start <= edit.end <= len(text)
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=400)
@given(raw=RAW, changes=CHANGES, place=PLACE)
def test_equals_the_naive_store(
    encoding: PositionEncoding, raw: str, changes: list[Change], place: tuple[int, int]
) -> None:
    """Any changes: the same raw text, the same LF text at the daemon, the same cursor (ux-10, ux-11)."""
    document = Document("file:///a", "x", 1, raw, encoding)
    at_daemon = document.opening().text
    edits = document.change(2, changes)
    for change in changes:
        raw = change_naively(raw, change, encoding)
    text = with_lf(raw)
    assert (document.raw, document.text, document.length) == (raw, text, len(text))
    assert replay(at_daemon, edits) == text
    assert "\r" not in "".join(edit.text for edit in edits)
    cursor = document.cursor(*place)
    assert cursor.offset == len(with_lf(raw[: raw_index(raw, place, encoding)]))
    assert cursor.surroundings == surroundings_hash(text, cursor.offset)
    assert document.cursor_at(cursor.offset) == cursor


TYPED = [
    ("plain", "ab\ncd", Change("X", (1, 1), (1, 1)), [Edit(4, 4, "X")]),
    ("crlf typed", "ab\r\ncd", Change("\r\n", (1, 2), (1, 2)), [Edit(5, 5, "\n")]),
    ("before crlf", "ab\r\ncd", Change("X", (0, 9), (0, 9)), [Edit(2, 2, "X")]),
    ("line joined", "ab\r\ncd", Change("", (0, 2), (1, 0)), [Edit(2, 3, "")]),
    ("cr meets lf", "a\nb", Change("\r", (0, 1), (0, 1)), []),
    ("lf meets cr", "a\rb", Change("\n", (1, 0), (1, 0)), []),
    ("parted crlf meets", "a\rX\nb", Change("", (1, 0), (1, 1)), [Edit(2, 4, "")]),
    ("past the end", "ab", Change("X", (7, 0), (9, 3)), [Edit(2, 2, "X")]),
    ("backwards range", "abcd", Change("X", (0, 3), (0, 1)), [Edit(1, 3, "X")]),
    ("whole text", "abcd", Change("abXd"), [Edit(2, 3, "X")]),
    ("whole text the same", "ab\r\n", Change("ab\n"), []),
]


@pytest.mark.parametrize(("raw", "change", "edits"), [t[1:] for t in TYPED], ids=[t[0] for t in TYPED])
def test_edits_are_small_and_end_where_the_user_is(raw: str, change: Change, edits: list[Edit]) -> None:
    """Drafting starts at the end of the last edit, so it must be the cursor."""
    document = Document("file:///a", "x", 1, raw, "utf-16")
    assert document.change(2, [change]) == edits
    if edits:
        assert document.last_edit_end == edits[-1].start + len(edits[-1].text)


@pytest.mark.parametrize(
    ("raw", "line", "eol"),
    [
        ("a\r\nb\r\n", 0, "\r\n"),
        ("a\r\nb", 1, "\r\n"),
        ("a\nb\r\nc", 0, "\n"),
        ("a\nb\r\nc", 1, "\r\n"),
        ("a\rb", 1, "\r"),
        ("a", 0, "\n"),
        ("", 0, "\n"),
    ],
)
def test_line_ends_are_those_around_the_cursor(raw: str, line: int, eol: str) -> None:
    """Also in a file that mixes them (ux-11)."""
    assert Document("file:///a", "x", 1, raw, "utf-8").cursor(line, 0).eol == eol


def test_lone_surrogates_become_replacement_characters() -> None:
    """The daemon never sees one, and positions behind it stay right."""
    document = Document("file:///a", "x", 1, "a\ud800b", "utf-16")
    assert document.change(2, [Change("\udfffX", (0, 3), (0, 3))]) == [Edit(3, 3, "\ufffdX")]
    assert document.text == "a\ufffdb\ufffdX"


def test_missing_versions_count_up() -> None:
    """A client that gives none still gets versions that differ."""
    document = Document("file:///a", "x", NO_VERSION, "", "utf-8")
    document.change(NO_VERSION, [Change("a")])
    assert document.version == 1


def test_too_large_documents_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """On opening, on growing, and until they are opened again."""
    monkeypatch.setattr(documents_module, "MAX_TEXT", 4)
    documents = Documents("utf-8")
    assert documents.open("u", "x", 1, "12345") is None
    assert documents.open("u", "x", 1, "x" * 100) is None
    assert documents.unusable == {"u": "file_too_large"}
    assert documents.open("u", "x", 2, "1234") is not None
    assert documents.unusable == {}
    assert documents.change("u", 3, [Change("5", (0, 0), (0, 0))]) is None
    assert documents.get("u") is None
    assert documents.unusable == {"u": "file_too_large"}
    documents.close("u")
    assert documents.unusable == {}


def test_unknown_documents_are_no_error() -> None:
    """A change or close of what was never opened is ignored."""
    documents = Documents("utf-8")
    assert documents.change("nosuch", 1, []) is None
    documents.close("nosuch")
    assert list(documents) == []


@pytest.mark.parametrize(
    "raw", ["x = 1  # é🤗\n" * 100_000, "é🤗你x" * 250_000], ids=["many lines", "one line"]
)
def test_a_key_in_a_megabyte_costs_little(raw: str) -> None:
    """One key and one cursor in a 1 MB file: what a few copies of its text take (ux-36)."""
    document = Document("file:///a", "x", 1, raw, "utf-16")
    line, half = raw.count("\n") // 2, len(raw) // 2
    costs, copies = [], []
    for version in range(2, 42):
        start = time.thread_time()
        document.change(version, [Change("y", (line, 4), (line, 4))])
        document.cursor(line, 5)
        costs.append(time.thread_time() - start)
        start = time.thread_time()
        assert len(raw[:half] + "y" + raw[half:]) > half
        copies.append(time.thread_time() - start)
    assert min(costs) < 5 * min(copies)


@given(RAW, st.integers(0, 6), st.integers(-2, 12), st.sampled_from(ENCODINGS))
def test_positions_are_those_that_lead_back(
    raw: str, line: int, index: int, encoding: PositionEncoding
) -> None:
    """A place in code points, as the client's position, is that place for the client."""
    document = Document("u", "x", 1, raw, encoding)
    cursor = document.cursor(*document.position(line, index))
    assert document.position(line, index) == (cursor.line, cursor.character)
    lines = document.text.split("\n")
    if line < len(lines):
        expected = sum(len(one) + 1 for one in lines[:line]) + min(max(index, 0), len(lines[line]))
    else:
        expected = len(document.text)
    assert cursor.offset == expected
    assert document.line_end(cursor.line) >= (cursor.line, cursor.character)
