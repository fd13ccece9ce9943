"""One other file of the same language, which the draft reads before the document: choosing, cutting, framing. Pure.

A draft model that has never seen a language predicts it far better after one file of it (RESULTS.md, dsl_acceptance):
more than from the grammar's text, or from legality alone. The ids stand first in every prompt of the document, so
that the KV caches of both ends hold them. Where the files come from is `exemplar_files.py`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from daemon.prompts.opening import framed_ids

_WORD: Final = re.compile(r"[^\W\d]\w+")
_FEW_WORDS: Final = 8
"""A document with fewer different words is like nothing yet."""
_FEW_CHARACTERS: Final = 400
"""A shorter file shows little of a language: it is taken if there is no longer one."""
_EQUALLY_ALIKE: Final = 0.1
"""Shares of words that lie no further apart say nothing: then the nearer file wins, then the newer."""
_COMPARED_CHARACTERS: Final = 16_384
"""Of either text. A millisecond each, in which no other thread runs Python."""
_WINDOW_SHARE: Final = 3
"""One part of so many of the draft's window is the exemplar's, at most; twice as much gained two points or none."""
_MOST_TOKENS: Final = 700
_FEWEST_TOKENS: Final = 32


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that could be the exemplar."""

    name: str
    """The file's own, without its folders."""
    text: str
    """LF-normalised; its beginning is enough."""
    distance: int = 0
    """Folders between it and the document."""
    modified_s: float = 0.0
    """When it was last written, in Unix time."""
    from_grammar: bool = False
    """An example that came with the grammar: taken if the user's own files offer nothing."""


def choose(document_text: str, candidates: Sequence[Candidate]) -> Candidate | None:
    """The user's file most like the document, or an example of the grammar's; None if there is nothing to read.

    Alike is the share of the document's words that the file has. Of files about as alike as the best, the nearest is
    taken, then the newest, then the first by name.
    """
    readable = [one for one in candidates if one.text.strip()]
    own = [one for one in readable if not one.from_grammar] or readable
    if not own:
        return None
    long_enough = [one for one in own if len(one.text) >= _FEW_CHARACTERS] or own
    words = _words(document_text)
    shares = [_share(words, one.text) for one in long_enough]
    alike = [
        one for one, share in zip(long_enough, shares, strict=True) if share >= max(shares) - _EQUALLY_ALIKE
    ]
    return min(alike, key=lambda one: (one.distance, -one.modified_s, one.name))


def budget_tokens(window_tokens: int) -> int:
    """How many tokens of a window the exemplar may take; 0 where the window is too small to share."""
    budget = min(window_tokens // _WINDOW_SHARE, _MOST_TOKENS)
    return budget if budget >= _FEWEST_TOKENS else 0


def opening_ids(
    exemplar: Candidate,
    document_name: str,
    tokenize: Callable[[str], list[int]],
    *,
    budget: int,
    line_comment: str = "",
    file_separator: int | None = None,
) -> list[int]:
    """Ids to begin every prompt of a document with, at most `budget` of them; none if nothing whole fits.

    `document_name`: the file's own name. `line_comment`: how a comment up to the line's end begins in the language.
    `file_separator`: the id that the model has seen before each file's name and text, if there is one.
    """

    def framed(text: str) -> list[int]:
        named = [(exemplar.name, text)]
        return framed_ids(
            named, document_name, tokenize, line_comment=line_comment, file_separator=file_separator
        )

    body = cut(exemplar.text, budget - len(framed("")), tokenize)
    ids = framed(body) if body else []
    return ids if len(ids) <= budget else []


def opening_comment(text: str, line_comment: str) -> int:
    """Code points of the comment lines and blank lines that a text begins with: a licence, or a title.

    `line_comment`: as for `opening_ids`; where it is empty none are known.
    """
    length = 0
    for line in text.splitlines(keepends=True) if line_comment else ():
        if line.strip() and not line.lstrip().startswith(line_comment):
            break
        length += len(line)
    return length


def cut(text: str, budget: int, tokenize: Callable[[str], list[int]]) -> str:
    """The beginning of `text` that has at most `budget` tokens, in whole lines and, if possible, whole statements.

    It ends at the last blank line, else before the last line that is not indented, but keeps half of what would fit.
    """
    lines = text.splitlines(keepends=True)
    count = _lines_within(lines, budget, tokenize)
    if count == len(lines):
        return text
    least = (count + 1) // 2
    for is_start in (_follows_blank, _is_flush_left):
        for at in range(count, max(least, 1) - 1, -1):
            if is_start(lines, at):
                return "".join(lines[:at])
    return "".join(lines[:count])


def _lines_within(lines: Sequence[str], budget: int, tokenize: Callable[[str], list[int]]) -> int:
    """How many lines from the first on have at most `budget` tokens."""
    left = budget
    for count, line in enumerate(lines):
        left -= len(tokenize(line))
        if left < 0:
            return count
    return len(lines)


def _follows_blank(lines: Sequence[str], at: int) -> bool:
    return not lines[at - 1].strip()


def _is_flush_left(lines: Sequence[str], at: int) -> bool:
    return re.match(r"[^\s)\]}]", lines[at]) is not None


def _words(text: str) -> frozenset[str]:
    words = frozenset(_WORD.findall(text[:_COMPARED_CHARACTERS]))
    return words if len(words) >= _FEW_WORDS else frozenset()


def _share(words: frozenset[str], text: str) -> float:
    """The share of `words` that `text` has; 0 if there are none."""
    return len(words & _words(text)) / len(words) if words else 0.0
