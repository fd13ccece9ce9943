"""How much of a text may be inserted into a line before what follows the cursor: brackets and quotes. Pure.

It knows no language: a line is read by itself, so that a string or comment begun on an earlier line is not seen. Full
width brackets are brackets; an apostrophe within a word is no quote; kinds of brackets are not told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_OPENING: Final = frozenset("([{（［｛「『【《〈“")
_CLOSING: Final = frozenset(")]}）］｝」』】》〉”")
_MIRRORED: Final = str.maketrans(
    "([{（［｛「『【《〈“)]}）］｝」』】》〉”", ")]}）］｝」』】》〉”([{（［｛「『【《〈“"
)
_ANGLES: Final = str.maketrans("<>", "()")
_WITHIN_STRING: Final = "\0"
_PREFIX: Final = "[rbfuRBFU]"
_QUOTED: Final = re.compile(
    rf"""(?P<quote>["`]|(?:(?<![\w<&])|(?<=\b{_PREFIX})|(?<=\b{_PREFIX}{_PREFIX}))')"""
    r"""(?P<within>(?:\\.|(?!(?P=quote)).)*)(?P<end>(?P=quote)?)""",
    re.DOTALL,
)
"""A string, which the line's end may leave open. An apostrophe after a word, or before a Rust lifetime, opens none."""
_REACH: Final = 500
"""Characters on each side of the cursor that are read: a line of a megabyte costs no more than a short one."""


def insertable(before: str, text: str, after: str) -> int:
    """How many characters of `text` fit between `before` and `after` of one line.

    The text ends where it begins to say what stands after the cursor, as far as both go, or where it closes a bracket
    or string that is closed after the cursor. A longer text of the same beginning never has a smaller answer.
    `after` is not blank.
    """
    before, after = before[-_REACH:], after.strip()[:_REACH]
    kinds = _ANGLES if after.startswith(">") else {}
    quote = _open_quote(before)
    in_string = _end_of_string(quote, text) if quote else 0
    closable = _closable(before, after, quote, kinds)
    structure = _without_strings(before + text)[len(before) :].translate(kinds)
    for index, depth, character in _depths(structure):
        if quote and quote in after and index == in_string:
            return index
        if depth == 0 and character in _CLOSING:
            if closable == 0:
                return index
            closable -= 1
        elif (
            depth == 0 and (index < in_string or character != _WITHIN_STRING) and _agree(text[index:], after)
        ):
            return index
    return len(text)


def _closable(before: str, after: str, quote: str, kinds: dict[int, int]) -> int:
    """How many brackets opened before the cursor the text may close; below zero: any, as none is closed after it."""
    if quote and quote in after:
        after = _without_strings(before + after)[len(before) :]
    closed = _n_unmatched(_without_strings(after).translate(kinds))
    if closed == 0:
        return -1
    opened = _n_unmatched(_without_strings(before).translate(kinds)[::-1].translate(_MIRRORED))
    return max(0, opened - closed)


def _agree(text: str, after: str) -> bool:
    """Whether the text says what stands after the cursor, as far as both go. It does not begin by white space."""
    return not text[0].isspace() and after.startswith(text[: len(after)])


def _open_quote(line: str) -> str:
    """The quote of the string that the end of the line stands in; empty if it stands in none."""
    return next((found["quote"] for found in _QUOTED.finditer(line) if not found["end"]), "")


def _end_of_string(quote: str, text: str) -> int:
    """Where in the text the string of `quote`, begun before it, ends: the index of its closing quote, or the length."""
    return next(_QUOTED.finditer(quote + text)).end("within") - 1


def _without_strings(line: str) -> str:
    """The line with each character between quotes replaced by _WITHIN_STRING."""
    return _QUOTED.sub(
        lambda found: found["quote"] + _WITHIN_STRING * len(found["within"]) + found["end"], line
    )


def _n_unmatched(text: str) -> int:
    """How many brackets the text closes that it did not open."""
    return sum(depth == 0 and character in _CLOSING for _, depth, character in _depths(text))


def _depths(text: str) -> Iterator[tuple[int, int, str]]:
    """(index, how many of the text's own brackets are open before it, character) of each character."""
    depth = 0
    for index, character in enumerate(text):
        yield index, depth, character
        if character in _OPENING:
            depth += 1
        elif depth and character in _CLOSING:
            depth -= 1
