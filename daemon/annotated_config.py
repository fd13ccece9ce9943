"""The configuration as text: the annotated file, made from the metadata that values are checked against.

Settings stand in it commented out, at their defaults: `#key = value`, while prose begins with `# `. So what a
user has not set follows the defaults of the release in use.
"""

from __future__ import annotations

import json
import textwrap
from inspect import getdoc
from typing import Any

from daemon.config import SECTIONS, Config, set_values
from daemon.config_sections import CompletionConfig, LanguageConfig
from daemon.settings_schema import Setting, settings_of

_WIDTH = 100
_HEAD = (
    "Draftwire's configuration. Every setting is here, with its default; remove the # before one to change "
    "it. `draftwire config check` names what is wrong with a file, `draftwire config show` prints what is in "
    "force."
)


def annotated_default() -> str:
    """The whole configuration file: every table and setting, what it means, what it takes, its default."""
    blocks = [_prose(_HEAD)]
    for name, section in SECTIONS.items():
        blocks.append(f"{_prose(getdoc(section) or '')}\n[{name}]")
        defaults = section()
        for key, described in settings_of(section).items():
            blocks.append(_assignment(key, described, getattr(defaults, key)))
    blocks.append(_languages())
    return "\n\n".join(blocks) + "\n"


def plain_values(config: Config) -> dict[str, dict[str, Any]]:
    """All settings in force as plain values, by section and name; languages by their id."""
    sections = {name: set_values(getattr(config, name)) for name in SECTIONS}
    languages = {name: set_values(own) for name, own in config.languages.items()}
    return {**sections, "languages": languages}


def as_toml(config: Config) -> str:
    """All settings in force as a configuration file without comments."""
    values = plain_values(config)
    tables = [(name, values[name]) for name in SECTIONS]
    tables += [(f"languages.{toml_value(name)}", own) for name, own in values["languages"].items()]
    blocks = [
        "\n".join([f"[{name}]", *(f"{key} = {toml_value(value)}" for key, value in table.items())])
        for name, table in tables
    ]
    return "\n\n".join(blocks) + "\n"


def toml_value(value: Any) -> str:
    """A setting's value as TOML writes it (a JSON string is a TOML basic string)."""
    if isinstance(value, tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _assignment(key: str, described: Setting, value: Any) -> str:
    said = described.choices and all(f'"{choice}"' in described.text for choice in described.choices)
    plain = said or described.check is not None or described.path_suffix is not None
    allowed = "" if plain else f" Takes {described.allowed()}."
    return f"{_prose(described.text + allowed)}\n#{key} = {toml_value(value)}"


def _languages() -> str:
    keys = settings_of(LanguageConfig)
    example = CompletionConfig(trigger="manual")
    lines = [f"#{key} = {toml_value(getattr(example, key))}" for key in keys]
    prose = _prose(
        "For one language id of the editor, what differs from [completion]; one table a language. "
        "This one would complete Markdown only when asked to:"
    )
    return "\n".join([prose, "#[languages.markdown]", *lines])


def _prose(text: str) -> str:
    flowing = " ".join(text.split())
    return textwrap.fill(
        flowing,
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )
