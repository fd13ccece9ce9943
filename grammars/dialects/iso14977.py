"""ISO/IEC 14977 EBNF, and the EBNF of Wirth's and Go's kind that leaves its commas out.

- Rules: `name = a, b | c ;` with `;` or `.` at the end, `=`, `:=` or `::=` after the name, `|`, `/` or `!` between
  alternatives. Names may have blanks in them (on one line), and hyphens that touch on both sides.
- `[a]` or `(/a/)` optional, `{a}` or `(:a:)` repeated, `{a}-` one or more, `3 * a`, `a - b` exception, and by
  extension `a*`, `a+`, `a?` (touching what they follow) and ranges `"a" .. "z"`.
- Literals have no escapes: `"\\n"` is a backslash and an n, and a warning says so.
- `? special ?`: one of the phrases in `special_sequences.PHRASES`, a character or a range by number
  (`? U+0041-U+005A ?`), or else a regular expression, with slashes around it (`? /a?b/ ?`) where it has a question
  mark in it.
- Commas may be missing. Then `term factor` is two names if there is no rule `term factor`.
- Comments `(* *)`, nested.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from grammars.diagnostics import Diagnostic, Span
from grammars.dialects.reading import (
    Definition,
    Dialect,
    Reading,
    character_range,
    collected,
    counted,
    prepared,
    read_definitions,
    refusal,
    repeated,
    span_at,
    span_of,
    without_escapes,
)
from grammars.dialects.special_sequences import special_sequence
from grammars.form import (
    EMPTY,
    Annotations,
    CharacterSet,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    choice,
    mapped,
    optional,
    sequence,
)

_SYNTAX: Final = r"""
start: rule*
rule: NAME (_EQUALS | _ASSIGNS | _DEFINES) body (_SEMICOLON | _DOT)
body: alternative (_BAR alternative)*
alternative: [_items]
_items: item (_COMMA? item)*
?item: factor
     | factor MINUS -> one_or_more
     | factor MINUS factor -> exception
?factor: primary
       | INTEGER _TIMES primary -> times
?primary: atom
        | atom SUFFIX -> repeated
?atom: NAME -> name
     | STRING -> literal
     | STRING _DOTS STRING -> literal_range
     | SPECIAL -> special
     | _OPEN body _CLOSE -> group
     | _OPEN_OPTIONAL body _CLOSE_OPTIONAL -> optional
     | _OPEN_REPEATED body _CLOSE_REPEATED -> braces
NAME: /[^\W\d]\w*(?:-(?=\w)\w+|[ \t]+\w+)*/
STRING: /"[^"\n]*"|'[^'\n]*'/
SPECIAL: /\?\s*\/(?:\\.|[^\/\\\n])+\/\s*\?|\?[^?]*\?/
SUFFIX.2: /(?<=[\w)\]}"'])[*+?]/
INTEGER.2: /[0-9]+/
_OPEN: "("
_CLOSE: ")"
_OPEN_OPTIONAL: "[" | "(/"
_CLOSE_OPTIONAL: "]" | "/)"
_OPEN_REPEATED: "{" | "(:"
_CLOSE_REPEATED: "}" | ":)"
_EQUALS: "="
_ASSIGNS: ":="
_DEFINES: "::="
_SEMICOLON: ";"
_DOT: "."
_DOTS: /\.\.\.?|…/
_BAR: /[|!]|\/(?!\))/
_COMMA: ","
_TIMES: "*"
MINUS: "-"
%ignore /\s+/
"""
_WORDS: Final = {
    "NAME": "a name",
    "_EQUALS": "'='",
    "_COMMA": "','",
    "_SEMICOLON": "';'",
    "_BAR": "'|'",
    "STRING": "a literal in quotes",
    "SPECIAL": "a ? special sequence ?",
    "_TIMES": "'*'",
    "_CLOSE": "')'",
    "_CLOSE_OPTIONAL": "']'",
    "_CLOSE_REPEATED": "'}'",
    "_OPEN": "'('",
    "_OPEN_OPTIONAL": "'['",
    "_OPEN_REPEATED": "'{'",
    "INTEGER": "a number",
    "MINUS": "'-'",
    "SUFFIX": "'*', '+' or '?'",
    "_DOTS": "'..'",
    "_DOT": "'.'",
    "_ASSIGNS": "':='",
    "_DEFINES": "'::='",
    "$END": "the end of the file",
}
_HINTS: Final = (
    (r":?:?=|\Z", "the rule before this must end with ';'"),
    (r":", "write '=' between a rule's name and what it stands for"),
    (
        r"<",
        "names are written without angle brackets here; is this BNF? Then say so in a comment: @dialect bnf",
    ),
    (r"//|#|--|%", "comments are written (* like this *)"),
    (r"\\|/|\^", "a regular expression is written ? /like this/ ?"),
    (r"\+|\*", "what is repeated is written { in braces }"),
)
_SKIPPED: Final = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|\?[^?]*\?|\(\*(?!\))|,")
_COMMENT_SIGN: Final = re.compile(r"\(\*|\*\)")


def read(text: str, annotations: Annotations) -> Reading:
    """The grammar in an ISO 14977 file. Raises GrammarError for what can't be read."""
    plain, has_commas = without_comments(prepared(text))
    definitions = read_definitions(_DIALECT, plain)
    names = {one.name for one in definitions}
    longest = max((name.count(" ") + 1 for name in names), default=0)

    def apart(part: Expression) -> Expression:
        if not isinstance(part, Reference) or part.name in names or " " not in part.name:
            return part
        return _one_by_one(part, names, longest, everything=not has_commas)

    split = tuple(replace(one, expression=mapped(one.expression, apart)) for one in definitions)
    reading = collected(_DIALECT, split, annotations)
    notes = [
        *reading.diagnostics,
        *without_escapes(split, r"write ? /\n/ ? for a line end, ? /\t/ ? for a tab"),
    ]
    if split != definitions:
        notes.append(
            Diagnostic("note", "no-commas", "names with only blanks between them are read one after another")
        )
    return Reading(reading.grammar, tuple(notes))


def without_comments(text: str) -> tuple[str, bool]:
    """The text with blanks in place of its comments, and whether there is a comma. Raises GrammarError for one
    that is not closed."""
    pieces: list[str] = []
    kept, at, commas = 0, 0, False
    while found := _SKIPPED.search(text, at):
        at = found.end()
        commas |= found[0] == ","
        if found[0] != "(*":
            continue
        depth = 1
        while depth:
            sign = _COMMENT_SIGN.search(text, at)
            if sign is None:
                raise refusal(
                    "a comment is opened here and never closed",
                    span=span_at(text, found.start(), found.end()),
                    advice="close it by *); a comment inside a comment needs one of its own",
                )
            depth += 1 if sign[0] == "(*" else -1
            at = sign.end()
        pieces += (text[kept : found.start()], re.sub(r"[^\n]", " ", text[found.start() : at]))
        kept = at
    return "".join((*pieces, text[kept:])), commas


def _one_by_one(name: Reference, names: set[str], longest: int, *, everything: bool) -> Expression:
    """A name that is no rule as the names of rules, of at most `longest` words, that it is made of.

    Where it is not made of them altogether it stays, or with `everything` its other words are names of their own.
    """
    words = name.name.split(" ")
    span = cast(Span, name.span)
    found: list[Expression] = []
    at, column = 0, span.column
    while at < len(words):
        ends = range(min(at + longest, len(words)), at, -1)
        end = next((end for end in ends if " ".join(words[at:end]) in names), None)
        if end is None and not everything:
            return name
        end = end or at + 1
        one = " ".join(words[at:end])
        found.append(Reference(one, replace(span, column=column, end_column=column + len(one))))
        at, column = end, column + len(one) + 1
    return sequence(found)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """What each construct is in the form."""

    def start(self, *rules: Definition) -> tuple[Definition, ...]:
        return rules

    def rule(self, name: Token, body: Expression) -> Definition:
        return Definition(_name(name), body, span_of(name))

    def body(self, *alternatives: Expression) -> Expression:
        return choice(alternatives) if len(alternatives) > 1 else alternatives[0]

    def alternative(self, *items: Expression) -> Expression:
        return sequence(items)

    def one_or_more(self, item: Expression, minus: Token) -> Expression:
        match item:
            case Repeat(inner, 0, None):
                return Repeat(inner, 1, None)
            case Repeat(inner, 0, 1):
                return inner
            case _:
                return Exclusion(item, EMPTY, span_of(minus))

    def exception(self, item: Expression, minus: Token, excluded: Expression) -> Exclusion:
        return Exclusion(item, excluded, span_of(minus))

    def times(self, count: Token, item: Expression) -> Expression:
        return counted(item, count, count, span_of(count))

    def repeated(self, item: Expression, sign: Token) -> Expression:
        return repeated(item, sign)

    def name(self, token: Token) -> Reference:
        return Reference(_name(token), span_of(token))

    def literal(self, token: Token) -> Expression:
        return Literal(token[1:-1], span=span_of(token)) if len(token) > 2 else EMPTY

    def literal_range(self, first: Token, last: Token) -> CharacterSet:
        for token in (first, last):
            if len(token) != 3:
                raise refusal(
                    f"a range goes from one character to another, and {token} is not one character",
                    span=span_of(token),
                    advice='write it like "a" .. "z"',
                )
        return character_range(ord(first[1]), ord(last[1]), span_of(first))

    def special(self, token: Token) -> Expression:
        return special_sequence(token[1:-1].strip(), span_of(token))

    def group(self, body: Expression) -> Expression:
        return body

    def optional(self, body: Expression) -> Expression:
        return optional(body)

    def braces(self, body: Expression) -> Expression:
        return Repeat(body, 0, None)


def _name(token: Token) -> str:
    return " ".join(token.split())


_DIALECT: Final = Dialect(
    name="ebnf",
    title="EBNF",
    syntax=_SYNTAX,
    builder=_Builder(),
    words=_WORDS,
    brackets={"_OPEN": "_CLOSE", "_OPEN_OPTIONAL": "_CLOSE_OPTIONAL", "_OPEN_REPEATED": "_CLOSE_REPEATED"},
    ends=frozenset({"$END", "_SEMICOLON", "_DOT", "_EQUALS", "_ASSIGNS", "_DEFINES"}),
    unclosed={'"': "a literal", "'": "a literal", "?": "a special sequence"},
    hints=_HINTS,
)
