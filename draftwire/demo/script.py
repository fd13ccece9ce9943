"""What the demonstration types: passages of a real file, one after another. Pure.

Each passage starts with the file's text up to a point and types on from there, key by key. A pause is where a
person would stop to think, and where there is time for a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

FILE_NAME = "inventory.py"
LANGUAGE = "python"

_PASSAGES = (
    # (the line before, what is typed of the next one; the editor has indented it)
    ('        """The value of all pieces of this item."""\n', "return self.price"),
    ('        """Put an item on the list; its name must be new."""\n', "if item.name in self"),
    ('        """Take an item off the list."""\n', "if name not in"),
    ('        """The value of everything."""\n', "return sum(item"),
    ("        item = self.items[name]\n", "if item.quantity"),
    ('            raise ValueError(f"only {item.quantity} of {name} are left")\n', "item.quantity +="),
    ('        """The cheapest items, cheapest first."""\n', "return sorted(self"),
    ('    """One line for each item, and the total."""\n', 'lines = [f"{item.name}'),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """Open the document with `before`, then type `typed`; a pause at the end."""

    before: str
    typed: str
    after: str = ""
    """What stands behind the cursor."""


def source_text() -> str:
    """The text of the file that is typed."""
    return files("draftwire").joinpath("demo_files", FILE_NAME).read_text("utf-8")


def passages(count: int | None = None) -> list[Passage]:
    """The first `count` passages (default: all)."""
    text = source_text()
    return [_passage(text, after, typed) for after, typed in _PASSAGES[:count]]


def _passage(text: str, line_before: str, typed: str) -> Passage:
    start = text.index(line_before) + len(line_before)
    start += len(text[start:]) - len(text[start:].lstrip(" "))
    if not text.startswith(typed, start):
        raise ValueError(f"the file does not go on with {typed!r}")
    return Passage(text[:start], typed)
