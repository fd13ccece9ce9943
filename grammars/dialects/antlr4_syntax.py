"""ANTLR4's notation (its grammar of grammars, version 4.13) as a lark grammar, and what its statements are.

The text comes without code (`grammars/dialects/antlr4_actions.py`). Labels, arguments, return values, options of
alternatives and exception handlers only serve the code and are dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from lark import Token, Transformer, v_args

from grammars.diagnostics import Span
from grammars.dialects.reading import Definition, Dialect, character_range, code_point, refusal, span_of
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    Expression,
    Literal,
    Reference,
    Repeat,
    choice,
    sequence,
)
from grammars.regex_reader import read_regex

_SYNTAX: Final = r"""
start: statement*
?statement: _header
          | PREQUEL ";"? -> prequel
          | _AT (name _COLONS)? name ACTION -> nothing
          | _IMPORT name (_ASSIGN name)? (_COMMA name (_ASSIGN name)?)* _SEMICOLON -> imports
          | MODE name _SEMICOLON -> mode
          | rule
_header: header
header: KIND? _GRAMMAR name _SEMICOLON
rule: MODIFIER* TOKEN_NAME ruled _COLON rule_body _SEMICOLON handlers -> token_rule
    | MODIFIER* RULE_NAME ruled _COLON rule_body _SEMICOLON handlers -> parser_rule
ruled: (CLASS | _RETURNS CLASS | _LOCALS CLASS | _THROWS name (_COMMA name)* | PREQUEL | _AT name ACTION)*
handlers: (_CATCH CLASS ACTION)* (_FINALLY ACTION)?
rule_body: rule_alternative (_BAR rule_alternative)*
rule_alternative: alternative (_ARROW command (_COMMA command)*)?
command: RULE_NAME (_OPEN (TOKEN_NAME | RULE_NAME | NUMBER) _CLOSE)?
block: alternative (_BAR alternative)*
alternative: _OPTION? (element _OPTION?)* _LABEL?
?element: labelled
        | labelled SUFFIX -> repeated
        | ACTION -> nothing
        | PREDICATE -> nothing
?labelled: atom
         | name (_ASSIGN | _ADDS) atom -> label
?atom: single
     | _NOT single -> complement
     | _OPEN (PREQUEL? _COLON)? block _CLOSE -> group
     | _NOT _OPEN block _CLOSE -> complement
     | RULE_NAME CLASS? -> rule_reference
     | _DOT -> any_character
?single: TOKEN_NAME -> token_reference
       | STRING -> literal
       | STRING _DOTS STRING -> character_range
       | CLASS -> character_class
?name: TOKEN_NAME | RULE_NAME
TOKEN_NAME: /[A-Z]\w*/
RULE_NAME: /[^\W\dA-Z]\w*/
NUMBER: /\d+/
STRING: /'(?:\\.|[^'\\\n])*'/
CLASS: /\[(?:\\.|[^\]\\])*\]/
ACTION: /\{[^{}]*\}/
PREDICATE.2: /\{[^{}]*\}\?/
PREQUEL.3: /(?:options|tokens|channels)\s*\{[^{}]*\}/
SUFFIX: /[*+?]\??/
KIND.2: /(?:lexer|parser|tree)(?=\s+grammar\b)/
MODIFIER.2: /(?:fragment|public|private|protected)\b/
MODE.2: /mode(?=\s+\w+\s*;)/
_GRAMMAR: "grammar"
_IMPORT: "import"
_RETURNS: "returns"
_LOCALS: "locals"
_THROWS: "throws"
_CATCH: "catch"
_FINALLY: "finally"
_LABEL: /#\s*\w+/
_OPTION: /<[^<>]*>/
_ARROW: "->"
_ADDS.2: "+="
_ASSIGN: "="
_COLONS: "::"
_COLON: ":"
_SEMICOLON: ";"
_COMMA: ","
_BAR: "|"
_OPEN: "("
_CLOSE: ")"
_NOT: "~"
_DOTS: ".."
_DOT: "."
_AT: "@"
%ignore /\s+/
%ignore /\/\/[^\n]*/
%ignore /\/\*[^*]*\*+(?:[^\/*][^*]*\*+)*\//
"""

_WORDS: Final = {
    "TOKEN_NAME": "the name of a terminal",
    "RULE_NAME": "the name of a rule",
    "_COLON": "':'",
    "_SEMICOLON": "';'",
    "_BAR": "'|'",
    "_CLOSE": "')'",
    "STRING": "a literal in single quotes",
    "_OPEN": "'('",
    "CLASS": "[...]",
    "SUFFIX": "'*', '+' or '?'",
    "_DOT": "'.'",
    "_NOT": "'~'",
    "_ARROW": "'->'",
    "_GRAMMAR": "'grammar'",
    "PREQUEL": "'options {'",
    "_COMMA": "','",
    "_DOTS": "'..'",
    "NUMBER": "a number",
    "_ASSIGN": "'='",
    "_ADDS": "'+='",
    "_COLONS": "'::'",
    "_LABEL": "a label",
    "_OPTION": "an option in < >",
    "ACTION": "an action",
    "PREDICATE": "a predicate",
    "KIND": "'lexer' or 'parser'",
    "MODIFIER": "'fragment'",
    "MODE": "'mode'",
    "_AT": "'@'",
    "_IMPORT": "'import'",
    "_RETURNS": "'returns'",
    "_LOCALS": "'locals'",
    "_THROWS": "'throws'",
    "_CATCH": "'catch'",
    "_FINALLY": "'finally'",
    "$END": "the end of the file",
}
_HINTS: Final = (
    (r'"', "write literals in single quotes"),
    (r"::=|:=|=(?!>)", "write ':' between a rule's name and what it stands for"),
    (r"\w+\s*:(?!:)|:", "end what stands before with ';'"),
    (r"->", "commands stand at the end of an alternative of a terminal"),
    (r"[*+?]", "a repetition sign stands after what it repeats; quote it if it is text"),
    (r"[|)]", "close what is open first, or quote it if it is text"),
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,8})\}|([nrtbf\\'\"])|(.))")
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_NAMES: Final = re.compile(r"\w+")
_CASE: Final = re.compile(r"\bcaseInsensitive\s*=\s*(true|false)\b")


@dataclass(frozen=True, slots=True)
class Complement(Reference):
    """`~item`: one character that is not it, in a terminal; one terminal that is not it, in a rule."""

    item: Expression = EMPTY


@dataclass(frozen=True, slots=True)
class Header:
    """`grammar Name;`."""

    kind: str
    """"lexer", "parser", or empty for both in one."""
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Prequel:
    """`options {...}`, `tokens {...}` or `channels {...}`."""

    kind: str
    names: tuple[str, ...]
    ignore_case: bool | None
    span: Span


@dataclass(frozen=True, slots=True)
class Command:
    """`-> name(argument)`."""

    name: str
    argument: str
    span: Span


@dataclass(frozen=True, slots=True)
class RuleDefinition:
    """A rule, and what is said beside what it matches."""

    definition: Definition
    commands: tuple[Command, ...]
    ignore_case: bool | None


Commanded: TypeAlias = tuple[Expression, tuple[Command, ...]]
Statement: TypeAlias = Header | Prequel | RuleDefinition


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """What each construct is. Methods that drop something return the empty sequence or None."""

    def start(self, *statements: Statement | None) -> tuple[Statement, ...]:
        return tuple(one for one in statements if one is not None)

    def header(self, *parts: Token) -> Header:
        return Header(str(parts[0]) if len(parts) > 1 else "", str(parts[-1]), span_of(parts[-1]))

    def prequel(self, text: Token) -> Prequel:
        return _prequel(text)

    def imports(self, *names: Token) -> None:
        raise refusal(
            f"import of the grammar {names[0]} is not supported: a grammar is one file",
            span=span_of(names[0]),
            code="unsupported",
            advice=f"copy the rules of {names[0]} into this file",
        )

    def mode(self, word: Token, name: Token) -> None:
        raise refusal(
            f"the lexer mode {name} is not supported",
            span=span_of(word),
            code="unsupported",
            advice="write what is read in the mode as one terminal or as rules, and remove mode, pushMode and popMode",
        )

    def token_rule(self, *parts: Any) -> RuleDefinition:
        return _rule(parts, lexical=True)

    def parser_rule(self, *parts: Any) -> RuleDefinition:
        return _rule(parts, lexical=False)

    def ruled(self, *parts: Token) -> bool | None:
        cases = [_prequel(part).ignore_case for part in parts if part.type == "PREQUEL"]
        return next((case for case in cases if case is not None), None)

    def handlers(self, *_parts: Token) -> None:
        return None

    def rule_body(
        self, *alternatives: tuple[Expression, tuple[Command, ...]]
    ) -> tuple[Expression, tuple[Command, ...]]:
        commands = [command for _, several in alternatives for command in several]
        return choice([expression for expression, _ in alternatives]), tuple(dict.fromkeys(commands))

    def rule_alternative(self, expression: Expression, *commands: Command) -> Commanded:
        return expression, commands

    def command(self, name: Token, argument: str = "") -> Command:
        return Command(str(name), str(argument), span_of(name))

    def block(self, *alternatives: Expression) -> Expression:
        return choice(alternatives)

    def alternative(self, *elements: Expression) -> Expression:
        return sequence(elements)

    def nothing(self, *_parts: Token) -> Expression:
        return EMPTY

    def label(self, _name: Token, atom: Expression) -> Expression:
        return atom

    def group(self, *parts: Token | Expression) -> Expression:
        block = parts[-1]
        assert not isinstance(block, Token)
        return block

    def repeated(self, item: Expression, sign: Token) -> Expression:
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign[0]]
        return Repeat(item, least, most, lazy=len(sign) > 1) if item != EMPTY else EMPTY

    def complement(self, item: Expression) -> Expression:
        return Complement("~", None, item)

    def token_reference(self, name: Token) -> Expression:
        return Reference(str(name), span_of(name))

    def rule_reference(self, name: Token, _arguments: Token | None = None) -> Expression:
        return Reference(str(name), span_of(name))

    def any_character(self) -> Expression:
        return ANY_CHARACTER

    def literal(self, string: Token) -> Expression:
        text = _text(string)
        return Literal(text, span=span_of(string)) if text else EMPTY

    def character_range(self, first: Token, last: Token) -> Expression:
        ends = [_text(end) for end in (first, last)]
        begin, end = span_of(first), span_of(last)
        span = Span(begin.line, begin.column, end.end_line, end.end_column)
        if any(len(one) != 1 for one in ends):
            raise refusal(
                "a range goes from one character to another", span=span, advice="write it as 'a'..'z'"
            )
        return character_range(ord(ends[0]), ord(ends[1]), span)

    def character_class(self, text: Token) -> Expression:
        if text[1:2] == "^":
            return read_regex(f"[\\{text[1:]}", span_of(text))
        return read_regex(str(text), span_of(text))


def _rule(parts: tuple[Any, ...], *, lexical: bool) -> RuleDefinition:
    """A rule of its modifiers, name, options, body and handlers."""
    *modifiers, name, ignore_case, (expression, commands), _handlers = parts
    definition = Definition(
        str(name),
        expression,
        span_of(name),
        lexical=lexical,
        fragment="fragment" in modifiers,
    )
    return RuleDefinition(definition, commands, ignore_case)


def _prequel(text: Token) -> Prequel:
    kind, _, body = text.partition("{")
    case = _CASE.search(body)
    ignore_case = None if case is None else case[1] == "true"
    return Prequel(kind.strip(), tuple(_NAMES.findall(body)), ignore_case, span_of(text))


def _text(string: Token) -> str:
    return _ESCAPE.sub(lambda found: _escaped(string, found), string[1:-1])


def _escaped(string: Token, found: re.Match[str]) -> str:
    span = span_of(string, found.start() + 1, found.end() + 1)
    if found[4]:
        raise refusal(
            f"there is no escape {found[0]}",
            span=span,
            advice=r"escapes are \n \r \t \b \f \\ \' \uXXXX and \u{XXXXX}",
        )
    if found[3]:
        return _CONTROL.get(found[3], found[3])
    return chr(code_point(found[1] or found[2], 16, span))


DIALECT: Final = Dialect(
    name="antlr4",
    title="ANTLR4",
    syntax=_SYNTAX,
    builder=_Builder(),
    words=_WORDS,
    brackets={"_OPEN": "_CLOSE"},
    unclosed={"'": "a literal", "[": "a class of characters", "/*": "a comment"},
    hints=_HINTS,
)
