"""The annotated file: parsing it gives the defaults, commented out or not, and it shows every setting."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from daemon.settings.annotated_config import annotated_default, as_toml, plain_values, toml_value
from daemon.settings.config import SECTIONS, Config, parse_config
from daemon.settings.settings_schema import settings_of

UNCOMMENTED = re.sub(r"^#(?! )", "", annotated_default(), flags=re.MULTILINE)


def test_as_written_it_gives_the_defaults() -> None:
    assert parse_config(annotated_default(), Path("/c.toml")) == Config()


def test_with_every_setting_uncommented_it_gives_the_defaults_and_the_example() -> None:
    config = parse_config(UNCOMMENTED, Path("/c.toml"))
    assert config.languages["markdown"].trigger == "manual"
    examples = ("files", "languages", "islands")
    for name in SECTIONS:
        default = getattr(Config(), name)
        if name == "grammars":
            described = settings_of(SECTIONS[name])
            default = replace(default, **{key: described[key].example for key in examples})
        assert getattr(config, name) == default


def test_what_is_shown_of_a_configuration_is_read_as_the_same() -> None:
    config = parse_config(UNCOMMENTED, Path("/c.toml"))
    assert parse_config(as_toml(config), Path("/c.toml")) == config
    grammars = json.loads(json.dumps(plain_values(config)))["grammars"]
    assert grammars["files"] == {"*.rules": "rego", "legacy/*.sql": "none"}
    assert grammars["islands"] == [{"host": "*.py", "open": '"""--sql\\b', "close": '"""', "grammar": "sql"}]


def test_every_setting_is_in_it() -> None:
    written = tomllib.loads(UNCOMMENTED)
    for name, section in SECTIONS.items():
        assert set(written[name]) == set(settings_of(section))


def test_lines_are_short_but_for_lists() -> None:
    assert all(len(line) <= 100 for line in annotated_default().splitlines() if "= [" not in line)


SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)


@given(
    SCALARS
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3)).map(tuple)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), st.text("a\"'\\\n"))
)
def test_values_survive_being_written_and_read(value: object) -> None:
    read = tomllib.loads(f"x = {toml_value(value)}")["x"]
    assert (tuple(read) if isinstance(read, list) else read) == value
