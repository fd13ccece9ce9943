"""Comments and strings are told from code, as far as the language is known."""

from __future__ import annotations

import time

import pytest

from daemon.documents import Document, Place
from daemon.scopes import _OF_LANGUAGE, REACH, Scope, _openings, scope_at

CASES: list[tuple[str, str, Scope]] = [
    ("python", "x = 1", "code"),
    ("python", "x = 1  # so", "comment"),
    ("python", "#", "comment"),
    ("python", "# so\n", "code"),
    ("python", "x = '", "string"),
    ("python", "x = 'a", "string"),
    ("python", "x = 'a'", "code"),
    ("python", "x = 'a\\'b", "string"),
    ("python", "x = 'a\\\\'", "code"),
    ("python", "x = 'a\\", "string"),
    ("python", "x = 'a\n", "code"),
    ("python", 'x = "# no', "string"),
    ("python", 'x = "# no"', "code"),
    ("python", "# don't\nx", "code"),
    ("python", 'def f():\n    """What\n    it', "string"),
    ("python", 'def f():\n    """What "it" does."""\n    x', "code"),
    ("python", "x = '''a'b", "string"),
    ("python", 'x = ""', "code"),
    ("c", "int x; // so", "comment"),
    ("c", "int x; /* so\n so", "comment"),
    ("c", "int x; /* so */ y", "code"),
    ("c", "char x = '\"'; y", "code"),
    ("c", "char x = '\\''; y", "code"),
    ("c", 'char *x = "// no', "string"),
    ("cpp", "int x = 1'000'000; y", "code"),
    ("rust", "fn f<'a>(x: &'a str) -> ", "code"),
    ("rust", 'let x = "a\nb', "string"),
    ("go", "x := `a\nb", "string"),
    ("typescript", "const x = `a\nb ${", "string"),
    ("typescript", "const x = 'it'", "code"),
    ("java", 'String x = """\n  a', "string"),
    ("css", "a { /* so", "comment"),
    ("html", "<a> <!-- so", "comment"),
    ("html", "<a title='", "code"),
    ("sql", "select 'it''s", "string"),
    ("sql", "select 1 -- so", "comment"),
    ("lua", "x = 1 --[[ so\n so", "comment"),
    ("lua", "x = 1 --[[ so ]] y", "code"),
    ("lua", "x = 1 -- so\ny", "code"),
    ("lua", "x = [[a\nb", "string"),
    ("haskell", "f x' = {- so", "comment"),
    ("clojure", '(def x "a\nb', "string"),
    ("clojure", "; so", "comment"),
    ("latex", "a % so", "comment"),
    ("erlang", "% so", "comment"),
    ("perl", "# so", "comment"),
    ("yaml", "a: b # so", "comment"),
    ("json", '{"a": "b', "string"),
    ("fortran", "! 'so", "code"),
]


@pytest.mark.parametrize(("language", "text", "scope"), CASES)
def test_what_a_place_is_in(language: str, text: str, scope: Scope) -> None:
    """Whatever stands after it."""
    for after in ("", "'", '"', "*/ x\n", "\n'a"):
        assert scope_at(Place(Document("a", language, 1, text + after), len(text))) == scope


@pytest.mark.parametrize("language", sorted(_OF_LANGUAGE))
def test_in_every_language_something_opens_and_nothing_empty_does(language: str) -> None:
    openings = _openings(language)
    assert openings is not None
    assert openings.search("x") is None


def test_a_place_far_down_is_told_from_what_is_near() -> None:
    """A string that was left open far above has no say."""
    text = "'''\n" + "x = 1\n" * REACH
    assert scope_at(Place(Document("a", "python", 1, text), len(text))) == "code"
    assert scope_at(Place(Document("a", "python", 1, text), 100)) == "string"
    one_line = "x" * (2 * REACH) + "# so"
    assert scope_at(Place(Document("a", "python", 1, one_line), len(one_line))) == "comment"


@pytest.mark.parametrize("unit", ["'", '"', "'\\", "/*", "//", "x", "'a", '"""', "\\", "\n"])
@pytest.mark.parametrize("language", ["python", "c", "rust", "typescript"])
def test_no_text_takes_long(unit: str, language: str) -> None:
    text = unit * (REACH // len(unit))
    started = time.process_time()
    scope_at(Place(Document("a", language, 1, text), len(text)))
    assert time.process_time() - started < 0.5
