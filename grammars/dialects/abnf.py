"""ABNF: RFC 5234 with RFC 7405's `%s"..."`, and the `#` lists of RFC 7230.

- Rules: `name = ...` and `name =/ ...` up to the next such head. Further lines of a rule are indented more than the
  rules are; all rules may be indented, as in an RFC. `;` begins a comment. Names are case-insensitive and are in lower
  case in the form; they may have letters of any language, and stand in angle brackets.
- `a / b` (or `a | b`), `*a`, `1*a`, `*3a`, `2a`, `1*3a`, `[a]`, groups, `1#a` (a list with commas).
- `"text"` in any case of letters, `%s"text"` exactly, `%x41`, `%x41-5A`, `%d13.10`, `%b1000001`: code points.
- The core rules (ALPHA, DIGIT, ...) are there where they are used and not defined. CRLF is any line end: the text
  that is completed has LF, whatever the file has.
- Prose, as in `<host, see RFC 3986>`, is a reference if there is a rule of its first word, else it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from lark import Token, Transformer, v_args

from grammars.dialects.reading import (
    Definition,
    Dialect,
    Reading,
    character_range,
    code_point,
    collected,
    counted,
    prepared,
    read_definitions,
    refusal,
    span_of,
)
from grammars.form import (
    EMPTY,
    Annotations,
    CharacterSet,
    Choice,
    Expression,
    Literal,
    Reference,
    Repeat,
    Rule,
    choice,
    mapped,
    optional,
    references,
    sequence,
)

_BLANK: Final = CharacterSet(((9, 9), (32, 32)))
_LINE_END: Final = Choice((Literal("\r\n"), Literal("\n")))
_PARTS: Final[Mapping[str, Expression]] = {
    "alpha": CharacterSet(((65, 90), (97, 122))),
    "bit": CharacterSet(((48, 49),)),
    "char": CharacterSet(((1, 127),)),
    "ctl": CharacterSet(((0, 31), (127, 127))),
    "digit": CharacterSet(((48, 57),)),
    "hexdig": CharacterSet(((48, 57), (65, 70), (97, 102))),
    "octet": CharacterSet(((0, 255),)),
    "vchar": CharacterSet(((33, 126),)),
}
_WHOLES: Final[Mapping[str, Expression]] = {
    "cr": Literal("\r"),
    "crlf": _LINE_END,
    "dquote": Literal('"'),
    "htab": Literal("\t"),
    "lf": Literal("\n"),
    "lwsp": Repeat(Choice((_BLANK, sequence([_LINE_END, _BLANK]))), 0, None),
    "sp": Literal(" "),
    "wsp": _BLANK,
}
CORE: Final[Mapping[str, Rule]] = {
    **{name: Rule(name, one, lexical=True, fragment=True) for name, one in _PARTS.items()},
    **{name: Rule(name, one, lexical=True) for name, one in _WHOLES.items()},
}
"""RFC 5234, appendix B.1. Those that are parts of names and numbers are fragments."""

_SYNTAX: Final = r"""
start: rule*
rule: HEAD body
body: alternative (_BAR alternative)*
alternative: item+
?item: atom
     | COUNT atom -> counted
     | LIST atom -> listed
?atom: NAME -> name
     | STRING -> literal
     | NUMBERS -> numbers
     | PROSE -> prose
     | _OPEN body _CLOSE -> group
     | _OPEN_OPTIONAL body _CLOSE_OPTIONAL -> optional
HEAD.9: /(?:[^\W\d][\w-]*|<[^\W\d][\w-]*>)\s*=\/?/
NAME.2: /[^\W\d][\w-]*|<[^\W\d][\w-]*>/
STRING: /(?:%[siSI])?"[^"\n]*"/
NUMBERS: HEXADECIMAL | DECIMAL | BINARY
HEXADECIMAL: /%[xX][0-9A-Fa-f]+(?:(?:\.[0-9A-Fa-f]+)+|-[0-9A-Fa-f]+)?/
DECIMAL: /%[dD][0-9]+(?:(?:\.[0-9]+)+|-[0-9]+)?/
BINARY: /%[bB][01]+(?:(?:\.[01]+)+|-[01]+)?/
PROSE: /<[^>\n]*>/
COUNT: /[0-9]*\*[0-9]*|[0-9]+/
LIST.2: /[0-9]*#[0-9]*/
_BAR: "/" | "|"
_OPEN: "("
_CLOSE: ")"
_OPEN_OPTIONAL: "["
_CLOSE_OPTIONAL: "]"
%ignore /;[^\n]*/
%ignore /\s+/
"""
_WORDS: Final = {
    "HEAD": "a rule ('name =')",
    "NAME": "a name",
    "STRING": "a literal in quotes",
    "NUMBERS": "a character like %x20",
    "_BAR": "'/'",
    "_CLOSE": "')'",
    "_CLOSE_OPTIONAL": "']'",
    "_OPEN": "'('",
    "_OPEN_OPTIONAL": "'['",
    "COUNT": "a repetition like 1*",
    "LIST": "a list like 1#",
    "PROSE": "prose in < >",
    "$END": "the end of the file",
}
_HINTS: Final = (
    (r"(?:[\w-]+|<[^>\n]*>)?\s*(::=|:=|:|→|->)", "write '=' between a rule's name and what it stands for"),
    (r"'", 'literals are written "so", or %s"so" where upper and lower case differ'),
    (r"%", "a character is written %x41, %d65 or %b1000001, a range %x41-5A, a sequence %d13.10"),
    (r",", "parts follow one another without a comma; quote it if it is text"),
    (r"\{|\}|\+|\?", "what is repeated is written *a or 1*a or 2*4a, what may be missing [a]"),
    (r"-", 'names may have hyphens inside only; a range is written %x41-5A, and there is no "all but"'),
    (r"[\w-]", "a file begins with a rule: name = ...; what stands before it must be a ; comment"),
)
_BASES: Final = {"x": 16, "d": 10, "b": 2}


def read(text: str, annotations: Annotations) -> Reading:
    """The grammar in an ABNF file. Raises GrammarError for what can't be read, prose included."""
    definitions = read_definitions(_DIALECT, prepared(text))
    names = {one.name for one in definitions} | CORE.keys()
    margin = min((one.span.column for one in definitions), default=1)
    resolved = []
    used: set[str] = set()
    for one in definitions:
        for reference in references(one.expression):
            _refuse_unindented(reference, margin)
        expression = mapped(one.expression, lambda part: _rule_in_prose(part, names))
        used.update(reference.name for reference in references(expression))
        resolved.append(replace(one, expression=expression))
    given = {name: rule for name, rule in CORE.items() if name in used}
    return collected(_DIALECT, resolved, annotations, given=given, canonical=_name)


def _refuse_unindented(reference: Reference, margin: int) -> None:
    if reference.span is not None and reference.span.column <= margin:
        raise refusal(
            f"this line begins as a rule does, but there is no '=' after {reference.name}",
            span=reference.span,
            advice="indent it more than the rules are if it belongs to the rule before, or make it a ; comment",
        )


def _rule_in_prose(part: Expression, names: Collection[str]) -> Expression:
    """Prose as a reference to the rule that it begins with. Raises GrammarError if there is no such rule."""
    if not isinstance(part, Reference) or not part.name.startswith("<"):
        return part
    word = re.match(r"<\s*([\w-]*)", part.name)
    name = word[1].lower() if word else ""
    if name in names:
        return Reference(name, part.span)
    raise refusal(
        f"{part.name} says in words what may stand here, and words can't be compiled",
        span=part.span,
        code="prose",
        advice="write it as a rule, for example with the characters it is made of: 1*(%x21-7E)",
    )


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """What each construct is in the form."""

    def start(self, *rules: Definition) -> tuple[Definition, ...]:
        return rules

    def rule(self, head: Token, body: Expression) -> Definition:
        written = head.removesuffix("/").removesuffix("=").rstrip()
        return Definition(_name(written), body, span_of(head, 0, len(written)), extends=head.endswith("/"))

    def body(self, *alternatives: Expression) -> Expression:
        return choice(alternatives) if len(alternatives) > 1 else alternatives[0]

    def alternative(self, *items: Expression) -> Expression:
        return sequence(items)

    def counted(self, count: Token, item: Expression) -> Repeat:
        least, star, most = count.partition("*")
        return counted(item, least, most if star else least, span_of(count))

    def listed(self, count: Token, item: Expression) -> Expression:
        """RFC 7230, section 7: elements with commas between them, white space around these."""
        least, _, most = count.partition("#")
        whole = counted(item, least, most, span_of(count))
        blanks = Repeat(_BLANK, 0, None)
        more = sequence([blanks, Literal(",", span=span_of(count)), blanks, item])
        rest = Repeat(more, max(whole.least - 1, 0), None if whole.most is None else max(whole.most - 1, 0))
        elements = sequence([item, rest])
        return elements if whole.least else optional(elements)

    def name(self, token: Token) -> Reference:
        return Reference(_name(token), span_of(token))

    def literal(self, token: Token) -> Expression:
        text = token[token.index('"') + 1 : -1]
        any_case = token[:2].lower() != "%s" and text.lower() != text.upper()
        return Literal(text, any_case, span_of(token)) if text else EMPTY

    def numbers(self, token: Token) -> Expression:
        base, digits, span = _BASES[token[1].lower()], token[2:], span_of(token)
        if "-" in digits:
            first, last = digits.split("-")
            return character_range(code_point(first, base, span), code_point(last, base, span), span)
        return Literal("".join(chr(code_point(one, base, span)) for one in digits.split(".")), span=span)

    def prose(self, token: Token) -> Reference:
        return Reference(str(token), span_of(token))

    def group(self, body: Expression) -> Expression:
        return body

    def optional(self, body: Expression) -> Expression:
        return optional(body)


def _name(written: str) -> str:
    return written.removeprefix("<").removesuffix(">").lower()


_DIALECT: Final = Dialect(
    name="abnf",
    title="ABNF",
    syntax=_SYNTAX,
    builder=_Builder(),
    words=_WORDS,
    brackets={"_OPEN": "_CLOSE", "_OPEN_OPTIONAL": "_CLOSE_OPTIONAL"},
    unclosed={'"': "a literal", '%s"': "a literal", '%i"': "a literal", "<": "prose"},
    hints=_HINTS,
)
