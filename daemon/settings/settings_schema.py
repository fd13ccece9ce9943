"""What one setting is: its default, its meaning for people, and which values it takes.

The configuration's dataclasses carry a `Setting` in the metadata of each field; checking a file, checking a
client's overrides and writing the annotated file all read it from there. This module does not know which
settings exist (config_sections.py) nor where values come from (config.py).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, TypeVar

T = TypeVar("T")

_METADATA_KEY: Final = "draftwire.setting"
_KIND_NAMES: Final[dict[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    tuple: "a list of strings",
    dict: "a table of strings",
}

NO_ENTRIES: Final[Mapping[str, str]] = MappingProxyType({})
"""The default of a setting that is a table of strings."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Meaning and allowed values of one setting."""

    kind: type
    """bool, int, float, str, tuple (a list of strings, or of tables) or dict (a table of strings)."""
    text: str
    """For people: one or more sentences, the unit included."""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    check: Callable[[str], str | None] | None = None
    """For strings: what is wrong with the value (in a list or a table: with one of them), or None. The text must not
    repeat a secret from it."""
    path_suffix: str | None = None
    """A string that ends so ("": any) is a path: "~" is expanded, and a relative one starts at the folder of
    the configuration file. None: it is no path."""
    adds: bool = False
    """A list given for it adds to what it was before, and can't take away from it."""
    element: type | None = None
    """For a list of tables: the dataclass of one, whose fields are settings."""
    example: Any = None
    """For tables: a value that shows how they are written."""

    def allowed(self) -> str:
        """The allowed values in words: `"a" or "b"`, `a whole number from 1 to 4`."""
        if self.choices:
            *others, last = (f'"{choice}"' for choice in self.choices)
            return f"{', '.join(others)} or {last}" if others else last
        if self.element is not None:
            return "a list of tables"
        if self.minimum is None or self.maximum is None:
            return _KIND_NAMES[self.kind]
        return f"{_KIND_NAMES[self.kind]} from {self.minimum} to {self.maximum}"

    def accept(self, value: object) -> Any:
        """`value` as this setting's type. Raises BadValue with a text that says what is allowed."""
        if self.kind is float and type(value) is int:
            value = float(value)
        if self.kind is tuple and isinstance(value, list | tuple):
            value = tuple(value)
        if self.kind is dict and isinstance(value, Mapping):
            value = dict(value)
        if type(value) is not self.kind or not _all_strings(value):
            raise BadValue(f"takes {self.allowed()}")
        if self.choices and value not in self.choices:
            near = nearest(str(value), self.choices)
            raise BadValue(f"takes {self.allowed()}" + (f'; did you mean "{near}"?' if near else ""))
        if isinstance(value, int | float) and not self._in_range(value):
            raise BadValue(f"takes {self.allowed()}")
        if self.check is not None:
            self._check_each(self.check, value)
        return MappingProxyType(value) if isinstance(value, dict) else value

    def _check_each(self, check: Callable[[str], str | None], value: object) -> None:
        entries = value.items() if isinstance(value, dict) else [("", one) for one in _strings_of(value)]
        for key, one in entries:
            if problem := check(one):
                raise BadValue(problem, key)

    def _in_range(self, value: float) -> bool:
        if not math.isfinite(value):
            return False
        return self.minimum is None or self.maximum is None or self.minimum <= value <= self.maximum


class BadValue(Exception):
    """A value that a setting does not take; the text goes on after the setting's name."""

    def __init__(self, text: str, key: str = "") -> None:
        super().__init__(text)
        self.key = key
        """The entry of a table that it is about."""


def setting(
    default: T,
    text: str,
    *,
    choices: tuple[str, ...] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    check: Callable[[str], str | None] | None = None,
    path_suffix: str | None = None,
    adds: bool = False,
    element: type | None = None,
    example: Any = None,
) -> T:
    """A dataclass field that is a setting; its kind is that of `default`."""
    kind = dict if isinstance(default, Mapping) else type(default)
    described = Setting(kind, text, choices, minimum, maximum, check, path_suffix, adds, element, example)
    metadata = {_METADATA_KEY: described}
    if kind is dict:  # dataclasses take no unhashable default
        return field(default_factory=lambda: default, metadata=metadata)
    return field(default=default, metadata=metadata)


def inherited(section: type, name: str) -> Any:
    """A field that takes what `section.name` takes, or None (not set): the setting of a narrower scope."""
    described = settings_of(section)[name]
    return field(default=None, metadata={_METADATA_KEY: described})


def settings_of(section: type) -> dict[str, Setting]:
    """The settings of a section's dataclass by name, in the order of their definition."""
    found: tuple[Field[Any], ...] = fields(section)
    return {item.name: item.metadata[_METADATA_KEY] for item in found if _METADATA_KEY in item.metadata}


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is most likely a misspelling of, if any is close."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def _strings_of(value: object) -> tuple[str, ...]:
    """The strings a value is made of: those in a list, those on the right in a table, itself; of others none."""
    if isinstance(value, tuple | dict):
        return tuple(value.values() if isinstance(value, dict) else value)
    return (value,) if isinstance(value, str) else ()


def _all_strings(value: object) -> bool:
    """Whether a list or a table holds strings alone; true of anything else."""
    return not isinstance(value, tuple | dict) or all(isinstance(one, str) for one in _strings_of(value))
