"""Spinners only on a terminal, and only on stderr; tables without empty rows."""

from __future__ import annotations

import sys

import pytest

from draftwire.terminal import note, print_json, print_pairs, spinner


def test_no_spinner_where_stderr_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with spinner("working"):
        note("a note")
    assert capsys.readouterr() == ("", "a note\n")


def test_a_spinner_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with spinner("working"):
        pass
    printed, shown = capsys.readouterr()
    assert printed == ""
    assert "working" in shown


def test_a_table_leaves_out_empty_rows(capsys: pytest.CaptureFixture[str]) -> None:
    print_pairs("title [x]", [("a", "1"), ("b", ""), ("c", "[red]")])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["title", "[x]"],
        ["a", "1"],
        ["c", "[red]"],
    ]


def test_json_keeps_unicode(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": "你"})
    assert "你" in capsys.readouterr().out
