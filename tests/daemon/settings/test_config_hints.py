"""Hints for settings in the wrong table."""

from __future__ import annotations

import tomllib

import pytest

from daemon.settings.config_hints import declared_twice, misplaced
from daemon.settings.toml_lines import KeyPath, key_lines

SECTIONS = {"verifier": ("url", "token_file"), "draft": ("model",)}


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("daemon", "verifier"), {"url": "ws://h"}, "put  url = ...  under [verifier] (line 4)"),
        (("daemon", "verifier"), {"url": "", "token_file": ""}, "put  url = ..., token_file = ...  under"),
        (("daemon", "draft"), {"model": "x"}, "put  model = ...  under a line [draft] of its own"),
        (("daemon", "verifier"), {"urls": "x"}, "put  ...  under [verifier] (line 4)"),
        (("daemon", "verifier"), 3, "put  ...  under [verifier] (line 4)"),
        (("daemon", "verifer"), {"url": "x"}, ""),
        (("verifier",), {"url": "x"}, ""),
    ],
)
def test_a_setting_of_another_section(path: KeyPath, value: object, said: str) -> None:
    hint = misplaced(path, value, SECTIONS, {("verifier",): 4})
    assert hint.startswith(said)
    assert bool(hint) == bool(said)


def test_the_value_is_not_repeated_for_it_may_be_a_secret() -> None:
    assert "hunter2" not in misplaced(("daemon", "verifier"), {"url": "ws://hunter2@h"}, SECTIONS, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "verifier.url = 1\n\n[verifier]\n",
            '"verifier.url" on line 1 declares [verifier] already; '
            "put  url = ...  under [verifier] (line 3), not before it",
        ),
        ("[a.b]\nx = 1\n[a.b]\n", "[a.b] stands on line 1 already; put the settings of both under one"),
        ("[draft]\nmodel = 'a'\n[draft\n", 'a ] is missing after "[draft"'),
        ("a = 1\na = 2\n", ""),
    ],
)
def test_a_table_that_comes_twice(text: str, said: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert declared_twice(str(caught.value), text, text.count("\n")) == said


def test_lines_before_a_broken_one_are_those_of_the_valid_part() -> None:
    assert key_lines("a.b = 1\n")["a", "b"] == 1
