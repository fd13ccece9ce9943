"""A tokeniser that splits text as byte-level BPE models do, and counts what it was given; texts to give it."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from daemon.documents import Document, Place

LETTER, DIGIT = r"[^\W\d_]", r"\d"
GPT2 = re.compile(rf"'(?:s|t|re|ve|m|ll|d)| ?{LETTER}+| ?{DIGIT}+| ?(?:[^\w\s]|_)+|\s+(?!\S)|\s+")
LLAMA3 = re.compile(
    rf"(?i:'(?:s|t|re|ve|m|ll|d))|(?:[^\w\r\n]|_)?{LETTER}+|{DIGIT}{{1,3}}| ?(?:[^\w\s]|_)+[\r\n]*"
    rf"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The two ways in which byte-level BPE models split text before merging, with Python's classes for Unicode's."""


@dataclass
class Tokenizer:
    """A byte-level BPE in which each split part of at most five characters is a token, as each character is."""

    pattern: re.Pattern[str] = GPT2
    calls: int = 0
    characters: int = 0
    ids: dict[str, int] = field(default_factory=dict)

    def __call__(self, text: str) -> list[int]:
        self.calls += 1
        self.characters += len(text)
        return self.whole(text)

    def whole(self, text: str) -> list[int]:
        """The same, not counted."""
        parts = list(self.pattern.findall(text))
        assert "".join(parts) == text
        pieces = itertools.chain.from_iterable([part] if len(part) <= 5 else part for part in parts)
        return [self.ids.setdefault(piece, len(self.ids)) for piece in pieces]


def place(text: str, offset: int | None = None) -> Place:
    return Place(Document("file:///f", "python", 1, text), len(text) if offset is None else offset)


CODE = "".join(
    f"def function_{n}(a, b):\n    if a:\n        return b + {n * n}\n\n    # don't, 你好，{n}\n    return [a]\n\n\n"
    for n in range(400)
)
ONE_BLOCK = "class A:\n" + "".join(f"    def f{n}(self): return self.x[{n}] or 'n'\n" for n in range(2000))
