"""Comments that a draft opens in the middle of a statement: where they may be, by the text alone. Pure.

A draft that can't go on otherwise opens a comment, where a grammar allows everything, and talks. A comment is welcome
where the user is writing one, where it begins a line, and behind a statement; elsewhere it is a way out. Whether a sign
does open a comment (in a string it does not) only the grammar knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence


def signs_within_statements(
    text: str, line_before: str, line_comments: Sequence[str], boundaries: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Where in `text`, which stands after `line_before`, a comment may be opened behind a statement that goes on.

    Offset and sign, in order. `line_comments`: how comments up to the line's end begin; `boundaries`: what statements
    end with.
    """
    if not line_comments:
        return
    longest_first = sorted(line_comments, key=len, reverse=True)
    ends = tuple(one for one in boundaries if one.strip())
    for found in re.finditer("|".join(map(re.escape, longest_first)), text):
        line = (line_before + text[: found.start()]).rpartition("\n")[2].rstrip()
        if line and not line.endswith(ends):
            yield found.start(), found[0]
