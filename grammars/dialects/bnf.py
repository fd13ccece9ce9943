"""Classic BNF, `<name> ::= ...`, with what people really write in it.

- Rules: `<name with spaces> ::= ...` up to the next such head; alternatives by `|`, over as many lines as wanted; an
  empty alternative, `ε`, `""` or an undefined `<empty>` is the empty text. Names without angle brackets are read as
  such where the rules themselves are named so (`expr ::= term`): then a word is a rule's name, and in a file that
  quotes nothing it is text unless there is a rule of this name.
- Literals: `"quoted"`, `'quoted'`, or any other word or sign that is no notation. In quotes `\\n \\t \\r \\\\ \\" \\'
  \\xHH \\uHHHH` are escapes, any other backslash is itself, and `"\\"` is one backslash.
- Ranges `"a".."z"`, also as `a | b | ... | z`; `/regular expression/` with flags.
- Extensions: `( )` groups, `[ ]` optional, `{ }` repeated, `x*`, `x+`, `x?`, `x...` (one or more; braces then only
  group). What is text and what is notation
  depends on the file: `grammars/dialects/bnf_style.py`; the signs are in `grammars/dialects/bnf_syntax.py`.
- Comments: `/* */`, `(* *)`, and `;`, `#`, `//`, `--` to the end of a line; the latter only at the beginning of a
  line where the file quotes nothing, since they may be text elsewhere.

Prose, such as `<any character except a quote>`, is refused unless it is a rule's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from grammars.diagnostics import Diagnostic
from grammars.dialects.bnf_style import NAME, Style, style_of
from grammars.dialects.bnf_syntax import dialect_of, name_of
from grammars.dialects.reading import Definition, Reading, collected, prepared, read_definitions, refusal
from grammars.form import (
    EMPTY,
    Annotations,
    Expression,
    Literal,
    Reference,
    Rule,
    mapped,
    references,
    walk,
)

GIVEN: Final[Mapping[str, Expression]] = {
    **dict.fromkeys(("empty", "epsilon", "nothing", "EOF"), EMPTY),
    **dict.fromkeys(("EOL", "eol", "newline", "end of line"), Literal("\n")),
}
"""Names that are often used without being defined, and what they then mean."""
_PROSE: Final = {"a", "all", "an", "any", "each", "every", "none", "one", "see", "some", "the", "zero"}
"""How a description in words begins, where a rule's name does not."""


def read(text: str, annotations: Annotations) -> Reading:
    """The grammar in a BNF file. Raises GrammarError for what can't be read, and for prose in place of a rule."""
    text = prepared(text)
    style, warnings = style_of(text)
    dialect = dialect_of(style)
    definitions = read_definitions(dialect, text)
    names = {one.name for one in definitions}
    if style.heads != "angle":
        definitions = _with_bare_names(definitions, names, style, text.split("\n"))
    missing: dict[str, Reference] = {}
    for definition in definitions:
        for one in references(definition.expression):
            if one.name not in names:
                missing.setdefault(one.name, one)
    _refuse_prose(missing)
    given = {name: Rule(name, GIVEN[name]) for name in missing if name in GIVEN}
    reading = collected(dialect, definitions, annotations, given=given, canonical=name_of)
    return Reading(
        reading.grammar,
        (*reading.diagnostics, *warnings, *_bare_note(style, definitions), *_suspicious(definitions, names)),
    )


def _with_bare_names(
    definitions: tuple[Definition, ...], names: set[str], style: Style, lines: list[str]
) -> tuple[Definition, ...]:
    """The definitions with words as what they are: text, where no rule is of that name and the file shows that
    words may be text (it quotes nothing, or names some rules in angle brackets)."""
    if style.quotes and style.heads == "bare":
        return definitions

    def decided(one: Expression) -> Expression:
        if not isinstance(one, Reference) or one.name in names or one.span is None:
            return one
        bracketed = lines[one.span.line - 1].startswith("<", one.span.column - 1)
        return one if bracketed else Literal(one.name, span=one.span)

    return tuple(replace(one, expression=mapped(one.expression, decided)) for one in definitions)


def _refuse_prose(missing: Mapping[str, Reference]) -> None:
    for name, reference in missing.items():
        words = name.lower().split()
        if len(words) > 1 and words[0] in _PROSE:
            raise refusal(
                f"<{name}> says in words what may stand here, and words can't be compiled",
                span=reference.span,
                code="prose",
                advice="write a /regular expression/ in its place, or define a rule of this name",
            )


def _bare_note(style: Style, definitions: tuple[Definition, ...]) -> Iterator[Diagnostic]:
    if style.heads != "angle":
        yield Diagnostic(
            "note",
            "bare-names",
            "rules are named without angle brackets here, so words are read as rule names"
            + (" where there is such a rule" if style.heads == "mixed" or not style.quotes else ""),
            span=definitions[0].span,
        )


def _suspicious(definitions: tuple[Definition, ...], names: set[str]) -> Iterator[Diagnostic]:
    """Warnings for text that was perhaps meant as a rule."""
    for definition in definitions:
        for one in walk(definition.expression):
            if not isinstance(one, Literal) or one.span is None:
                continue
            bare = one.span.end_column - one.span.column == len(one.text)
            if bare and one.text in names and one.text != definition.name:
                yield _perhaps_rule(one, one.text)
            for inner in re.findall(NAME, one.text):
                if name_of(inner) in names:
                    yield _perhaps_rule(one, name_of(inner))


def _perhaps_rule(literal: Literal, name: str) -> Diagnostic:
    return Diagnostic(
        "warning",
        "text-like-rule",
        f"{literal.text!r} is text here, though there is a rule <{name}>",
        f"write <{name}> without quotes if the rule is meant",
        literal.span,
    )
