"""A text as lines, in blocks, so that an edit costs what it touches and not what the document is long.

LSP knows three line ends, `\\n`, `\\r\\n` and `\\r`, and no others (`str.splitlines` knows more, which
corrupts a document that holds one of them). Lines are kept raw, with their end; lengths and offsets are those
of the text with every line end as one `\\n`, which is what the daemon sees.
"""

from __future__ import annotations

import operator
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, repeat

BLOCK_LINES = 128
"""Blocks are cut to this many lines and split when they hold twice as many."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split_lines(raw: str) -> list[str]:
    """The lines of `raw`, each with its end; the last one has none and may be empty."""
    lines = _LINE.findall(raw)
    if not lines or lines[-1][-1] in "\r\n":
        lines.append("")
    return lines


def content_length(line: str) -> int:
    """Code points of a raw line without its end."""
    return len(line) - (2 if line.endswith("\r\n") else line.endswith(("\n", "\r")))


def end_of(line: str) -> str:
    """The end of a raw line: `\\r\\n`, `\\r`, `\\n`, or nothing for the last one."""
    return line[content_length(line) :]


def with_lf(raw: str) -> str:
    """The text with every line end as `\\n`."""
    return raw.replace("\r\n", "\n").replace("\r", "\n") if "\r" in raw else raw


def _lf_lengths(lines: Sequence[str]) -> Iterator[int]:
    """Of each raw line in LF text, without a Python step per line."""
    lengths, crlf = map(len, lines), map(str.endswith, lines, repeat("\r\n"))
    return map(operator.sub, lengths, crlf)


class Lines:
    """The raw lines of one text. There is always at least one, and only the last has no line end."""

    def __init__(self, raw: str) -> None:
        self._blocks: list[list[str]] = []
        self._lengths: list[int] = []
        """Of each block, in LF text."""
        self._starts: list[list[int]] = []
        """Of each block, where its lines start within it, in LF text; empty until somebody asks."""
        self._replace_blocks(0, 0, split_lines(raw))

    def __len__(self) -> int:
        return sum(map(len, self._blocks))

    def __getitem__(self, line: int) -> str:
        block, index = self._find(line)
        return self._blocks[block][index]

    @property
    def length(self) -> int:
        """Code points of the whole LF text."""
        return sum(self._lengths)

    @property
    def raw(self) -> str:
        """The text as the editor has it."""
        return "".join(line for block in self._blocks for line in block)

    def offset_of(self, line: int) -> int:
        """The LF offset of a line's start."""
        block, index = self._find(line)
        return sum(self._lengths[:block]) + self._starts_in(block)[index]

    def locate(self, offset: int) -> tuple[int, int]:
        """The line that holds an LF offset, and the index in code points within it; clamped to the text."""
        offset = min(max(offset, 0), self.length)
        line, block = 0, 0
        while block < len(self._blocks) - 1 and offset >= self._lengths[block]:
            offset -= self._lengths[block]
            line += len(self._blocks[block])
            block += 1
        starts = self._starts_in(block)
        index = bisect_right(starts, offset) - 1
        return line + index, offset - starts[index]

    def slice(self, start: int, end: int) -> str:
        """The LF text between two LF offsets (clamped)."""
        line, index = self.locate(start)
        wanted = end - max(start, 0)
        if wanted <= 0:
            return ""
        parts: list[str] = []
        gathered = -index
        for raw in self._from(line):
            parts.append(with_lf(raw))
            gathered += len(parts[-1])
            if gathered >= wanted:
                break
        return "".join(parts)[index : index + wanted]

    def splice(self, first: int, last: int, new: Sequence[str]) -> None:
        """Replace lines `first` to `last`, both included, by `new` raw lines."""
        first_block, first_index = self._find(first)
        last_block, last_index = self._find(last)
        kept_before = self._blocks[first_block][:first_index]
        kept_after = self._blocks[last_block][last_index + 1 :]
        self._replace_blocks(first_block, last_block + 1, [*kept_before, *new, *kept_after])

    def _replace_blocks(self, first: int, end: int, lines: list[str]) -> None:
        size = len(lines) if len(lines) < 2 * BLOCK_LINES else BLOCK_LINES
        blocks = [lines[at : at + size] for at in range(0, len(lines), size)] if lines else []
        self._blocks[first:end] = blocks
        self._lengths[first:end] = [sum(_lf_lengths(block)) for block in blocks]
        self._starts[first:end] = [[] for _ in blocks]

    def _starts_in(self, block: int) -> list[int]:
        if not self._starts[block]:
            self._starts[block] = list(accumulate(_lf_lengths(self._blocks[block][:-1]), initial=0))
        return self._starts[block]

    def _find(self, line: int) -> tuple[int, int]:
        for number, block in enumerate(self._blocks):
            if line < len(block):
                return number, line
            line -= len(block)
        raise IndexError("no such line")

    def _from(self, line: int) -> Iterator[str]:
        block, index = self._find(line)
        yield from self._blocks[block][index:]
        for later in self._blocks[block + 1 :]:
            yield from later
