"""The promise on real weights: whatever the draft, what is verified is what the target alone says, token for token."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
import torch

from speculation.epochs import after_edit
from speculation.messages import Context, Draft, Error, Open, Verdict
from speculation.paths import EMPTY_PATH, path_hash
from speculation.sampling import Sampling
from verifier.bundled import bundled_model
from verifier.engine import Rule
from verifier.model.load import load_gguf
from verifier.reference import GREEDY_RULE, continuation
from verifier.session import Session
from verifier.session_events import Limits, RoundDone, Send
from verifier.torch_engine import TorchEngine

pytestmark = [pytest.mark.model, pytest.mark.timeout(300)]

N_TOKENS = 20
PROMPTS = [
    [1604, 28, 338, 506, 260, 6400, 9838, 281, 2442, 3011],
    [504, 1517, 868, 1188, 253, 198, 198, 314, 28, 216],
    [2442, 3011, 17, 4712, 19354, 253, 198, 1604, 28, 5531, 198],
]
Drafter = Callable[[list[int], random.Random], list[int]]
"""The target's own next tokens -> the draft tokens that are sent."""

DRAFTERS: dict[str, Drafter] = {
    "none": lambda own, rng: [],
    "right": lambda own, rng: own[:7],
    "often wrong": lambda own, rng: [t if rng.random() < 0.7 else rng.randrange(49152) for t in own[:7]],
    "noise": lambda own, rng: rng.choices(range(49152), k=4),
}


@pytest.fixture(scope="module")
def engine() -> Iterator[TorchEngine]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield TorchEngine(load_gguf(bundled_model(), n_positions=128), n_slots=2, chunk_tokens=64)
    torch.set_num_threads(threads)


def verified(
    engine: TorchEngine, prompt: list[int], rule: Rule, own: list[int], drafter: Drafter
) -> list[int]:
    """What a session commits when `drafter` drafts for it."""
    limits = Limits(49152, 128, 64, 64, frozenset())
    opened = Open(
        1,
        temperature=rule.sampling.temperature,
        top_p=rule.sampling.top_p,
        seed=rule.seed,
        max_tokens=N_TOKENS,
    )
    session, rng, seq = Session(1, opened, limits), random.Random(1), 0
    session.handle(Context(1, after_edit(0), 0, EMPTY_PATH, prompt), 0.0)
    while True:
        commit = session.commit
        ids = drafter(own[len(commit) - len(prompt) :], rng)
        if ids:
            seq += 1
            session.handle(Draft(1, session.epoch, seq, len(commit), path_hash(commit), ids), 0.0)
        begun = session.next_round(0.0)
        if begun is None:
            return session.commit[len(prompt) :]
        [result] = engine.verify([begun.request])
        for effect in session.handle(RoundDone(begun, result, 1), 0.0):
            assert not isinstance(effect, Send) or not isinstance(effect.message, Error)
            assert not isinstance(effect, Send) or isinstance(effect.message, Verdict)


@pytest.mark.parametrize(
    "rule", [GREEDY_RULE, Rule("match", Sampling(0.8, 0.95), 11)], ids=["greedy", "T=0.8"]
)
@pytest.mark.parametrize("prompt", range(len(PROMPTS)))
def test_every_draft_gives_the_targets_own_text(engine: TorchEngine, prompt: int, rule: Rule) -> None:
    own = continuation(engine, PROMPTS[prompt], N_TOKENS, rule)
    for name, drafter in DRAFTERS.items():
        assert verified(engine, PROMPTS[prompt], rule, own, drafter) == own, name
    engine.release(1)
