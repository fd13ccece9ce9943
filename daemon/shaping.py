"""From a continuation's text to what may be shown: trimming and filters. Pure functions of text and place.

Each filter either trims the text or rejects it with a `NothingReason`. Order matters and is that of `shape`.
Verified text is filtered like drafted text: what is not shown is simply not shown; nothing is rewritten.
"""

from __future__ import annotations

from dataclasses import dataclass

from daemon.api.messages import NothingReason
from daemon.documents import Place
from daemon.recall import AUTO_CLOSED

MAX_SIMILAR_LINES = 4
"""Five equal lines in a row are a model going round in circles."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """What may be shown. An empty text has a reason."""

    text: str
    reason: NothingReason | None = None


def shape(text: str, place: Place, *, ended: bool) -> Shaped:
    """What of `text` may be shown at `place`. `ended`: nothing will be added to it."""
    if glues_words(text, place):
        return Shaped("", "mid_word")
    text = until_repetition(text)
    text = without_duplicated_suffix(text, place, ended=ended)
    if text and repeats_next_line(text, place, ended=ended):
        return Shaped("", "filtered_duplicate")
    if ended:
        text = text.rstrip()
    if not text:
        return Shaped("", "empty_draft" if not ended else "filtered_blank")
    if not text.strip():
        return Shaped("", "filtered_blank")
    return Shaped(text)


def glues_words(text: str, place: Place) -> bool:
    """Whether the text would join the word right after the cursor to another one (or splits a word to do so)."""
    after = place.line_after[:1]
    if not after or not _is_word(after):
        return False
    if not text:
        return False
    return _is_word(text[-1:]) or (
        "\n" not in text and _is_word(place.line_before[-1:]) and _is_word(text[:1])
    )


def until_repetition(text: str) -> str:
    """The text up to where one line repeats more than MAX_SIMILAR_LINES times in a row."""
    lines = text.split("\n")
    run = 1
    for index in range(1, len(lines)):
        same = lines[index].strip() and lines[index].strip() == lines[index - 1].strip()
        run = run + 1 if same else 1
        if run > MAX_SIMILAR_LINES:
            return "\n".join(lines[: index - run + 2])
    return text


def without_duplicated_suffix(text: str, place: Place, *, ended: bool) -> str:
    """The text without an end that stands after the cursor already.

    On the cursor's line: if the text (its first line) runs into what follows the cursor, it is cut there. Closing
    brackets and quotes that the editor put after the cursor count when the text closes them itself.
    """
    after = place.line_after
    if not after.strip():
        return text
    first, newline, _ = text.partition("\n")
    overlap = _overlap(first, after)
    if overlap and (newline or ended or overlap == len(after.rstrip())):
        return first[: len(first) - overlap]
    if set(after.strip()) <= AUTO_CLOSED | set(",;:"):
        return first
    return first


def _overlap(text: str, after: str) -> int:
    """The longest end of `text` that starts `after`; the comparison ignores trailing spaces of `after`."""
    after = after.rstrip()
    for length in range(min(len(text), len(after)), 0, -1):
        if text.endswith(after[:length]):
            return length
    return 0


def repeats_next_line(text: str, place: Place, *, ended: bool) -> bool:
    """Whether the text is only what the next non-empty line says already."""
    following = next((line.strip() for line in place.suffix.split("\n", 20)[1:20] if line.strip()), "")
    candidate = text.strip()
    if len(following) < 2 or not candidate or place.line_before.strip():
        return False
    lines = candidate.split("\n")
    complete = ended or len(lines) > 1
    return lines[0].strip() == following and complete


def _is_word(character: str) -> bool:
    """Whether the character belongs to an identifier. CJK has no spaces between words and never counts."""
    return bool(character) and (character.isalnum() or character == "_") and ord(character) < 0x2E80
