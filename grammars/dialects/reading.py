"""What the readers of all dialects share: a lark parser built once, its errors in an author's words, rules collected.

A reader is a module with `read(text, annotations) -> Reading`. It describes its dialect by one `Dialect`, whose
builder (a lark transformer without state, called while the text is parsed) makes `Definition`s; `read_definitions`
and `collected` do the rest. Nothing here knows a dialect, and nothing is rewritten: the form keeps what was written.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, cast

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.lark import PostLex

from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.form import Annotations, CharacterSet, Expression, Grammar, Literal, Repeat, Rule, choice, walk

MAX_CHARACTERS: Final = 1_000_000
"""Of a grammar file."""
MAX_NESTING: Final = 100
"""Of brackets; the passes after this walk expressions by recursion."""
MAX_COUNT: Final = 50_000
"""The highest bound of a repetition: written out, a rule has no more parts (`passes/check.py`)."""
_MAX_NAMED: Final = 6
"""How many of the things that could have stood at a mistake are named."""
_FULL_WIDTH: Final = {
    chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not chr(code).isalnum()
}
LOOK_ALIKES: Final = _FULL_WIDTH | {
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "。": ".",
    "、": ",",
    "…": "..",
    "\u00a0": " ",
}
"""What input methods and word processors write in place of ASCII punctuation."""

_UNQUOTED: Final = re.compile(r"[^\n\"']*")
_ESCAPED_MEMBERS: Final = frozenset(((92, 92), (ord(one), ord(one))) for one in "nrtdws")
_ESCAPE: Final = re.compile(r"\\(?:[nrt]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Reading:
    """A grammar file, read: the grammar as written, and the warnings and notes on it."""

    grammar: Grammar
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """One place where a rule is defined."""

    name: str
    expression: Expression
    span: Span
    """The name."""
    extends: bool = False
    """Written to add alternatives to a rule (ABNF's `=/`): no mistake if the rule is there already."""
    lexical: bool | None = None
    fragment: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings on what is in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """What `read_definitions` has to know of a dialect."""

    name: str
    """As in `Grammar.dialect`."""
    title: str
    """For messages: "W3C EBNF"."""
    syntax: str
    """A lark grammar (LALR). Its `start` is what the builder's method of this name returns for: the definitions."""
    builder: Transformer[Token, Any]
    """Without state; its methods are called while the text is parsed, so there is no tree and no recursion."""
    words: Mapping[str, str]
    """lark terminal -> what messages call it, the most telling first."""
    brackets: Mapping[str, str] = field(default_factory=dict)
    """lark terminals that open -> those that close."""
    ends: frozenset[str] = frozenset({"$END", "HEAD"})
    """lark terminals that can only follow the end of a rule, or be it: what is open there was forgotten."""
    unclosed: Mapping[str, str] = field(default_factory=dict)
    """Text that opens something -> what it opens: '"' -> "a literal". Said where lark can't read on from it."""
    hints: tuple[tuple[str, str], ...] = ()
    """(regular expression, advice): the first that matches at a mistake gives the advice."""


def prepared(text: str) -> str:
    """The text without a byte order mark and with LF line ends. Raises GrammarError for NUL or above MAX_CHARACTERS."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_CHARACTERS:
        raise refusal(
            f"the file has {len(text):,} characters; a grammar may have {MAX_CHARACTERS:,}",
            code="too-large",
            advice="leave out what is not needed, or check that this is a grammar file at all",
        )
    nul = text.find("\0")
    if nul >= 0:
        raise refusal(
            "there is a NUL character in the file",
            span=span_at(text, nul, nul + 1),
            advice="save the grammar as UTF-8 text",
        )
    return text


def refusal(
    message: str, *, span: Span | None = None, code: str = "syntax", advice: str = ""
) -> GrammarError:
    """An error to raise."""
    return GrammarError([Diagnostic("error", code, message, advice, span)])


def read_definitions(dialect: Dialect, text: str) -> tuple[Definition, ...]:
    """The definitions in `text` (as `prepared` leaves it), in order. Raises GrammarError at the first mistake."""
    try:
        return cast(tuple[Definition, ...], _parser(dialect).parse(text))
    except UnexpectedInput as error:
        raise GrammarError([_explained(dialect, text, error)]) from error


def collected(
    dialect: Dialect,
    definitions: Iterable[Definition],
    annotations: Annotations,
    *,
    given: Mapping[str, Rule] | None = None,
    canonical: Callable[[str], str] = str,
    start: str = "",
    skip: tuple[str, ...] = (),
    explicit_lexer: bool = False,
) -> Reading:
    """The definitions as a grammar: those of one name are one rule, with a warning where that may be a mistake.

    `given` are rules that exist without being defined (they are not in the grammar by that: the reader passes the
    ones that are used), `canonical` spells the names in annotations as the dialect does, `start` is the dialect's
    own (else the annotation's, else the first rule). Raises GrammarError where nothing is defined.
    """
    written: dict[str, list[Definition]] = {}
    diagnostics: list[Diagnostic] = []
    for definition in definitions:
        diagnostics.extend(definition.diagnostics)
        earlier = written.setdefault(definition.name, [])
        if earlier and not definition.extends:
            diagnostics.append(_defined_again(definition, earlier[0]))
        earlier.append(definition)
    if not written:
        raise refusal(
            f"there is no rule in this {dialect.title} file",
            code="no-rules",
            advice=f"write at least one, or name another dialect in a comment: @dialect {dialect.name}",
        )
    annotations = _canonical(annotations, canonical)
    rules = {name: _merged(places) for name, places in written.items()}
    grammar = Grammar(
        dialect.name,
        {**rules, **{name: rule for name, rule in (given or {}).items() if name not in rules}},
        annotations.start or start or next(iter(rules)),
        annotations,
        skip=tuple(dict.fromkeys((*skip, *annotations.skip))),
        explicit_lexer=explicit_lexer,
    )
    return Reading(grammar, tuple(diagnostics))


def span_of(token: Token, begin: int = 0, end: int | None = None) -> Span:
    """Where the token stands in the file, or its characters `begin` to `end` do."""
    line, column = cast(int, token.line), cast(int, token.column)
    first = _moved(line, column, token[:begin])
    return Span(*first, *_moved(*first, token[begin:end]))


def span_at(text: str, begin: int, end: int) -> Span:
    """Where the characters `begin` to `end` of a text stand."""
    first = _moved(1, 1, text[:begin])
    return Span(*first, *_moved(*first, text[begin:end]))


def code_point(digits: str, base: int, span: Span) -> int:
    """The character that a number names. Raises GrammarError for one that Unicode does not have."""
    code = int(digits, base) if len(digits) <= 32 else -1
    if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise refusal(
            f"there is no character with the number {digits}",
            span=span,
            advice="characters go from 0 to 10FFFF (hexadecimal), without D800 to DFFF",
        )
    return code


def character_range(first: int, last: int, span: Span) -> CharacterSet:
    """One character from `first` to `last`. Raises GrammarError if the range is empty."""
    if first > last:
        raise refusal(
            f"a range from {chr(first)!r} down to {chr(last)!r} has no character in it",
            span=span,
            advice="write the lower character first",
        )
    return CharacterSet(((first, last),), span=span)


def repeated(item: Expression, sign: Token) -> Repeat:
    """The item as often as `?`, `*`, `+`, `{2}`, `{2,}`, `{,4}` or `{2,4}` says. Raises GrammarError as `counted`."""
    if not sign.startswith("{"):
        return Repeat(item, int(sign == "+"), 1 if sign == "?" else None)
    least, comma, most = sign[1:-1].replace(" ", "").replace("\t", "").partition(",")
    return counted(item, least, most if comma else least, span_of(sign))


def counted(item: Expression, least: str, most: str, span: Span) -> Repeat:
    """The item `least` to `most` times, in decimal digits; empty: from none, without bound.

    Raises GrammarError above MAX_COUNT, and where `most` is below `least`.
    """
    for one in (least, most):
        if len(one.lstrip("0")) >= len(str(MAX_COUNT)) and int(one[:20]) > MAX_COUNT:
            raise refusal(
                f"{one[:20]} repetitions are too many; a rule may have {MAX_COUNT:,} parts, its counts written out",
                span=span,
                advice="use smaller counts, or repeat without bound",
            )
    bounds = int(least or "0"), int(most) if most else None
    if bounds[1] is not None and bounds[0] > bounds[1]:
        raise refusal(
            f"at least {bounds[0]} and at most {bounds[1]} times is never",
            span=span,
            advice="swap the bounds",
        )
    return Repeat(item, *bounds)


def without_escapes(definitions: Iterable[Definition], advice: str) -> Iterator[Diagnostic]:
    """A warning for every literal that seems to have an escape in it, for dialects that have none."""
    for definition in definitions:
        for one in walk(definition.expression):
            if isinstance(one, Literal) and _ESCAPE.search(one.text):
                yield _no_escape(f"the backslash in {one.text}", advice, one.span)
            elif isinstance(one, CharacterSet) and any(
                pair in _ESCAPED_MEMBERS for pair in itertools.pairwise(one.ranges)
            ):
                yield _no_escape("the backslash in this set", advice, one.span)


def _no_escape(what: str, advice: str, span: Span | None) -> Diagnostic:
    return Diagnostic(
        "warning", "no-escapes", f"there are no escapes here: {what} stands for itself", advice, span
    )


@cache
def _parser(dialect: Dialect) -> Lark:
    return Lark(
        dialect.syntax,
        parser="lalr",
        transformer=dialect.builder,
        postlex=_NestingLimit(dialect.brackets),
        maybe_placeholders=False,
    )


class _NestingLimit(PostLex):
    """Lets tokens through, and refuses brackets nested too deep for what recurses over them."""

    def __init__(self, brackets: Mapping[str, str]) -> None:
        self._opening = frozenset(brackets)
        self._closing = frozenset(brackets.values())

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        depth = 0
        for token in stream:
            depth += (token.type in self._opening) - (token.type in self._closing)
            if depth > MAX_NESTING:
                raise refusal(
                    f"brackets are nested more than {MAX_NESTING} deep",
                    span=span_of(token),
                    code="too-deep",
                    advice="give the inner part a rule of its own",
                )
            yield token


def _explained(dialect: Dialect, text: str, error: UnexpectedInput) -> Diagnostic:
    """lark's error as a Diagnostic of code "syntax"."""
    kind = error.token.type if isinstance(error, UnexpectedToken) else ""
    if isinstance(error, UnexpectedToken) and kind == "$END":
        line, column = cast(int, error.token.end_line), cast(int, error.token.end_column)
        span, begin, found = Span(line, column, line, column), len(text), "the end of the file"
    else:
        begin = cast(int, error.pos_in_stream)
        for opener, what in dialect.unclosed.items():
            # a token that begins as a comment does is none: a closed comment is skipped
            if text.startswith(opener, begin) and (not kind or what == "a comment"):
                return _never_closed(what, opener, span_at(text, begin, begin + len(opener)))
        one = error.token if isinstance(error, UnexpectedToken) else text[begin]
        span, found = span_at(text, begin, begin + len(one)), _shown(one)
    parser = cast(Any, error).interactive_parser
    accepted: set[str] = parser.accepts()
    expected = _listed([words for terminal, words in dialect.words.items() if terminal in accepted])
    open_here = [
        one
        for one in parser.parser_state.value_stack
        if isinstance(one, Token) and dialect.brackets.get(one.type) in accepted
    ]
    return Diagnostic(
        "error",
        "syntax",
        f"{dialect.title}: expected {expected}, found {found}",
        _advice(dialect, text, begin, kind, open_here),
        span,
    )


def _never_closed(what: str, opener: str, span: Span) -> Diagnostic:
    quoted = opener[-1] in "\"'"
    advice = "close it before the line ends" if quoted else f"close it, or quote the {opener} if it is text"
    return Diagnostic("error", "syntax", f"{what} is opened here and never closed", advice, span)


def _advice(dialect: Dialect, text: str, begin: int, kind: str, open_here: list[Token]) -> str:
    """What the author may have meant at the mistake at offset `begin`: a token of this kind ("": none at all),
    where these brackets are open."""
    line = _UNQUOTED.match(text, begin)
    wide = next((one for one in line[0] if one in LOOK_ALIKES), None) if line else None
    if wide is not None:
        return (
            f"type the ASCII {LOOK_ALIKES[wide]!r} in place of {wide!r}, or quote it if it is meant as text"
        )
    closes = kind in dialect.brackets.values()
    if open_here and (closes or kind in dialect.ends):
        opener = open_here[-1]
        return f"the {opener} at line {opener.line}, column {opener.column} is still open"
    if closes:
        return "nothing is open here that this could close; quote it if it is text"
    return next((advice for pattern, advice in dialect.hints if re.compile(pattern).match(text, begin)), "")


def _listed(expected: list[str]) -> str:
    """ "a, b or c" for messages; the dialects name every terminal, so there is always one."""
    unique = list(dict.fromkeys(expected))
    if len(unique) > _MAX_NAMED:
        return ", ".join(unique[:_MAX_NAMED]) + " or other things"
    return " or ".join(filter(None, [", ".join(unique[:-1]), unique[-1]]))


def _shown(text: str) -> str:
    """What was found, for one line of a message."""
    line = " ".join(text.split()) or "a blank"
    return repr(line if len(line) <= 40 else line[:39] + "…")


def _defined_again(again: Definition, first: Definition) -> Diagnostic:
    return Diagnostic(
        "warning",
        "duplicate-rule",
        f"rule {again.name} is defined again here; it was first defined at line {first.span.line}, "
        f"column {first.span.column}",
        "both are taken together, as alternatives; rename one of them if they are different things",
        again.span,
    )


def _merged(places: list[Definition]) -> Rule:
    first = places[0]
    expression = choice([one.expression for one in places]) if len(places) > 1 else first.expression
    return Rule(first.name, expression, first.span, first.lexical, first.fragment)


def _canonical(annotations: Annotations, canonical: Callable[[str], str]) -> Annotations:
    """The annotations with their rule names spelt as the dialect's rules are."""
    return replace(
        annotations,
        start=canonical(annotations.start),
        terminals=tuple(map(canonical, annotations.terminals)),
        rules=tuple(map(canonical, annotations.rules)),
        skip=tuple(map(canonical, annotations.skip)),
    )


def _moved(line: int, column: int, text: str) -> tuple[int, int]:
    """The line and column after `text` that begins at these."""
    ends = text.count("\n")
    return (line + ends, len(text) - text.rfind("\n")) if ends else (line, column + len(text))
