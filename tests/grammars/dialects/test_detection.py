"""Which dialect a file is in: said by its author or its extension, found by reading, or asked about."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from grammars.annotations import DIALECT_NAMES, read_annotations
from grammars.diagnostics import GrammarError, Span
from grammars.dialects import DIALECTS, EXTENSIONS, TITLES, detect, read
from grammars.form import Annotations

SAMPLES = Path(__file__).parent / "samples"
BNF = "<a> ::= x <b>\n<b> ::= y\n"
PLAIN = 'a ::= b "x" | b\nb ::= "y"\n'


def error_of(text: str, file_name: str = "") -> str:
    with pytest.raises(GrammarError) as caught:
        detect(text, file_name)
    (one,) = caught.value.diagnostics
    return one.located("g")


def test_the_tables_name_the_same_dialects() -> None:
    assert tuple(DIALECTS) == tuple(TITLES) == DIALECT_NAMES
    assert set(EXTENSIONS.values()) <= set(DIALECTS)


@pytest.mark.parametrize(
    ("file_name", "dialect"),
    [("a.abnf", "abnf"), ("a.gbnf", "gbnf"), ("a.lark", "lark"), ("A.b.G4", "antlr4")],
)
def test_some_extensions_settle_it(file_name: str, dialect: str) -> None:
    assert detect("anything", file_name) == dialect


def test_the_authors_word_goes_before_the_extension() -> None:
    assert detect("# @dialect w3c\n" + PLAIN, "a.gbnf") == "w3c"
    assert detect("# @dialect w3c\nanything") == "w3c"


@pytest.mark.parametrize("file_name", ["", "a.bnf", "a.ebnf", "a.txt", "a"])
@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (BNF, "bnf"),
        ("a = b , 'x' ;\nb = { 'y' } ;\n", "ebnf"),
        ("a ::= [a-z]+ b\nb ::= 'y' - 'z'\n", "w3c"),
        ('a = "x" / b\nb = 1*DIGIT\n', "abnf"),
        ('root ::= "\\"" [a-z]* "\\""\n', "gbnf"),
        ('start: "a" | B\nB: /x+/\n', "lark"),
        ("grammar G; a : 'x' | B ; B : [a-z]+ ;", "antlr4"),
    ],
)
def test_what_only_one_dialect_can_read_is_in_that(text: str, dialect: str, file_name: str) -> None:
    assert detect(text, file_name) == dialect


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_files_of_others_are_recognised(dialect: str) -> None:
    files = sorted((SAMPLES / dialect).iterdir())
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        try:
            found = detect(text, "grammar.txt")
        except GrammarError as error:
            (one,) = error.diagnostics
            assert one.code == "ambiguous-dialect"
            assert f"@dialect {dialect}" in one.advice
        else:
            assert found == dialect or _same(text, found, dialect)


def _same(text: str, found: str, dialect: str) -> bool:
    annotations = read_annotations(text)
    rules = [read(text, name, annotations).grammar.rules for name in (found, dialect)]
    return rules[0] == rules[1]


def test_where_all_that_can_read_it_say_the_same_any_of_them_does() -> None:
    assert detect(PLAIN) in ("bnf", "w3c", "gbnf")


def test_a_dialect_in_which_every_rule_is_defined_goes_first() -> None:
    assert detect('a ::= b [x]\nb ::= "y"\n') == "w3c"


def test_where_they_differ_the_author_is_asked() -> None:
    assert error_of('root ::= "a\\n"\n') == (
        "g: error: the file can be read as classic BNF, W3C EBNF and as GBNF of llama.cpp, which do not say the same; "
        "name its dialect in a comment: @dialect bnf or @dialect w3c or @dialect gbnf"
    )


def test_what_none_can_read_is_answered_by_the_one_that_came_furthest() -> None:
    message = error_of('<a> ::= "x"\n<b> ::= ( "y"\n')
    assert message.startswith("g:2:14: error: BNF: expected ')', found the end of the file; ")
    assert message.endswith(
        "the file was taken for classic BNF, which comes nearest; if it is another, say so: @dialect NAME"
    )


def test_an_empty_file_is_no_grammar() -> None:
    assert (
        error_of(" \n") == "g: error: the file is empty; write at least one rule, such as <name> ::= 'text'"
    )


def test_a_mistake_in_an_annotation_comes_first() -> None:
    with pytest.raises(GrammarError, match="can't be 'klingon'"):
        detect("# @dialect klingon\n", "a.g4")


def test_reading_dispatches_and_adds_notes_on_annotations() -> None:
    text = "# @author me\n" + PLAIN
    reading = read(text, "w3c", read_annotations(text))
    assert reading.grammar.dialect == "w3c"
    (note,) = reading.diagnostics
    assert (note.severity, note.code, note.span) == ("note", "unknown-annotation", Span(1, 3, 1, 13))


def test_a_wrong_dialect_is_answered_with_the_one_that_fits() -> None:
    with pytest.raises(GrammarError) as caught:
        read(BNF, "gbnf", Annotations())
    assert caught.value.diagnostics[0].advice == "this looks like classic BNF (@dialect bnf)"
    with pytest.raises(GrammarError) as caught:
        read("// nothing\n" + BNF, "lark", Annotations())
    assert "this looks like" in caught.value.diagnostics[0].advice


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("(((", "w3c"),
        ("start: /(?=a)b/\n", "lark"),
        ("a ::= <\n" * 30_000, "gbnf"),
    ],
)
def test_no_advice_is_given_where_there_is_none(text: str, dialect: str) -> None:
    with pytest.raises(GrammarError) as caught:
        read(text, dialect, Annotations())
    assert "looks like" not in caught.value.diagnostics[0].advice


def test_an_unknown_dialect_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        GrammarError, match="there is no dialect 'klingon'; the dialects are bnf, ebnf, w3c, abnf"
    ):
        read("", "klingon", Annotations(spans={"dialect": Span(1, 1, 1, 2)}))


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000,
        "a ::= " + "[" * 3000,
        "a: " + "(" * 3000 + ")" * 3000,
        "\0",
        "<" * 10_000,
        "'" * 9_999,
        "/" * 9_999,
        "{" * 9_999,
    ],
)
def test_hostile_files_end_in_a_grammar_or_an_error(text: str, dialect: str) -> None:
    with suppress(GrammarError):
        read(text, dialect, Annotations())


@pytest.mark.parametrize("text", ["; a comment\n; another\n", "# one\n", "(* one *)\n", "// one\n"])
def test_comments_alone_are_no_grammar(text: str) -> None:
    with pytest.raises(GrammarError, match="no rules in the file, only comments; write at least one rule"):
        detect(text, "a.bnf")
