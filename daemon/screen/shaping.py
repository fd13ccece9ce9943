"""From a continuation's text to what may be shown: trimming and filters. Pure functions of text and place.

What is shown is always a beginning of the text: verified text is filtered like drafted text, and nothing is
rewritten. It never ends in white space, unless a word stands after the cursor. As a text grows, what is shown of it
only grows: whatever may yet turn out to be a repetition is held back until it has not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from daemon.api.messages import NothingReason
from daemon.documents import Place, is_word, without_last_word
from daemon.scopes import is_code
from daemon.screen.brackets import insertable
from daemon.screen.loops import before_loop

MAX_SIMILAR_LINES: Final = 4
"""Five equal lines in a row are a model going round in circles; of lines that say something, two are."""
_NEXT_LINE: Final = re.compile(r"\n([^\S\n]*\S[^\n]*)")
_NEXT_LINE_REACH: Final = 4096
_ABOVE_REACH: Final = 4096
_WORD: Final = re.compile(r"\w+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_FENCE: Final = re.compile(r"\n[^\S\n]*(?:(?P<whole>```)|`{1,2}\Z)")


@dataclass(frozen=True, slots=True)
class Shaped:
    """What may be shown. An empty text has a reason."""

    text: str
    reason: NothingReason | None = None


def shape(text: str, place: Place, *, ended: bool, whole: bool, leads_on: bool = False) -> Shaped:
    """What of `text` may be shown at `place`. `ended`: nothing will be added to it; `whole`: nor does that cut it.

    `leads_on`: it was written, or is examined, with the text after the cursor in mind. Only so it stands before a word.
    """
    if splits_word(place) or (stands_before_word(place) and not leads_on):
        return Shaped("", "mid_word")
    text = before_loop(text, ended=ended)
    if place.line_after.strip():
        fitting = on_this_line(text, place)
        shown = without_glued_word(fitting, place)
    else:
        before, ended = before_fence(text, place, ended=ended)
        whole, text = whole or before != text, before
        above = line_above(text, place)
        shown = before_next_line(until_repetition(text, above, ended=ended), place).rstrip()
        if only_repeats(shown, above, growing=not ended and shown == text.rstrip()):
            return Shaped("", "filtered_repetition")
        lines = shown if whole else without_begun_line(shown, text)
        fitting = shown = shown if only_repeats(lines, above, growing=False) else lines
    if shown.strip():
        return Shaped(shown)
    if fitting.strip():
        return Shaped("", "mid_word")
    if text.strip():
        return Shaped("", "filtered_duplicate")
    return Shaped("", "filtered_blank" if text else "empty_draft")


def before_fence(text: str, place: Place, *, ended: bool) -> tuple[str, bool]:
    """The text up to a line that opens or ends a block as Markdown has it, and whether nothing is added to that.

    Chat models write such lines around code, where they are none of it. One that is begun is held back.
    """
    if "`" not in text or not is_code(place):
        return text, ended
    begins_line = not place.line_before.strip()
    found = _FENCE.search(f"\n{text}" if begins_line else text)
    if found is None or (ended and not found["whole"]):
        return text, ended
    return text[: max(0, found.start() - begins_line)], ended or found["whole"] is not None


def splits_word(place: Place) -> bool:
    """Whether the cursor stands within a word: nothing is shown there, whatever the text."""
    return is_word(place.line_before[-1:]) and is_word(place.line_after[:1])


def stands_before_word(place: Place) -> bool:
    """Whether a word stands right after the cursor."""
    return is_word(place.line_after[:1])


def cuts(text: str, place: Place) -> list[int]:
    """Lengths that a shaped text may be cut to, ascending, its own the last: ends of words, lines, other characters.

    A cut leaves no half of a word, no blanks at the end (unless a word stands after the cursor), and no word that
    would be joined to the one after the cursor.
    """
    word_follows = stands_before_word(place)
    found = []
    for length in range(1, len(text)):
        last = text[length - 1]
        in_word = is_word(last) and (is_word(text[length]) or word_follows)
        if not in_word and (word_follows or not last.isspace()):
            found.append(length)
    return [*found, len(text)] if text else []


def on_this_line(text: str, place: Place) -> str:
    """The part of the text that fits before what stands after the cursor on its line."""
    line, _, _ = text.partition("\n")
    after = place.line_after
    end = insertable(place.line_before, line, after)
    goes_on_as_after = line[end : end + 1] == after[0] or is_word(after[0])
    return line[:end] if goes_on_as_after else line[:end].rstrip()


def without_glued_word(text: str, place: Place) -> str:
    """The text without its last word, if that would be joined to the one after the cursor."""
    return without_last_word(text) if stands_before_word(place) else text


def without_begun_line(shown: str, text: str) -> str:
    """What is shown of a text, without the line that the text ends in, if another one stands before that."""
    if "\n" in text[len(shown) :] or len(shown) < len(text.rstrip()):
        return shown
    before = shown.rpartition("\n")[0].rstrip()
    return before or shown


@dataclass(frozen=True, slots=True)
class Above:
    """The line of the document that a text's first line stands under, blank ones aside; empty if it is under none."""

    line: str = ""
    rows: int = 0
    """How many lines in a row, of which this is the last, are equal."""
    indentation: str = ""
    """What stands before the text on the line that it begins."""


NOTHING_ABOVE: Final = Above()


def line_above(text: str, place: Place) -> Above:
    """What the first line of `text` stands under: none where that goes on with a line that is begun already."""
    begun = place.line_before.strip() != ""
    if begun and not text.startswith("\n"):
        return NOTHING_ABOVE
    end = place.offset if begun else place.offset - len(place.line_before)
    lines = place.document.text[max(0, end - _ABOVE_REACH) : end].rstrip().split("\n")
    line = lines[-1].rstrip()
    rows = next((n for n, other in enumerate(reversed(lines)) if other.rstrip() != line), len(lines))
    return Above(line, rows, "" if text.startswith("\n") else place.line_before) if line else NOTHING_ABOVE


def only_repeats(text: str, above: Above, *, growing: bool) -> bool:
    """Whether the text says the line above once more and nothing else, or may come to say just that, growing.

    What stands there twice already may be meant so (equal rows), up to a fifth, and what `_says` nothing.
    """
    lines = text.strip("\n").split("\n")
    again = _repeats(above.indentation + lines[0].rstrip(), above.line, growing=growing and len(lines) == 1)
    if not (text.strip() and again):
        return False
    return above.rows >= MAX_SIMILAR_LINES or (len(lines) == 1 and above.rows == 1 and _says(above.line))


def until_repetition(text: str, above: Above = NOTHING_ABOVE, *, ended: bool) -> str:
    """The text up to the first of too many equal lines in a row, equal ones above it counted.

    Too many are two of a line that says something, unless they stand above already, else more than MAX_SIMILAR_LINES.
    While the text goes on, equal lines at its end are held back, but for the first.
    """
    start = len(text) - len(text.lstrip("\n"))
    lines = text[start:].split("\n")
    goes_on = above.indentation + lines[0].rstrip() == above.line
    first, before = 0, above.rows if goes_on else 0
    for index in range(1, len(lines)):
        growing = index == len(lines) - 1 and not ended
        most = 1 if _says(lines[index]) and before < 2 else MAX_SIMILAR_LINES
        if not _repeats(lines[index].strip(), lines[index - 1].strip(), growing=growing):
            first, before = index, 0
        elif growing or before + index - first >= most:
            return text[:start] + "\n".join(lines[: first + 1])
    return text


def before_next_line(text: str, place: Place) -> str:
    """The text up to where it runs into the next line of the document that is not blank.

    The cursor's line does so if there is nothing else on it, a later one if it is indented alike. A beginning of that
    line, at the text's end, is held back.
    """
    found = _NEXT_LINE.search(place.document.text, place.offset, place.offset + _NEXT_LINE_REACH)
    if found is None:
        return text
    following = found[1].rstrip()
    lines = text.split("\n")
    last = len(lines) - 1
    if not place.line_before.strip() and _repeats(lines[0].strip(), following.strip(), growing=last == 0):
        return ""
    for index in range(1, len(lines)):
        if _repeats(lines[index].rstrip(), following, growing=index == last):
            return "\n".join(lines[:index])
    return text


def _says(line: str) -> bool:
    """Whether the line is no data, and does not only close a block: two words or more (not `end`, `</div>`, `step()`).

    Numbers and brackets, without a letter, are none.
    """
    return len(_WORD.findall(line)) > 1 and _LETTER.search(line) is not None


def _repeats(line: str, other: str, *, growing: bool) -> bool:
    """Whether the line says what the other does, or may come to say it. Blank lines repeat nothing."""
    if growing:
        return other.startswith(line)
    return line == other and line != ""
