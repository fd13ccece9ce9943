"""The configuration as text: the annotated file, made from the metadata that values are checked against.

Settings stand in it commented out, at their defaults: `#key = value`, while prose begins with `# `. So what a
user has not set follows the defaults of the release in use.
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import is_dataclass
from inspect import getdoc
from typing import Any, Final

from daemon.settings.config import SECTIONS, Config, set_values
from daemon.settings.config_sections import CompletionConfig, LanguageConfig
from daemon.settings.settings_schema import Setting, settings_of

_WIDTH = 100
_BETTER_LITERAL: Final = re.compile(r'["\\]')
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
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
            if described.example is None:
                blocks.append(_assignment(key, described, getattr(defaults, key)))
            else:
                blocks.append(_tables(f"{name}.{key}", described))
    blocks.append(_languages())
    return "\n\n".join(blocks) + "\n"


def plain_values(config: Config) -> dict[str, dict[str, Any]]:
    """All settings in force as plain values, by section and name; languages by their id."""
    sections = {
        name: {key: _plain(value) for key, value in set_values(getattr(config, name)).items()}
        for name in SECTIONS
    }
    languages = {name: set_values(own) for name, own in config.languages.items()}
    return {**sections, "languages": languages}


def settings_digest(config: Config) -> str:
    """Of all settings in force: alike for two configurations of the same values, whatever their files look like."""
    return hashlib.sha256(json.dumps(plain_values(config), sort_keys=True).encode()).hexdigest()[:16]


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
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(_pair(key, own) for key, own in value.items()) + "}"
    if isinstance(value, str) and _BETTER_LITERAL.search(value) and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _assignment(key: str, described: Setting, value: Any) -> str:
    said = described.choices and all(f'"{choice}"' in described.text for choice in described.choices)
    plain = said or described.check is not None or described.path_suffix is not None
    allowed = "" if plain else f" Takes {described.allowed()}."
    return f"{_prose(described.text + allowed)}\n#{key} = {toml_value(value)}"


def _pair(key: str, value: Any) -> str:
    return f"{key if _BARE_KEY.fullmatch(key) else toml_value(key)} = {toml_value(value)}"


def _plain(value: Any) -> Any:
    """A setting's value in what JSON knows; lists of strings stay tuples."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return tuple(_plain(one) for one in value)
    return set_values(value) if is_dataclass(value) else value


def _tables(name: str, described: Setting) -> str:
    """A setting that is written as a table or as several, by its example."""
    listed = described.element is not None
    head = f"[[{name}]]" if listed else f"[{name}]"
    blocks = []
    for table in described.example if listed else (described.example,):
        pairs = (_pair(key, value) for key, value in _plain(table).items())
        blocks.append("\n".join(f"#{line}" for line in (head, *pairs)))
    keys = settings_of(described.element) if described.element is not None else {}
    about = [_prose(f"{key}: {own.text}") for key, own in keys.items()]
    return "\n".join([_prose(f"{described.text} For example:"), *about, *blocks])


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
