"""Draft trees in match mode: which path the target's draws follow, and who may attend to whom.

A tree is `ids` and `parents`: `parents[i]` is the index of node i's parent, -1 for a child of the base, and a
parent comes before its children (the codec checks it). A chain is the tree with parents -1, 0, 1, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TreeOutcome:
    """The accepted nodes, root first, as indices into `ids`; and the target's token after the last."""

    path: list[int]
    next_id: int


def match_tree(ids: Sequence[int], parents: Sequence[int], drawn_at: Sequence[int]) -> TreeOutcome:
    """Follow the child that equals the target's draw as long as there is one, then emit the draw.

    `drawn_at[0]` is the draw at the base, `drawn_at[i + 1]` the draw after node i; so len(drawn_at) is
    len(ids) + 1. Of equal siblings the first is followed. Every emitted token is a draw of the target, so
    no choice of children can bias it.
    """
    if not len(ids) == len(parents) == len(drawn_at) - 1:
        raise ValueError(
            f"{len(ids)} nodes need as many parents ({len(parents)}) and one more draw ({len(drawn_at)})"
        )
    path: list[int] = []
    at = -1
    for node, (token, parent) in enumerate(zip(ids, parents, strict=True)):
        if parent == at and token == drawn_at[at + 1]:
            path.append(node)
            at = node
    return TreeOutcome(path, drawn_at[at + 1])


def chain_parents(length: int) -> list[int]:
    """The parents of a chain: -1, 0, 1, ..."""
    return list(range(-1, length - 1))


def depths(parents: Sequence[int]) -> list[int]:
    """Depth of each node, 0 for a child of the base: its position is the base position plus this."""
    result: list[int] = []
    for parent in parents:
        result.append(0 if parent < 0 else result[parent] + 1)
    return result


def ancestors(parents: Sequence[int], node: int) -> list[int]:
    """The nodes from the base to `node`, itself included."""
    path: list[int] = []
    while node >= 0:
        path.append(node)
        node = parents[node]
    return path[::-1]


def attention_mask(parents: Sequence[int]) -> NDArray[np.bool_]:
    """mask[i, j]: node i attends to node j, i.e. j is i itself or an ancestor of it; shape [n, n].

    Every node also attends to the whole context, which is not part of the mask.
    """
    mask = np.eye(len(parents), dtype=np.bool_)
    for node, parent in enumerate(parents):
        if parent >= 0:
            mask[node] |= mask[parent]
    return mask
