"""What one setting is: its default, its meaning for people, and which values it takes.

The configuration's dataclasses carry a `Setting` in the metadata of each field; checking a file, checking a
client's overrides and writing the annotated file all read it from there. This module does not know which
settings exist (daemon/config_sections.py) nor where values come from (daemon/config.py).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable
from dataclasses import Field, dataclass, field, fields
from typing import Any, Final, TypeVar

T = TypeVar("T")

_METADATA_KEY: Final = "draftwire.setting"
_KIND_NAMES: Final[dict[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    tuple: "a list of strings",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """Meaning and allowed values of one setting."""

    kind: type
    """bool, int, float, str, or tuple (a list of strings)."""
    text: str
    """For people: one or more sentences, the unit included."""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    check: Callable[[str], str | None] | None = None
    """For strings: what is wrong with the value, or None. The text must not repeat a secret from it."""
    path_suffix: str | None = None
    """A string that ends so ("": any) is a path: "~" is expanded, and a relative one starts at the folder of
    the configuration file. None: it is no path."""
    adds: bool = False
    """A list given for it adds to what it was before, and can't take away from it."""

    def allowed(self) -> str:
        """The allowed values in words: `"a" or "b"`, `a whole number from 1 to 4`."""
        if self.choices:
            *others, last = (f'"{choice}"' for choice in self.choices)
            return f"{', '.join(others)} or {last}" if others else last
        if self.minimum is None or self.maximum is None:
            return _KIND_NAMES[self.kind]
        return f"{_KIND_NAMES[self.kind]} from {self.minimum} to {self.maximum}"

    def accept(self, value: object) -> Any:
        """`value` as this setting's type. Raises BadValue with a text that says what is allowed."""
        if self.kind is float and type(value) is int:
            value = float(value)
        if self.kind is tuple and isinstance(value, list | tuple):
            value = tuple(value)
        if type(value) is not self.kind or (isinstance(value, tuple) and not _all_strings(value)):
            raise BadValue(f"takes {self.allowed()}")
        if self.choices and value not in self.choices:
            near = nearest(str(value), self.choices)
            raise BadValue(f"takes {self.allowed()}" + (f'; did you mean "{near}"?' if near else ""))
        if isinstance(value, int | float) and not self._in_range(value):
            raise BadValue(f"takes {self.allowed()}")
        if isinstance(value, str) and self.check is not None and (problem := self.check(value)):
            raise BadValue(problem)
        return value

    def _in_range(self, value: float) -> bool:
        if not math.isfinite(value):
            return False
        return self.minimum is None or self.maximum is None or self.minimum <= value <= self.maximum


class BadValue(Exception):
    """A value that a setting does not take; the text goes on after the setting's name."""


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
) -> T:
    """A dataclass field that is a setting; its kind is that of `default`."""
    described = Setting(type(default), text, choices, minimum, maximum, check, path_suffix, adds)
    return field(default=default, metadata={_METADATA_KEY: described})


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


def _all_strings(values: tuple[object, ...]) -> bool:
    return all(isinstance(value, str) for value in values)
