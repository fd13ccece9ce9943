"""Lines in blocks behave as one list of lines, however large."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_bridge import lines as lines_module
from lsp_bridge.lines import Lines, content_length, end_of, split_lines, with_lf

RAW = st.text(st.sampled_from("ab\r\n\x0c\u2028é🤗"), max_size=60)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of two lines, so that small texts have many."""
    monkeypatch.setattr(lines_module, "BLOCK_LINES", 2)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
        ("\r\r\n\n", ["\r", "\r\n", "\n", ""]),
        ("a\x0cb\x0b\x1c\x85\u2028\u2029c\n", ["a\x0cb\x0b\x1c\x85\u2028\u2029c\n", ""]),
    ],
)
def test_split_lines(raw: str, expected: list[str]) -> None:
    """Only the three line ends of LSP split (the second of pygls' traps)."""
    assert split_lines(raw) == expected


@given(RAW)
def test_parts_of_a_line(raw: str) -> None:
    """Content and end make the line; joined lines make the text."""
    for line in split_lines(raw):
        assert not re.search("[\r\n]", line[: content_length(line)])
        assert line == line[: content_length(line)] + end_of(line)
    assert "".join(split_lines(raw)) == raw


@given(RAW)
def test_offsets(raw: str) -> None:
    """offset_of and locate are inverse and count LF text."""
    lines, text = Lines(raw), with_lf(raw)
    assert (lines.raw, lines.length, len(lines)) == (raw, len(text), text.count("\n") + 1)
    for offset in range(len(text) + 1):
        line, index = lines.locate(offset)
        assert lines.offset_of(line) + index == offset
        assert line == text[:offset].count("\n")
    assert lines.locate(-1) == (0, 0)
    assert lines.locate(len(text) + 5) == lines.locate(len(text))


@given(RAW, st.integers(-2, 70), st.integers(-2, 70))
def test_slice(raw: str, start: int, end: int) -> None:
    """A slice is that of the LF text, clamped."""
    assert Lines(raw).slice(start, end) == with_lf(raw)[max(start, 0) : max(end, 0)]


@given(RAW, RAW, st.data())
def test_splice(raw: str, new: str, data: st.DataObject) -> None:
    """Splicing blocks is splicing the list."""
    model = split_lines(raw)
    lines = Lines(raw)
    first = data.draw(st.integers(0, len(model) - 1))
    last = data.draw(st.integers(first, len(model) - 1))
    replacement = [line for line in split_lines(new) if end_of(line)] + (
        [] if last < len(model) - 1 else ["z"]
    )
    lines.splice(first, last, replacement)
    model[first : last + 1] = replacement
    assert [lines[number] for number in range(len(lines))] == model


def test_no_such_line() -> None:
    """A line outside is the caller's mistake."""
    with pytest.raises(IndexError):
        Lines("a\nb")[2]
