"""What to do about a setting that stands in the wrong table. Pure: knows names and lines, no values.

TOML makes two mistakes easy: `verifier.url = "..."` appended to a file lands in whatever table comes last, and
the same line at the top makes a later `[verifier]` a second declaration. Both mean the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from daemon.settings.toml_lines import KeyPath, key_lines

_TWICE: Final = re.compile(r"Cannot declare \((.*)\) twice")
_KEY_PART: Final = re.compile(r"'([^']*)'")


def misplaced(
    path: KeyPath, value: object, sections: Mapping[str, Collection[str]], lines: Mapping[KeyPath, int]
) -> str:
    """What to do if the unknown `path` begins another section's name, else "".

    `sections` are the settings of each section; `lines` says where tables and keys stand.
    """
    name = path[-1]
    if len(path) < 2 or name not in sections:
        return ""
    keys = [key for key in value if key in sections[name]] if isinstance(value, Mapping) else []
    return _put(keys or ["..."], name, lines.get((name,), 0))


def declared_twice(message: str, text: str, line: int) -> str:
    """What to do if tomllib's `message` says that a table comes a second time on `line` of `text`, else ""."""
    found = _TWICE.match(message)
    if found is None:
        return ""
    path = tuple(_KEY_PART.findall(found.group(1)))
    if "]" not in text.split("\n")[line - 1]:  # tomllib looks for that last
        return f'a ] is missing after "[{".".join(path)}"'
    before = key_lines("".join(text.splitlines(keepends=True)[: line - 1]))
    first = before.get(path, 0)
    table = f"[{'.'.join(path)}]"
    keys = [key[-1] for key, at in before.items() if key[:-1] == path and at == first]
    if keys:
        hint = _put(keys, ".".join(path), line)
        return (
            f'"{".".join((*path, keys[0]))}" on line {first} declares {table} already; {hint}, not before it'
        )
    return f"{table} stands on line {first} already; put the settings of both under one"


def _put(keys: list[str], section: str, line: int) -> str:
    """`put  url = "..."  under [verifier] (line 3)`; without a line the table has to be made."""
    assignments = ", ".join("..." if key == "..." else f"{key} = ..." for key in keys)
    place = f"under [{section}] (line {line})" if line else f"under a line [{section}] of its own"
    return f"put  {assignments}  {place}"
