"""Lark's notation as a lark grammar, and what its statements and expressions are.

More than Lark takes: line ends inside brackets, names with letters of any language, and what llguidance adds to the
notation as far as the form can hold it (`{m,n}`, `& ~`, `~A`, `[capture]`).
"""

from __future__ import annotations

import re
from typing import Any, Final

from lark import Token, Transformer, v_args

from grammars.diagnostics import Diagnostic, Span
from grammars.dialects.lark_statements import (
    Declare,
    Head,
    Ignore,
    Import,
    InlineTerminal,
    Override,
    Statement,
    Template,
    TemplateUse,
    is_terminal,
)
from grammars.dialects.reading import (
    Definition,
    Dialect,
    character_range,
    code_point,
    counted,
    refusal,
    repeated,
    span_of,
)
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from grammars.regex_reader import read_regex

_SYNTAX: Final = r"""
start: _NL? (statement (_NL statement)* _NL?)?
?statement: head _COLON body -> rule
          | _EXTEND head _COLON body -> extension
          | _OVERRIDE head _COLON body -> override
          | _IGNORE body -> ignore
          | _IMPORT PATH (_ARROW NAME)? -> import_one
          | _IMPORT PATH _OPEN _NL? NAME (_COMMA _NL? NAME)* _NL? _CLOSE -> import_several
          | _DECLARE NAME+ -> declare
          | OPTIONS -> options
head: MODIFIER? NAME parameters? PRIORITY? ATTRIBUTES?
parameters: _BRACE NAME (_COMMA NAME)* _CLOSE_BRACE
body: alternative (_BAR _NL? alternative)*
alternative: conjunction (_ARROW NAME)?
conjunction: row (_AND row)*
row: item*
nested: _NL? nested_alternative (_BAR _NL? nested_alternative)* -> body
nested_alternative: nested_conjunction (_ARROW NAME _NL?)? -> alternative
nested_conjunction: nested_row (_AND _NL? nested_row)* -> conjunction
nested_row: (item _NL?)* -> row
?item: expression
     | _NOT expression -> complement
?expression: atom
           | atom (SUFFIX | COUNT) -> repeated
           | atom TIMES -> times
?atom: NAME -> name
     | STRING -> literal
     | STRING _DOTS STRING -> character_range
     | REGEX -> regex
     | TOKEN -> token
     | NESTED -> nested_grammar
     | NAME _BRACE arguments _CLOSE_BRACE -> template_use
     | _OPEN nested _CLOSE -> group
     | _OPEN_OPTIONAL nested _CLOSE_OPTIONAL -> optional
arguments: _NL? item _NL? (_COMMA _NL? item _NL?)*
MODIFIER: /[?!]+/
NAME: /[^\W\d]\w*/
PATH: /\.*\w+(?:\.\w+)*/
PRIORITY: /\.-?\d+/
ATTRIBUTES: /\[(?:"(?:\\.|[^"\\\n])*"|[^\]"\n])*\]/
_COLON: ":"
_BAR: "|"
_ARROW: "->"
_COMMA: ","
_AND: "&"
_NOT: "~"
_DOTS: ".."
TIMES.2: /~[ \t]*\d+(?:[ \t]*\.\.[ \t]*\d+)?/
COUNT.2: /\{[ \t]*(?=,?[ \t]*\d)\d*[ \t]*(?:,[ \t]*\d*[ \t]*)?\}/
_BRACE: "{"
_CLOSE_BRACE: "}"
_OPEN: "("
_CLOSE: ")"
_OPEN_OPTIONAL: "["
_CLOSE_OPTIONAL: "]"
SUFFIX: /[*+?]/
STRING: /"(?:\\.|[^"\\\n])*"i?/
REGEX: /\/(?![\/*])(?:\\.|\[\^?\]?(?:\\.|[^\]\\\n])*\]|[^\/\\\n\[])+\/[a-z]*/
TOKEN: /<[|\[]?[^<>\n]+>|@[\w-]+/
NESTED: /%(?:json|regex|lark)\b[^\n]*/
OPTIONS: /%llguidance[ \t]*\{[^{}]*\}/
_EXTEND: "%extend"
_OVERRIDE: "%override"
_IGNORE: "%ignore"
_IMPORT: "%import"
_DECLARE: "%declare"
_NL: /\n(?:\s|(?:#|\/\/)[^\n]*)*/
%ignore /[ \t\f]+/
%ignore /(?:#|\/\/)[^\n]*/
%ignore /\\[ ]*\n/
BEFORE_BAR.2: /\s(?:\s|(?:#|\/\/)[^\n]*\n)*(?=\|)/
%ignore BEFORE_BAR
"""
_WORDS: Final = {
    "NAME": "a name",
    "_COLON": "':'",
    "STRING": "a literal in double quotes",
    "REGEX": "a /regular expression/",
    "_BAR": "'|'",
    "_CLOSE": "')'",
    "_CLOSE_OPTIONAL": "']'",
    "_CLOSE_BRACE": "'}'",
    "_NL": "the end of the line",
    "_OPEN": "'('",
    "_OPEN_OPTIONAL": "'['",
    "PATH": "a name such as common.INT",
    "_COMMA": "','",
    "_ARROW": "'->'",
    "SUFFIX": "'*', '+' or '?'",
    "TIMES": "'~'",
    "COUNT": "'{m,n}'",
    "_DOTS": "'..'",
    "_BRACE": "'{'",
    "PRIORITY": "a priority",
    "ATTRIBUTES": "attributes",
    "_AND": "'&'",
    "_NOT": "'~'",
    "MODIFIER": "'?' or '!'",
    "_IGNORE": "'%ignore'",
    "_IMPORT": "'%import'",
    "_DECLARE": "'%declare'",
    "_EXTEND": "'%extend'",
    "_OVERRIDE": "'%override'",
    "OPTIONS": "'%llguidance'",
    "TOKEN": "a token",
    "NESTED": "'%json'",
    "$END": "the end of the file",
}
_HINTS: Final = (
    (r"'", "write literals in double quotes"),
    (r"\s*\n", "a rule ends with its line; put what goes on on the next line into ( ), or after '|'"),
    (r":_", "rules with parameters (::) are not supported; write one rule for each case"),
    (r"=|::=|:=", "write ':' between a rule's name and what it stands for"),
    (r"%\w+", "the directives are %ignore, %import, %declare, %extend and %override"),
    (r":", "begin each rule on a line of its own"),
    (r";", "a rule ends with its line, without ';'"),
    (r"/", "a regular expression is closed by / on the same line; write \\/ for a slash in it"),
    (r"[*+?{~]", "a repetition stands after what it repeats"),
)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([nrtf\\\"])|([xuU]))"
)
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_HARMLESS: Final = re.compile(r"\[\s*(?:capture\s*(?:=\s*\"(?:\\.|[^\"\\])*\"\s*)?)?\]")
"""Attributes that do not change what a rule matches."""


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """What each construct is."""

    def start(self, *statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(one for several in statements for one in several)

    def rule(self, head: Head, body: Expression) -> tuple[Statement, ...]:
        name = head.name
        if head.parameters:
            return (Template(str(name), head.parameters, body, span_of(name)),)
        return (_definition(head, body),)

    def extension(self, head: Head, body: Expression) -> tuple[Statement, ...]:
        return (_definition(head, body, extends=True),)

    def override(self, head: Head, body: Expression) -> tuple[Statement, ...]:
        return (Override(_definition(head, body)),)

    def head(self, *parts: Token | tuple[str, ...]) -> Head:
        tokens = {part.type: part for part in parts if isinstance(part, Token)}
        attributes = tokens.get("ATTRIBUTES")
        if attributes is not None and not _HARMLESS.fullmatch(attributes):
            raise refusal(
                f"the attributes {attributes} are not supported",
                span=span_of(attributes),
                code="unsupported",
                advice="leave them out, and say in the rule itself what may match, as by .*? up to its end",
            )
        parameters = next((part for part in parts if not isinstance(part, Token)), ())
        return Head(tokens["NAME"], parameters, tokens.get("PRIORITY"))

    def ignore(self, body: Expression) -> tuple[Statement, ...]:
        return (Ignore(body),)

    def import_one(self, path: Token, alias: Token | None = None) -> tuple[Statement, ...]:
        library, _, name = path.rpartition(".")
        return (Import(library, name, str(alias or name), span_of(path)),)

    def import_several(self, path: Token, *names: Token) -> tuple[Statement, ...]:
        return tuple(Import(str(path), str(name), str(name), span_of(name)) for name in names)

    def declare(self, *names: Token) -> tuple[Statement, ...]:
        return tuple(Declare(str(name), span_of(name)) for name in names)

    def options(self, _options: Token) -> tuple[Statement, ...]:
        return ()

    def parameters(self, *names: Token) -> tuple[str, ...]:
        return tuple(map(str, names))

    def body(self, *alternatives: Expression) -> Expression:
        return choice(alternatives)

    def alternative(self, expression: Expression, _alias: Token | None = None) -> Expression:
        return expression

    def conjunction(self, *rows: Expression) -> Expression:
        """`A & ~B` is A without B; `~B` alone is what B does not match."""
        kept = [row for row in rows if not _is_complement(row)] or [rows[0]]
        if len(kept) > 1:
            raise refusal(
                "only '& ~' is supported: what has to match two patterns at once is not",
                code="unsupported",
                advice="write the pattern out, or leave one of the two to match less by '& ~'",
            )
        expression = kept[0]
        for row in rows:
            if row is not kept[0] and isinstance(row, Exclusion):
                expression = Exclusion(expression, row.excluded, row.span)
        return expression

    def row(self, *items: Expression) -> Expression:
        return sequence(items)

    def complement(self, item: Expression) -> Expression:
        return Exclusion(Repeat(ANY_CHARACTER, 0, None), item)

    def group(self, body: Expression) -> Expression:
        return body

    def optional(self, body: Expression) -> Expression:
        return optional(body)

    def repeated(self, item: Expression, sign: Token) -> Expression:
        return repeated(item, sign)

    def times(self, item: Expression, sign: Token) -> Expression:
        least, dots, most = sign[1:].partition("..")
        return counted(item, least.strip(), most.strip() if dots else least.strip(), span_of(sign))

    def name(self, name: Token) -> Expression:
        return Reference(str(name), span_of(name))

    def literal(self, string: Token) -> Expression:
        text = _text(string)
        return Literal(text, string.endswith("i"), span_of(string)) if text else EMPTY

    def character_range(self, first: Token, last: Token) -> Expression:
        for end in (first, last):
            if len(_text(end)) != 1 or end.endswith("i"):
                raise refusal(
                    f"a range goes from one character to another, and {end} is none",
                    span=span_of(end),
                    advice='write it as "a".."z"',
                )
        span = span_of(first)
        end_span = span_of(last)
        return character_range(
            ord(_text(first)),
            ord(_text(last)),
            Span(span.line, span.column, end_span.end_line, end_span.end_column),
        )

    def regex(self, token: Token) -> Expression:
        close = token.rindex("/")
        expression = read_regex(token[1:close], span_of(token, 1, close), token[close + 1 :])
        return InlineTerminal(str(token), span_of(token), expression)

    def template_use(self, name: Token, arguments: tuple[Expression, ...]) -> Expression:
        return TemplateUse(str(name), span_of(name), arguments)

    def arguments(self, *arguments: Expression) -> tuple[Expression, ...]:
        return arguments

    def token(self, token: Token) -> Expression:
        raise refusal(
            f"{token} is a token of one model's vocabulary or another grammar, which a grammar of text can't hold",
            span=span_of(token),
            code="unsupported",
            advice="write the text as a literal in double quotes",
        )

    def nested_grammar(self, token: Token) -> Expression:
        kind = token.split()[0]
        raise refusal(
            f"{kind} inside a grammar is not supported",
            span=span_of(token, 0, len(kind)),
            code="unsupported",
            advice="write out in rules what may stand there",
        )


def _is_complement(row: Expression) -> bool:
    return isinstance(row, Exclusion) and row.item == Repeat(ANY_CHARACTER, 0, None)


def _definition(head: Head, body: Expression, *, extends: bool = False) -> Definition:
    name, priority = head.name, head.priority
    notes = () if priority is None else (_dropped(name, priority),)
    return Definition(
        str(name), body, span_of(name), extends=extends, lexical=is_terminal(name), diagnostics=notes
    )


def _dropped(name: str, priority: Token) -> Diagnostic:
    return Diagnostic(
        "note",
        "priority",
        f"the priority {priority} of {name} is dropped: whatever may match is allowed",
        span=span_of(priority),
    )


def _text(string: Token) -> str:
    """The text of a literal. As in Lark, a backslash before anything but an escape's letter is one."""
    return _ESCAPE.sub(lambda found: _escaped(string, found), string[1 : string.rindex('"')])


def _escaped(string: Token, found: re.Match[str]) -> str:
    span = span_of(string, found.start() + 1, found.end() + 1)
    if found[5]:
        raise refusal(
            f"the escape {found[0]} lacks digits", span=span, advice=r"write \xHH, \uHHHH or \UHHHHHHHH"
        )
    if found[4]:
        return _CONTROL.get(found[4], found[4])
    return chr(code_point(found[1] or found[2] or found[3], 16, span))


DIALECT: Final = Dialect(
    name="lark",
    title="Lark",
    syntax=_SYNTAX,
    builder=_Builder(),
    words=_WORDS,
    brackets={"_OPEN": "_CLOSE", "_OPEN_OPTIONAL": "_CLOSE_OPTIONAL", "_BRACE": "_CLOSE_BRACE"},
    unclosed={'"': "a literal"},
    hints=_HINTS,
)
