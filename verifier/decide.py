"""The target's word on a block, from its logits: the pure half of a verify round, shared by all engines.

Match mode looks at rows one by one and stops at the first mismatch. Ratio and block mode take their uniforms from
`speculation.prf`, keyed by seed, epoch and the round's base position: a reject or an edit raises the epoch, so no
uniform is used for two histories.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from speculation import acceptance, prf
from speculation.messages import SparseQ
from speculation.prf import Domain
from speculation.sampling import Sampling, draw, target_probs
from verifier.engine import Block, Decided, Request

MAX_GUMBEL_GAP = 40.5
"""Gumbel noise lies in [-3.61, 36.74] (`speculation.prf.gumbel`): a token further below the best can't win a draw."""


class TargetRows(Protocol):
    """The target's logits for one request: row 0 after the last committed token, row i + 1 after draft token i."""

    def argmax(self, row: int) -> int:
        """The best token, lowest id on ties."""
        ...

    def logits(self, row: int) -> NDArray[np.float32]:
        """Shape [n_vocab]."""
        ...


def decide(request: Request, rows: TargetRows) -> Decided:
    """Which draft tokens stand, and the target's next token. ValueError if the logits are not numbers."""
    if request.rule.by_ratio:
        return _by_ratio(request, rows)
    base, parents = len(request.tokens), request.block.parents
    if parents is None:
        return _match_chain(request.block.ids, lambda i: _target_token(request, rows, i, base + i))
    return _match_tree(
        request.block, lambda node, depth: _target_token(request, rows, node + 1, base + depth)
    )


def _target_token(request: Request, rows: TargetRows, row: int, position: int) -> int:
    """The target's own token at an absolute position: argmax, or the Gumbel draw."""
    rule = request.rule
    if rule.sampling.temperature == 0:
        return rows.argmax(row)
    return draw_prefiltered(rows.logits(row), rule.sampling, rule.seed, position)


def draw_prefiltered(logits: NDArray[np.float32], sampling: Sampling, seed: int, position: int) -> int:
    """`speculation.sampling.draw`, without hashing and sorting tokens that can't win. Shape [n_vocab]."""
    if sampling.top_k:
        kth = min(sampling.top_k, len(logits))
        floor = np.partition(logits, -kth)[-kth]
    elif sampling.top_p == 1:
        floor = logits.max() - np.float32(MAX_GUMBEL_GAP * sampling.temperature)
    else:  # the nucleus is a share of all tokens' mass
        return draw(logits, sampling, seed, position)
    ids = np.flatnonzero(logits >= floor)
    if len(ids) == 0:  # not a number somewhere: the reference says so
        return draw(logits, sampling, seed, position)
    return draw(logits[ids], sampling, seed, position, ids)


def _match_chain(ids: Sequence[int], target: Callable[[int], int]) -> Decided:
    """`acceptance.match_chain` over draws made only as far as they are needed."""
    drawn = [target(0)]
    for i, token in enumerate(ids):
        if drawn[-1] != token:
            break
        drawn.append(target(i + 1))
    outcome = acceptance.match_chain(ids[: len(drawn) - 1], drawn)
    return Decided(tuple(range(outcome.accepted)), outcome.next_id)


def _match_tree(block: Block, target: Callable[[int, int], int]) -> Decided:
    """`tree.match_tree` over draws made only along the path: follow the child that equals the target's draw."""
    path: list[int] = []
    at, token = -1, target(-1, 0)
    for node, (id_, parent) in enumerate(zip(block.ids, block.parents or (), strict=True)):
        if parent == at and id_ == token:
            path.append(node)
            at, token = node, target(node, len(path))
    return Decided(tuple(path), token)


def _by_ratio(request: Request, rows: TargetRows) -> Decided:
    block, rule, base = request.block, request.rule, len(request.tokens)
    n = len(block.ids)
    q: tuple[SparseQ, ...] = block.q or ()
    p = np.stack([target_probs(rows.logits(i), rule.sampling) for i in range(n + 1)])
    domain = Domain.RATIO if rule.mode == "ratio" else Domain.BLOCK
    accept_u = prf.round_uniforms(prf.hash_bits(rule.seed, domain, 0, request.epoch), domain, base, n)
    next_seed = prf.hash_bits(rule.seed, Domain.RESIDUAL, 0, request.epoch)
    next_u = prf.uniform(next_seed, Domain.RESIDUAL, base, 0)
    judge = acceptance.ratio_chain if rule.mode == "ratio" else acceptance.block_chain
    outcome = judge(block.ids, q, p, accept_u.tolist(), next_u)
    return Decided(tuple(range(outcome.accepted)), outcome.next_id)
