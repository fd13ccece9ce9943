"""The pure half of a round equals the references of `speculation`, and ratio and block mode have the target's law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from speculation import sparse
from speculation.acceptance import match_chain
from speculation.messages import Mode
from speculation.sampling import GREEDY, Sampling, draw, target_probs
from speculation.tree import match_tree
from verifier.decide import decide, draw_prefiltered
from verifier.engine import Block, Decided, Request, Rule

SAMPLINGS = [
    Sampling(0.2),
    Sampling(1.0),
    Sampling(3.0),
    Sampling(0.8, top_k=5),
    Sampling(0.8, top_p=0.9),
    Sampling(1.2, top_p=0.7, top_k=9),
    Sampling(1.0, top_k=1000),
]


class Rows:
    """Logits on the host; counts which rows were looked at."""

    def __init__(self, logits: NDArray[np.float32]) -> None:
        self._logits = logits
        self.read: set[int] = set()

    def argmax(self, row: int) -> int:
        self.read.add(row)
        return int(self._logits[row].argmax())

    def logits(self, row: int) -> NDArray[np.float32]:
        self.read.add(row)
        result: NDArray[np.float32] = self._logits[row]
        return result


def request(
    block: Block, sampling: Sampling = GREEDY, mode: Mode = "match", seed: int = 7, epoch: int = 1
) -> Request:
    return Request(1, [3, 1, 2], Rule(mode, sampling, seed), epoch, block)


def random_logits(rows: int, n_vocab: int, seed: int, *, coarse: bool = False) -> NDArray[np.float32]:
    """`coarse`: many ties."""
    values = np.random.default_rng(seed).normal(scale=3, size=(rows, n_vocab))
    return (np.round(values) if coarse else values).astype(np.float32)


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
@pytest.mark.parametrize("coarse", [False, True])
def test_prefiltered_draw_is_the_reference_draw(sampling: Sampling, coarse: bool) -> None:
    for seed in range(40):
        [row] = random_logits(1, 300, seed, coarse=coarse)
        row[seed] = -np.inf
        assert draw_prefiltered(row, sampling, seed, 11 + seed) == draw(row, sampling, seed, 11 + seed)


@pytest.mark.parametrize("sampling", [Sampling(1.0), Sampling(1.0, top_k=3), Sampling(1.0, top_p=0.5)])
def test_logits_that_are_not_numbers_are_an_error(sampling: Sampling) -> None:
    with pytest.raises(ValueError, match="NaN"):
        draw_prefiltered(np.full(9, np.nan, dtype=np.float32), sampling, 0, 0)


@given(
    seed=st.integers(0, 2**32),
    draft=st.lists(st.integers(0, 3), max_size=5),
    temperature=st.sampled_from([0.0, 0.5, 1.5]),
)
@settings(max_examples=200)
def test_match_mode_equals_drawing_every_row_and_matching(
    seed: int, draft: list[int], temperature: float
) -> None:
    sampling = Sampling(temperature)
    logits = random_logits(len(draft) + 1, 4, seed)
    rows = Rows(logits)
    decided = decide(request(Block(tuple(draft)), sampling), rows)
    expected = match_chain(draft, [draw(row, sampling, 7, 3 + i) for i, row in enumerate(logits)])
    assert decided == Decided(tuple(range(expected.accepted)), expected.next_id)
    assert rows.read == set(range(expected.accepted + 1)), "rows behind a mismatch are not drawn"


@given(data=st.data(), seed=st.integers(0, 2**32), temperature=st.sampled_from([0.0, 1.0]))
@settings(max_examples=200)
def test_a_tree_equals_drawing_every_node_and_matching(
    data: st.DataObject, seed: int, temperature: float
) -> None:
    n = data.draw(st.integers(1, 7))
    parents = [data.draw(st.integers(-1, i - 1)) for i in range(n)]
    ids = [data.draw(st.integers(0, 2)) for _ in range(n)]
    sampling = Sampling(temperature)
    logits = random_logits(n + 1, 3, seed)
    decided = decide(request(Block(tuple(ids), tuple(parents)), sampling), Rows(logits))
    depth = [0]
    for parent in parents:
        depth.append(depth[parent + 1] + 1)
    expected = match_tree(
        ids, parents, [draw(row, sampling, 7, 3 + d) for row, d in zip(logits, depth, strict=True)]
    )
    assert decided == Decided(tuple(expected.path), expected.next_id)


@pytest.mark.parametrize("mode", ["ratio", "block"])
def test_at_temperature_zero_every_mode_is_match_mode(mode: Mode) -> None:
    logits = random_logits(3, 5, 1)
    best = [int(i) for i in logits.argmax(1)]
    assert decide(request(Block((best[0], best[1])), GREEDY, mode), Rows(logits)) == Decided((0, 1), best[2])


def law(mode: Mode, logits: NDArray[np.float32], trials: int) -> NDArray[np.float64]:
    """The law of the first two tokens a round and, if need be, a second round bring, over seeds.

    `logits[0]` follows the context, `logits[1 + first]` any first token; the draft is drawn from its own sparse q.
    """
    sampling, q = (
        Sampling(1.0),
        [sparse.quantise(np.arange(3), np.array(w)) for w in ([0.6, 0.3, 0.1], [0.2, 0.2, 0.6])],
    )
    counts: Counter[tuple[int, int]] = Counter()
    rng = np.random.default_rng(5)
    for seed in range(trials):
        draft = tuple(sparse.sample(part, float(rng.random())) for part in q)
        rows = np.stack([logits[0], logits[1 + draft[0]], logits[1 + draft[1]]])
        done = decide(request(Block(draft, q=tuple(q)), sampling, mode, seed), Rows(rows))
        said = [*(draft[i] for i in done.accepted), done.next_id]
        if len(said) < 2:
            plain = Request(1, [3, 1, 2, said[0]], Rule(mode, sampling, seed), 2, Block())
            said.append(decide(plain, Rows(logits[1 + said[0]][None])).next_id)
        counts[said[0], said[1]] += 1
    return np.array([[counts[a, b] / trials for b in range(3)] for a in range(3)])


@pytest.mark.parametrize("mode", ["ratio", "block"])
def test_ratio_and_block_mode_have_the_targets_law(mode: Mode) -> None:
    """Exactness is proved by enumeration in tests/speculation; this checks how uniforms are keyed here."""
    logits = random_logits(4, 3, 3) / 3
    first = target_probs(logits[0], Sampling(1.0))
    expected = np.stack([first[a] * target_probs(logits[1 + a], Sampling(1.0)) for a in range(3)])
    trials = 6000
    distance = np.abs(law(mode, logits, trials) - expected).sum() / 2
    assert distance < 3 * np.sqrt(9 / trials) / 2, (
        "three standard errors of the total variation over nine cells"
    )


def test_a_new_epoch_brings_new_uniforms() -> None:
    q = sparse.quantise(np.arange(4), np.full(4, 0.25))
    logits = random_logits(3, 4, 9)

    def outcomes(epoch: int) -> Sequence[Decided]:
        block = Block((1, 2), q=(q, q))
        return [
            decide(request(block, Sampling(1.0), "ratio", seed, epoch), Rows(logits)) for seed in range(30)
        ]

    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)
