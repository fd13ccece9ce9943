"""Blocks that are trees, for `benchmarks.gamma`: would it pay to send the second-best token where the draft is unsure?

A block of `gamma` tokens has a branch at its most uncertain one: the draft's second-best token there, and how the
draft goes on after it. If the target says that token, the round commits some more instead of the correction alone. A
tree can't be continued before its verdict (`verifier/path.py`), so it is compared with blocks that wait, and with the
stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from benchmarks.rounds.recording import Passage
from benchmarks.rounds.rounds import Rounds, Setting, true_token
from benchmarks.rounds.rules import FixedBlocks
from speculation.messages import Draft

_WRONG_BRANCH: Final = 15_000


class TreeBlocks(FixedBlocks):
    """Blocks of `gamma` tokens with a branch of the second-best token and `tokens` more.

    paid: drafting the branch takes the draft model's time; else it costs nothing, which is an upper bound.
    """

    def __init__(self, gamma: int, tokens: int, *, paid: bool) -> None:
        super().__init__(gamma, patient=True)
        self.tokens, self.paid = tokens, paid


class TreeRounds(Rounds):
    """One passage in trees."""

    def __init__(self, passage: Passage, rule: TreeBlocks, setting: Setting) -> None:
        super().__init__(passage, rule, setting)
        self._trees = rule

    def _send(self, draft: Draft) -> None:
        """The chain goes out as a tree, once its branch is drafted."""
        tree = self._tree(draft)
        branch_ms = self._trees.tokens * self.setting.token_ms if self._trees.paid else 0.0
        self._after(branch_ms + self.setting.round_trip_ms / 2, lambda: self._at_verifier(tree))

    def _tree(self, draft: Draft) -> Draft:
        chain = list(draft.ids)
        node = max(range(len(chain)), key=lambda index: self._entropies[index])
        branch = self._branch(node)
        parents = [*range(-1, len(chain) - 1), node - 1, *range(len(chain), len(chain) + len(branch) - 1)]
        return structs.replace(draft, ids=[*chain, *branch], parents=parents)

    def _branch(self, node: int) -> list[int]:
        """The second-best token at that node of the tail, and what the draft says after it."""
        position = self._committed + node
        is_right = self._erred_at is None or self._erred_at >= position
        branch: list[int] = []
        for place in range(position, min(position + 1 + self._trees.tokens, self._length)):
            is_right = is_right and self._draws[place].rank == (0 if branch else 1)
            branch.append(true_token(place) if is_right else _WRONG_BRANCH + place)
        return branch


def tree_rate(passages: Sequence[Passage], rule: TreeBlocks, setting: Setting) -> float:
    """Verified tokens per second."""
    tokens = sum(len(passage.draws) for passage in passages)
    return 1000 * tokens / sum(TreeRounds(passage, rule, setting).run() for passage in passages)
