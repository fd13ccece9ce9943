"""Regular expressions, as grammar files hold them, read into the form: so that the passes see what is in a terminal.

The syntax is what Python's `re` and Rust's `regex` have in common, and what only one of them has where the other
refuses it. What looks around is `grammars/regex_looks.py`; back-references, possessive repetition and the like have
no place in a grammar and are refused with their place in the pattern. Matching is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
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
)
from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    CharacterSet,
    Expression,
    Literal,
    Pattern,
    Repeat,
    Sequence,
    choice,
    sequence,
)
from grammars.regex_looks import Kind, Look, settled

MAX_CHARACTERS: Final = 20_000
"""Of one pattern."""
MAX_NESTING: Final = 100
"""Of groups."""
MAX_COUNT: Final = 100_000
"""In `{m,n}`."""

_FLAGS: Final = frozenset("imsxu")
_QUANTIFIER = re.compile(r"([*+?]|\{(?=,?\d)(\d*)(,?)(\d*)\})([?+]?)")
_GROUP = re.compile(r"\?(?:P?<([A-Za-z_]\w*)>|([a-z]*)(?:-([a-z]+))?(:|\)))")
_LOOK = re.compile(r"\?(<?)([=!])")
_ESCAPED_BEFORE_END = re.compile(r"\.\*\?\(\?<!\\\\\)\((?:\?:)?\\\\\\\\\)\*\??")
"""`.*?(?<!\\\\)(\\\\\\\\)*?`: how many write the inside of a string in which a backslash hides what follows it."""
_CODE = re.compile(
    r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]{1,8})\}|0([0-7]{0,2})"
)
_PROPERTY = re.compile(r"([pP])(?:([A-Z])|\{(\^?[^{}]*)\})")
_POSIX = re.compile(r"\[:(\^?)([a-z]+):\]")
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_SETS: Final = {
    "d": (DIGIT, DIGIT_PROPERTIES),
    "D": ((), ("^Nd",)),
    "s": (SPACE, ()),
    "S": (inverted(SPACE), ()),
    "w": (WORD, WORD_PROPERTIES),
}
_KINDS: Final[dict[str, Kind]] = {"=": "ahead", "!": "not ahead", "<=": "behind", "<!": "not behind"}
_ANCHORS: Final = frozenset("bAzZ")


def read_regex(source: str, span: Span | None = None, flags: str = "") -> Expression:
    """What the pattern `source` matches.

    `span` is where the source stands, without what encloses it; `flags` are letters of i, m, s, x and u.
    Raises GrammarError, with the place in the pattern, for what is not a regular expression or can't be one here.
    """
    reader = _Reader(source, span, frozenset(flags))
    for flag in flags:
        reader.check_flag(flag, 0)
    if len(source) > MAX_CHARACTERS:
        raise reader.refusal(
            f"the pattern has {len(source):,} characters", 0, advice="split it into several rules"
        )
    expression = reader.alternatives(depth=0)
    if reader.position < len(source):
        raise reader.refusal("a ) closes nothing", reader.position, advice="write \\) for the character")
    return settled(expression, reader.looks)


class _Reader:
    """Goes through a pattern once, from the left."""

    def __init__(self, source: str, span: Span | None, flags: frozenset[str]) -> None:
        self.position = 0
        self.looks: dict[str, Look] = {}
        self._source = source
        self._span = span
        self._flags = flags

    # What there is

    def alternatives(self, depth: int) -> Expression:
        """Everything up to the ) that closes this group, or to the end."""
        flags = self._flags
        found = [self._sequence(depth)]
        while self._next("|"):
            found.append(self._sequence(depth))
        self._flags = flags
        return choice(found)

    def _sequence(self, depth: int) -> Expression:
        items: list[Expression] = []
        while True:
            self._skip_layout()
            if self.position >= len(self._source) or self._source[self.position] in "|)":
                return sequence(_joined(items))
            begin = self.position
            items.append(self._repeated(self._item(depth), begin))

    def _item(self, depth: int) -> Expression:
        escaped = _ESCAPED_BEFORE_END.match(self._source, self.position)
        if escaped:
            self.position = escaped.end()
            return self._escaped_text()
        character = self._source[self.position]
        if character in "*+?":
            raise self.refusal(
                f"{character} has nothing to repeat",
                self.position,
                advice=f"write \\{character} for the character",
            )
        self.position += 1
        match character:
            case "(":
                return self._group(depth)
            case "[":
                return self._class()
            case ".":
                return self._any()
            case "^" | "$":
                return self._look(Look("edge", EMPTY, character, self.place(self.position - 1)))
            case "\\":
                return self._escape()
            case _:
                return self._literal(character)

    def _repeated(self, item: Expression, begin: int) -> Expression:
        self._skip_layout()
        found = _QUANTIFIER.match(self._source, self.position)
        if found is None:
            return item
        if found[5] == "+":
            raise self.refusal(
                f"{found[0]} repeats possessively",
                found.start(),
                advice=f"write {found[1]}: nothing is given back here anyway",
            )
        least, most = self._bounds(found)
        self.position = found.end()
        self._skip_layout()
        again = _QUANTIFIER.match(self._source, self.position)
        if again:
            raise self.refusal(
                f"{again[0]} repeats a repetition", again.start(), advice="put (?:...) around the inner one"
            )
        return EMPTY if item == EMPTY else Repeat(item, least, most, lazy=found[5] == "?" and least != most)

    def _bounds(self, found: re.Match[str]) -> tuple[int, int | None]:
        if found[1] in "*+?":
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[found[1]]
        least = self._count(found, 2) if found[2] else 0
        most = (self._count(found, 4) if found[4] else None) if found[3] else least
        if most is not None and most < least:
            raise self.refusal(f"{found[1]} repeats at least {least} and at most {most} times", found.start())
        return least, most

    def _count(self, found: re.Match[str], group: int) -> int:
        digits = found[group]
        if len(digits) > 6 or int(digits) > MAX_COUNT:
            raise self.refusal(
                f"{digits} repetitions are too many", found.start(group), advice=f"at most {MAX_COUNT:,}"
            )
        return int(digits)

    # Groups

    def _group(self, depth: int) -> Expression:
        begin = self.position - 1
        if depth >= MAX_NESTING:
            raise self.refusal(
                f"groups are nested more than {MAX_NESTING} deep",
                begin,
                advice="use a rule for the inner part",
            )
        if self._source.startswith("?#", self.position):
            return self._remark(begin)
        look = _LOOK.match(self._source, self.position)
        if look:
            self.position = look.end()
            inside = self._inside(begin, depth)
            kind = _KINDS[look[1] + look[2]]
            return self._look(
                Look(kind, inside, self._source[begin : self.position], self.place(begin, self.position))
            )
        before = self._flags
        if not self._group_head(begin):
            return EMPTY
        inside = self._inside(begin, depth)
        self._flags = before
        return inside

    def _group_head(self, begin: int) -> bool:
        """Whether there is a group: `(?i)` is none, and sets flags for what follows."""
        if not self._source.startswith("?", self.position):
            return True
        head = _GROUP.match(self._source, self.position)
        if head is None:
            raise self.refusal(
                f"{self._source[begin : begin + 4]} begins a kind of group that can't be had here",
                begin,
                begin + 2,
                advice="groups are (...), (?:...), (?<name>...) and (?i:...)",
            )
        self.position = head.end()
        for flag in (head[2] or "") + (head[3] or ""):
            self.check_flag(flag, begin)
        self._flags = (self._flags | set(head[2] or "")) - set(head[3] or "")
        return head[4] != ")"

    def _inside(self, begin: int, depth: int) -> Expression:
        inside = self.alternatives(depth + 1)
        if not self._next(")"):
            raise self.refusal(
                "a ( is opened here and never closed", begin, advice="write \\( for the character"
            )
        return inside

    def _remark(self, begin: int) -> Expression:
        end = self._source.find(")", self.position)
        if end < 0:
            raise self.refusal("a remark is opened here and never closed", begin, begin + 3)
        self.position = end + 1
        return EMPTY

    def _look(self, look: Look) -> Expression:
        return look.enter(self.looks)

    # Characters

    def _literal(self, character: str) -> Expression:
        ignore_case = "i" in self._flags and has_case(character)
        return Literal(character, ignore_case, self.place(self.position - 1))

    def _any(self) -> Expression:
        return ANY_CHARACTER if "s" in self._flags else CharacterSet(((10, 10),), negated=True)

    def _escaped_text(self) -> Expression:
        """Any text in which a backslash takes the character after it along, as little as lets the rest match."""
        line_end: Ranges = () if "s" in self._flags else ((10, 10),)
        plain = CharacterSet(merged([*line_end, (0x5C, 0x5C)]), negated=True)
        return Repeat(choice([Sequence((Literal("\\"), self._any())), plain]), 0, None, lazy=True)

    def _escape(self) -> Expression:
        begin = self.position - 1
        letter = self._source[self.position : self.position + 1]
        if letter in _SETS:
            self.position += 1
            return self._set(*_SETS[letter], begin=begin)
        if letter == "W":
            self.position += 1
            return self._set(WORD, WORD_PROPERTIES, begin=begin, negated=True)
        if letter and letter in "pP":
            return self._set((), (self._property(begin),), begin=begin)
        if letter in _ANCHORS:
            self.position += 1
            return self._look(Look("edge", EMPTY, f"\\{letter}", self.place(begin, self.position)))
        code = self._character(begin)
        ignore_case = "i" in self._flags and has_case(chr(code))
        return Literal(chr(code), ignore_case, self.place(begin, self.position))

    def _character(self, begin: int) -> int:
        """The character that the escape after a backslash stands for."""
        rest = self._source[self.position : self.position + 1]
        code = _CODE.match(self._source, self.position)
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

    def _property(self, begin: int) -> str:
        found = _PROPERTY.match(self._source, self.position)
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

    def _class(self) -> Expression:
        begin = self.position - 1
        negated = self._next("^")
        ranges: list[tuple[int, int]] = []
        properties: list[str] = []
        no_word = False
        first = True
        while first or not self._source.startswith("]", self.position):
            first = False
            if self.position >= len(self._source):
                raise self.refusal(
                    "a [ is opened here and never closed", begin, advice="write \\[ for the character"
                )
            no_word |= self._class_item(ranges, properties)
        self.position += 1
        if no_word:
            return self._without_word(merged(ranges), properties, negated=negated, begin=begin)
        return self._set(merged(ranges), properties, begin=begin, negated=negated)

    def _class_item(self, ranges: list[tuple[int, int]], properties: list[str]) -> bool:
        """Adds one item of a class. True for `\\W`, which is none."""
        begin = self.position
        posix = _POSIX.match(self._source, begin)
        if posix and posix[2] in POSIX:
            self.position = posix.end()
            ranges.extend(inverted(POSIX[posix[2]]) if posix[1] else POSIX[posix[2]])
            return False
        letter = self._source[begin + 1 : begin + 2] if self._source[begin] == "\\" else ""
        if letter in _SETS or letter == "W":
            self.position += 2
            more_ranges, more_properties = _SETS.get(letter, ((), ()))
            ranges.extend(more_ranges)
            properties.extend(more_properties)
            return letter == "W"
        if letter and letter in "pP":
            self.position += 1
            properties.append(self._property(begin))
            return False
        ranges.append(self._range(begin))
        return False

    def _range(self, begin: int) -> tuple[int, int]:
        """`a`, or `a-z`. A hyphen that ends the class is one."""
        first = self._class_character()
        rest = self._source[self.position : self.position + 3]
        if rest[:1] != "-" or rest[1:2] in ("]", "") or (rest[1:2] == "\\" and rest[2:3] in _SETS):
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
        character = self._source[self.position]
        self.position += 1
        if character != "\\":
            return ord(character)
        if self._next("b"):
            return 8
        return self._character(self.position - 1)

    def _set(
        self, ranges: Ranges, properties: Iterable[str], *, begin: int, negated: bool = False
    ) -> Expression:
        names = tuple(dict.fromkeys(properties))
        if "i" in self._flags:
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
        """A class that holds `\\W`: no union of ranges and properties, so it stays text."""
        members = "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in ranges)
        members += "".join(
            f"\\P{{{name[1:]}}}" if name[0] == "^" else f"\\p{{{name}}}" for name in properties
        )
        text = f"[{'^' if negated else ''}\\W{members}]"
        return Pattern(f"(?i:{text})" if "i" in self._flags else text, self.place(begin, self.position))

    # Places

    def _next(self, text: str) -> bool:
        """Whether `text` comes next; it is passed over then."""
        found = self._source.startswith(text, self.position)
        self.position += len(text) if found else 0
        return found

    def _skip_layout(self) -> None:
        """Blanks and remarks, where the flag x makes them mean nothing."""
        while "x" in self._flags and self._source[self.position : self.position + 1] in (*" \t\n\r\f\v", "#"):
            if self.position >= len(self._source):
                return
            end = (
                self._source.find("\n", self.position)
                if self._source[self.position] == "#"
                else self.position
            )
            self.position = len(self._source) if end < 0 else end + 1

    def check_flag(self, flag: str, begin: int) -> None:
        """Raises GrammarError for a flag that can't be had."""
        if flag not in _FLAGS:
            raise self.refusal(
                f"there is no flag {flag!r}", begin, advice=f"flags are {', '.join(sorted(_FLAGS))}"
            )

    def place(self, begin: int, end: int | None = None) -> Span | None:
        """Where characters of the pattern stand in the file."""
        if self._span is None:
            return None
        first = self._moved(begin)
        return Span(*first, *self._moved(begin + 1 if end is None else end))

    def _moved(self, offset: int) -> tuple[int, int]:
        assert self._span is not None
        text = self._source[:offset]
        ends = text.count("\n")
        column = len(text) - text.rfind("\n") if ends else self._span.column + len(text)
        return self._span.line + ends, column

    def refusal(self, message: str, begin: int, end: int | None = None, *, advice: str = "") -> GrammarError:
        """An error to raise, at these characters of the pattern."""
        place = "" if self._span else f" (at character {begin + 1} of the pattern)"
        return GrammarError(
            [Diagnostic("error", "regex", f"{message}{place}", advice, self.place(begin, end))]
        )


def _joined(items: list[Expression]) -> list[Expression]:
    """The items with literals that stand side by side as one."""
    joined: list[Expression] = []
    for item in items:
        before = joined[-1] if joined else None
        if isinstance(item, Literal) and isinstance(before, Literal) and _alike(before, item):
            span = (
                before.span
                and item.span
                and replace(before.span, end_line=item.span.end_line, end_column=item.span.end_column)
            )
            joined[-1] = Literal(before.text + item.text, before.ignore_case or item.ignore_case, span)
        elif item != EMPTY:
            joined.append(item)
    return joined


def _alike(one: Literal, other: Literal) -> bool:
    """Whether both can be one literal: the same in case, or one of them has none."""
    return one.ignore_case == other.ignore_case or not has_case(one.text) or not has_case(other.text)
