"""A generation: one continuation of one place, as far as it is known.

    context ids | committed ids (the target's own) | tail ids (drafted, not verified)

Pure: tokens and verdicts come in, text and what to do next come out. It knows no engine, link or clock. The
draft loop appends to the tail; verdicts move the committed part forward and cut the tail where it was wrong.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from daemon.documents import Place
from daemon.draft.engine import Vocabulary
from daemon.recall import is_same_around, likely_typed
from speculation.messages import Finish

End = Literal["", "whole", "cut"]
"""How a text has ended: not yet; by itself, or with a line; at a limit of tokens, or in bytes that are no text."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a continuation ends at the latest."""

    max_tokens: int
    max_lines: int
    """Lines of text, those the text begins with empty not counted; 1: it stays on the cursor's line, always."""
    heading: str = ""
    """A line that begins so is no text of the document but the start of another file, as prompts have it."""


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """The text of a generation; its first `verified` code points come from committed tokens alone."""

    text: str
    verified: int


class Generation:
    """What is known of the continuation of `place`, whose prompt is `context` (token ids)."""

    def __init__(
        self,
        place: Place,
        context: Sequence[int],
        vocabulary: Vocabulary,
        limits: Limits,
        pending: str = "",
    ) -> None:
        self.place = place
        self.pending = pending
        """What the user has typed after the place: only a text that begins with it is of use."""
        self.context = tuple(context)
        self.limits = limits
        self.reads_on = vocabulary.special_ids.get("fim_suf") in self.context
        """The prompt has the text after the cursor as well."""
        self.committed: list[int] = []
        self.tail: list[int] = []
        self.tail_entropies: list[float] = []
        """Entropy (nats) of the draft distribution each tail token was drawn from."""
        self.target_finish: Finish = ""
        """Set when the target said it will generate no more here."""
        self._vocabulary = vocabulary
        self._own: list[tuple[int, float]] = []
        """What was drafted, with entropies, until the target first said something else, or more."""
        self._is_own = True
        """It has not yet."""
        self._read_as: tuple[list[int], int] = ([], 0)
        """What the draft model reads in place of the context and so many tokens of the tail; nothing: these."""
        self._everything: tuple[str, End] | None = None
        """What `_read` says of all that is generated, until there is more ..."""
        self._certain: tuple[str, End] | None = None
        """... and of what is committed."""
        self._compared: tuple[Place, bool] = (place, True)
        """The place that `typed_to` compared documents for last, and whether they agreed."""

    @property
    def token_bytes(self) -> Sequence[bytes]:
        """Shape [n_vocab]: what its ids stand for."""
        return self._vocabulary.token_bytes

    @property
    def generated(self) -> list[int]:
        """Committed and tail."""
        return [*self.committed, *self.tail]

    def afresh(self) -> Generation:
        """One of the same place and prompt, of which nothing is known yet."""
        return Generation(self.place, self.context, self._vocabulary, self.limits, self.pending)

    def without_target(self) -> Generation:
        """One of the same place and prompt, as if the target had said nothing: all of it is drafted."""
        other = self.afresh()
        for token, entropy in self._own:
            other.draft(token, entropy)
        other._read_as = self._read_as
        return other

    @property
    def ids(self) -> list[int]:
        """Context, committed and tail: what the draft model continues."""
        prompt, count = self._read_as
        if prompt and not self.committed:
            return [*prompt, *self.tail[count:]]
        return [*self.context, *self.committed, *self.tail]

    @property
    def commit_len(self) -> int:
        """Absolute length of what is certain: context and committed tokens."""
        return len(self.context) + len(self.committed)

    def read_as(self, prompt: Sequence[int]) -> None:
        """As long as nothing is committed, the draft model reads these ids for the context and the tail that is there.

        They stand for the same text, in tokens as the model would have them.
        """
        self._read_as = list(prompt), len(self.tail)

    def draft(self, token: int, entropy: float) -> None:
        """Append a drafted token. One that comes after the target's end is not taken."""
        if self.target_finish == "":
            self._everything = None
            self.tail.append(token)
            self.tail_entropies.append(entropy)
            if self._is_own:
                self._own.append((token, entropy))

    def commit(self, ids: Iterable[int], finish: Finish = "") -> bool:
        """The target's next tokens are `ids`: they join the commit, and what of the tail they contradict goes.

        Returns whether a draft under way is of no use now: `self.ids` is another path, or the target has ended it.
        """
        emitted = list(ids)
        self._everything = self._certain = None
        self.committed.extend(emitted)
        self.target_finish = finish
        tail_goes_on = self.tail[: len(emitted)] == emitted and finish == ""
        self._is_own = self._is_own and tail_goes_on
        kept_from = len(emitted) if tail_goes_on else len(self.tail)
        del self.tail[:kept_from], self.tail_entropies[:kept_from]
        return not tail_goes_on

    def typed_to(self, place: Place) -> str | None:
        """What was typed along the text known so far to get to `place`; None if `place` is off that text.

        As long as that is not long enough to tell, what is pending counts as typed along it.
        """
        typed = likely_typed(self.place, place)
        if typed is None or not (self.text().text.startswith(typed) or self._may_yet_say(typed)):
            return None
        compared, is_same = self._compared
        if compared.document is not place.document or compared.offset != place.offset:
            is_same = is_same_around(self.place, place)
            self._compared = place, is_same
        return typed if is_same else None

    @property
    def is_amiss(self) -> bool:
        """Whether it does not begin with what is pending."""
        return not (self.text().text.startswith(self.pending) or self._may_yet_say(self.pending))

    def _may_yet_say(self, typed: str) -> bool:
        begins = self.pending.startswith(typed) and typed.startswith(self.text().text)
        return begins and not self.drafted_to_the_end

    @property
    def drafted_to_the_end(self) -> bool:
        """Whether there is nothing left to draft: the end of the text, or a limit, has been reached."""
        return self.target_finish != "" or self._read_everything()[1] != ""

    @property
    def verified_to_the_end(self) -> bool:
        """Whether the target has no more to say that would be shown."""
        return self.target_finish != "" or self._read_certain()[1] != ""

    @property
    def is_whole(self) -> bool:
        """Whether its text is at its end, and that is none of a line begun: no limit of tokens has cut it there."""
        return self.target_finish == "stop" or self._read_everything()[1] == "whole"

    def text(self) -> GeneratedText:
        """The continuation's text within the limits, with LF line ends.

        Bytes of an unfinished character at its end are held back; bytes that are no UTF-8 end the text.
        """
        return GeneratedText(self._read_everything()[0], len(self._read_certain()[0]))

    def _read_everything(self) -> tuple[str, End]:
        if self._everything is None:
            self._everything = self._read(self.generated)
        return self._everything

    def _read_certain(self) -> tuple[str, End]:
        if self._certain is None:
            self._certain = self._read(self.committed)
        return self._certain

    def _read(self, generated: Sequence[int]) -> tuple[str, End]:
        """The text of generated ids, and its end if it has reached one. More ids only ever add to the text."""
        data, stopped = self._bytes(generated[: self.limits.max_tokens])
        text, broken = _decoded(data)
        text, full = self._within_lines(text.replace("\r", ""))
        is_cut = broken or len(generated) >= self.limits.max_tokens
        text, headed = self._before_heading(text, ended=stopped or full or is_cut)
        return text, "whole" if stopped or full or headed else "cut" if is_cut else ""

    def _bytes(self, ids: Sequence[int]) -> tuple[bytes, bool]:
        """The bytes of the ids up to one that ends the generation, and whether there was one."""
        vocabulary = self._vocabulary
        kept: list[bytes] = []
        for token in ids:
            if token in vocabulary.stop_ids or token in vocabulary.control_ids:
                return b"".join(kept), True
            kept.append(vocabulary.token_bytes[token])
        return b"".join(kept), False

    def _within_lines(self, text: str) -> tuple[str, bool]:
        """The text cut to the lines allowed, and whether it goes on after them."""
        allowed = self.limits.max_lines
        if allowed > 1:
            # Where the cursor stands at the end of a finished line, the line ends that lead on are free.
            allowed += len(text) - len(text.lstrip("\n"))
        lines = text.split("\n")
        return "\n".join(lines[:allowed]), len(lines) > allowed

    def _before_heading(self, text: str, *, ended: bool) -> tuple[str, bool]:
        """The text up to the heading of another file, and whether there is one; what may become one is held back."""
        heading = self.limits.heading
        if not heading:
            return text, False
        start = 0 if not self.place.line_before.strip() else text.find("\n") + 1 or len(text)
        while start < len(text):
            line, line_end, _ = text[start:].partition("\n")
            if line.startswith(heading):
                return text[:start], True
            if not line_end and not ended and heading.startswith(line):
                return text[:start], False
            start += len(line) + 1
        return text, False


def _decoded(data: bytes) -> tuple[str, bool]:
    """UTF-8 text of `data` up to an incomplete last character or an invalid byte, and whether there was the latter."""
    try:
        return codecs.utf_8_decode(data, "strict", False)[0], False
    except UnicodeDecodeError as error:
        return data[: error.start].decode("utf-8"), True
