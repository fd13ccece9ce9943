"""Small files of the built-in languages, and what becomes of them when somebody slips."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import grammars
from benchmarks.dsl.files import GENERATORS, generated, real_files

LIBRARY: Final = Path(grammars.__file__).parent / "library"
NAMES: Final = tuple(sorted(path.name for path in LIBRARY.iterdir() if path.is_dir()))


def small_file(name: str, source: Random) -> str:
    """A legal file of the language, of a few hundred bytes where the language allows it."""
    if name in GENERATORS:
        return min((generated(name, 200, source.randrange(1000)) for _ in range(3)), key=len)
    return source.choice(_collected(name))


@cache
def _collected(name: str) -> list[str]:
    if name == "json":
        texts = [path.read_text() for path in sorted((LIBRARY / name / "examples").iterdir())]
        return [
            json.dumps(one, indent=2, ensure_ascii=False)
            for text in texts
            for one in _values(json.loads(text))
        ]
    texts = [re.sub(r"(?m)^ *//.*\n", "", text) for _, text in real_files(name)]
    return [text for text in texts if 200 <= len(text) <= 900]


def _values(value: Any) -> Iterator[Any]:
    """The value and the objects and arrays in it."""
    yield value
    inner = value.values() if isinstance(value, dict) else value
    for one in inner:
        if isinstance(one, dict | list):
            yield from _values(one)


def slipped(text: str, source: Random) -> str:
    """The text with one thing wrong, or not; it may still be legal."""
    at = source.randrange(len(text))
    lines = [line for line in text.splitlines() if line.strip()]
    match source.randrange(7):
        case 0:
            return text
        case 1:
            return text[:at] + text[at + source.randint(1, 12) :]
        case 2:
            return text[:at] + source.choice(list("(){}[];:,.=\"'<>-+*/&|#1ax 中：；")) + text[at:]
        case 3:
            return text[:at] + source.choice(list("(){}[];:,.=\"'<>-+*/&|#1ax 中：；")) + text[at + 1 :]
        case 4:
            return text.replace(source.choice(lines) + "\n", "", 1)
        case 5:
            return text[:at] + "\n" + source.choice(lines) + "\n" + text[at:]
        case _:
            words = re.findall(r"\w+|[^\w\s]", text)
            return text.replace(source.choice(words), source.choice(words), 1)
