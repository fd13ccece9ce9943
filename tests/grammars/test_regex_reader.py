"""Regular expressions in the form: their exact shape, the texts they match, and what is refused where."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammars.characters import WORD, WORD_PROPERTIES
from grammars.diagnostics import GrammarError, Span
from grammars.form import (
    ANY_CHARACTER,
    EMPTY,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Repeat,
    Sequence,
)
from grammars.regex_reader import MAX_CHARACTERS, read_regex
from tests.fakes.form_matcher import matches

TOO_MANY = "repetitions are too many; written out, a terminal may have 20,000 parts"
A, B = Literal("a"), Literal("b")
LOWER = CharacterSet(((0x61, 0x7A),))
SMALL_A = CharacterSet(((0x61, 0x61),))
LETTERS_ = ((0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
NO_LINE_END = CharacterSet(((10, 10),), negated=True)


@pytest.mark.parametrize(
    ("source", "flags", "expected"),
    [
        ("", "", EMPTY),
        ("abc", "", Literal("abc")),
        ("a|b|a", "", Choice((A, B))),
        ("a|", "", Choice((A, EMPTY))),
        ("(a)(?:b)", "", Literal("ab")),
        ("(?P<x>a)|(?<y>b)", "", Choice((A, B))),
        ("a(?#remark)b", "", Literal("ab")),
        ("a*", "", Repeat(A, 0, None)),
        ("ab+", "", Sequence((A, Repeat(B, 1, None)))),
        ("a??", "", Repeat(A, 0, 1, lazy=True)),
        ("a{3}", "", Repeat(A, 3, 3)),
        ("a{3}?", "", Repeat(A, 3, 3)),
        ("a{2,}", "", Repeat(A, 2, None)),
        ("a{,3}", "", Repeat(A, 0, 3)),
        ("a{2,3}?", "", Repeat(A, 2, 3, lazy=True)),
        ("a{", "", Literal("a{")),
        ("a{}{x}", "", Literal("a{}{x}")),
        ("()*", "", EMPTY),
        ("(?:)?a", "", A),
        (".", "", NO_LINE_END),
        (".", "s", ANY_CHARACTER),
        ("(?s).", "", ANY_CHARACTER),
        ("(?s:.).", "", Sequence((ANY_CHARACTER, NO_LINE_END))),
        ("(?s-i).", "i", ANY_CHARACTER),
        ("(?-s:.).", "s", Sequence((NO_LINE_END, ANY_CHARACTER))),
        ("[a-z]", "", LOWER),
        ("[^a-z]", "", CharacterSet(((0x61, 0x7A),), negated=True)),
        ("[zya]", "", CharacterSet(((0x61, 0x61), (0x79, 0x7A)))),
        ("[]a]", "", CharacterSet(((0x5D, 0x5D), (0x61, 0x61)))),
        ("[^]]", "", CharacterSet(((0x5D, 0x5D),), negated=True)),
        ("[a-]", "", CharacterSet(((0x2D, 0x2D), (0x61, 0x61)))),
        (r"[a-\d]", "", CharacterSet(((0x2D, 0x2D), (0x30, 0x39), (0x61, 0x61)), ("Nd",))),
        (r"[\]\\\-\b]", "", CharacterSet(((8, 8), (0x2D, 0x2D), (0x5C, 0x5D)))),
        ("[[:digit:]_]", "", CharacterSet(((0x30, 0x39), (0x5F, 0x5F)))),
        ("[[:^ascii:]]", "", CharacterSet(((0x80, 0x10FFFF),))),
        ("[[:odd:]", "", CharacterSet(((0x3A, 0x3A), (0x5B, 0x5B), (0x64, 0x64), (0x6F, 0x6F)))),
        (r"[\s\S]", "", ANY_CHARACTER),
        (r"[\d\D]", "", ANY_CHARACTER),
        (r"\d", "", CharacterSet(((0x30, 0x39),), ("Nd",))),
        (r"\D", "", CharacterSet((), ("^Nd",))),
        (
            r"\p{Lu}\pL\P{Han}",
            "",
            Sequence((CharacterSet((), ("Lu",)), CharacterSet((), ("L",)), CharacterSet((), ("^Han",)))),
        ),
        (r"[\P{^L}\p{^N}]", "", CharacterSet((), ("L", "^N"))),
        (r"[\W]", "", CharacterSet(WORD, WORD_PROPERTIES, negated=True)),
        (r"[\Wa]", "", Choice((CharacterSet(WORD, WORD_PROPERTIES, negated=True), SMALL_A))),
        (r"[\W\w]", "", ANY_CHARACTER),
        (r"[\W\d\D]", "", ANY_CHARACTER),
        (r"[^\W]", "", CharacterSet(WORD, WORD_PROPERTIES)),
        (r"[^\W\d]", "", CharacterSet(LETTERS_, ("L", "M", "Pc", "Nl", "No"))),
        (r"[^\W\p{L}a]", "", CharacterSet(((0x30, 0x39), (0x5F, 0x5F)), ("M", "N", "Pc"))),
        (r"[^\Wa]", "", Exclusion(CharacterSet(WORD, WORD_PROPERTIES), SMALL_A)),
        (r"\x41\u0042\U00000043\x{1F600}\u{44}\0\011", "", Literal("ABC😀D\0\t")),
        (r"\n\t\r\f\v\a\e", "", Literal("\n\t\r\f\v\a\x1b")),
        (r"\.\/\"\-\ ", "", Literal('./"- ')),
        ("a1B", "i", Literal("a1B", ignore_case=True)),
        ("1", "i", Literal("1")),
        ("(?i:a)b", "", Sequence((Literal("a", ignore_case=True), B))),
        (r"\x61", "i", Literal("a", ignore_case=True)),
        ("[a-b]", "i", CharacterSet(((0x41, 0x42), (0x61, 0x62)))),
        (r"\p{Lu}", "i", CharacterSet((), ("LC",))),
        (" a # x\n b|[ #]", "x", Choice((Literal("ab"), CharacterSet(((0x20, 0x20), (0x23, 0x23)))))),
        ("a * # x", "x", Repeat(A, 0, None)),
        (r"a\ ", "x", Literal("a ")),
    ],
)
def test_a_pattern_has_one_form(source: str, flags: str, expected: Expression) -> None:
    assert read_regex(source, flags=flags) == expected


@pytest.mark.parametrize(
    ("source", "message", "span"),
    [
        ("a(b", "a ( is opened here and never closed", Span(3, 6, 3, 7)),
        ("ab)", "a ) closes nothing", Span(3, 7, 3, 8)),
        ("a[b", "a [ is opened here and never closed", Span(3, 6, 3, 7)),
        ("*a", "* has nothing to repeat", Span(3, 5, 3, 6)),
        ("a|+", "+ has nothing to repeat", Span(3, 7, 3, 8)),
        ("a**", "* repeats a repetition", Span(3, 7, 3, 8)),
        ("a*+", "*+ repeats possessively", Span(3, 6, 3, 7)),
        ("a{3,2}", "{3,2} repeats at least 3 and at most 2 times", Span(3, 6, 3, 7)),
        ("a{1234567}", f"1234567 {TOO_MANY}", Span(3, 7, 3, 8)),
        ("a{1,20001}", f"20001 {TOO_MANY}", Span(3, 9, 3, 10)),
        (r"(a)\1", r"\1 refers back to what a group matched", Span(3, 8, 3, 10)),
        ("(?>a)", "(?>a begins a kind of group that can't be had here", Span(3, 5, 3, 7)),
        ("(?P=x)", "(?P= begins a kind of group that can't be had here", Span(3, 5, 3, 7)),
        ("(?l)a", "there is no flag 'l'", Span(3, 5, 3, 6)),
        ("(?#a", "a remark is opened here and never closed", Span(3, 5, 3, 8)),
        (r"\q", r"there is no escape \q", Span(3, 5, 3, 7)),
        (r"\x4", r"there is no escape \x", Span(3, 5, 3, 7)),
        ("a\\", "a backslash ends the pattern", Span(3, 6, 3, 7)),
        (r"\uD800", r"there is no character \uD800", Span(3, 5, 3, 11)),
        (r"\x{110000}", r"there is no character \x{110000}", Span(3, 5, 3, 15)),
        (r"\p{Foo}", "there is no Unicode property 'Foo'", Span(3, 5, 3, 12)),
        (r"\p1", "a property is written \\p{Name}", Span(3, 5, 3, 7)),
        ("[z-a]", "a range from 'z' down to 'a' has no character in it", Span(3, 6, 3, 9)),
        (r"[^\s\S]", "no character is in this class", Span(3, 5, 3, 12)),
        ("a\nb\n*+?(", "*+ repeats possessively", Span(5, 1, 5, 2)),
    ],
)
def test_what_can_not_be_is_refused_at_its_place(source: str, message: str, span: Span) -> None:
    with pytest.raises(GrammarError) as caught:
        read_regex(source, Span(3, 5, 3, 5 + len(source)))
    (one,) = caught.value.diagnostics
    assert (one.severity, one.code, one.message, one.span) == ("error", "regex", message, span)


def test_without_a_place_in_a_file_the_message_counts_characters() -> None:
    with pytest.raises(GrammarError, match=r"\) closes nothing \(at character 3 of the pattern\)"):
        read_regex("ab)")


def test_parts_have_their_places_over_lines() -> None:
    expression = read_regex("ab # x\n[c]", Span(4, 10, 5, 4), "x")
    assert isinstance(expression, Sequence)
    first, second = expression.items
    assert isinstance(first, Literal)
    assert isinstance(second, CharacterSet)
    assert (first.span, second.span) == (Span(4, 10, 4, 12), Span(5, 1, 5, 4))


def test_an_unknown_flag_is_refused() -> None:
    with pytest.raises(GrammarError, match="there is no flag 'q'"):
        read_regex("a", flags="q")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("(" * 3000 + ")" * 3000, "groups are nested more than 100 deep"),
        ("a" * (MAX_CHARACTERS + 1), "the pattern has 20,001 characters"),
        ("[" * MAX_CHARACTERS, "is opened here and never closed"),
    ],
)
def test_hostile_patterns_are_refused(source: str, message: str) -> None:
    with pytest.raises(GrammarError, match=message):
        read_regex(source, Span(1, 1, 1, 1))


@pytest.mark.parametrize("source", ["(" * 100 + ")" * 100, "a?" * 10_000, "(a|b)" * 4_000])
def test_large_patterns_are_read(source: str) -> None:
    read_regex(source, Span(1, 1, 1, 1))


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        (r"[A-Za-z_]\w*", ""),
        (r"[^\W\d]\w*", ""),
        (r"0[xX][\da-f]+|\d+(\.\d*)?([eE][+-]?\d+)?", "i"),
        (r'"(\\.|[^"\\])*"', "s"),
        (r"/\*.*?\*/", "s"),
        (r"#[^\n]*", ""),
        (r"\s+\S", ""),
        ("[à-ö]+", "i"),
    ],
)
def test_common_patterns_match_what_python_says(source: str, flags: str) -> None:
    compiled = re.compile(f"(?{flags}){source}" if flags else source)
    form = read_regex(source, flags=flags)
    texts = [
        "",
        "a",
        "_x1",
        "1a",
        "0xfF",
        "1.5e-3",
        "1.",
        '"a\\"b"',
        '"a"b"',
        "/* a */",
        "/* a */ b */",
        "/**/",
    ]
    for text in [*texts, "# a", "#\n", " \ta", "　é", "é", "ÀÖ", "名前1", "\x1c.", "١"]:
        assert matches(form, text) == (compiled.fullmatch(text) is not None), text


_ATOMS = st.sampled_from(
    ["a", "b", "[ab]", "[^a]", ".", r"\w", r"\d", r"\W", "-", r"[\Wa]", r"[^\W\d]", r"\-", "1", "é"]
)
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map("|".join).map(lambda one: f"({one})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}"])).map(
            lambda one: f"(?:{one[0]}){one[1]}"
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=300)
@given(
    _PATTERNS,
    st.lists(st.text("ab-1é\nA", max_size=4), min_size=5, max_size=5),
    st.sampled_from(["", "i", "s"]),
)
def test_any_pattern_matches_what_python_says(source: str, texts: list[str], flags: str) -> None:
    compiled = re.compile(f"(?{flags}){source}" if flags else source)
    form = read_regex(source, flags=flags)
    for text in texts:
        assert matches(form, text) == (compiled.fullmatch(text) is not None), text
