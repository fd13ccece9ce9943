"""What an author adds for us in the comments of a grammar file: lines that begin with `@word` after the comment sign.

    ; @start query
    (* @token ident number *)
    // @comment /* */

The signs are those of every dialect's comments, and this module does not know which dialect the file is in: a line
counts if its first characters are a comment sign, or if it lies in a block comment that begins its line. An `@word`
outside comments (ANTLR4's `@header {...}`) is not ours. Whether the rules named here exist is found by a pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.form import Annotations

DIALECT_NAMES: Final = ("bnf", "ebnf", "w3c", "abnf", "gbnf", "lark", "antlr4")
"""What `@dialect` takes."""

BLANKS: Final = ("all", "line", "none")
"""What `@blanks` takes."""

INDENT_UNITS: Final = ("2", "3", "4", "8", "tab")
"""What `@indent` takes, if anything."""

USAGE: Final = {
    "dialect": "@dialect bnf",
    "name": "@name sql",
    "language": "@language sql mysql",
    "files": "@files *.sql *.ddl",
    "start": "@start query",
    "token": "@token ident number",
    "rule": "@rule range",
    "skip": "@skip ws comment",
    "comment": "@comment -- eol, or @comment /* */",
    "blanks": "@blanks all, @blanks line or @blanks none",
    "ignorecase": "@ignorecase",
    "reserved": "@reserved",
    "indent": "@indent, or @indent 4",
}
"""The words we know, with an example of each."""

_FLAGS: Final = frozenset({"ignorecase", "reserved"})
_OPTIONAL: Final = frozenset({"indent"})
"""Words with a value or without."""
_SINGLE: Final = frozenset({"dialect", "name", "start", "blanks", "indent"})
_RULE_NAMES: Final = frozenset({"start", "token", "rule", "skip"})

_DOCUMENTATION_TAGS: Final = frozenset(
    re.findall(
        r"\w+",
        "author brief copyright date deprecated example exception file fileoverview generated license link module "
        "note package param private protected public return returns see since summary throws todo type version",
    )
)
"""Words of other tools in comments: never a slip of the pen for one of ours."""

_ALIKE: Final = 0.75
"""From this similarity on, an unknown word is taken for a misspelt one of ours."""

_LINE_SIGNS: Final = (";", "#", "//", "--")
_BLOCK_SIGNS: Final = {"(*": "*)", "/*": "*/"}
_HEAD = re.compile(r"@([A-Za-z][\w-]*)(?=\s|$)[ \t]*")
_VALUE = re.compile(r'<([^<>]+)>|"([^"]+)"|(\S+)')


@dataclass(frozen=True, slots=True)
class _Line:
    """One annotation as it stands in the file."""

    word: str
    text: str
    """What follows the word, without blanks around it."""
    span: Span
    """From the @ to the end of the text."""
    text_column: int

    def span_of(self, start: int, end: int) -> Span:
        """The place of `text[start:end]`."""
        line = self.span.line
        return Span(line, self.text_column + start, line, self.text_column + end)


def read_annotations(text: str) -> Annotations:
    """The annotations in a grammar file of any dialect.

    Raises GrammarError, with every finding and its place, for words that look like misspelt ones of ours and for
    values that can't be.
    """
    reader = _Reader()
    for line in _lines(text):
        reader.take(line)
    if any(one.severity == "error" for one in reader.diagnostics):
        raise GrammarError(reader.diagnostics)
    return reader.annotations()


def annotation_notes(text: str) -> tuple[Diagnostic, ...]:
    """A note for each word in the comments that looks like an annotation and is none of ours."""
    return tuple(_unknown(line) for line in _lines(text) if line.word not in USAGE and not _alike(line.word))


class _Reader:
    """Collects annotations line by line."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._values: dict[str, list[str]] = {word: [] for word in USAGE}
        self._comments: list[tuple[str, str]] = []
        self._spans: dict[str, Span] = {}

    def take(self, line: _Line) -> None:
        """Take in one more line."""
        if line.word not in USAGE:
            if _alike(line.word):
                self.diagnostics.append(_unknown(line))
            return
        if line.word in _FLAGS or (line.word in _OPTIONAL and not line.text):
            self._flag(line)
        elif line.word == "comment":
            self._comment(line)
        else:
            self._names(line)
        self._spans.setdefault(line.word, line.span)

    def annotations(self) -> Annotations:
        """What was taken in."""
        one = {word: "".join(values[:1]) for word, values in self._values.items()}
        several = {word: tuple(dict.fromkeys(values)) for word, values in self._values.items()}
        return Annotations(
            dialect=one["dialect"],
            name=one["name"],
            languages=several["language"],
            globs=several["files"],
            start=one["start"],
            terminals=several["token"],
            rules=several["rule"],
            skip=several["skip"],
            line_comments=tuple(sign for sign, end in self._comments if end == "eol"),
            block_comments=tuple((sign, end) for sign, end in self._comments if end != "eol"),
            blanks=one["blanks"] or None,
            ignore_case="ignorecase" in self._spans,
            reserved="reserved" in self._spans,
            indent="indent" in self._spans,
            indent_unit=one["indent"],
            spans=self._spans,
        )

    def _flag(self, line: _Line) -> None:
        if line.text:
            self._malformed(line, f"@{line.word} takes no value, and has {line.text!r}", line.span)

    def _comment(self, line: _Line) -> None:
        signs = line.text.split()
        if len(signs) == 2:
            self._comments.append((signs[0], signs[1]))
        else:
            self._malformed(
                line, f"@comment takes two values, how a comment begins and how it ends, and has {len(signs)}"
            )

    def _names(self, line: _Line) -> None:
        matches = list(_VALUE.finditer(line.text))
        if not matches:
            self._malformed(line, f"@{line.word} needs a value")
        for match in matches:
            name, span = next(filter(None, match.groups())), line.span_of(*match.span())
            if name.startswith("@"):
                self._malformed(line, f"{name!r} stands among the values of @{line.word}", span)
                return
            self._name(line, name, span)

    def _name(self, line: _Line, name: str, span: Span) -> None:
        allowed = {"dialect": DIALECT_NAMES, "blanks": BLANKS, "indent": INDENT_UNITS}.get(line.word, ())
        before = self._values[line.word]
        if allowed and name not in allowed:
            self._malformed(line, f"@{line.word} can't be {name!r}: it is one of {', '.join(allowed)}", span)
        elif line.word in _SINGLE and before and before[0] != name:
            self._malformed(line, f"@{line.word} takes one value: {before[0]!r} is given already", span)
        else:
            before.append(name)
            self._spans.setdefault(f"{line.word} {name}", span)

    def _malformed(self, line: _Line, message: str, span: Span | None = None) -> None:
        advice = f"write it as in: {USAGE[line.word]}; one annotation a line"
        if line.word in _RULE_NAMES:
            advice += "; a name with spaces goes into <...>"
        self.diagnostics.append(
            Diagnostic("error", "malformed-annotation", message, advice, span or line.span)
        )


def _alike(word: str) -> str:
    """The word of ours that this one was probably meant to be; empty: none."""
    if word in _DOCUMENTATION_TAGS:
        return ""
    return "".join(get_close_matches(word.lower(), USAGE, n=1, cutoff=_ALIKE))


def _unknown(line: _Line) -> Diagnostic:
    meant = _alike(line.word)
    known = "the annotations are " + ", ".join(f"@{word}" for word in USAGE)
    return Diagnostic(
        "error" if meant else "note",
        "unknown-annotation",
        f"there is no annotation @{line.word}"
        if meant
        else f"@{line.word} is no annotation, and was passed over",
        f"did you mean @{meant}? {known}" if meant else known,
        line.span,
    )


def _lines(text: str) -> Iterator[_Line]:
    """The lines that begin with `@word` after their comment sign."""
    closing = ""
    for number, source in enumerate(text.split("\n"), start=1):
        line = source.rstrip()
        start = len(line) - len(line.lstrip(" \t\ufeff"))
        if not closing:
            sign = _sign(line, start)
            if not sign:
                continue
            start += len(sign)
            closing = _BLOCK_SIGNS.get(sign, "")
        end = _end(line, start, closing)
        found = _annotation(line if end < 0 else line[:end], start, number)
        if found:
            yield found
        if not closing or end >= 0:
            closing = ""


def _end(line: str, start: int, closing: str) -> int:
    """Where the block comment that `closing` closes ends in the line; -1: it does not. Comments may nest."""
    rest = line[start:]
    opening = next((sign for sign, end in _BLOCK_SIGNS.items() if end == closing), "")
    return line.rfind(closing, start) if opening and rest.count(closing) > rest.count(opening) else -1


def _sign(line: str, start: int) -> str:
    """The comment sign at `start`; empty: none."""
    return next((sign for sign in (*_BLOCK_SIGNS, *_LINE_SIGNS) if line.startswith(sign, start)), "")


def _annotation(line: str, start: int, number: int) -> _Line | None:
    """The annotation that is the first thing from `start` on, leading comment signs (`///`, ` * `) skipped."""
    while start < len(line) and line[start] in " \t*;#/-":
        start += 1
    head = _HEAD.match(line, start)
    if head is None:
        return None
    text = line[head.end() :].rstrip()
    span = Span(number, start + 1, number, head.end() + len(text) + 1)
    if not text:
        span = Span(number, start + 1, number, start + 2 + len(head[1]))
    return _Line(head[1], text, span, head.end() + 1)
