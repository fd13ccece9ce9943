"""Where islands are in a host text: by patterns, at any cursor, after any edit."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammars import islands as module
from grammars.islands import LONGEST_AHEAD, MARGIN, SLICE, Found, Island, IslandFinder, island_at

SQL = Island('sql\\(r?"""', '"""', "sql")
FENCE = Island("^```sql[ \\t]*\n", "^```", "sql")
TEMPLATE = Island("\\{%", "%\\}", "template")
OTHER = Island("```toml\n", "```", "toml")


@pytest.mark.parametrize(
    ("host", "islands", "inside"),
    [
        ('x = sql("""|SELECT a|""")\n', [SQL], "SELECT a"),
        ('sql("""|SELECT\n\n a""', [SQL], 'SELECT\n\n a""'),
        ("# T\n```sql\n|SELECT a;\n|```\nmore", [FENCE], "SELECT a;\n"),
        ("a {%| if x |%} b {% y %}", [TEMPLATE], " if x "),
        ("a {% if x %} b {%| y |%}", [TEMPLATE], " y "),
        ("```toml\n|{% x %}|```", [TEMPLATE, OTHER], "{% x %}"),
        ("状态 {%|状态|%}", [TEMPLATE], "状态"),
    ],
)
def test_the_island_around_a_cursor(host: str, islands: list[Island], inside: str) -> None:
    text = host.replace("|", "")
    start = host.index("|")
    end = start + len(inside) if host.count("|") == 2 else None
    found = island_at(text, start, islands)
    assert found is not None
    assert (found.start, found.end) == (start, end)
    finder = IslandFinder(islands)
    for offset in range(len(text) + 1):
        assert finder.at(text, offset) == island_at(text, offset, islands)
        if offset >= start and (end is None or offset <= end):
            assert finder.at(text, offset) == found


@pytest.mark.parametrize(
    ("host", "islands"),
    [
        ("no islands| here", [SQL, FENCE]),
        ('sql("""SELECT"""|)', [SQL]),
        ('sql("""SELECT"|"")', [SQL]),
        ('sql("|""SELECT""")', [SQL]),
        ("x ```sql\n|SELECT", [FENCE]),
        ("anything|", []),
    ],
)
def test_outside_there_is_none(host: str, islands: list[Island]) -> None:
    """Also within what opens an island and within what closes it."""
    assert island_at(host.replace("|", ""), host.index("|"), islands) is None


def test_the_end_is_looked_for_near_the_cursor_only() -> None:
    text = "{% " + "x" * LONGEST_AHEAD + " %}"
    assert island_at(text, 2, [TEMPLATE]) == Found(2, None, TEMPLATE)
    assert island_at(text, 9, [TEMPLATE]) == Found(2, len(text) - 2, TEMPLATE)


def test_a_long_string_in_a_long_host_is_an_island_to_its_end() -> None:
    host = "x = 1\n" * 50_000 + 'sql("""' + "SELECT a;\n" * 50_000
    finder = IslandFinder([SQL])
    for more in ("", "S", "SE"):
        text = host + more
        assert finder.at(text, len(text)) == Found(300_007, None, SQL)
    assert finder.at(host + '""")', len(host) + 4) is None
    assert finder.at(host, len(host)) == Found(300_007, None, SQL)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_an_edited_host_is_as_a_new_one(data: st.DataObject) -> None:
    text, finder = "", IslandFinder([TEMPLATE, OTHER])
    for _ in range(6):
        at = data.draw(st.integers(0, len(text)))
        to = data.draw(st.integers(at, len(text)))
        added = data.draw(
            st.sampled_from(["", "{%", "%}", "```toml\n", "```", "x" * MARGIN, "ab\n", "{", "%"])
        )
        text = text[:at] + added + text[to:]
        offset = data.draw(st.integers(0, len(text)))
        assert finder.at(text, offset) == island_at(text, offset, [TEMPLATE, OTHER])


GREEDY = Island("<+\\w*", ">+$", "greedy")


@settings(deadline=None, max_examples=100)
@given(
    parts=st.lists(
        st.sampled_from(
            [
                "{%",
                "%}",
                "```toml\n",
                "```",
                "<",
                "<<x",
                ">",
                ">>\n",
                "y" * 300,
                "y" * MARGIN,
                "z" * 2000,
                "\n",
            ]
        ),
        max_size=30,
    ),
    data=st.data(),
)
def test_in_slices_the_same_is_found_as_in_one_go(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    offset = data.draw(st.integers(0, len(text)))
    islands = [TEMPLATE, OTHER, GREEDY]
    expected = island_at(text, offset, islands)
    with mock.patch.object(module, "SLICE", 3 * MARGIN):
        finder = IslandFinder(islands)
        slices = 1
        while not finder.advance(text, offset):
            slices += 1
        assert slices <= 1 + len(text) // MARGIN
        assert finder.at(text, offset) == expected


def test_what_is_longer_than_a_slice_is_found_all_the_same() -> None:
    text = "<" + "x" * 5000 + "|" + "y" * 5000
    with mock.patch.object(module, "SLICE", 3 * MARGIN):
        found = island_at(text, len(text), [GREEDY])
    assert found is not None
    assert found.start <= 5001


def test_a_call_looks_at_a_slice_of_the_host() -> None:
    text, finder, calls = "x = 1\n" * 50_000 + 'sql("""', IslandFinder([SQL]), 1
    while not finder.advance(text, len(text)):
        calls += 1
    assert calls == 1 + len(text) // (SLICE - MARGIN)


def test_a_pattern_that_never_comes_is_looked_for_once_in_a_slice() -> None:
    text, searched = "{%%}" * 2000, []

    class Counting:
        def search(self, text: str, start: int, end: int) -> None:
            searched.append(start)

    never = Island("never", "x", "x")
    object.__setattr__(never, "opening", Counting())
    assert IslandFinder([never, TEMPLATE]).at(text, len(text)) is None
    assert searched == [0]


@pytest.mark.parametrize(
    ("pattern", "message"), [("(", "no regular expression"), ("x*", "matches the empty text")]
)
def test_a_pattern_that_is_none_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Island(pattern, "x", "sql")
    with pytest.raises(ValueError, match=f"close = .*{message}"):
        Island("x", pattern, "sql")
