"""The line of each key, against hand-made texts and against tomllib on generated ones."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.settings.toml_lines import KeyPath, key_lines

CASES: list[tuple[str, str, dict[KeyPath, int]]] = [
    ("nothing", "", {}),
    ("comments alone", "# a = 1\n  # [b]", {}),
    ("key", "\na = 1", {("a",): 2}),
    ("table", "[t]\na = 1\n\nb = 2\n", {("t",): 1, ("t", "a"): 2, ("t", "b"): 4}),
    ("dotted", "a.b = 1\na . c = 2", {("a",): 1, ("a", "b"): 1, ("a", "c"): 2}),
    ("dotted table", "[ a . b ]\nc = 1", {("a",): 1, ("a", "b"): 1, ("a", "b", "c"): 2}),
    ("array of tables", "[[a]]\nb = 1\n[[a]]\nc = 1", {
        ("a",): 1, ("a", "0"): 1, ("a", "0", "b"): 2, ("a", "1"): 3, ("a", "1", "c"): 4,
    }),
    ("table in an array of tables", "[[a]]\n[[a]]\n[a.b]\nc = 1\n[[a.d]]\ne = 1", {
        ("a",): 1, ("a", "0"): 1, ("a", "1"): 2, ("a", "1", "b"): 3, ("a", "1", "b", "c"): 4,
        ("a", "1", "d"): 5, ("a", "1", "d", "0"): 5, ("a", "1", "d", "0", "e"): 6,
    }),
    ("array of inline tables", "a = [\n{b = 1},\n[2, {c = 1}]]", {
        ("a",): 1, ("a", "0"): 2, ("a", "0", "b"): 2, ("a", "1", "1"): 3, ("a", "1", "1", "c"): 3,
    }),
    ("quoted", '"a b" = 1\n\'c.d\' = 2\n"" = 3', {("a b",): 1, ("c.d",): 2, ("",): 3}),
    ("escapes", '"\\u00e9\\t\\U0001F917\\"" = 1', {('é\t🤗"',): 1}),
    ("comment with a key", "a = 1 # b = 2\nc = 3", {("a",): 1, ("c",): 2}),
    ("hash in a string", 'a = "# x" # y\nb = 1', {("a",): 1, ("b",): 2}),
    ("multi-line string", 'a = """\nb = 1\n[c]\n"""\nd = 1', {("a",): 1, ("d",): 5}),
    ("multi-line literal", "a = '''\nb = 1\n'''\nd = 1", {("a",): 1, ("d",): 4}),
    ("quotes at its end", 'a = """x""\\""""""\nb = 1', {("a",): 1, ("b",): 2}),
    ("two quotes before the end", 'a = """x"""""\nb = 1', {("a",): 1, ("b",): 2}),
    ("escaped quote", 'a = "x\\" \nb"\nc = 1'.replace("\nb", "b"), {("a",): 1, ("c",): 2}),
    ("array over lines", "a = [ # x\n 1, # b = 1\n [ 'y = 2' ],\n]\nd = 1", {("a",): 1, ("d",): 5}),
    ("inline table", "a = { b = 1, c.d = [ {e = 2} ] }", {
        ("a",): 1, ("a", "b"): 1, ("a", "c"): 1, ("a", "c", "d"): 1, ("a", "c", "d", "0"): 1,
        ("a", "c", "d", "0", "e"): 1,
    }),
    ("times", "a = 1979-05-27 07:32:00Z\nb = 1e5\nc = true", {("a",): 1, ("b",): 2, ("c",): 3}),
    ("crlf", "a = 1\r\n[b]\r\nc = 1\r\n", {("a",): 1, ("b",): 2, ("b", "c"): 3}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_key_has_its_line(text: str, lines: dict[KeyPath, int]) -> None:
    tomllib.loads(text)
    assert key_lines(text) == lines


KEYS = st.sampled_from(["a", "b-1", '"q k"', "'l.k'", "a.b", "c . d"])
VALUES = st.sampled_from(
    ["1", "-1.5e3", "true", '"s # [x] = "', "'l \" = '", '"""m\n[y]\nk = 1\n"""', "'''\n# n\n'''", "[\n1,\n]"]
) | st.sampled_from(["{ i = 1, j.k = '}' }", "[ { z = [ ] } ]", "1979-05-27", "[]", "{}"])
LINES = st.one_of(
    st.builds("{} = {}".format, KEYS, VALUES),
    st.builds("[t.{}]".format, KEYS),
    st.sampled_from(["", "# c = 1", "   ", "[[u]]", "[u.v]", "[[u.w]]"]),
)


@given(st.lists(LINES, max_size=8))
def test_the_keys_found_are_those_of_tomllib(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(key_lines(text)) == set(_paths(tables, ()))


@example('"\\1"')
@example("a = [#")
@example("a = [}")
@example("a = {=")
@example('"\\u1" = 1')
@example('"\\UFFFFFFFF" = 1')
@example('"\\U0001F600\\t" = 1')
@given(st.text(alphabet="ab.=[]{}\"'#\\,\n \t1", max_size=40))
def test_it_ends_on_any_text(text: str) -> None:
    assert all(1 <= line <= text.count("\n") + 1 for line in key_lines(text).values())


def _paths(value: Any, prefix: KeyPath) -> list[KeyPath]:
    """All key paths of a parsed document."""
    if isinstance(value, list):
        elements = [(item, (*prefix, str(number))) for number, item in enumerate(value)]
        return [
            path
            for item, own in elements
            for path in ([own] if isinstance(item, dict) else []) + _paths(item, own)
        ]
    if not isinstance(value, dict):
        return []
    return [
        path for name, inner in value.items() for path in ((*prefix, name), *_paths(inner, (*prefix, name)))
    ]
