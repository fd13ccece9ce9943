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


@settings(max_examples=150)
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
SMALL_SLICE = 3 * MARGIN


def in_small_slices(text: str, offset: int, islands: list[Island]) -> Found | None:
    """The island there, looked for in slices of SMALL_SLICE; fails where a slice does not get on."""
    with mock.patch.object(module, "SLICE", SMALL_SLICE):
        finder = IslandFinder(islands)
        calls = 1
        while not finder.advance(text, offset):
            calls += 1
            assert calls <= 1 + len(text) // MARGIN
        return finder.at(text, offset)


@settings(max_examples=100)
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
                "y" * 300 + "\n",
                "y" * MARGIN + "\n",
                "z" * (SMALL_SLICE - MARGIN - 60) + "\n",
                "\n",
            ]
        ),
        max_size=30,
    ),
    data=st.data(),
)
def test_in_slices_the_same_is_found_as_in_one_go(parts: list[str], data: st.DataObject) -> None:
    """Of islands whose opening text and closing text are short of a slice by MARGIN."""
    text = "".join(parts)
    offset = data.draw(st.integers(0, len(text)))
    islands = [TEMPLATE, OTHER, GREEDY]
    assert in_small_slices(text, offset, islands) == island_at(text, offset, islands)


@pytest.mark.parametrize("before", ["", "x", "x" * SMALL_SLICE, "<>\n"])
def test_what_opens_an_island_is_at_most_a_slice_long(before: str) -> None:
    """At every cursor in a word that is longer than a slice, and after it."""
    text = before + "<" + "y" * (SMALL_SLICE + MARGIN) + "\n" + "z" * MARGIN
    opened, longest = len(before), len(before) + SMALL_SLICE
    assert in_small_slices(text, opened, [GREEDY]) is None
    for offset in range(opened + 1, len(text) + 1):
        assert in_small_slices(text, offset, [GREEDY]) == Found(min(offset, longest), None, GREEDY), offset


def test_an_island_that_closes_right_after_a_long_opening_is_closed() -> None:
    text = "<" + "y" * (SMALL_SLICE - MARGIN + 100) + ">\n" + "z" * MARGIN
    for offset in range(text.index(">") + 1, len(text) + 1):
        assert in_small_slices(text, offset, [GREEDY]) is None, offset


def test_a_cursor_that_goes_on_sees_a_longer_opening() -> None:
    text, finder = "<<<x>", IslandFinder([GREEDY])
    for offset in (1, 2, 3, 4, 2, 1, 5):
        assert finder.at(text, offset) == island_at(text, offset, [GREEDY])


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
