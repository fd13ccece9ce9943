"""LSP positions within one line: the client's code units <-> code points.

A position counts units of the negotiated encoding (LSP 3.17, "position encodings"). Knows nothing of lines or
documents. Texts hold no lone surrogates here; `clean` sees to that where text enters.
"""

from __future__ import annotations

import re
from typing import Literal

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD.

    JSON can carry half a pair, UTF-8 and the tokenizer can't. U+FFFD is as long as a lone surrogate in all
    three encodings, so positions stay right.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def index_of_units(line: str, units: int, encoding: PositionEncoding) -> int:
    """The index in code points of `units` code units into `line`.

    Beyond the end it is the end; inside a code point it is that code point's start. Costs O(units) at the
    most.
    """
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    head = line[:units]  # no code point is shorter than one unit
    if encoding == "utf-8":
        return len(head.encode()[:units].decode(errors="ignore"))
    return len(head.encode("utf-16-le")[: 2 * units].decode("utf-16-le", errors="ignore"))


def units_of(text: str, encoding: PositionEncoding) -> int:
    """How many code units `text` takes."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode())
    return len(text.encode("utf-16-le")) // 2
