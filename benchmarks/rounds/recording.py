"""What drafts and targets said along real files, for `benchmarks.gamma`: recorded once with the real models.

A *passage* is a continuation of one place in a file: the target's own text (greedy), and for each of its tokens what
the draft model would have drawn there: at which entropy, with which probability, and at which rank the target's token
stood. Where the draft would have erred, the passage also has the entropies of how it would have gone on after its
error. That is all that a simulation of rounds needs to know; no text is kept.

Three pairs: the bundled draft against the same weights in float32 (`equal`), the draft that lacks two of its layers
against these (`shallow`), and the bundled draft against what stands in the file (`file`), a stand-in for a target
much larger than the draft.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

import msgspec
import torch

from daemon.draft.engine import DraftEngine
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.settings.config import DraftConfig
from verifier.bundled import bundled_model
from verifier.engine import Block, Decided, Failed, Request, TargetEngine
from verifier.errors import EngineFailed
from verifier.model.load import load_gguf
from verifier.reference import GREEDY_RULE
from verifier.torch_engine import TorchEngine

SUFFIXES: Final = {
    "python": (".py",),
    "cpp": (".h", ".hpp"),
    "javascript": (".js",),
    "css": (".css",),
    "yaml": (".yaml",),
    "proto": (".proto",),
}
DRAFTS: Final = {"equal": "bundled", "shallow": "bundled:shallow28", "file": "bundled"}
"""The draft model of each pair."""
FILE_BYTES: Final = range(4_000, 80_000)
CONTEXT_TOKENS: Final = 384
ASTRAY_TOKENS: Final = 6
"""How far the draft is followed after an error."""


class Draw(msgspec.Struct, frozen=True, array_like=True):
    """What the draft model said at one token of the target's text."""

    entropy: float
    """Nats."""
    best: float
    """Probability of the draft's best token, among the candidates."""
    rank: int
    """Of the target's token among the draft's candidates; 0: accepted, -1: not among them."""
    astray: list[float] = []
    """If it is not accepted: the entropies at which the draft goes on after its own token."""


class Passage(msgspec.Struct, frozen=True):
    """The target's text after one place, as the draft saw it."""

    language: str
    draws: list[Draw]


class Recording(msgspec.Struct, frozen=True):
    """Passages of each pair of a draft and a target."""

    seed: int
    pairs: dict[str, list[Passage]]


def recording(path: Path, seed: int, places: int, tokens: int) -> Recording:
    """The recording kept at `path`, or a new one of `places` passages a language, `tokens` long, kept there."""
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Recording)
    made = record(seed, places, tokens)
    path.write_bytes(msgspec.json.encode(made))
    return made


def record(seed: int, places: int, tokens: int) -> Recording:
    """Run the models along real files. It takes minutes. Raises EngineFailed."""
    pairs: dict[str, list[Passage]] = {}
    texts: dict[tuple[int, ...], list[int]] = {}
    n_positions = CONTEXT_TOKENS + tokens + ASTRAY_TOKENS + 8
    with ExitStack() as stack:
        target = TorchEngine(
            load_gguf(bundled_model(), n_positions=n_positions), n_slots=2, chunk_tokens=CONTEXT_TOKENS
        )
        for pair, spec in DRAFTS.items():
            file = resolve_draft_model(spec, DraftConfig().cache_path)
            draft = stack.enter_context(
                LlamaEngine(file.path, n_context=n_positions, n_sequences=1, threads=1, model_name=file.name)
            )
            pairs[pair] = []
            for language, ids in _places(draft, seed, places, tokens):
                context, following = ids[:-tokens], ids[-tokens:]
                if pair != "file" and tuple(context) not in texts:
                    texts[tuple(context)] = _target_text(target, draft, context, tokens)
                text = following if pair == "file" else texts[tuple(context)]
                pairs[pair].append(Passage(language, draws_of(draft, context, text)))
                sys.stderr.write(f"gamma: recorded {pair} {language} {len(pairs[pair])}\n")
    return Recording(seed, pairs)


def _places(draft: DraftEngine, seed: int, places: int, tokens: int) -> Iterator[tuple[str, list[int]]]:
    """(language, ids of a stretch of a file: a context, and `tokens` more that stand after it)."""
    root = Path(sysconfig.get_path("purelib"))
    for language, suffixes in SUFFIXES.items():
        random = Random(f"{language} {seed}")
        found = sorted(
            path for path in root.rglob("*") if path.suffix in suffixes and path.stat().st_size in FILE_BYTES
        )
        for number in range(places):
            # Few files of some languages are installed: then several places lie in one.
            path = found[number % len(found)] if len(found) < places else random.choice(found)
            ids = draft.tokenize(path.read_text(encoding="utf-8", errors="replace").replace("\r", ""))
            end = random.randrange(min(len(ids), CONTEXT_TOKENS // 4 + tokens), len(ids) + 1)
            start = max(0, end - tokens - CONTEXT_TOKENS)
            yield language, [*draft.prompt_start, *ids[start:end]]


def _target_text(target: TargetEngine, draft: DraftEngine, context: Sequence[int], tokens: int) -> list[int]:
    """The target's own next tokens, up to where it ends the text; drafts only make it faster."""
    text: list[int] = []
    while len(text) < tokens and not draft.vocabulary.stop_ids.intersection(text):
        block: list[int] = []
        for _ in range(4):
            block.append(int(draft.next_candidates(0, [*context, *text, *block]).ids[0]))
        request = Request(1, [*context, *text], GREEDY_RULE, 0, Block(tuple(block)))
        [result] = target.verify([request])
        if isinstance(result, Failed):
            raise EngineFailed(result.reason)
        if isinstance(result, Decided):
            text += [*block[: len(result.accepted)], result.next_id]
    return text[:tokens]


def draws_of(draft: DraftEngine, context: Sequence[int], text: Sequence[int]) -> list[Draw]:
    draws: list[Draw] = []
    stop_ids = draft.vocabulary.stop_ids
    for position, token in enumerate(text):
        if token in stop_ids:
            break
        path = [*context, *text[:position]]
        candidates = draft.next_candidates(0, path)
        weights = [float(w) for w in torch.softmax(torch.from_numpy(candidates.logits), 0)]
        ids = candidates.ids.tolist()
        rank = ids.index(token) if token in ids else -1
        astray = [] if rank == 0 else _astray(draft, [*path, ids[0]])
        draws.append(Draw(round(candidates.entropy, 4), round(weights[0], 4), rank, astray))
    return draws


def _astray(draft: DraftEngine, path: list[int]) -> list[float]:
    """Entropies of the draft's own continuation of `path`."""
    entropies: list[float] = []
    for _ in range(ASTRAY_TOKENS):
        candidates = draft.next_candidates(0, path)
        entropies.append(round(candidates.entropy, 3))
        path = [*path, int(candidates.ids[0])]
    return entropies
