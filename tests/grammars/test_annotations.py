"""Annotations: what is read from comments of any dialect, what is not ours, and what is refused with its place."""

from __future__ import annotations

import pytest

from grammars.annotations import annotation_notes, read_annotations
from grammars.diagnostics import Diagnostic, GrammarError, Span
from grammars.form import Annotations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("; @dialect bnf", Annotations(dialect="bnf")),
        ("# @name sql", Annotations(name="sql")),
        ("// @language sql mysql", Annotations(languages=("sql", "mysql"))),
        ("-- @files *.sql *.ddl", Annotations(globs=("*.sql", "*.ddl"))),
        ("(* @start query *)", Annotations(start="query")),
        ("/* @token ident number */", Annotations(terminals=("ident", "number"))),
        ("# @rule range", Annotations(rules=("range",))),
        ("; @skip ws comment", Annotations(skip=("ws", "comment"))),
        ("; @comment -- eol", Annotations(line_comments=("--",))),
        (
            "# @comment # eol\n# @comment /* */",
            Annotations(line_comments=("#",), block_comments=(("/*", "*/"),)),
        ),
        ("(* @comment (* *) *)\n(* @start a *)", Annotations(block_comments=(("(*", "*)"),), start="a")),
        ("/* @comment /* */\nx: y", Annotations(block_comments=(("/*", "*/"),))),
        ("; @comment <!-- -->", Annotations(block_comments=(("<!--", "-->"),))),
        ("# @blanks line", Annotations(blanks="line")),
        ("# @indent tab", Annotations(indent=True, indent_unit="tab")),
        ("# @ignorecase\n# @reserved\n# @indent", Annotations(ignore_case=True, reserved=True, indent=True)),
        ("; @token a b\n; @token b c", Annotations(terminals=("a", "b", "c"))),
        ("; @start a\n; @start a", Annotations(start="a")),
        (
            '; @start <join kind>\n; @skip "white space"',
            Annotations(start="join kind", skip=("white space",)),
        ),
        ("; @start 查询\n; @token 标识符", Annotations(start="查询", terminals=("标识符",))),
        ("\ufeff  # @name a\r\n#@start b\r\n", Annotations(name="a", start="b")),
        ("/// @start a\n//! no\n## @name b", Annotations(start="a", name="b")),
        ("/**\n * Words.\n * @start a\n @token b\n */\n@skip c", Annotations(start="a", terminals=("b",))),
        ("(* one\n   @start a *)\n(* @name b", Annotations(start="a", name="b")),
    ],
)
def test_annotations_are_read_from_the_comments_of_any_dialect(text: str, expected: Annotations) -> None:
    assert read_annotations(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "@header { package a; }\n@members {\n  int x;\n}",
        "parser::@start",
        "a = b ; (* @start b *)",
        "OPEN : '/*' ;\n@start b",
        "// mail to me@start.org, or @ home",
        "# @formatter:off",
        "// @author someone\n// @param a what\n// @see http://example.org\n// @license MIT\n// @file a.g4",
        "",
    ],
)
def test_what_else_looks_like_one_is_left_alone(text: str) -> None:
    assert read_annotations(text) == Annotations()


def test_each_word_and_each_name_has_its_place() -> None:
    spans = read_annotations("a = b;\n  # @token <x y> z\n# @token w\n# @indent\n").spans
    assert spans == {
        "token": Span(2, 5, 2, 19),
        "token x y": Span(2, 12, 2, 17),
        "token z": Span(2, 18, 2, 19),
        "token w": Span(3, 10, 3, 11),
        "indent": Span(4, 3, 4, 10),
    }


@pytest.mark.parametrize(
    ("text", "code", "message", "span"),
    [
        ("\n# @strat a", "unknown-annotation", "there is no annotation @strat", Span(2, 3, 2, 11)),
        ("# @Start a", "unknown-annotation", "there is no annotation @Start", Span(1, 3, 1, 11)),
        (
            "; @blanks maybe",
            "malformed-annotation",
            "@blanks can't be 'maybe': it is one of all, line, none",
            Span(1, 11, 1, 16),
        ),
        ("; @blanks", "malformed-annotation", "@blanks needs a value", Span(1, 3, 1, 10)),
        ("; @start", "malformed-annotation", "@start needs a value", Span(1, 3, 1, 9)),
        ("(* @start *)", "malformed-annotation", "@start needs a value", Span(1, 4, 1, 10)),
        (
            "; @start a b",
            "malformed-annotation",
            "@start takes one value: 'a' is given already",
            Span(1, 12, 1, 13),
        ),
        (
            "; @start a\n; @start b",
            "malformed-annotation",
            "@start takes one value: 'a' is given already",
            Span(2, 10, 2, 11),
        ),
        (
            "; @token a @skip b",
            "malformed-annotation",
            "'@skip' stands among the values of @token",
            Span(1, 12, 1, 17),
        ),
        (
            "; @ignorecase 4",
            "malformed-annotation",
            "@ignorecase takes no value, and has '4'",
            Span(1, 3, 1, 16),
        ),
        (
            "; @indent 5",
            "malformed-annotation",
            "@indent can't be '5': it is one of 2, 3, 4, 8, tab",
            Span(1, 11, 1, 12),
        ),
        (
            "; @indent 4 tab",
            "malformed-annotation",
            "@indent takes one value: '4' is given already",
            Span(1, 13, 1, 16),
        ),
        (
            "; @comment",
            "malformed-annotation",
            "@comment takes two values, how a comment begins and how it ends, and has 0",
            Span(1, 3, 1, 11),
        ),
        (
            "; @comment --",
            "malformed-annotation",
            "@comment takes two values, how a comment begins and how it ends, and has 1",
            Span(1, 3, 1, 14),
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(text: str, code: str, message: str, span: Span) -> None:
    with pytest.raises(GrammarError) as caught:
        read_annotations(text)
    (one,) = caught.value.diagnostics
    assert (one.severity, one.code, one.message, one.span) == ("error", code, message, span)
    assert one.advice


def test_an_unknown_dialect_is_answered_with_the_known_ones() -> None:
    with pytest.raises(GrammarError, match="bnf, ebnf, w3c, abnf, gbnf, lark, antlr4"):
        read_annotations("# @dialect klingon")


def test_a_misspelt_word_is_answered_with_the_closest_and_all_known_ones() -> None:
    with pytest.raises(GrammarError) as caught:
        read_annotations("# @tokens a\n# @ignore-case")
    assert [one.message for one in caught.value.diagnostics] == [
        "there is no annotation @tokens",
        "there is no annotation @ignore-case",
    ]
    assert caught.value.diagnostics[0].advice.startswith(
        "did you mean @token? the annotations are @dialect, @name,"
    )
    assert caught.value.diagnostics[1].advice.startswith("did you mean @ignorecase?")


def test_words_of_other_tools_are_noted_and_passed_over() -> None:
    assert annotation_notes("// @author me\n// @start a\n// @strat b") == (
        Diagnostic(
            "note",
            "unknown-annotation",
            "@author is no annotation, and was passed over",
            "the annotations are @dialect, @name, @language, @files, @start, @token, @rule, @skip, @comment, @blanks, "
            "@ignorecase, @reserved, @indent",
            Span(1, 4, 1, 14),
        ),
    )


def test_a_big_file_without_end_of_its_comment_is_read_in_one_pass() -> None:
    assert read_annotations("(* \n" + "@start a\n" * 100_000).start == "a"
