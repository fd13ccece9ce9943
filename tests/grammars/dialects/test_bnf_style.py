"""How a BNF file is written, told from the file as a whole."""

from __future__ import annotations

import pytest

from grammars.dialects.bnf_style import Style, style_of


def style(*, quotes: bool = False, brackets: str = "", grouping: bool = False, heads: str = "angle") -> Style:
    """A style, plain unless said otherwise."""
    return Style(quotes, frozenset(brackets), grouping, heads)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a> ::= b <c>", style()),
        ('<a> ::= "b"', style(quotes=True, brackets="([{")),
        ("<a> ::= 'b'", style(quotes=True, brackets="([{")),
        ('<a> ::= ""', style()),
        ("<a> ::= '\n<b> ::= '", style()),
        ('; "not quoted"\n<a> ::= b /* "x" */ (* "y" *)', style()),
        ('; @name x\n# "x"\n<a> ::= b', style()),
        ("<a> ::= ( b )", style()),
        ("<a> ::= ( b | c ) [ d ]", style(brackets="(")),
        ("<a> ::= [ ( b | c ) ]", style(brackets="([")),
        ("<a> ::= ( b\n<c> ::= d | e )", style()),
        ("<a> ::= ( b )* [ c ]? { d }", style(brackets="([")),
        ("<a> ::= { b }+", style(brackets="{")),
        ("<a> ::= { b }...", style(brackets="{", grouping=True)),
        ("<a> ::= { b } …", style(brackets="{", grouping=True)),
        ("<a> ::= [ b ]...", style(brackets="[")),
        ("<a> ::= (\n<b> ::= [ c ]", style(brackets="(")),
        ("<a> ::= [ ( ] | b", style()),
        ("<a> ::= ) ] b", style()),
        ("a ::= b", style(heads="bare")),
        ("<a> ::= b\nb ::= <a>", style(heads="mixed")),
        ("/* never closed <a> ::= 'b'", style()),
    ],
)
def test_the_style_of_a_file(text: str, expected: Style):
    assert style_of(text)[0] == expected


def test_brackets_that_are_taken_for_text_are_warned_of_once_each():
    found = style_of("<a> ::= ( b ) ( c )\n  { d }")[1]
    assert [(one.code, one.span.line, one.span.column) for one in found if one.span] == [
        ("brackets-are-text", 1, 9),
        ("brackets-are-text", 2, 3),
    ]
    assert found[0].message == "this file quotes no literal, so ( ) are read as text of the language"
    assert style_of('<a> ::= ( b ) "c"')[1] == ()
