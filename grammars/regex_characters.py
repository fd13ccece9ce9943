"""The characters of a regular expression: classes, escapes, properties, and where each stands in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from grammars.characters import (
    DIGIT,
    DIGIT_PROPERTIES,
    LAST,
    POSIX,
    SPACE,
    WORD,
    WORD_PROPERTIES,
    Ranges,
    folded,
    folded_properties,
    has_case,
    inverted,
    merged,
    property_name,
    word_without,
)
from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.form import ANY_CHARACTER, CharacterSet, Exclusion, Expression, Literal, choice

FLAGS: Final = frozenset("imsxu")
"""As in Python: ignore case, anchors at lines (there are none here), `.` for line ends too, layout, Unicode."""

_CODE = re.compile(
    r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]{1,8})\}|0([0-7]{0,2})"
)
_PROPERTY = re.compile(r"([pP])(?:([A-Z])|\{(\^?[^{}]*)\})")
_POSIX = re.compile(r"\[:(\^?)([a-z]+):\]")
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
SETS: Final[dict[str, tuple[Ranges, tuple[str, ...]]]] = {
    "d": (DIGIT, DIGIT_PROPERTIES),
    "D": ((), ("^Nd",)),
    "s": (SPACE, ()),
    "S": (inverted(SPACE), ()),
    "w": (WORD, WORD_PROPERTIES),
}
"""What an escape of a set stands for: ranges and properties. `\\W` can't be said so."""


class CharacterReader:
    """A pattern and a position in it, which every method moves behind what it reads."""

    def __init__(self, source: str, span: Span | None, flags: frozenset[str]) -> None:
        """`span` is where the source stands; `flags` those of FLAGS that hold."""
        self.source = source
        self.position = 0
        self.flags = flags
        self._span = span

    def literal(self, character: str) -> Expression:
        """The character just read, as itself."""
        ignore_case = "i" in self.flags and has_case(character)
        return Literal(character, ignore_case, self.place(self.position - 1))

    def any_character(self) -> Expression:
        """What `.` matches."""
        return ANY_CHARACTER if "s" in self.flags else CharacterSet(((10, 10),), negated=True)

    def character_escape(self, begin: int) -> int:
        """The character that the escape after a backslash stands for."""
        rest = self.source[self.position : self.position + 1]
        code = _CODE.match(self.source, self.position)
        if code:
            self.position = code.end()
            octal = code[5] is not None
            value = int(next(filter(None, code.groups()), "0"), 8 if octal else 16)
            if value > LAST or 0xD800 <= value <= 0xDFFF:
                raise self.refusal(f"there is no character \\{code[0]}", begin, self.position)
            return value
        if rest.isdigit():
            raise self.refusal(
                f"\\{rest} refers back to what a group matched",
                begin,
                begin + 2,
                advice="write out what may stand there",
            )
        if not rest or (rest.isalnum() and rest not in _CONTROL):
            what = f"there is no escape \\{rest}" if rest else "a backslash ends the pattern"
            raise self.refusal(what, begin, begin + 2, advice="write \\\\ for a backslash")
        self.position += 1
        return ord(_CONTROL.get(rest, rest))

    def property_escape(self, begin: int) -> str:
        """The property that `\\p` or `\\P` names, as `CharacterSet.properties` has it."""
        found = _PROPERTY.match(self.source, self.position)
        written = (found[2] or found[3]) if found else ""
        name = property_name(written)
        if found is None or name is None:
            end = found.end() if found else begin + 2
            raise self.refusal(
                f"there is no Unicode property {written!r}" if found else "a property is written \\p{Name}",
                begin,
                end,
                advice="properties are general categories (Lu), scripts (Han) and the like (XID_Start)",
            )
        self.position = found.end()
        if found[1] == "P":
            return name.removeprefix("^") if name.startswith("^") else f"^{name}"
        return name

    # Classes

    def character_class(self) -> Expression:
        """`[...]`, of which the [ is read."""
        begin = self.position - 1
        negated = self.passed("^")
        ranges: list[tuple[int, int]] = []
        properties: list[str] = []
        no_word = False
        first = True
        while first or not self.source.startswith("]", self.position):
            first = False
            if self.position >= len(self.source):
                raise self.refusal(
                    "a [ is opened here and never closed", begin, advice="write \\[ for the character"
                )
            no_word |= self._class_item(ranges, properties)
        self.position += 1
        if no_word:
            return self._without_word(merged(ranges), properties, negated=negated, begin=begin)
        return self.character_set(merged(ranges), properties, begin=begin, negated=negated)

    def _class_item(self, ranges: list[tuple[int, int]], properties: list[str]) -> bool:
        """Adds one item of a class. True for `\\W`, which is none."""
        begin = self.position
        posix = _POSIX.match(self.source, begin)
        if posix and posix[2] in POSIX:
            self.position = posix.end()
            ranges.extend(inverted(POSIX[posix[2]]) if posix[1] else POSIX[posix[2]])
            return False
        letter = self.source[begin + 1 : begin + 2] if self.source[begin] == "\\" else ""
        if letter in SETS or letter == "W":
            self.position += 2
            more_ranges, more_properties = SETS.get(letter, ((), ()))
            ranges.extend(more_ranges)
            properties.extend(more_properties)
            return letter == "W"
        if letter and letter in "pP":
            self.position += 1
            properties.append(self.property_escape(begin))
            return False
        ranges.append(self._range(begin))
        return False

    def _range(self, begin: int) -> tuple[int, int]:
        """`a`, or `a-z`. A hyphen that ends the class is one."""
        first = self._class_character()
        rest = self.source[self.position : self.position + 3]
        if rest[:1] != "-" or rest[1:2] in ("]", "") or (rest[1:2] == "\\" and rest[2:3] in SETS):
            return first, first
        self.position += 1
        last = self._class_character()
        if last < first:
            raise self.refusal(
                f"a range from {chr(first)!r} down to {chr(last)!r} has no character in it",
                begin,
                self.position,
                advice="write the lower character first, or \\- for a hyphen",
            )
        return first, last

    def _class_character(self) -> int:
        character = self.source[self.position]
        self.position += 1
        if character != "\\":
            return ord(character)
        if self.passed("b"):
            return 8
        return self.character_escape(self.position - 1)

    def character_set(
        self, ranges: Ranges, properties: Iterable[str], *, begin: int, negated: bool = False
    ) -> Expression:
        """The set of these, as the flags have it; it began at `begin`."""
        names = tuple(dict.fromkeys(properties))
        if "i" in self.flags:
            ranges, names = folded(ranges), folded_properties(names)
        everything = merged(ranges) == ((0, LAST),) or any(f"^{name}" in names for name in names)
        if everything and negated:
            raise self.refusal("no character is in this class", begin, self.position)
        span = self.place(begin, self.position)
        return (
            CharacterSet(negated=True, span=span)
            if everything
            else CharacterSet(ranges, names, negated, span)
        )

    def _without_word(
        self, ranges: Ranges, properties: list[str], *, negated: bool, begin: int
    ) -> Expression:
        """A class that holds `\\W`: what it holds beside, or where it is negated, `\\w` without that."""
        span = self.place(begin, self.position)
        beside = self.character_set(ranges, properties, begin=begin) if ranges or properties else None
        if set(properties) >= set(WORD_PROPERTIES) or beside == ANY_CHARACTER:
            return self.character_set(((0, LAST),), (), begin=begin, negated=negated)
        if not negated:
            no_word = CharacterSet(WORD, WORD_PROPERTIES, negated=True, span=span)
            return choice([no_word, beside] if beside else [no_word])
        word = CharacterSet(WORD, WORD_PROPERTIES, span=span)
        if not isinstance(beside, CharacterSet):
            return word
        left = word_without(beside.ranges, beside.properties)
        return Exclusion(word, beside, span) if left is None else CharacterSet(*left, span=span)

    # Places

    def passed(self, text: str) -> bool:
        """Whether `text` comes next; it is passed over then."""
        found = self.source.startswith(text, self.position)
        self.position += len(text) if found else 0
        return found

    def skip_layout(self) -> None:
        """Blanks and remarks, where the flag x makes them mean nothing."""
        while "x" in self.flags and self.source[self.position : self.position + 1] in (*" \t\n\r\f\v", "#"):
            end = (
                self.source.find("\n", self.position) if self.source[self.position] == "#" else self.position
            )
            self.position = len(self.source) if end < 0 else end + 1

    def check_flag(self, flag: str, begin: int) -> None:
        """Raises GrammarError for a flag that can't be had."""
        if flag not in FLAGS:
            raise self.refusal(
                f"there is no flag {flag!r}", begin, advice=f"flags are {', '.join(sorted(FLAGS))}"
            )

    def place(self, begin: int, end: int | None = None) -> Span | None:
        """Where characters of the pattern stand in the file."""
        if self._span is None:
            return None
        first = self._moved(begin)
        return Span(*first, *self._moved(begin + 1 if end is None else end))

    def _moved(self, offset: int) -> tuple[int, int]:
        assert self._span is not None
        text = self.source[:offset]
        ends = text.count("\n")
        column = len(text) - text.rfind("\n") if ends else self._span.column + len(text)
        return self._span.line + ends, column

    def refusal(self, message: str, begin: int, end: int | None = None, *, advice: str = "") -> GrammarError:
        """An error to raise, at these characters of the pattern."""
        place = "" if self._span else f" (at character {begin + 1} of the pattern)"
        return GrammarError(
            [Diagnostic("error", "regex", f"{message}{place}", advice, self.place(begin, end))]
        )
