"""Regular expressions, as grammar files hold them, read into the form: so that the passes see what is in a terminal.

The syntax is what Python's `re` and Rust's `regex` have in common, and what only one of them has where the other
refuses it. What looks around is `grammars/regex_looks.py`; back-references, possessive repetition and the like have
no place in a grammar and are refused with their place in the pattern. Matching is not known here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from grammars.characters import WORD, WORD_PROPERTIES, Ranges, has_case, merged
from grammars.diagnostics import Span
from grammars.form import (
    EMPTY,
    CharacterSet,
    Expression,
    Literal,
    Repeat,
    Sequence,
    choice,
    sequence,
)
from grammars.lazy_escapes import in_order
from grammars.regex_characters import SETS, CharacterReader
from grammars.regex_looks import Kind, Look, settled

MAX_CHARACTERS: Final = 20_000
"""Of one pattern."""
MAX_NESTING: Final = 100
"""Of groups."""
MAX_COUNT: Final = 20_000
"""In `{m,n}`: a pattern is a terminal's, and that has no more parts (`passes/lexical.py`)."""

_QUANTIFIER = re.compile(r"([*+?]|\{(?=,?\d)(\d*)(,?)(\d*)\})([?+]?)")
_GROUP = re.compile(r"\?(?:P?<[A-Za-z_]\w*>|([a-z]*)(?:-([a-z]+))?(:|\)))")
_LOOK = re.compile(r"\?(<?)([=!])")
_ESCAPED_BEFORE_END = re.compile(r"\.\*\?\(\?<!\\\\\)\((?:\?:)?\\\\\\\\\)\*\??")
"""`.*?(?<!\\\\)(\\\\\\\\)*?`: how many write the inside of a string in which a backslash hides what follows it."""
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
    return settled(in_order(expression), reader.looks)


class _Reader(CharacterReader):
    """Goes through a pattern once, from the left."""

    def __init__(self, source: str, span: Span | None, flags: frozenset[str]) -> None:
        super().__init__(source, span, flags)
        self.looks: dict[str, Look] = {}

    def alternatives(self, depth: int) -> Expression:
        """Everything up to the ) that closes this group, or to the end."""
        flags = self.flags
        found = [self._sequence(depth)]
        while self.passed("|"):
            found.append(self._sequence(depth))
        self.flags = flags
        return choice(found)

    def _sequence(self, depth: int) -> Expression:
        items: list[Expression] = []
        while True:
            self.skip_layout()
            if self.position >= len(self.source) or self.source[self.position] in "|)":
                return sequence(_joined(items))
            items.append(self._repeated(self._item(depth)))

    def _item(self, depth: int) -> Expression:
        escaped = _ESCAPED_BEFORE_END.match(self.source, self.position)
        if escaped:
            self.position = escaped.end()
            return self._escaped_text()
        character = self.source[self.position]
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
                return self.character_class()
            case ".":
                return self.any_character()
            case "^" | "$":
                return self._look(Look("edge", EMPTY, character, self.place(self.position - 1)))
            case "\\":
                return self._escape()
            case _:
                return self.literal(character)

    def _repeated(self, item: Expression) -> Expression:
        self.skip_layout()
        found = _QUANTIFIER.match(self.source, self.position)
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
        self.skip_layout()
        again = _QUANTIFIER.match(self.source, self.position)
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
                f"{digits} repetitions are too many; written out, a terminal may have {MAX_COUNT:,} parts",
                found.start(group),
                advice="use smaller counts, or repeat without bound",
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
        if self.source.startswith("?#", self.position):
            return self._remark(begin)
        look = _LOOK.match(self.source, self.position)
        if look:
            self.position = look.end()
            inside = self._inside(begin, depth)
            kind = _KINDS[look[1] + look[2]]
            return self._look(
                Look(kind, inside, self.source[begin : self.position], self.place(begin, self.position))
            )
        before = self.flags
        if not self._group_head(begin):
            return EMPTY
        inside = self._inside(begin, depth)
        self.flags = before
        return inside

    def _group_head(self, begin: int) -> bool:
        """Whether there is a group: `(?i)` is none, and sets flags for what follows."""
        if not self.source.startswith("?", self.position):
            return True
        head = _GROUP.match(self.source, self.position)
        if head is None:
            raise self.refusal(
                f"{self.source[begin : begin + 4]} begins a kind of group that can't be had here",
                begin,
                begin + 2,
                advice="groups are (...), (?:...), (?<name>...) and (?i:...)",
            )
        self.position = head.end()
        for flag in (head[1] or "") + (head[2] or ""):
            self.check_flag(flag, begin)
        self.flags = (self.flags | set(head[1] or "")) - set(head[2] or "")
        return head[3] != ")"

    def _inside(self, begin: int, depth: int) -> Expression:
        inside = self.alternatives(depth + 1)
        if not self.passed(")"):
            raise self.refusal(
                "a ( is opened here and never closed", begin, advice="write \\( for the character"
            )
        return inside

    def _remark(self, begin: int) -> Expression:
        end = self.source.find(")", self.position)
        if end < 0:
            raise self.refusal("a remark is opened here and never closed", begin, begin + 3)
        self.position = end + 1
        return EMPTY

    def _look(self, look: Look) -> Expression:
        return look.enter(self.looks)

    def _escape(self) -> Expression:
        begin = self.position - 1
        letter = self.source[self.position : self.position + 1]
        if letter in SETS:
            self.position += 1
            return self.character_set(*SETS[letter], begin=begin)
        if letter == "W":
            self.position += 1
            return self.character_set(WORD, WORD_PROPERTIES, begin=begin, negated=True)
        if letter and letter in "pP":
            return self.character_set((), (self.property_escape(begin),), begin=begin)
        if letter in _ANCHORS:
            self.position += 1
            return self._look(Look("edge", EMPTY, f"\\{letter}", self.place(begin, self.position)))
        code = self.character_escape(begin)
        ignore_case = "i" in self.flags and has_case(chr(code))
        return Literal(chr(code), ignore_case, self.place(begin, self.position))

    def _escaped_text(self) -> Expression:
        """Any text in which a backslash takes the character after it along, as little as lets the rest match."""
        line_end: Ranges = () if "s" in self.flags else ((10, 10),)
        plain = CharacterSet(merged([*line_end, (0x5C, 0x5C)]), negated=True)
        return Repeat(choice([Sequence((Literal("\\"), self.any_character())), plain]), 0, None, lazy=True)


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
