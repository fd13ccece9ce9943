"""Lark as authors write it: exact forms, templates, imports and indentation, and what is refused with its place."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from grammars.diagnostics import Diagnostic, Span
from grammars.dialects.lark_common import COMMON, common_terminal
from grammars.dialects.lark_dialect import read
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    Annotations,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    Sequence,
)
from tests.fakes.dialect_reading import assert_means, assert_says, faultless, refusal
from tests.fakes.form_matcher import matches

SAMPLES = Path(__file__).parent / "samples" / "lark"
A, B, C = Literal("a"), Literal("b"), Reference("c")
UPPER_A = Reference("A")
DIGITS = Repeat(CharacterSet(((0x30, 0x39),)), 1, None)
grammar_of = partial(faultless, read)


def expressions(text: str) -> dict[str, Expression]:
    return {name: rule.expression for name, rule in grammar_of(text).rules.items()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", EMPTY),
        ('""', EMPTY),
        ('"a" "b"', Sequence((A, B))),
        ('"a" -> one\n    | "b"i -> two', Choice((A, Literal("b", ignore_case=True)))),
        ('| "a"', Choice((EMPTY, A))),
        ('"a" // one\n\n  # two\n  | c', Choice((A, C))),
        ('"a" \\\n  c', Sequence((A, C))),
        ('("a" | c)+ ["b"]', Sequence((Repeat(Choice((A, C)), 1, None), Repeat(B, 0, 1)))),
        ('(\n"a"\n  c -> x\n | "b"\n)', Choice((Sequence((A, C)), B))),
        ('"a"~3 "b" ~ 2..4', Sequence((Repeat(A, 3, 3), Repeat(B, 2, 4)))),
        ('"a"{2,} "b"{3}', Sequence((Repeat(A, 2, None), Repeat(B, 3, 3)))),
        ('"a".."z"', CharacterSet(((0x61, 0x7A),))),
        (r'"\x41\u00e9\U0001F600\n\t\\\"\*"', Literal('Aé😀\n\t\\"\\*')),
        ("A B", Sequence((UPPER_A, B))),
        ("/[a-c]/ /if/", Sequence((CharacterSet(((0x61, 0x63),)), Literal("if")))),
        ("/x+/", Reference("/x+/")),
        ("名前 _c", Sequence((Reference("名前"), Reference("_c")))),
    ],
)
def test_each_construct_of_a_rule_has_one_form(body: str, expected: Expression) -> None:
    text = f'start: {body}\nc: "c"\n名前: c\n_c: c\nA: /[a-z]+/\nB: "b"\n'
    assert expressions(text)["start"] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/x+/i", Repeat(Literal("x", ignore_case=True), 1, None)),
        (r"/\//", Literal("/")),
        ("/[/]#/", Sequence((CharacterSet(((0x2F, 0x2F),)), Literal("#")))),
        ("/a.*?b/s", Sequence((A, Repeat(ANY_CHARACTER, 0, None, lazy=True), B))),
        ('B "a"', Sequence((Reference("B"), A))),
        ("/x+/ & ~/xx/", Exclusion(Repeat(Literal("x"), 1, None), Literal("xx"))),
        ("~B & B", Exclusion(Reference("B"), Reference("B"))),
        ('B & ~"a" & ~"b"', Exclusion(Exclusion(Reference("B"), A), B)),
        ('~"a" & ~"b"', Exclusion(Exclusion(Repeat(ANY_CHARACTER, 0, None), A), B)),
        ("(B &\n ~B)", Exclusion(Reference("B"), Reference("B"))),
    ],
)
def test_each_construct_of_a_terminal_has_one_form(body: str, expected: Expression) -> None:
    assert expressions(f"start: A B\nA: {body}\nB: /[a-z]/+\n")["A"] == expected


def test_terminals_are_told_by_upper_case_and_what_only_shapes_the_tree_is_dropped() -> None:
    grammar = grammar_of(
        '?start: _inner | !c\n!c: A\n_inner: _B\nA: /a+/\n_B: "b"+\n!?x: c'.replace("| !c", "| c")
    )
    assert {name: rule.lexical for name, rule in grammar.rules.items()} == {
        "start": False,
        "c": False,
        "_inner": False,
        "A": True,
        "_B": True,
        "x": False,
    }
    assert (grammar.dialect, grammar.start, grammar.explicit_lexer) == ("lark", "start", True)


def test_a_terminal_that_is_a_text_is_that_text_in_rules() -> None:
    text = 'start: PLUS MINUS PART STOP\nPLUS: "+"\nMINUS: "-"\nPART: MINUS "x"\nSTOP: "."\n%ignore STOP'
    assert expressions(text) == {
        "start": Sequence((Literal("+"), Literal("-"), Reference("PART"), Reference("STOP"))),
        "MINUS": Literal("-"),
        "PART": Sequence((Reference("MINUS"), Literal("x"))),
        "STOP": Literal("."),
    }
    kept = read(text, Annotations(terminals=("PLUS",))).grammar.rules
    assert "PLUS" in kept


def test_a_pattern_in_a_rule_is_a_terminal_named_by_itself() -> None:
    grammar = grammar_of("start: /x+/i c\nc: /x+/i\n")
    assert list(grammar.rules) == ["start", "c", "/x+/i"]
    rule = grammar.rules["/x+/i"]
    assert (rule.lexical, rule.span) == (True, Span(1, 8, 1, 13))


def test_priorities_are_dropped_with_a_note() -> None:
    reading = read("start.-2: A\nA.10: /a+/", Annotations())
    assert reading.diagnostics == (
        Diagnostic(
            "note",
            "priority",
            "the priority .-2 of start is dropped: whatever may match is allowed",
            span=Span(1, 6, 1, 9),
        ),
        Diagnostic(
            "note",
            "priority",
            "the priority .10 of A is dropped: whatever may match is allowed",
            span=Span(2, 2, 2, 5),
        ),
    )


def test_ignored_terminals_are_skipped() -> None:
    grammar = grammar_of(
        'start: "a"\nWS: /[ ]+/\n%ignore WS\n%ignore /#.*/\n%ignore " " | /x/\n%ignore "y"\n'
    )
    assert grammar.skip == ("WS", "/#.*/", "%ignore 2", "%ignore 3")
    assert grammar.rules["%ignore 2"].expression == Choice((Literal(" "), Literal("x")))
    assert all(grammar.rules[name].lexical for name in grammar.skip)


def test_templates_are_expanded_once_for_each_arguments() -> None:
    text = 'start: _list{c, ","} _list{c, ","} pair{"a"}\nc: "c"\n_list{x, sep}: x (sep x)*\npair{x}: _list{x, /;+/}\n'
    assert expressions(text) == {
        "start": Sequence((Reference('_list{c, ","}'), Reference('_list{c, ","}'), Reference('pair{"a"}'))),
        "c": Literal("c"),
        'pair{"a"}': Reference('_list{"a", /;+/}'),
        '_list{"a", /;+/}': Sequence((A, Repeat(Sequence((Reference("/;+/"), A)), 0, None))),
        '_list{c, ","}': Sequence((C, Repeat(Sequence((Literal(","), C)), 0, None))),
        "/;+/": Repeat(Literal(";"), 1, None),
    }


def test_arguments_that_look_alike_make_different_rules() -> None:
    grammar = grammar_of('start: t{("a" "b")} t{\n("b" "a")\n} t{c*} t{t{c}}\nc: "c"\nt{x}: "(" x ")"\n')
    assert [name for name in grammar.rules if name.startswith("t{")] == [
        "t{t{c}}",
        "t{c}",
        "t{...} #3",
        "t{...} #2",
        "t{...}",
    ]


def test_a_template_may_use_itself() -> None:
    rules = expressions('start: t{"a"}\nt{x}: x | "(" t{x} ")"\n')
    assert rules['t{"a"}'] == Choice((A, Sequence((Literal("("), Reference('t{"a"}'), Literal(")")))))


def test_imports_from_common_are_restated() -> None:
    text = "start: NUM WORD _WS\n%import common.INT -> NUM\n%import common (WORD, WS_INLINE)\n"
    text += "%import common.WS -> _WS\n"
    grammar = grammar_of(text)
    assert list(grammar.rules) == ["start", "NUM", "WORD", "WS_INLINE", "_WS"]
    assert grammar.rules["NUM"].expression == DIGITS
    assert grammar.rules["NUM"].span == Span(2, 9, 2, 19)
    assert all(grammar.rules[name].lexical for name in ("NUM", "WORD", "WS_INLINE", "_WS"))


def test_extending_and_overriding() -> None:
    text = (
        'start: INT c\n%import common.INT\n%override INT: /x+/\n%extend c: "d"\nc: "c"\n%extend INT: /y+/\n'
    )
    rules = expressions(text.replace('%extend c: "d"\nc: "c"\n', 'c: "c"\n%extend c: "d"\n'))
    assert rules["INT"] == Choice((Repeat(Literal("x"), 1, None), Repeat(Literal("y"), 1, None)))
    assert rules["c"] == Choice((Literal("c"), Literal("d")))


@pytest.mark.parametrize("newline", ["_NEWLINE", "_NL", "NEWLINE"])
def test_declared_indentation_is_the_forms(newline: str) -> None:
    text = f'start: "a" {newline} _INDENT start+ _DEDENT\n{newline}: /\\n[ ]*/\n%declare _INDENT _DEDENT\n'
    grammar = grammar_of(text)
    assert grammar.annotations.indent
    assert list(grammar.rules) == ["start"]
    names = [one.name for one in grammar.rules["start"].expression.items if isinstance(one, Reference)]  # type: ignore[union-attr]
    assert names == ["NEWLINE", "INDENT", "DEDENT"]


def test_without_start_the_first_rule_is_taken_and_that_is_said() -> None:
    reading = read("A: /a+/\nexpr: A\n", Annotations())
    (one,) = reading.diagnostics
    assert reading.grammar.start == "expr"
    assert (one.severity, one.code, one.span) == ("warning", "no-start", Span(2, 1, 2, 5))
    assert read("A: /a+/\nexpr: A\n", Annotations(start="A")).diagnostics == ()


def test_what_llguidance_adds_and_changes_nothing_is_passed_over() -> None:
    text = '%llguidance {"allow_initial_skip": true}\nstart[capture]: "a" c\nc[capture="x"]: "c"\n'
    assert list(expressions(text)) == ["start", "c"]


@pytest.mark.parametrize(
    ("text", "code", "message", "advice", "span"),
    [
        ("start: 'a'", "syntax", 'found "\'"', "write literals in double quotes", Span(1, 8, 1, 9)),
        ("start = a", "syntax", "expected ':'", "write ':' between", Span(1, 7, 1, 8)),
        ("start ::= a", "syntax", "found ':'", "write ':' between", Span(1, 8, 1, 9)),
        ("start::_ : a", "syntax", "found ':'", "rules with parameters", Span(1, 7, 1, 8)),
        ("start: a\n  b\n", "syntax", "expected ':'", "a rule ends with its line", Span(2, 4, 3, 1)),
        ("start: a b: c", "syntax", "found ':'", "begin each rule on a line of its own", Span(1, 11, 1, 12)),
        ("start: a;", "syntax", "found ';'", "without ';'", Span(1, 9, 1, 10)),
        ("start: (a", "syntax", "found the end of the file", "( at line 1, column 8", Span(1, 10, 1, 10)),
        ("start: * a", "syntax", "found '*'", "stands after what it repeats", Span(1, 8, 1, 9)),
        ("%grammar x", "syntax", "found '%'", "the directives are", Span(1, 1, 1, 2)),
        ('start: "a', "syntax", "a literal is opened here", "", Span(1, 8, 1, 9)),
        ("start: /ab", "syntax", "found '/'", "closed by / on the same line", Span(1, 8, 1, 9)),
        ("start: a~3..2", "syntax", "at least 3 and at most 2 times is never", "", Span(1, 9, 1, 14)),
        ('start: "\\x4"', "syntax", r"the escape \x lacks digits", r"\xHH", Span(1, 9, 1, 11)),
        ('start: "\\uD800"', "syntax", "no character with the number D800", "", Span(1, 9, 1, 15)),
        ('start: "a".."bc"', "syntax", '"bc" is none', '"a".."z"', Span(1, 13, 1, 17)),
        ('start: "a"i.."c"', "syntax", '"a"i is none', '"a".."z"', Span(1, 8, 1, 12)),
        ('start: "z".."a"', "syntax", "from 'z' down to 'a'", "lower", Span(1, 8, 1, 16)),
        ("start: /a(?=b)c/", "look-around", "(?=b) looks around", "non-greedy", Span(1, 10, 1, 15)),
        ("start: /a/q", "regex", "there is no flag 'q'", "i, m, s, u, x", Span(1, 9, 1, 10)),
        ("start: %json {\n}\n", "unsupported", "%json inside a grammar", "rules", Span(1, 8, 1, 13)),
        ("start: <|end|>", "unsupported", "<|end|> is a token", "double quotes", Span(1, 8, 1, 15)),
        ("start: @other", "unsupported", "@other is a token", "double quotes", Span(1, 8, 1, 14)),
        ("a[lazy]: /x/", "unsupported", "the attributes [lazy]", "leave them out", Span(1, 2, 1, 8)),
        ("A: /x/ & /y/", "unsupported", "only '& ~' is supported", "write the pattern out", None),
        (
            "%import python.NAME",
            "unsupported",
            "%import from python",
            "copy the rules of NAME",
            Span(1, 9, 1, 20),
        ),
        (
            "%import .own.NAME",
            "unsupported",
            "%import from .own",
            "copy the rules of NAME",
            Span(1, 9, 1, 18),
        ),
        ("%import NAME", "unsupported", "%import from another file", "copy", Span(1, 9, 1, 13)),
        (
            "%import common.NUMBR",
            "syntax",
            "common has no terminal NUMBR",
            "did you mean NUMBER?",
            Span(1, 9, 1, 21),
        ),
        ("%import common (ZZ)", "syntax", "common has no terminal ZZ", "it has DIGIT", Span(1, 17, 1, 19)),
        (
            "%declare _END",
            "unsupported",
            "%declare _END leaves",
            "define _END by a pattern",
            Span(1, 10, 1, 14),
        ),
        (
            "a: _INDENT\n%declare _INDENT",
            "syntax",
            "no terminal for line ends",
            "_NEWLINE",
            Span(2, 10, 2, 17),
        ),
        ("%override a: b", "syntax", "no rule a before it", "leave out %override", Span(1, 11, 1, 12)),
        ("start: t{a}", "undefined-rule", "there is no template t", "t{x, y}: ...", Span(1, 8, 1, 9)),
        (
            "a: lst{a}\nlist{x}: x",
            "undefined-rule",
            "no template lst",
            "did you mean list?",
            Span(1, 4, 1, 7),
        ),
        ("a: t{a, a}\nt{x}: x", "syntax", "takes 1 arguments, and 2 are given", "", Span(1, 4, 1, 5)),
        ("A: t{B}\nt{x}: x", "unsupported", "t is used in a terminal", "write it out", Span(1, 4, 1, 5)),
        (
            "a: t{a}\nt{x}: t{(x x)}",
            "too-large",
            "too many rules, or too large",
            "uses itself",
            Span(2, 7, 2, 8),
        ),
        (
            "a: t{a}\nt{x}: t{x*}",
            "too-large",
            "too many rules, or too large",
            "uses itself",
            Span(2, 7, 2, 8),
        ),
        ("a: t{a}\nt{x}: t{u{x}}\nu{y}: y", "too-large", "too many rules", "uses itself", None),
        ("a: " + "(" * 3000, "too-deep", "nested more than 100 deep", "", None),
        ("// nothing\n", "no-rules", "there is no rule in this Lark file", "", None),
    ],
)
def test_mistakes_are_named_at_their_place(
    text: str, code: str, message: str, advice: str, span: Span | None
) -> None:
    found = refusal(read, text)
    assert found.code == code
    assert_says(found, message, advice, span)


def test_a_big_file_is_read() -> None:
    text = 'start: "a"\n' + "".join(f"rule_{index}: /x+/ | start* // y\n" for index in range(5_000))
    assert len(grammar_of(text).rules) == 5_002


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("INT", ["0", "12"], ["", "-1"]),
        ("SIGNED_NUMBER", ["1", "-1.5e3", "+.5", "1e9", "3."], ["", "e9", "1e"]),
        ("FLOAT", ["1.5", "1e3", ".5", "1."], ["1", "e3"]),
        ("ESCAPED_STRING", ['""', '"a\\"b"', '"\\\\"'], ['"', '"a"b"', '"\\"', '"\n"']),
        ("C_COMMENT", ["/**/", "/* a\n* */"], ["/*", "/*/"]),
        ("CNAME", ["a", "_1", "aB9"], ["1a", ""]),
        ("NEWLINE", ["\n", "\r\n\n"], ["\r", ""]),
        ("WS", [" \t\f\r\n"], ["", "a"]),
    ],
)
def test_common_terminals_match_what_larks_do(name: str, right: list[str], wrong: list[str]) -> None:
    expression = common_terminal(name)
    assert [one for one in right if not matches(expression, one)] == []
    assert [one for one in wrong if matches(expression, one)] == []


def test_every_common_terminal_can_be_read() -> None:
    assert all(common_terminal(name) != EMPTY for name in COMMON)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("json", ['{"a": [1, -2.5, null], "b": {}}', "[]", " true "], ["{a: 1}", "[1,]", "01x"]),
        ("calc", ["x = 1 + 2*(3 - y)", "-1", "a"], ["1 +", "x = ", "1 2"]),
        (
            "python_like",
            [
                "x = 1\n",
                "def f(a, b=2):\n    if a < b:\n        return 'x'\n    else:\n        pass\nf(1, 0xFF)\n",
                "while x: y += 1; pass\n",
            ],
            ["def f(:\n    pass\n", "if x:\npass\n", "x = = 1\n"],
        ),
        (
            "sql",
            [
                "select a, b.c from t as x where a <> 'it''s' and b like 'x' order by a desc;",
                "INSERT INTO t (a, b) VALUES (1, null), (-2, 'x');\n-- end\n",
            ],
            ["select from t;", "insert into t values (1);", "select a from t"],
        ),
    ],
)
def test_grammars_of_others_mean_what_they_mean(name: str, right: list[str], wrong: list[str]) -> None:
    assert_means(SAMPLES / f"{name}.lark", right, wrong)
