"""What all dialects share, shown on a small one: mistakes in an author's words and places, rules collected."""

from __future__ import annotations

from typing import Any

import pytest
from lark import Token, Transformer, v_args

from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.dialects.reading import (
    MAX_CHARACTERS,
    MAX_COUNT,
    MAX_NESTING,
    Definition,
    Dialect,
    character_range,
    code_point,
    collected,
    counted,
    prepared,
    read_definitions,
    repeated,
    span_at,
    span_of,
    without_escapes,
)
from grammars.form import Annotations, CharacterSet, Expression, Literal, Reference, Repeat, Rule, choice


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    def start(self, *definitions: Definition) -> tuple[Definition, ...]:
        return definitions

    def rule(self, name: Token, body: Expression) -> Definition:
        return Definition(str(name), body, span_of(name))

    def body(self, *alternatives: Expression) -> Expression:
        return choice(alternatives)

    def name(self, token: Token) -> Reference:
        return Reference(str(token), span_of(token))


SMALL = Dialect(
    name="small",
    title="Small",
    syntax=r"""
start: rule*
rule: NAME "=" body ";"
body: one ("|" one)*
?one: NAME -> name | _OPEN body _CLOSE | "[" body "]"
NAME: /\w+/
_OPEN: "("
_CLOSE: ")"
%ignore /\s+/
%ignore /\/\*[^*]*\*\//
""",
    builder=_Builder(),
    words={
        "NAME": "a name",
        "EQUAL": "'='",
        "VBAR": "'|'",
        "SEMICOLON": "';'",
        "_CLOSE": "')'",
        "RSQB": "']'",
        "_OPEN": "'('",
        "LSQB": "'['",
        "$END": "the end of the file",
    },
    brackets={"_OPEN": "_CLOSE", "LSQB": "RSQB"},
    ends=frozenset({"$END", "SEMICOLON"}),
    unclosed={'"': "a literal", "/*": "a comment"},
    hints=((r":", "write '='"), (r"\w", "end the rule before by ';'")),
)


OPEN = " is still open"
NOTHING = "nothing is open here that this could close; quote it if it is text"
QUOTE = ", or quote it if it is meant as text"


def refused(text: str) -> Diagnostic:
    """The one error in a file of the small dialect."""
    with pytest.raises(GrammarError) as error:
        read_definitions(SMALL, prepared(text))
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.severity == "error"
    return diagnostic


def test_definitions_come_in_order_with_the_places_of_their_names():
    first, second = read_definitions(SMALL, "a = b | (c);\n  dd = a;")
    assert (first.name, first.expression) == ("a", choice([Reference("b"), Reference("c")]))
    assert first.span == Span(1, 1, 1, 2)
    assert second.span == Span(2, 3, 2, 5)
    assert second.expression == Reference("a")
    assert second.expression.span == Span(2, 8, 2, 9)


@pytest.mark.parametrize(
    ("text", "place", "message", "advice"),
    [
        ("a : b;", (1, 3), "expected '=', found ':'", "write '='"),
        ("a = b\nc = d;", (2, 1), "expected '|' or ';', found 'c'", "end the rule before by ';'"),
        ("a = ;", (1, 5), "expected a name, '(' or '[', found ';'", ""),
        ("a = b", (1, 6), "expected '|' or ';', found the end of the file", ""),
        ("a = (b;", (1, 7), "expected ')', found ';'", "the ( at line 1, column 5" + OPEN),
        ("a =\n(\n[b", (3, 3), "expected '|' or ']', found the end of the file", "the [ at line 3, column 1" + OPEN),
        ("a = (b];", (1, 7), "expected ')', found ']'", "the ( at line 1, column 5" + OPEN),
        ("a = b);", (1, 6), "expected ';', found ')'", NOTHING),
        ("a = b；", (1, 6), "expected '|' or ';', found '；'", "type the ASCII ';' in place of '；'" + QUOTE),
        ("a = b ？ '；'", (1, 7), "expected '|' or ';', found '？'", "type the ASCII '?' in place of '？'" + QUOTE),
        ("a = b ' ；'", (1, 7), "expected '|' or ';', found \"'\"", ""),
        ("a = b " + "x" * 60, (1, 7), "expected '|' or ';', found '" + "x" * 39 + "…'", "end the rule before by ';'"),
    ],
)  # fmt: skip
def test_a_mistake_says_where_what_was_found_what_was_expected_and_what_may_help(
    text: str, place: tuple[int, int], message: str, advice: str
):
    found = refused(text)
    assert found.span is not None
    assert (found.code, found.span.line, found.span.column) == ("syntax", *place)
    assert (found.message, found.advice) == ("Small: " + message, advice)


@pytest.mark.parametrize(
    ("text", "place", "message", "advice"),
    [
        ('a = "b;', (1, 5), "a literal is opened here and never closed", "close it before the line ends"),
        (
            "a = b; /* c",
            (1, 8),
            "a comment is opened here and never closed",
            "close it, or quote the /* if it is text",
        ),
    ],
)
def test_what_is_never_closed_is_told_where_it_opens(
    text: str, place: tuple[int, int], message: str, advice: str
):
    found = refused(text)
    assert found.span is not None
    assert (found.span.line, found.span.column, found.message, found.advice) == (*place, message, advice)


def test_only_the_most_telling_of_many_possibilities_are_named():
    many = Dialect(
        name="many",
        title="Many",
        syntax='start: "a" | "b" | "c" | "d" | "e" | "f" | "g"\n',
        builder=_Builder(),
        words={letter.upper(): letter for letter in "abcdefg"},
    )
    with pytest.raises(GrammarError, match="expected a, b, c, d, e, f or other things, found 'x'"):
        read_definitions(many, "x")


def test_brackets_may_be_nested_to_the_limit_and_no_deeper():
    deepest = "a = " + "(" * MAX_NESTING + "b" + ")" * MAX_NESTING + ";"
    assert read_definitions(SMALL, deepest)[0].expression == Reference("b")
    found = refused("a = " + "(" * 3000 + "b" + ")" * 3000 + ";")
    assert (found.code, found.span) == ("too-deep", Span(1, 5 + MAX_NESTING, 1, 6 + MAX_NESTING))


def test_many_alternatives_are_no_matter():
    (one,) = read_definitions(SMALL, "a = " + " | ".join(f"x{number}" for number in range(10_000)) + ";")
    assert one.expression == choice([Reference(f"x{number}") for number in range(10_000)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("\ufeffa\r\nb\rc\n", "a\nb\nc\n"), ("a", "a"), ("x" * MAX_CHARACTERS, "x" * MAX_CHARACTERS)],
)
def test_a_text_is_prepared_without_byte_order_mark_and_with_line_feeds(text: str, expected: str):
    assert prepared(text) == expected


def test_a_file_beyond_the_limit_is_refused():
    with pytest.raises(GrammarError, match="the file has 1,000,001 characters; a grammar may have 1,000,000"):
        prepared("x" * (MAX_CHARACTERS + 1))


def test_a_nul_character_is_refused_at_its_place():
    with pytest.raises(GrammarError, match="grammar:2:2: error: there is a NUL character in the file"):
        prepared("a\nb\0c")


def define(name: str, text: str, line: int, **more: Any) -> Definition:
    return Definition(name, Literal(text), Span(line, 1, line, 1 + len(name)), **more)


def test_collected_rules_keep_their_order_and_the_first_is_the_start():
    reading = collected(
        SMALL, [define("b", "x", 1), define("a", "y", 2, lexical=True, fragment=True)], Annotations()
    )
    assert list(reading.grammar.rules) == ["b", "a"]
    assert reading.grammar.rules["a"] == Rule(
        "a", Literal("y"), Span(2, 1, 2, 2), lexical=True, fragment=True
    )
    assert reading.grammar.rules["a"].span == Span(2, 1, 2, 2)
    assert (reading.grammar.dialect, reading.grammar.start, reading.diagnostics) == ("small", "b", ())


def test_a_rule_that_is_defined_twice_is_one_with_a_warning_that_names_both_places():
    reading = collected(SMALL, [define("a", "x", 1), define("b", "q", 2), define("a", "y", 7)], Annotations())
    assert list(reading.grammar.rules) == ["a", "b"]
    assert reading.grammar.rules["a"].expression == choice([Literal("x"), Literal("y")])
    (warning,) = reading.diagnostics
    assert (warning.severity, warning.code, warning.span) == ("warning", "duplicate-rule", Span(7, 1, 7, 2))
    assert warning.message == "rule a is defined again here; it was first defined at line 1, column 1"


def test_a_definition_that_extends_is_no_mistake():
    reading = collected(SMALL, [define("a", "x", 1), define("a", "y", 2, extends=True)], Annotations())
    assert reading.grammar.rules["a"].expression == choice([Literal("x"), Literal("y")])
    assert reading.diagnostics == ()


def test_what_a_definition_warns_of_is_passed_on():
    warning = Diagnostic("warning", "odd", "this is odd")
    assert collected(SMALL, [define("a", "x", 1, diagnostics=(warning,))], Annotations()).diagnostics == (
        warning,
    )


def test_given_rules_stand_after_the_written_ones_and_do_not_replace_them():
    given = {"a": Rule("a", Literal("given")), "z": Rule("z", Literal("given"))}
    rules = collected(SMALL, [define("a", "x", 1)], Annotations(), given=given).grammar.rules
    assert [(name, rule.expression) for name, rule in rules.items()] == [
        ("a", Literal("x")),
        ("z", Literal("given")),
    ]


@pytest.mark.parametrize(("annotated", "own", "start"), [("", "", "A"), ("", "B", "B"), ("c", "B", "C")])
def test_the_start_is_the_annotated_or_the_dialects_own_or_the_first(annotated: str, own: str, start: str):
    definitions = [define(name, "x", 1) for name in "ABC"]
    reading = collected(SMALL, definitions, Annotations(start=annotated), canonical=str.upper, start=own)
    assert reading.grammar.start == start


def test_names_in_annotations_are_spelt_as_the_dialect_does_and_skipped_rules_are_joined():
    annotations = Annotations(terminals=("a",), rules=("b",), skip=("c", "d"))
    grammar = collected(
        SMALL, [define("A", "x", 1)], annotations, canonical=str.upper, skip=("D", "E"), explicit_lexer=True
    ).grammar
    assert (grammar.annotations.terminals, grammar.annotations.rules) == (("A",), ("B",))
    assert grammar.skip == ("D", "E", "C")
    assert grammar.explicit_lexer


def test_a_file_without_rules_is_refused():
    with pytest.raises(GrammarError, match="there is no rule in this Small file") as error:
        collected(SMALL, [], Annotations())
    assert error.value.diagnostics[0].code == "no-rules"


def test_spans_count_lines_and_columns_inside_a_token_too():
    token = Token("X", "ab\ncd", line=3, column=5)
    assert span_of(token) == Span(3, 5, 4, 3)
    assert span_of(token, 1, 2) == Span(3, 6, 3, 7)
    assert span_of(token, 3, 4) == Span(4, 1, 4, 2)
    assert span_at("x\nyz\n", 3, 5) == Span(2, 2, 3, 1)


AT = Span(1, 2, 1, 3)


@pytest.mark.parametrize(
    ("digits", "base", "code"), [("41", 16, 65), ("10FFFF", 16, 0x10FFFF), ("0065", 10, 65), ("101", 2, 5)]
)
def test_a_character_by_number(digits: str, base: int, code: int):
    assert code_point(digits, base, AT) == code


@pytest.mark.parametrize("digits", ["110000", "D800", "dfff", "1" * 5000])
def test_a_number_of_no_character_is_refused(digits: str):
    with pytest.raises(GrammarError, match="there is no character with the number"):
        code_point(digits, 16, AT)


def test_a_range_of_characters():
    assert character_range(97, 122, AT) == CharacterSet(((97, 122),))
    with pytest.raises(GrammarError, match="a range from 'b' down to 'a' has no character in it"):
        character_range(98, 97, AT)


@pytest.mark.parametrize(
    ("sign", "least", "most"),
    [
        ("?", 0, 1),
        ("*", 0, None),
        ("+", 1, None),
        ("{2}", 2, 2),
        ("{2,}", 2, None),
        ("{ ,4 }", 0, 4),
        ("{2,\t4}", 2, 4),
    ],
)
def test_repetition_signs(sign: str, least: int, most: int | None):
    assert repeated(Literal("x"), Token("SIGN", sign, line=1, column=1)) == Repeat(Literal("x"), least, most)


@pytest.mark.parametrize(
    ("least", "most", "message"),
    [
        ("4", "2", "at least 4 and at most 2 times is never"),
        (str(MAX_COUNT + 1), "", f"{MAX_COUNT + 1} repetitions are too many; a rule may have 50,000 parts"),
        ("0", "9" * 5000, "9{20} repetitions are too many"),
    ],
)
def test_counts_that_make_no_sense_are_refused(least: str, most: str, message: str):
    with pytest.raises(GrammarError, match=message):
        counted(Literal("x"), least, most, AT)
    assert counted(Literal("x"), "000001", str(MAX_COUNT), AT) == Repeat(Literal("x"), 1, MAX_COUNT)


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        (Literal(r"a\n"), r"the backslash in a\n"),
        (Literal(r"\u0041"), r"the backslash in \u0041"),
        (Literal("\\"), None),
        (Literal(r"\q"), None),
        (CharacterSet(((92, 92), (110, 110))), "the backslash in this set"),
        (CharacterSet(((92, 92), (34, 34))), None),
        (Reference(r"\n"), None),
    ],
)
def test_dialects_without_escapes_warn_of_what_looks_like_one(expression: Expression, what: str | None):
    found = [one.message for one in without_escapes([Definition("a", expression, AT)], "advice")]
    assert found == ([] if what is None else [f"there are no escapes here: {what} stands for itself"])
