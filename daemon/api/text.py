"""What both sides of the local socket must compute alike from a document's text."""

from __future__ import annotations

import hashlib

SURROUNDINGS_RADIUS = 64


def surroundings_hash(text: str, offset: int, radius: int = SURROUNDINGS_RADIUS) -> int:
    """A 53-bit name of the text around `offset`: up to `radius` code points on each side, and where the
    offset is.

    The same text around it gives the same number in every process and version; 53 bits survive JSON in an
    editor. An offset outside the text counts as its nearest end.
    """
    offset = min(max(offset, 0), len(text))
    return hash_of_sides(text[max(0, offset - radius) : offset], text[offset : offset + radius])


def hash_of_sides(before: str, after: str) -> int:
    """`surroundings_hash` of a caller that has the two sides at hand, already cut to the radius."""
    digest = hashlib.blake2b(before.encode("utf-8", "surrogatepass"), digest_size=8, person=b"dw-surround")
    digest.update(b"\xff")  # never part of UTF-8, so that (ab, c) and (a, bc) differ
    digest.update(after.encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest(), "big") >> 11
