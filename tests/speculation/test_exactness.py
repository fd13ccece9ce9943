"""Losslessness by enumeration: the joint law of what is emitted is the target's, to within 1e-12 in total.

Negative controls (the same machinery on the known-biased variants) are in test_negative_controls.py.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from speculation.acceptance import block_chain, invert_cdf, match_chain, ratio_chain
from speculation.sampling import Sampling, draw
from speculation.tree import ancestors, match_tree
from tests.speculation.exact_laws import (
    Chain,
    Law,
    Quantised,
    RoundLaw,
    add,
    cascade_round,
    cdf_regions,
    chain_round,
    joint_law,
    regions,
    target_law,
    total_error,
)
from tests.speculation.toy_models import Path, ToyModel

MAX_ERROR = 1e-12
SAMPLINGS = [
    Sampling(0.0),
    Sampling(0.2),
    Sampling(1.0),
    Sampling(1.0, top_k=2),
    Sampling(1.0, top_p=0.7),
    Sampling(0.2, top_p=0.95, top_k=2),
]
GRAMMAR = frozenset({(-1, 0), (0, 1), (1, 1), (2, 0), (2, 2)})
"""A draft mask that forbids tokens the target likes to emit, and after token 2 all but one."""


@pytest.mark.parametrize("gamma", [0, 1, 2, 3])
@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
def test_chain_emits_the_target_law(chain: Chain, sampling: Sampling, gamma: int) -> None:
    """Four tokens, over as many rounds as it takes, for every draft length."""
    draft, target = ToyModel(3, 1, sampling), ToyModel(3, 2, sampling)
    law = joint_law(chain_round(chain, draft, target, gamma), 4)
    assert total_error(law, target_law(target, 4)) < MAX_ERROR


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
def test_draft_mask_does_not_touch_the_target_law(chain: Chain, sampling: Sampling) -> None:
    """The grammar masks q, never p: tokens the draft may not propose keep their probability."""
    draft, target = ToyModel(3, 1, sampling, masked=GRAMMAR), ToyModel(3, 2, sampling)
    law = joint_law(chain_round(chain, draft, target, 2), 4)
    assert total_error(law, target_law(target, 4)) < MAX_ERROR


@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
def test_truncated_draft_of_another_temperature(chain: Chain) -> None:
    """q cut to two of four tokens, sharper than p and of longer memory: still the target's law."""
    draft = ToyModel(4, 3, Sampling(0.5), order=2)
    target = ToyModel(4, 4, Sampling(1.0, top_p=0.9), order=2)
    law = joint_law(chain_round(chain, draft, target, 2, support=2), 3)
    assert total_error(law, target_law(target, 3)) < MAX_ERROR


@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
def test_draft_that_equals_the_target(chain: Chain) -> None:
    """p = q up to quantisation: nearly everything stands, and the residual of almost nothing is sound."""
    target = Quantised(3, 2, Sampling(1.0))
    law = joint_law(chain_round(chain, target, target, 3), 4)
    assert total_error(law, target_law(target, 4)) < MAX_ERROR


def expected_accepted(law: Law) -> float:
    return sum(mass * (len(tokens) - 1) for tokens, mass in law.items())


def test_block_accepts_at_least_as_many_as_ratio() -> None:
    """Sun et al. 2024, theorem 2; on these models the gain is real."""
    draft, target = ToyModel(3, 1, Sampling(1.0)), ToyModel(3, 2, Sampling(1.0))
    for last in range(3):
        ratio = expected_accepted(chain_round(ratio_chain, draft, target, 3)((last,)))
        block = expected_accepted(chain_round(block_chain, draft, target, 3)((last,)))
        assert block > ratio + 0.01


# Match mode: the draft is not random at all here. For every single draft the law is the target's.


def match_round(target: ToyModel, draft_of: dict[Path, Path] | Path) -> RoundLaw:
    def round_law(path: Path) -> Law:
        draft = draft_of if isinstance(draft_of, tuple) else draft_of.get(path, ())
        rows = target.rows(path, draft)
        law: Law = {}
        for drawn in product(range(target.n_vocab), repeat=len(draft) + 1):
            outcome = match_chain(draft, drawn)
            mass = float(np.prod([rows[i, token] for i, token in enumerate(drawn)]))
            add(law, (*draft[: outcome.accepted], outcome.next_id), mass)
        return law

    return round_law


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_match_chain_emits_the_target_law_for_every_draft(sampling: Sampling) -> None:
    target = ToyModel(3, 2, sampling)
    expected = target_law(target, 3)
    for gamma in range(3):
        for draft in product(range(3), repeat=gamma):
            assert total_error(joint_law(match_round(target, draft), 3), expected) < MAX_ERROR


def shared_noise_match_round(draft: ToyModel, target: ToyModel, gamma: int) -> RoundLaw:
    """Both ends invert their CDFs with the same uniform at each position."""

    def round_law(path: Path) -> Law:
        law: Law = {}

        def go(emitted: Path, mass: float) -> None:
            p, q = target.probs(path + emitted), draft.probs(path + emitted)
            for u, size in regions([*np.cumsum(p)[:-1], *np.cumsum(q)[:-1]]):
                y, d = invert_cdf(p, u), invert_cdf(q, u)
                accepted = len(emitted) < gamma and match_chain([d], [y, -1]).accepted == 1
                if accepted:
                    go((*emitted, d), mass * size)
                else:
                    add(law, (*emitted, y), mass * size)

        go((), 1.0)
        return law

    return round_law


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_match_may_share_its_noise_with_the_draft(sampling: Sampling) -> None:
    """A draft drawn with the very noise of the target's draws can't bias them."""
    draft, target = ToyModel(3, 1, sampling), ToyModel(3, 2, sampling)
    law = joint_law(shared_noise_match_round(draft, target, 2), 4)
    assert total_error(law, target_law(target, 4)) < MAX_ERROR


TREES = [
    (ids, parents)
    for size in range(4)
    for parents in product(*(range(-1, node) for node in range(size)))
    for ids in product(range(3), repeat=size)
]


def tree_round(target: ToyModel, ids: Path, parents: Path, *, shared: bool) -> RoundLaw:
    """A round over one fixed tree; the draws at nodes are independent, or share one uniform per depth."""

    def round_law(path: Path) -> Law:
        bases = [path] + [path + tuple(ids[a] for a in ancestors(parents, node)) for node in range(len(ids))]
        rows = [target.probs(base) for base in bases]
        law: Law = {}
        for drawn, mass in shared_draws(bases, rows) if shared else independent_draws(rows):
            outcome = match_tree(ids, parents, drawn)
            add(law, (*(ids[node] for node in outcome.path), outcome.next_id), mass)
        return law

    return round_law


def independent_draws(rows: list[np.ndarray]) -> list[tuple[Path, float]]:
    return [
        (drawn, float(np.prod([row[token] for row, token in zip(rows, drawn, strict=True)])))
        for drawn in product(range(len(rows[0])), repeat=len(rows))
    ]


def shared_draws(bases: list[Path], rows: list[np.ndarray]) -> list[tuple[Path, float]]:
    depth = [len(base) - len(bases[0]) for base in bases]
    cuts = [
        regions([c for row, at in zip(rows, depth, strict=True) if at == d for c in np.cumsum(row)[:-1]])
        for d in range(max(depth) + 1)
    ]
    return [
        (
            tuple(invert_cdf(row, point[at][0]) for row, at in zip(rows, depth, strict=True)),
            float(np.prod([size for _, size in point])),
        )
        for point in product(*cuts)
    ]


@pytest.mark.parametrize("shared", [False, True], ids=["independent", "one noise per position"])
def test_match_tree_emits_the_target_law_for_every_small_tree(shared: bool) -> None:
    """All 184 trees of up to three nodes over three tokens, equal siblings included."""
    assert len(TREES) == 1 + 3 + 18 + 162
    target = ToyModel(3, 2, Sampling(1.0))
    expected = {last: target_law(target, 3, (last,)) for last in range(3)}
    for number, (ids, parents) in enumerate(TREES):
        start = number % 3
        law = first_tokens(tree_round(target, ids, parents, shared=shared), target, 3, (start,))
        assert total_error(law, expected[start]) < MAX_ERROR, (ids, parents)


def first_tokens(round_law: RoundLaw, target: ToyModel, length: int, start: Path) -> Law:
    """One round, then the target alone up to `length` tokens."""
    law: Law = {}
    for emitted, mass in round_law(start).items():
        for rest, share in target_law(target, max(0, length - len(emitted)), start + emitted).items():
            add(law, (emitted + rest)[:length], mass * share)
    return law


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_match_tree_at_every_sampling(sampling: Sampling) -> None:
    """A tree of depth two with two children per node, round after round."""
    target = ToyModel(3, 2, sampling)
    law = joint_law(tree_round(target, (0, 1, 2, 0), (-1, -1, 0, 0), shared=False), 4)
    assert total_error(law, target_law(target, 4)) < MAX_ERROR


@pytest.mark.parametrize("gamma", [1, 2])
@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
@pytest.mark.parametrize("chain", [ratio_chain, block_chain])
def test_two_hop_cascade_emits_the_top_law(chain: Chain, sampling: Sampling, gamma: int) -> None:
    """The mid tier forwards all that it emitted, correction included, under its own quantised law."""
    edge, mid, top = ToyModel(3, 1, sampling), Quantised(3, 5, sampling), ToyModel(3, 2, sampling)
    law = joint_law(cascade_round(chain, edge, mid, top, gamma), 4)
    assert total_error(law, target_law(top, 4)) < MAX_ERROR


@pytest.mark.parametrize("forward_correction", [True, False])
@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_two_hop_cascade_in_match_mode(sampling: Sampling, forward_correction: bool) -> None:
    """What the mid tier emits is just another draft: forwarding only the accepted prefix is harmless here."""
    edge, mid, top = (ToyModel(3, name, sampling) for name in (1, 5, 2))

    def round_law(path: Path) -> Law:
        law: Law = {}
        draft = (int(edge.probs(path).argmax()), 0)
        for forwarded, mass in match_round(mid, draft)(path).items():
            sent = forwarded if forward_correction else forwarded[:-1]
            for final, share in match_round(top, sent)(path).items():
                add(law, final, mass * share)
        return law

    assert total_error(joint_law(round_law, 3), target_law(top, 3)) < MAX_ERROR


# Gumbel draws: the output is a function of (target, seed) alone, and its law over seeds is p.


def decode_alone(target: ToyModel, length: int, seed: int) -> Path:
    path: Path = ()
    while len(path) < length:
        path += (draw(target.logits(path), target.sampling, seed, len(path)),)
    return path


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_gumbel_match_output_depends_on_target_and_seed_alone(sampling: Sampling) -> None:
    """Any draft of any length, chain or tree, good or bad: token for token what the target decodes alone."""
    target = ToyModel(5, 2, sampling, order=2)
    generator = np.random.default_rng(7)
    for seed in range(30):
        expected = decode_alone(target, 24, seed)
        path: Path = ()
        while len(path) < 24:
            size = int(generator.integers(0, 7))
            parents = [int(generator.integers(-1, node)) if node else -1 for node in range(size)]
            if seed % 2:
                parents = list(range(-1, size - 1))
            ids = [int(token) for token in generator.integers(0, 5, size=size)]
            if seed % 3 and size and len(path) + size < 24:
                ids[0] = expected[len(path)]
            drawn = []
            for node in range(-1, size):
                at = path + tuple(ids[a] for a in ancestors(parents, node))
                drawn.append(draw(target.logits(at), sampling, seed, len(at)))
            tree = match_tree(ids, parents, drawn)
            if seed % 2:
                chain = match_chain(ids, drawn)
                assert (tree.path, tree.next_id) == (list(range(chain.accepted)), chain.next_id)
            path += (*(ids[node] for node in tree.path), tree.next_id)
        assert path[:24] == expected


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("temperature", [0.2, 0.7, 1.0])
def test_gumbel_draws_follow_p(temperature: float) -> None:
    """40,000 fixed positions over 8 tokens: chi-square, 7 degrees of freedom, below its 1 - 1e-6 quantile."""
    logits = np.array([0.3, -0.4, 0.9, 0.0, -1.0, 0.6, 0.1, -0.2], dtype=np.float32)
    sampling = Sampling(temperature)
    p = ToyModel(8, 0, sampling, _rows={(): logits}).probs(())
    drawn = np.array([draw(logits, sampling, 42, position) for position in range(40_000)])
    assert chi_square(np.bincount(drawn, minlength=8), 40_000 * p) < 40.6


def test_gumbel_draws_at_neighbouring_positions_and_seeds_are_independent() -> None:
    """Pairs (t, t + 1) and (seed, seed + 1), 16 cells each: 15 degrees of freedom, 1 - 1e-6 quantile 56.5."""
    logits = np.array([0.0, 0.5, -0.5, 0.2], dtype=np.float32)
    sampling = Sampling(1.0)
    p = ToyModel(4, 0, sampling, _rows={(): logits}).probs(())
    first = np.array([draw(logits, sampling, 3, position) for position in range(20_000)])
    second = np.array([draw(logits, sampling, 4, position) for position in range(20_000)])
    expected = 20_000 * np.outer(p, p).ravel()
    assert (
        chi_square(np.bincount(first[:-1] * 4 + first[1:], minlength=16), expected * 19_999 / 20_000) < 56.5
    )
    assert chi_square(np.bincount(first * 4 + second, minlength=16), expected) < 56.5


def test_regions_cover_the_unit_interval() -> None:
    assert sum(size for _, size in cdf_regions(np.array([0.2, 0.0, 0.8]))) == pytest.approx(1.0, abs=1e-15)
    assert len(cdf_regions(np.array([0.2, 0.0, 0.8]))) == 2
