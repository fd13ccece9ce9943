"""The EBNF of the XML specification (W3C), as XPath, XQuery, SPARQL, Turtle and others use it.

- Rules: `[12] Name ::= ...` up to the next such head; the numbers are optional. `#` and `//` comments, `/* */`, and
  the notes `[ wfc: ... ]`, `[ vc: ... ]`, `[ ws: ... ]` are skipped.
- `/* ws: explicit */` after a rule makes a terminal of it, unless it is recursive: white space in it is then not free.
- Characters: `"text"` and `'text'` without escapes (`"\\"` is one backslash, and a warning says so of `"\\n"`), `#x20`,
  sets `[a-z#xB7]` and `[^<&]`, also without escapes; by extension `.` for any character.
- `A?`, `A*`, `A+`, `A - B`, groups, and by extension counts: `A{2}`, `A{2,}`, `A{2,4}`.
- Names may have hyphens, dots and colons in them where these touch on both sides.
"""

from __future__ import annotations

import re
from bisect import bisect
from contextlib import suppress
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from lark import Token, Transformer, v_args

from grammars.diagnostics import Span
from grammars.dialects.reading import (
    Definition,
    Dialect,
    Reading,
    character_range,
    code_point,
    collected,
    prepared,
    read_definitions,
    refusal,
    repeated,
    span_of,
    without_escapes,
)
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    Annotations,
    CharacterSet,
    Exclusion,
    Expression,
    Literal,
    Reference,
    choice,
    references,
    sequence,
)

_SYNTAX: Final = r"""
start: rule*
rule: HEAD body
body: alternative (_BAR alternative)*
alternative: term*
?term: factor
     | factor (MINUS factor)+ -> difference
?factor: atom
       | atom QUANTITY -> quantified
?atom: NAME -> name
     | STRING -> literal
     | CODE -> code
     | SET -> character_set
     | DOT -> any_character
     | _OPEN body _CLOSE -> group
HEAD.9: /(?:\[\d[\w.]*\]\s*)?[^\W\d]\w*(?:[.:-]\w+)*\s*::=/
NAME: /[^\W\d]\w*(?:[.:-]\w+)*/
STRING: /"[^"\n]*"|'[^'\n]*'/
CODE: /#x[0-9A-Fa-f]+/
SET: /\[\^?[^\]\n]+\]/
QUANTITY: /[?*+]|\{[ \t]*[0-9]+[ \t]*(?:,[ \t]*[0-9]*[ \t]*)?\}/
DOT: "."
MINUS: "-"
_BAR: "|"
_OPEN: "("
_CLOSE: ")"
NOTE.8: /\[\s*(?:wfc|vc|ws|nsc|gn|xgc|xgs)\s*:[^\]]*\]/i
COMMENT: /\/\*[^*]*\*+(?:[^\/*][^*]*\*+)*\/|\/\/[^\n]*|#(?!x[0-9A-Fa-f])[^\n]*/
%ignore NOTE
%ignore COMMENT
%ignore /\s+/
"""
_WORDS: Final = {
    "HEAD": "a rule ('Name ::=')",
    "NAME": "a name",
    "STRING": "a literal in quotes",
    "SET": "a set like [a-z]",
    "CODE": "a character like #x20",
    "_BAR": "'|'",
    "_CLOSE": "')'",
    "_OPEN": "'('",
    "MINUS": "'-'",
    "QUANTITY": "'?', '*' or '+'",
    "DOT": "'.'",
    "$END": "the end of the file",
}
_HINTS: Final = (
    (r"[^\W\d][\w.:-]*\s*(=|:|→|->)|=|:", "write '::=' between a rule's name and what it stands for"),
    (
        r"<",
        "names are written without angle brackets here; is this BNF? Then say so in a comment: @dialect bnf",
    ),
    (r"[,;]", "parts and rules follow one another without a sign between them; quote it if it is text"),
    (r"\{|\}", "what is repeated is written A* or (A B)*; quote the brace if it is text"),
    (r"\[|\]", "a set of characters is written [abc], a part that may be missing (A B)?"),
    (r"[?*+]", "a repetition sign stands once, after what it repeats; quote it if it is text"),
    (r"/", "alternatives are separated by '|'; quote the '/' if it is text"),
    (r"\\", "there are no escapes here: write #x5C for a backslash, #xA for a line end"),
    (r"\w", "a file begins with a rule: Name ::= ...; what stands before it must be a comment"),
)
_EXPLICIT: Final = re.compile(r"/\*\s*ws:\s*explicit\s*\*/")
_MEMBERS: Final = re.compile(r"(#x[0-9A-Fa-f]+|[\s\S])(?:-(#x[0-9A-Fa-f]+|[\s\S]))?")


def read(text: str, annotations: Annotations) -> Reading:
    """The grammar in a W3C EBNF file. Raises GrammarError for what can't be read."""
    text = prepared(text)
    definitions = _with_explicit(text, read_definitions(_DIALECT, text))
    reading = collected(_DIALECT, definitions, annotations)
    return Reading(
        reading.grammar,
        (
            *reading.diagnostics,
            *without_escapes(definitions, "write #xA for a line end, #x9 for a tab, #x5C for a backslash"),
        ),
    )


def _with_explicit(text: str, definitions: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """The definitions with those as terminals that have `/* ws: explicit */` after them and do not recur."""
    marked: set[int] = set()
    places = [one.span for one in definitions]
    lines = [0, *(found.end() for found in re.finditer("\n", text))]
    for found in _EXPLICIT.finditer(text):
        line = bisect(lines, found.start())
        mark = Span(line, found.start() - lines[line - 1] + 1, line, 0)
        marked.add(bisect(places, mark) - 1)
    finite = _finite(definitions)
    return tuple(
        replace(one, lexical=True) if index in marked and one.name in finite else one
        for index, one in enumerate(definitions)
    )


def _finite(definitions: tuple[Definition, ...]) -> set[str]:
    """The rules that are not recursive, nor made of any that are."""
    order: TopologicalSorter[str] = TopologicalSorter()
    for one in definitions:
        order.add(one.name, *(reference.name for reference in references(one.expression)))
    with suppress(CycleError):  # what no cycle blocks can be had all the same
        order.prepare()
    finite: set[str] = set()
    while ready := order.get_ready():
        finite.update(ready)
        order.done(*ready)
    return finite


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """What each construct is in the form."""

    def start(self, *rules: Definition) -> tuple[Definition, ...]:
        return rules

    def rule(self, head: Token, body: Expression) -> Definition:
        numbered = re.match(r"(?:\[[^\]]*\]\s*)?", head)
        begin = numbered.end() if numbered else 0
        end = len(head.removesuffix("::=").rstrip())
        return Definition(head[begin:end], body, span_of(head, begin, end))

    def body(self, *alternatives: Expression) -> Expression:
        return choice(alternatives) if len(alternatives) > 1 else alternatives[0]

    def alternative(self, *items: Expression) -> Expression:
        return sequence(items)

    def difference(self, item: Expression, minus: Token, *others: Any) -> Exclusion:
        excluded = others[::2]
        return Exclusion(item, choice(excluded) if len(excluded) > 1 else excluded[0], span_of(minus))

    def quantified(self, item: Expression, quantity: Token) -> Expression:
        return repeated(item, quantity)

    def name(self, token: Token) -> Reference:
        return Reference(str(token), span_of(token))

    def literal(self, token: Token) -> Expression:
        return Literal(token[1:-1], span=span_of(token)) if len(token) > 2 else EMPTY

    def code(self, token: Token) -> Literal:
        return Literal(chr(code_point(token[2:], 16, span_of(token))), span=span_of(token))

    def character_set(self, token: Token) -> CharacterSet:
        return _character_set(token)

    def any_character(self, token: Token) -> CharacterSet:
        return replace(ANY_CHARACTER, span=span_of(token))

    def group(self, body: Expression) -> Expression:
        return body


def _character_set(token: Token) -> CharacterSet:
    """The set between brackets. Raises GrammarError for a range that is empty, and for `[ A B ]`."""
    span = span_of(token)
    negated = token.startswith("[^")
    inside = token[2 if negated else 1 : -1]
    if len(inside) > 1 and inside[0] == inside[-1] == " ":
        raise refusal(
            f"{token} would be a set of single characters, the blank among them",
            span=span,
            advice="write (A B)? for a part that may be missing, or #x20 for a blank in a set",
        )
    ranges: list[tuple[int, int]] = []
    for found in _MEMBERS.finditer(inside):
        ends = [
            code_point(one[2:], 16, span) if len(one) > 2 else ord(one)
            for one in found.groups()
            if one is not None
        ]
        ranges.extend(character_range(ends[0], ends[-1], span).ranges)
    return CharacterSet(tuple(ranges), negated=negated, span=span)


_DIALECT: Final = Dialect(
    name="w3c",
    title="W3C EBNF",
    syntax=_SYNTAX,
    builder=_Builder(),
    words=_WORDS,
    brackets={"_OPEN": "_CLOSE"},
    unclosed={'"': "a literal", "'": "a literal", "/*": "a comment", "[": "a set of characters"},
    hints=_HINTS,
)
