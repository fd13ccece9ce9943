"""A generation: one continuation of one place, as far as it is known.

    context ids | committed ids (the target's own) | tail ids (drafted, not verified)

Pure: tokens and verdicts come in, text and what to do next come out. It knows no engine, link or clock. The
draft loop appends to the tail; verdicts move the committed part forward and cut the tail where it was wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daemon.documents import Place
from daemon.engine import Vocabulary
from daemon.recall import typed_since
from speculation.messages import Finish


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a continuation ends at the latest."""

    max_tokens: int
    max_lines: int
    """Line ends the text may hold, its last line excepted; 1: the text stays on the cursor's line."""


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """The text of a generation; its first `verified` code points come from committed tokens alone."""

    text: str
    verified: int


class Generation:
    """What is known of the continuation of `place`, whose prompt is `context` (token ids)."""

    def __init__(self, place: Place, context: Sequence[int], vocabulary: Vocabulary, limits: Limits) -> None:
        self.place = place
        self.context = tuple(context)
        self.limits = limits
        self.committed: list[int] = []
        self.tail: list[int] = []
        self.tail_entropies: list[float] = []
        """Entropy (nats) of the draft distribution each tail token was drawn from."""
        self.target_finish: Finish = ""
        """Set when the target said it will generate no more here."""
        self._vocabulary = vocabulary

    @property
    def ids(self) -> list[int]:
        """Context, committed and tail: what the draft model continues."""
        return [*self.context, *self.committed, *self.tail]

    @property
    def commit_len(self) -> int:
        """Absolute length of what is certain: context and committed tokens."""
        return len(self.context) + len(self.committed)

    def draft(self, token: int, entropy: float) -> None:
        """Append a drafted token."""
        self.tail.append(token)
        self.tail_entropies.append(entropy)

    def commit(self, ids: Iterable[int], finish: Finish = "") -> bool:
        """The target's next tokens are `ids`: they join the commit, and what of the tail they do not continue goes.

        Returns whether the path (`ids` of the whole) is another now: work on the old one is of no use.
        """
        before = self.tail
        emitted = list(ids)
        agreed = _common_length(before, emitted)
        self.committed.extend(emitted)
        self.target_finish = finish
        dropped = len(before) if agreed < len(emitted) or finish else agreed
        self.tail = before[dropped:]
        self.tail_entropies = self.tail_entropies[dropped:]
        return agreed < len(emitted) or dropped > agreed

    def typed_to(self, place: Place) -> str | None:
        """What was typed along the text known so far to get to `place`; None if `place` is off that text."""
        typed = typed_since(self.place, place)
        return typed if typed is not None and self.text().text.startswith(typed) else None

    @property
    def drafted_to_the_end(self) -> bool:
        """Whether there is nothing left to draft: a stop token, or a limit, has been reached."""
        return self.target_finish != "" or self._is_end(self.committed + self.tail)

    @property
    def verified_to_the_end(self) -> bool:
        """Whether the target has no more to say that would be shown."""
        return self.target_finish != "" or self._is_end(self.committed)

    def text(self) -> GeneratedText:
        """The continuation's text within the limits; bytes of an unfinished character at its end are held back."""
        committed = self._bytes(self.committed)
        everything = self._within_lines(_decode(committed + self._bytes(self.tail)))
        verified = self._within_lines(_decode(committed))
        if self.verified_to_the_end and len(verified) == len(everything):
            return GeneratedText(everything, len(everything))
        return GeneratedText(everything, min(len(verified), len(everything)))

    def _is_end(self, generated: Sequence[int]) -> bool:
        return (
            len(generated) >= self.limits.max_tokens
            or any(self._ends_generation(token) for token in generated[-1:])
            or self._lines_full(generated)
        )

    def _ends_generation(self, token: int) -> bool:
        return token in self._vocabulary.stop_ids or token in self._vocabulary.control_ids

    def _lines_full(self, ids: Sequence[int]) -> bool:
        data = self._bytes(ids)
        return data.count(b"\n") > self._line_ends_allowed(data)

    def _line_ends_allowed(self, data: bytes) -> int:
        # A continuation that starts with line ends (the cursor stood at the end of a finished line) is given them free.
        leading = len(data) - len(data.lstrip(b"\n"))
        return self.limits.max_lines - 1 + (leading if self.limits.max_lines > 1 else 0)

    def _within_lines(self, text: str) -> str:
        lines = text.split("\n")
        return "\n".join(lines[: self._line_ends_allowed(text.encode("utf-8", "surrogatepass")) + 1])

    def _bytes(self, ids: Sequence[int]) -> bytes:
        kept: list[bytes] = []
        for token in ids:
            if self._ends_generation(token):
                break
            kept.append(self._vocabulary.token_bytes[token])
        return b"".join(kept)


def _common_length(a: Sequence[int], b: Sequence[int]) -> int:
    return next(
        (index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _decode(data: bytes) -> str:
    """UTF-8 text of `data`: an incomplete last character is dropped, invalid bytes become U+FFFD."""
    for held in range(min(4, len(data) + 1)):
        kept = data[: len(data) - held]
        try:
            return kept.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.end < len(kept) or error.reason != "unexpected end of data":
                break
    return data.decode("utf-8", "replace").rstrip("\ufffd")
