"""What stands between question marks in ISO 14977: phrases, characters by number, regular expressions; never prose."""

from __future__ import annotations

import pytest

from grammars.diagnostics import GrammarError, Span
from grammars.dialects.special_sequences import PHRASES, special_sequence
from tests.fakes.form_text import shown

AT = Span(2, 3, 2, 9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("any character", "[^]"),
        ("Any  Character", "[^]"),
        ("white space", "[\t-\r ]"),
        ("letter", "[\\pL]"),
        ("digit", "[0-9]"),
        ("ISO 6429 character Line Feed", r"'\n'"),
        ("empty", "()"),
        ("U+0041", "[A]"),
        ("u+41-U+5a", "[A-Z]"),
        ("0x4E00 .. 0x9FFF", "[一-鿿]"),
        ("#x41 to #x42", "[A-B]"),
        ("US-ASCII character 9", r"'\t'"),
        ("[a-z]+", "/[a-z]+/"),
        ("/a?b/", "/a?b/"),
        (r"/a\/b/", "/a/b/"),
        (r"\p{Han}", r"/\p{Han}/"),
        ('any character except "', '[^"]'),
        ("any character except '\"' or '\\'", '[^"\\]'),
        ("all characters but quote, backslash and new line", '[^"\\\n]'),
        ("character other than ;", "[^;]"),
        ("every character except for single quote", "[^']"),
    ],
)
def test_what_a_special_sequence_means(text: str, expected: str):
    assert shown(special_sequence(text, AT)) == expected


@pytest.mark.parametrize(
    "text", ["any character", "letter", "new line", "U+41", "US-ASCII character 65", "[a-z]"]
)
def test_its_place_is_kept(text: str):
    assert getattr(special_sequence(text, AT), "span", None) == AT


def test_phrases_are_told_by_their_lower_case():
    assert all(phrase == phrase.lower() for phrase in PHRASES)


@pytest.mark.parametrize(
    "text",
    [
        "all characters that a user may type",
        "see clause 6.1",
        "identifier",
        "",
        "any character except those in clause 6",
        "any character except vowels",
        'a string without "',
        "a name (see above)",
    ],
)
def test_prose_is_refused_with_advice(text: str):
    with pytest.raises(GrammarError, match="says in words what may stand here") as error:
        special_sequence(text, AT)
    (found,) = error.value.diagnostics
    assert (found.code, found.span) == ("prose", AT)
    assert found.advice.startswith("write a regular expression")


@pytest.mark.parametrize(
    ("text", "message"),
    [("U+110000", "there is no character with the number 110000"), ("U+43-U+41", "a range from")],
)
def test_characters_that_do_not_exist_are_refused(text: str, message: str):
    with pytest.raises(GrammarError, match=message):
        special_sequence(text, AT)
