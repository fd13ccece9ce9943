"""Globs of files against URIs and paths, as editors write them."""

from __future__ import annotations

import pytest

from daemon.globs import matches_glob


@pytest.mark.parametrize(
    ("uri", "pattern", "matches"),
    [
        ("file:///work/a.SQL", "*.sql", True),
        ("/work/a.sql", "*.sql", True),
        ("C:\\work\\a.sql", "work/*.sql", True),
        ("untitled:a.sql", "*.sql", True),
        ("file:///work/old/a.sql", "old/*.sql", True),
        ("file:///work/older/a.sql", "old/*.sql", False),
        ("file:///work/old/deep/a.sql", "**/old/", True),
        ("file:///work/a.sql", "/work/*", True),
        ("file:///home/work/a.sql", "/work/*", False),
        ("file:///work/a%20b.sql?x#y", "a b.sql", True),
        ("file:///work/a.sqlx", "*.sql", False),
    ],
)
def test_a_uri_matches_by_name_by_part_or_as_a_whole(uri: str, pattern: str, matches: bool) -> None:
    assert matches_glob(uri, ["nothing", pattern]) is matches


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    assert not matches_glob("/" + "a" * 4000, ["*a" * 60 + "b"])
