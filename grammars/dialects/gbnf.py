"""GBNF, the grammars of llama.cpp (its grammars/README.md): no lexer, white space where the author wrote it.

A line's end ends a rule, but not inside parentheses, after `::=` or beside a `|`. More than llama.cpp takes: a `|` that
begins a line, names with `_` or letters of any language, `{,n}`. Less: token literals `<[1000]>`, `<think>`, which are
ids of one model's vocabulary.
"""

from __future__ import annotations

import re
from typing import Any, Final

from lark import Token, Transformer, v_args

from grammars.diagnostics import Diagnostic
from grammars.dialects.reading import (
    Definition,
    Dialect,
    Reading,
    code_point,
    collected,
    prepared,
    read_definitions,
    refusal,
    repeated,
    span_of,
)
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    Annotations,
    Expression,
    Literal,
    Reference,
    choice,
    sequence,
)
from grammars.regex_reader import read_regex

_SYNTAX: Final = r"""
start: _NL? (rule (_NL rule)* _NL?)?
rule: NAME _DEFINES _NL? body
body: row (_BAR _NL? row)*
row: item*
nested: _NL? nested_row (_BAR _NL? nested_row)* -> body
nested_row: (item _NL?)* -> row
?item: atom
     | atom (SUFFIX | COUNT) -> repeated
?atom: NAME -> name
     | STRING -> literal
     | CLASS -> character_class
     | ANY -> any_character
     | TOKEN -> token
     | _OPEN nested _CLOSE -> group
NAME: /\w[\w-]*/
_DEFINES: "::="
_BAR: "|"
STRING: /"(?:\\.|[^"\\\n])*"/
CLASS: /\[(?:\\.|[^\]\\\n])*\]/
ANY: "."
TOKEN: /!?<[^<>\n]+>/
SUFFIX: /[*+?]/
COUNT: /\{[ \t]*(?=,?[ \t]*\d)\d*[ \t]*(?:,[ \t]*\d*[ \t]*)?\}/
_OPEN: "("
_CLOSE: ")"
_NL: /\n(?:\s|#[^\n]*)*/
%ignore /[ \t]+/
%ignore /#[^\n]*/
BEFORE_BAR.2: /\s(?:\s|#[^\n]*\n)*(?=\|)/
%ignore BEFORE_BAR
"""
_WORDS: Final = {
    "NAME": "a name",
    "_DEFINES": "'::='",
    "STRING": "a literal in double quotes",
    "CLASS": "a class of characters [...]",
    "_BAR": "'|'",
    "_CLOSE": "')'",
    "_NL": "the end of the line",
    "_OPEN": "'('",
    "ANY": "'.'",
    "TOKEN": "a token",
    "SUFFIX": "'*', '+' or '?'",
    "COUNT": "'{m,n}'",
    "$END": "the end of the file",
}
_HINTS: Final = (
    (r"\s*\n", "a rule ends with its line; put what goes on on the next line into ( ), or after '|'"),
    (r"'", "write literals in double quotes"),
    (
        r"::=",
        "begin each rule on a line of its own; go on with a rule on the next line inside ( ) or after '|'",
    ),
    (r"[*+?{]", "a repetition stands after what it repeats"),
    (r"[\w-]+[ \t]*(?:=|:|:=)(?!:)", "write '::=' between a rule's name and what it stands for"),
    (r"(?:=|:|:=)\s", "write '::=' between a rule's name and what it stands for"),
    (r"(?:;|//)", "comments begin with '#'; a rule ends with its line"),
)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([nrt\\\"\[\]'/])|(.))"
)
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t"}


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """What each construct is in the form."""

    def start(self, *rules: Definition) -> tuple[Definition, ...]:
        return rules

    def rule(self, name: Token, body: Expression) -> Definition:
        return Definition(str(name), body, span_of(name))

    def body(self, *rows: Expression) -> Expression:
        return choice(rows)

    def row(self, *items: Expression) -> Expression:
        return sequence(items)

    def group(self, body: Expression) -> Expression:
        return body

    def repeated(self, item: Expression, sign: Token) -> Expression:
        return repeated(item, sign)

    def name(self, name: Token) -> Expression:
        return Reference(str(name), span_of(name))

    def literal(self, string: Token) -> Expression:
        text = _ESCAPE.sub(lambda found: _escaped(string, found), string[1:-1])
        return Literal(text, span=span_of(string)) if text else EMPTY

    def character_class(self, text: Token) -> Expression:
        return read_regex(str(text), span_of(text))

    def any_character(self, _dot: Token) -> Expression:
        return ANY_CHARACTER

    def token(self, token: Token) -> Expression:
        raise refusal(
            f"{token} is a token of one model's vocabulary, which a grammar of text can't hold",
            span=span_of(token),
            code="unsupported",
            advice="write the token's text as a literal in double quotes",
        )


def _escaped(string: Token, found: re.Match[str]) -> str:
    span = span_of(string, found.start() + 1, found.end() + 1)
    if found[5]:
        raise refusal(
            f"there is no escape {found[0]}",
            span=span,
            advice=r"escapes are \n \r \t \\ \" \xHH \uHHHH and \UHHHHHHHH",
        )
    if found[4]:
        return _CONTROL.get(found[4], found[4])
    return chr(code_point(found[1] or found[2] or found[3], 16, span))


_DIALECT: Final = Dialect(
    name="gbnf",
    title="GBNF",
    syntax=_SYNTAX,
    builder=_Builder(),
    words=_WORDS,
    brackets={"_OPEN": "_CLOSE"},
    unclosed={'"': "a literal", "[": "a class of characters"},
    hints=_HINTS,
)


def read(text: str, annotations: Annotations) -> Reading:
    """A GBNF file in the form; it starts at `root`. Raises GrammarError at the first mistake."""
    definitions = read_definitions(_DIALECT, prepared(text))
    rooted = any(one.name == "root" for one in definitions)
    reading = collected(_DIALECT, definitions, annotations, start="root" if rooted else "")
    if rooted or annotations.start:
        return reading
    grammar = reading.grammar
    no_root = Diagnostic(
        "warning",
        "no-root",
        f"there is no rule root, where GBNF starts; {grammar.start} is taken, the first one",
        "call the first rule root, or name another in a comment: # @start NAME",
        grammar.rules[grammar.start].span,
    )
    return Reading(grammar, (*reading.diagnostics, no_root))
