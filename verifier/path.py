"""A session's sequence: what the target has committed, then the draft tokens that wait for its word.

One hashed path holds both, so that every base position and hash a client may name is checked by one rule. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from speculation.messages import Draft, SparseQ
from speculation.paths import HashedPath
from speculation.tree import depths
from verifier.engine import Block


@dataclass(frozen=True, slots=True)
class Frame:
    """One DRAFT frame whose tokens are on the path up to `end`, or a tree that hangs at the path's end."""

    seq: int
    end: int
    tree: Block | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What a round takes of the path: whole frames, and the block made of them."""

    block: Block
    seqs: tuple[int, ...]
    n_tokens: int
    """Draft tokens of those frames; the block has fewer where generation would end before them."""


class SpeculativePath:
    """Committed tokens followed by pending draft tokens, in whole frames; at most one tree, after all of them."""

    __slots__ = ("_path", "_q", "commit_len", "frames")

    def __init__(self) -> None:
        self._path = HashedPath()
        self._q: dict[int, SparseQ] = {}
        self.commit_len = 0
        self.frames: list[Frame] = []

    @property
    def n_pending(self) -> int:
        """Draft tokens without a verdict."""
        tree = self.frames[-1].tree if self.frames else None
        return len(self._path) - self.commit_len + (len(tree.ids) if tree else 0)

    def committed(self) -> list[int]:
        """A copy of the committed tokens."""
        return self._path.ids[: self.commit_len]

    def token(self, position: int) -> int:
        return self._path.ids[position]

    def hash_at(self, length: int) -> int:
        return self._path.hash_at(length)

    def is_committed(self, length: int, path_hash: int) -> bool:
        """Whether the first `length` committed tokens are those that `path_hash` names."""
        return length <= self.commit_len and self._path.hash_at(length) == path_hash

    def edit(self, keep_len: int, append: Sequence[int]) -> None:
        """The commit is now its first `keep_len` tokens and `append`; nothing is pending."""
        self._clear_pending(keep_len)
        self._path.extend(append)
        self.commit_len = len(self._path)

    def overlap(self, draft: Draft) -> int | None:
        """How many of the draft's ids are on the path already; None if it does not continue this path.

        The ids up to the path's end must be the ones that stand there (the target decoded them meanwhile, or another
        frame brought them). Nothing continues a tree.
        """
        on_path = draft.base_pos <= len(self._path) and self._path.hash_at(draft.base_pos) == draft.base_hash
        if not on_path or (self.frames and self.frames[-1].tree):
            return None
        known = self._path.ids[draft.base_pos : draft.base_pos + len(draft.ids)]
        if draft.parents is not None:
            return None if known else 0
        return len(known) if draft.ids[: len(known)] == known else None

    def add(self, draft: Draft, overlap: int) -> None:
        """Take in what the path does not have yet of a draft whose `overlap` is known."""
        q = tuple(draft.q) if draft.q is not None else None
        if draft.parents is not None:
            self.frames.append(
                Frame(draft.seq, len(self._path), Block(tuple(draft.ids), tuple(draft.parents)))
            )
            return
        for index in range(overlap, len(draft.ids)):
            if q is not None:
                self._q[len(self._path)] = q[index]
            self._path.append(draft.ids[index])
        self.frames.append(Frame(draft.seq, len(self._path)))

    def take(self, max_tokens: int, max_depth: int) -> Taken:
        """The pending tokens of as many whole frames as `max_tokens` allows, the block cut to `max_depth`."""
        frames: list[Frame] = []
        n_tokens = 0
        for frame in self.frames:
            size = frame.end - self.commit_len + (len(frame.tree.ids) if frame.tree else 0)
            if size > max_tokens:
                break
            frames.append(frame)
            n_tokens = size
        if not frames:
            return Taken(Block(), (), 0)
        seqs = tuple(frame.seq for frame in frames)
        trunk_end = min(frames[-1].end, self.commit_len + max_depth)
        trunk = tuple(self._path.ids[self.commit_len : trunk_end])
        q = tuple(self._q[p] for p in range(self.commit_len, trunk_end) if p in self._q)
        tree = frames[-1].tree
        if tree is None:
            return Taken(Block(trunk, q=q or None), seqs, n_tokens)
        return Taken(_grafted(trunk, tree, max_depth), seqs, n_tokens)

    def commit(self, tokens: Sequence[int], *, rejected: bool) -> tuple[bool, list[Frame]]:
        """The target confirmed `tokens`. Pending draft tokens that begin with them stay pending beyond them.

        All others are dropped, and after a reject all (even if the correction token equals the draft token, as it may
        in block mode). Returns whether they went on, and the frames that then have no token left to verify.
        """
        base, end = self.commit_len, self.commit_len + len(tokens)
        continues = not rejected and self._path.ids[base:end] == list(tokens)
        if not continues:
            self._clear_pending(base)
            self._path.extend(tokens)
        finished = [frame for frame in self.frames if frame.end <= end and not frame.tree]
        self.frames = [frame for frame in self.frames if frame.end > end]
        self.commit_len = end
        return continues, finished

    def drop_pending(self) -> int:
        """Forget all draft tokens without a verdict; how many."""
        dropped = self.n_pending
        self._clear_pending(self.commit_len)
        return dropped

    def _clear_pending(self, keep_len: int) -> None:
        self._path.truncate(keep_len)
        self.frames.clear()
        self._q.clear()


def _grafted(trunk: tuple[int, ...], tree: Block, max_depth: int) -> Block:
    """A tree whose root continues a chain, as one block, without the nodes deeper than `max_depth`."""
    parents = list(range(-1, len(trunk) - 1))
    ids = list(trunk)
    moved: dict[int, int] = {-1: len(trunk) - 1}
    tree_parents = tree.parents or ()
    for node, depth in enumerate(depths(tree_parents)):
        if len(trunk) + depth < max_depth:
            moved[node] = len(ids)
            ids.append(tree.ids[node])
            parents.append(moved[tree_parents[node]])
    return Block(tuple(ids), tuple(parents))
