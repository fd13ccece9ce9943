"""BNF's notation as a lark grammar, one for each style of file, and what its parts are in the form."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from grammars.diagnostics import Span
from grammars.dialects import bnf_style
from grammars.dialects.bnf_style import Style
from grammars.dialects.reading import (
    LOOK_ALIKES,
    Definition,
    Dialect,
    character_range,
    code_point,
    refusal,
    repeated,
    span_of,
)
from grammars.form import (
    EMPTY,
    CharacterSet,
    Expression,
    Literal,
    Pattern,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)

_SYNTAX: Final = r"""
start: rule*
rule: HEAD body
    | HEAD SIGN -> sign_rule
body: alternative (_BAR alternative)*
alternative: item*
           | ELLIPSIS -> elision
?item: atom
     | braces
     | atom SUFFIX -> repeated
     | braces SUFFIX -> braces_repeated
     | (atom | braces) ELLIPSIS -> several
     | (atom | braces) COUNT -> counted
?atom: NAME -> name
     | STRING -> literal
     | STRING _DOTS STRING -> quoted_range
     | RANGE -> bare_range
     | REGEX -> pattern
     | PROSE -> prose
     | BARE -> bare
     | WORD -> word
     | _OPEN body _CLOSE -> group
     | _OPEN_OPTIONAL body _CLOSE_OPTIONAL -> optional
braces: _OPEN_BRACE body _CLOSE_BRACE
REGEX.6: /\/(?![\s*\/<])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n\[])+\/[a-z]*/
PROSE.6: /!![^\n]*/
RANGE.6: /\w\.\.\w(?=[\s|)\]}]|\Z)/
_DOTS.5: ".."
_BAR: "|"
%ignore /[^\S\n]+|\n/
%ignore COMMENT
"""
_BRACKETS: Final = {
    "(": ("_OPEN", "_CLOSE"),
    "[": ("_OPEN_OPTIONAL", "_CLOSE_OPTIONAL"),
    "{": ("_OPEN_BRACE", "_CLOSE_BRACE"),
}
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_WORDS: Final = {
    "HEAD": "a rule ('<name> ::=')",
    "NAME": "a name in < >",
    "STRING": "text",
    "BARE": "text",
    "WORD": "text",
    "RANGE": "text",
    "REGEX": "text",
    "_DOTS": "'..'",
    "_BAR": "'|'",
    "_CLOSE": "')'",
    "_CLOSE_OPTIONAL": "']'",
    "_CLOSE_BRACE": "'}'",
    "_OPEN": "'('",
    "_OPEN_OPTIONAL": "'['",
    "_OPEN_BRACE": "'{'",
    "SUFFIX": "'*', '+' or '?'",
    "ELLIPSIS": "'...'",
    "PROSE": "text",
    "SIGN": "text",
    "$END": "the end of the file",
}
_HINTS: Final = (
    (
        rf"{bnf_style.NAME}\s*(:=|=|:|→|->)|(:=|=|→|->)",
        "write '::=' between a rule's name and what it stands for",
    ),
    (
        rf"{bnf_style.NAME}|[\w.-]",
        "a file begins with a rule: <name> ::= ...; what stands before it must be a comment",
    ),
    (r"/", "alternatives are separated by '|'; quote the '/' if it is text"),
    (r"[*+?]", "a repetition sign stands after what it repeats; quote it if it is text"),
)
_COUNT: Final = r"(?<!\s)\{[ \t]*(?:\d+[ \t]*(?:,[ \t]*\d*)?|,[ \t]*\d+)[ \t]*\}"
"""Counts right after an item, as other notations have them; braces would make text that is repeated of it."""
_ESCAPE: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|([nrt\\\"']))")
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t"}


@cache
def dialect_of(style: Style) -> Dialect:
    """The notation of files of this style."""
    absent = {
        terminal for opening, pair in _BRACKETS.items() if opening not in style.brackets for terminal in pair
    }
    return Dialect(
        name="bnf",
        title="BNF",
        syntax=_SYNTAX
        + "\n".join(f"{name}: /{body.replace('/', chr(92) + '/')}/" for name, body in _terminals(style)),
        builder=_Builder(style),
        words={terminal: words for terminal, words in _WORDS.items() if terminal not in absent},
        brackets=dict(_BRACKETS.values()),
        unclosed={
            '"': "a literal",
            "'": "a literal",
            "<": "a rule's name",
            "/*": "a comment",
            "(*": "a comment",
        },
        hints=_HINTS,
    )


def _terminals(style: Style) -> list[tuple[str, str]]:
    """Those terminals that differ: (lark's name with priority, regular expression)."""
    notation = "".join(map(re.escape, style.brackets | {_CLOSING[one] for one in style.brackets}))
    odd = "".join(LOOK_ALIKES)
    if style.quotes:
        signs = rf"(?!/\*|\(\*)(?:[^\s\w<>|\"'{notation}*+?;#/={odd}]|<(?!\w)|>)+"
        suffix, comment = r"[*+?]", bnf_style.LINE_COMMENT
    else:
        signs = (
            rf"(?!\(\*)[,;()\[\]{{}}](?<![{notation or '|'}])"
            rf"|(?!/\*)(?:[^\s\w|,;()\[\]{{}}<>\"'{odd}]|<(?!\w)|>)+"
        )
        suffix, comment = r"(?<=[>)\]}])[*+?](?=[\s|)\]}]|\Z)", rf"(?:^|\n)[ \t]*{bnf_style.LINE_COMMENT}"
    brackets = [
        (f"{terminal}.3", rf"{re.escape(sign)}(?!\*)" if sign == "(" else re.escape(sign))
        if opening in style.brackets
        else (terminal, r"(?!)\|")
        for opening, pair in _BRACKETS.items()
        for terminal, sign in zip(pair, (opening, _CLOSING[opening]), strict=True)
    ]
    return [
        ("HEAD.9", bnf_style.HEAD),
        ("SIGN.8", bnf_style.SIGN),
        ("NAME.7", bnf_style.NAME),
        ("STRING.6", bnf_style.STRING),
        ("ELLIPSIS.6", bnf_style.ELLIPSIS),
        ("SUFFIX.4", suffix),
        ("COUNT.4", _COUNT if "{" in style.brackets else r"(?!)\{"),
        ("BARE.2", bnf_style.BARE_NAME),
        ("WORD", rf"\w+(?:[-.]\w+)*|{signs}"),
        ("COMMENT.10", f"{bnf_style.BLOCK_COMMENT}|{comment}"),
        *brackets,
    ]


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """What each construct is in the form, in a file of one style."""

    def __init__(self, style: Style) -> None:
        super().__init__()
        self._style = style

    def start(self, *rules: Definition) -> tuple[Definition, ...]:
        return rules

    def rule(self, head: Token, body: Expression) -> Definition:
        written = head.removesuffix("::=").rstrip()
        return Definition(name_of(written), body, span_of(head, 0, len(written)))

    def sign_rule(self, head: Token, sign: Token) -> Definition:
        return self.rule(head, self.word(sign))

    def body(self, *alternatives: Expression) -> Expression:
        filled = [
            _between(alternatives, index, one) if isinstance(one, Reference) and one.name == "..." else one
            for index, one in enumerate(alternatives)
        ]
        return choice(filled) if len(filled) > 1 else filled[0]

    def alternative(self, *items: Expression) -> Expression:
        return sequence(items)

    def elision(self, dots: Token) -> Expression:
        return Reference("...", span_of(dots))

    def repeated(self, item: Expression, sign: Token) -> Expression:
        return repeated(item, sign)

    def several(self, item: Expression, _dots: Token) -> Expression:
        return Repeat(item, 1, None)

    def counted(self, _item: Expression, count: Token) -> Expression:
        raise refusal(
            f"BNF has no counts, and {count} would be text that is repeated",
            span=span_of(count),
            code="count",
            advice="write it out (x{2,3} is x x [x], x{2,} is x x x*) or as a /regular expression/; "
            "quote what is in the braces if it is text",
        )

    def braces(self, body: Expression) -> Expression:
        return body if self._style.grouping_braces else Repeat(body, 0, None)

    def braces_repeated(self, braces: Expression, sign: Token) -> Expression:
        body = braces.item if isinstance(braces, Repeat) and not self._style.grouping_braces else braces
        return repeated(body, sign)

    def group(self, body: Expression) -> Expression:
        return body

    def optional(self, body: Expression) -> Expression:
        return optional(body)

    def name(self, token: Token) -> Expression:
        return Reference(name_of(token), span_of(token))

    def bare(self, token: Token) -> Expression:
        if token == "ε":
            return EMPTY
        return self.word(token) if self._style.heads == "angle" else Reference(str(token), span_of(token))

    def word(self, token: Token) -> Expression:
        return Literal(str(token), span=span_of(token))

    def literal(self, token: Token) -> Expression:
        text = _unquoted(token)
        return Literal(text, span=span_of(token)) if text else EMPTY

    def quoted_range(self, first: Token, last: Token) -> CharacterSet:
        ends = [_unquoted(first), _unquoted(last)]
        for token, end in zip((first, last), ends, strict=True):
            if len(end) != 1:
                raise refusal(
                    f"a range goes from one character to another, and {token} is not one character",
                    span=span_of(token),
                    advice='write it like "a".."z"',
                )
        return character_range(ord(ends[0]), ord(ends[1]), span_of(first))

    def bare_range(self, token: Token) -> CharacterSet:
        return character_range(ord(token[0]), ord(token[-1]), span_of(token))

    def pattern(self, token: Token) -> Pattern:
        source, flags = token[1:].rsplit("/", 1)
        if not set(flags) <= set("imsx"):
            raise refusal(
                f"a regular expression has no flag among {flags!r} but i, m, s and x",
                span=span_of(token),
                advice="leave the flag out, or put a blank after the '/'",
            )
        source = source.replace(r"\/", "/")
        return Pattern(f"(?{flags}:{source})" if flags else source, span_of(token))

    def prose(self, token: Token) -> Expression:
        raise refusal(
            "'!!' says in words what may stand here, and words can't be compiled",
            span=span_of(token),
            code="prose",
            advice="write a /regular expression/ in their place",
        )


def name_of(written: str) -> str:
    """A rule's name without its angle brackets, blanks inside counted as one."""
    return " ".join(written.removeprefix("<").removesuffix(">").split())


def _unquoted(token: Token) -> str:
    inside = token[1:-1]
    if inside == "\\":
        return inside
    return _ESCAPE.sub(
        lambda found: (
            _CONTROL.get(found[3], found[3])
            if found[3]
            else chr(code_point(found[1] or found[2], 16, span_of(token)))
        ),
        inside,
    )


def _between(alternatives: tuple[Expression, ...], index: int, dots: Reference) -> CharacterSet:
    """What `a | ... | z` leaves out. Raises GrammarError if it does not stand between single characters."""
    beside = (*alternatives[max(index - 1, 0) : index], *alternatives[index + 1 : index + 2])
    ends = [_word(one) for one in beside if len(_word(one)) == 1]
    span = cast(Span, dots.span)
    if len(ends) != 2:
        raise refusal(
            "'...' as an alternative must stand between two single characters",
            span=span,
            advice='write out the alternatives, or a range like "a".."z"',
        )
    return character_range(ord(ends[0]), ord(ends[1]), span)


def _word(expression: Expression) -> str:
    """The text of a literal, or the name of a reference without angle brackets."""
    match expression:
        case Literal(text=word):
            return word
        case Reference(name=word, span=Span() as span) if span.end_column - span.column == len(word):
            return word
        case _:
            return ""
