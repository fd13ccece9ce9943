"""Several edits of one change -> as few as say the same.

A client that takes an entry of its list may insert what it showed, remove it, remove the word and insert all of it. To
the daemon that is one edit, in which it finds the suggestion that was taken. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from daemon.api.messages import Edit


def joined(edits: Sequence[Edit]) -> list[Edit]:
    """The edits, each in the text that those before it made, with those joined that go on from one another.

    The last one ends where it did: that is where the user is.
    """
    result: list[Edit] = []
    for edit in edits:
        if result and _goes_on(result[-1], edit):
            result[-1] = _both(result[-1], edit)
        else:
            result.append(edit)
    return result


def _goes_on(first: Edit, second: Edit) -> bool:
    """Whether the second touches what the first inserted, at its end at the least."""
    end = first.start + len(first.text)
    return first.start <= second.end and second.start <= end <= second.end


def _both(first: Edit, second: Edit) -> Edit:
    kept = first.text[: max(0, second.start - first.start)]
    beyond = second.end - (first.start + len(first.text))
    return Edit(min(first.start, second.start), first.end + beyond, kept + second.text)
