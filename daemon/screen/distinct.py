"""Which texts are worth a place beside one another in a list of candidates. Pure.

Blanks make no difference to a reader: texts are compared without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def is_new(text: str, known: Iterable[str]) -> bool:
    """Whether the text says something, and what none of the known ones says."""
    said = _without_blanks(text.encode())
    return said != b"" and all(said != _without_blanks(one.encode()) for one in known)


def goes_another_way(beginning: bytes, known: Iterable[str]) -> bool:
    """Whether a text that begins so is bound to part from all that are known.

    Not if it is a beginning of one, or one is a beginning of it: it may yet become the same. So blanks alone never do.
    """
    said = _without_blanks(beginning)
    others = [_without_blanks(one.encode()) for one in known]
    return said != b"" and not any(one.startswith(said) or said.startswith(one) for one in others)


def leading_blanks(ids: Sequence[int], token_bytes: Sequence[bytes]) -> list[int]:
    """The first of the ids, as long as they stand for blanks and line ends alone."""
    count = 0
    while count < len(ids) and not _without_blanks(token_bytes[ids[count]]):
        count += 1
    return list(ids[:count])


def _without_blanks(text: bytes) -> bytes:
    return b"".join(text.split())
