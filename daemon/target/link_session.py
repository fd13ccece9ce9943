"""The daemon's half of one verifier session: pure protocol state, frames in and frames out.

It mirrors the verifier's commit: which tokens both ends agree on, under which epoch, and how far draft tokens
have been sent beyond them. Sockets are `verifier_link.py`; the other half is the verifier's session.

    edit     -> CONTEXT with only what differs (longest common prefix)
    draft    -> DRAFT for the next tail tokens
    verdict  <- what the target committed; a reject raises the epoch on both ends

A verdict made under an epoch that is over, or one that says again what is known, has no effect. One that can't be
true raises Desynced; until the next edit, which then sends everything, verdicts have no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from speculation.epochs import after_edit, after_reject
from speculation.messages import Cancel, Context, Draft, Finish, Open, Verdict
from speculation.paths import HashedPath, common_length, path_hash


class Desynced(Exception):
    """The two ends no longer agree on the commit; the next edit must send the whole context."""


@dataclass(frozen=True, slots=True)
class Committed:
    """What a verdict adds to the commit: `ids`, the accepted draft tokens and then the target's own."""

    ids: tuple[int, ...]
    drafted: int
    """Draft tokens verified."""
    accepted: int
    finish: Finish
    verify_us: int
    queue_us: int


class LinkSession:
    """One session of the link. The caller keeps the tokens sent beyond the commit within `credit`."""

    def __init__(self, opening: Open, credit: int, n_vocab: int) -> None:
        self.number = opening.session
        self.opening = opening
        self.credit = credit
        self._n_vocab = n_vocab
        self._epoch = 0
        self._seq = 0
        self._commit = HashedPath()
        self._sent: list[int] = []
        """Draft tokens sent beyond the commit."""
        self._synced = True

    def edit(self, context: Sequence[int]) -> Context:
        """The sequence is now `context`: the CONTEXT frame that tells the verifier, with the least tokens."""
        keep = common_length(self._commit.ids, context) if self._synced else 0
        # The last token is always sent again: the verifier then has something to evaluate, and its own words win.
        keep = min(keep, max(len(context) - 1, 0))
        self._commit.truncate(keep)
        keep_hash = self._commit.hash
        self._commit.extend(context[keep:])
        self._epoch = after_edit(self._epoch)
        self._sent.clear()
        self._synced = True
        return Context(self.number, self._epoch, keep, keep_hash, list(context[keep:]))

    def sent(self, tail: Sequence[int]) -> int:
        """How many of the tail's tokens have been sent already."""
        self._forget_diverged(tail)
        return len(self._sent)

    def draft(self, tail: Sequence[int], count: int) -> Draft:
        """The DRAFT frame for the next `count` unsent tokens of `tail` (the draft tokens after the commit)."""
        self._forget_diverged(tail)
        start = len(self._sent)
        ids = list(tail[start : start + count])
        if not ids or len(ids) != count:
            raise ValueError(f"{count} tokens asked for, {len(ids)} unsent in the tail")
        base_hash = path_hash(self._sent, self._commit.hash)
        base_pos = len(self._commit) + start
        self._seq += 1
        self._sent.extend(ids)
        return Draft(self.number, self._epoch, self._seq, base_pos, base_hash, ids)

    def verdict(self, verdict: Verdict) -> Committed | None:
        """Take a verdict in. None if it is stale or known already. Raises Desynced if it can't be right."""
        if not self._synced or verdict.epoch < self._epoch or self._is_known(verdict):
            return None
        accepted = tuple(verdict.path or self._sent[: verdict.accepted])
        here = verdict.epoch == self._epoch and verdict.base_pos == len(self._commit)
        if not here or len(accepted) != verdict.accepted:
            raise self._desync(
                f"verdict at {verdict.base_pos} (+{verdict.accepted}) of epoch {verdict.epoch}, "
                f"commit at {len(self._commit)} (+{len(self._sent)} sent) of epoch {self._epoch}"
            )
        ids = (*accepted, verdict.next_id)
        if max(ids) >= self._n_vocab:
            raise self._desync(f"a verdict's token is none of the {self._n_vocab} in the vocabulary")
        self._commit.extend(ids)
        if (len(self._commit), self._commit.hash) != (verdict.commit_len, verdict.commit_hash):
            raise self._desync(f"the verifier's commit of {verdict.commit_len} tokens has another hash")
        rejected = verdict.accepted < verdict.drafted
        if rejected:
            self._epoch = after_reject(self._epoch)
        agreed = not rejected and tuple(self._sent[: len(ids)]) == ids
        self._sent = self._sent[len(ids) :] if agreed else []
        return Committed(
            ids, verdict.drafted, verdict.accepted, verdict.finish, verdict.verify_us, verdict.queue_us
        )

    def _is_known(self, verdict: Verdict) -> bool:
        """Whether the verdict's commit is a beginning of ours, as when it comes twice."""
        end = verdict.commit_len
        return end <= len(self._commit) and self._commit.hash_at(end) == verdict.commit_hash

    def cancel(self, *, close: bool = False) -> Cancel:
        """The CANCEL frame: stop the target's generation here; with `close`, end the session."""
        return Cancel(self.number, self._epoch, close)

    def lost_track(self) -> None:
        """The verifier does not know the commit: the next edit sends everything."""
        self._synced = False

    @property
    def committed_ids(self) -> list[int]:
        """A copy of the tokens both ends agree on, the context included."""
        return list(self._commit.ids)

    def _forget_diverged(self, tail: Sequence[int]) -> None:
        """Tokens sent that the tail no longer has count as not sent.

        The tail of a generation changes by verdicts alone, and then as here: this is a guard, not a way to take
        tokens back. The verifier may have accepted them meanwhile, and its verdict would be off this path.
        """
        del self._sent[common_length(self._sent, tail) :]

    def _desync(self, why: str) -> Desynced:
        self._synced = False
        return Desynced(f"session {self.number}: {why}")
