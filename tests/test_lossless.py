"""The promise end to end, with real models and real sockets: verified text is the target's own.

A verifier (torch, the bundled model in float32) and a daemon (llama.cpp) on loopback; places in real files; what the
daemon says is verified is compared with what the target's engine says when it is asked alone, without any draft.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.api.client import DaemonClient
from daemon.api.messages import OpenDocument
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.documents import Document, Place
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.grammars.places import built_in_folder
from daemon.prompts.prompt import Prompt
from daemon.settings.config import CompletionConfig, Config, DraftConfig
from daemon.settings.config_sections import GrammarsConfig
from speculation.sampling import Sampling
from tests.fakes.both_ends import both_ends
from verifier.engine import Rule, TargetEngine
from verifier.reference import continuation
from verifier.service import VerifierSettings, load_engine

pytestmark = [pytest.mark.model, pytest.mark.timeout(900)]

WINDOW = 64
MAX_TOKENS = 10
FILES = (json.decoder, json.encoder, textwrap, inspect)
N_PLACES = 52
SAMPLED_PLACES = 6
TARGET = VerifierSettings(slots=4, max_context=256, port=0)


@pytest.fixture(scope="module")
def target() -> TargetEngine:
    return load_engine(TARGET)


@pytest.fixture(scope="module")
def tokens() -> Iterator[LlamaEngine]:
    """The bundled draft, for its vocabulary."""
    with draft_engine("bundled") as engine:
        yield engine


def draft_engine(spec: str) -> LlamaEngine:
    file = resolve_draft_model(spec, DraftConfig().cache_path)
    return LlamaEngine(file.path, n_context=256, model_name=file.name)


def places() -> list[str]:
    """Texts before a cursor: evenly spread over real files, at the ends of words and lines and within them."""
    texts = [Path(module.__file__).read_text("utf-8") for module in FILES]
    per_file = N_PLACES // len(texts)
    found = []
    for text in texts:
        step = len(text) // (per_file + 1)
        found += [text[: step * number] for number in range(1, per_file + 1)]
    return found


@asynccontextmanager
async def completing(
    paths: RuntimePaths,
    target: TargetEngine,
    draft: str | None,
    completion: CompletionConfig,
    grammars: GrammarsConfig | None = None,
) -> AsyncIterator[DaemonClient]:
    """A verifier, a daemon whose draft is `draft` (None: it does not draft), and a client of it, all connected."""
    config = Config()
    config = replace(
        config,
        draft=replace(config.draft, enabled=draft is not None, window_tokens=WINDOW),
        completion=completion,
        grammars=grammars or config.grammars,
    )
    async with both_ends(paths, target, TARGET, config, lambda: draft_engine(draft or "bundled")) as client:
        yield client


async def verified_texts(client: DaemonClient, before: list[str], suffix: str = "py") -> list[str]:
    """What is said to be the target's own at each place."""
    found = []
    for number, text in enumerate(before):
        name = f"file:///{number}.{suffix}"
        client.send(OpenDocument(name, "python", 1, text))
        answer = await client.complete(name, 1, len(text), trigger="invoked", wait="verified")
        suggestion = answer.suggestions[0] if answer.suggestions else None
        assert suggestion is None or suggestion.complete
        found.append("" if suggestion is None else suggestion.text[: suggestion.verified])
    return found


def alone(target: TargetEngine, tokens: LlamaEngine, text: str, sampling: Sampling, seed: int) -> str:
    """What the target says after `text` without any draft: after what stands before a blank, if it says that first."""
    if text.endswith(" "):
        said = continued(target, tokens, text[:-1], sampling, seed)
        if said.startswith(" "):
            return said[1:]
    return continued(target, tokens, text, sampling, seed)


def continued(target: TargetEngine, tokens: LlamaEngine, text: str, sampling: Sampling, seed: int) -> str:
    """What the target says after just this text."""
    prompt = Prompt(tokens.tokenize, window_tokens=WINDOW, splits_at_lines=True, start=tokens.prompt_start)
    context = prompt.ids(Place(Document("x", "python", 1, text), len(text)))
    vocabulary = tokens.vocabulary
    rule = Rule("match", sampling, seed)
    ids = continuation(target, context, MAX_TOKENS, rule, vocabulary.stop_ids)
    data = b"".join(vocabulary.token_bytes[token] for token in ids if token not in vocabulary.stop_ids)
    return data.decode("utf-8", "replace")


@pytest.mark.asyncio
async def test_verified_text_is_the_targets_own_greedy_continuation(
    tmp_path: Path, target: TargetEngine, tokens: LlamaEngine
) -> None:
    """ux-17."""
    before = places()
    assert len(before) >= 50
    completion = CompletionConfig(max_tokens=MAX_TOKENS)
    paths = runtime_paths(tmp_path / "run", transport="unix")
    async with completing(paths, target, "bundled", completion) as client:
        verified = await verified_texts(client, before)
        acceptance = (await client.stats())["acceptance"]
    expected = [alone(target, tokens, text, Sampling(0.0), 0) for text in before]
    wrong = [(v, e) for v, e in zip(verified, expected, strict=True) if not e.startswith(v)]
    assert wrong == []
    assert sum(bool(text) for text in verified) >= 40
    assert acceptance["accepted"] > 0


@pytest.mark.asyncio
async def test_sampled_text_is_the_same_for_every_draft(
    tmp_path: Path, target: TargetEngine, tokens: LlamaEngine
) -> None:
    """Temperature 0.8, a fixed seed; drafts: as shipped, re-quantised, two layers short, none (ux-17)."""
    before = places()[:: N_PLACES // SAMPLED_PLACES][:SAMPLED_PLACES]
    completion = CompletionConfig(max_tokens=MAX_TOKENS, temperature=0.8, seed=1234)
    expected = [alone(target, tokens, text, Sampling(0.8), 1234) for text in before]
    texts = {}
    for number, draft in enumerate(("bundled", "bundled:q4_1", "bundled:shallow28", None)):
        paths = runtime_paths(tmp_path / f"run{number}", transport="unix")
        async with completing(paths, target, draft, completion) as client:
            texts[draft] = await verified_texts(client, before)
    for found in texts.values():
        assert [e.startswith(v) for v, e in zip(found, expected, strict=True)] == [True] * len(before)
    assert texts["bundled"] == texts["bundled:q4_1"] == texts["bundled:shallow28"] == texts[None]
    assert any(texts["bundled"])


def sql_places() -> list[str]:
    """Beginnings of the built-in grammar's example files, cut within statements and words."""
    folder = built_in_folder() / "sql" / "examples"
    texts = [file.read_text("utf-8") for file in sorted(folder.iterdir())]
    return [text[:length] for text in texts for length in range(97, min(len(text), 700), 131)][:12]


async def masked(client: DaemonClient) -> None:
    """Wait until drafts of SQL are masked."""
    client.send(OpenDocument("file:///first.sql", "sql", 1, "SELECT a FROM "))
    while True:
        await client.complete("file:///first.sql", 1, 14, trigger="invoked", wait="verified")
        if (await client.stats())["grammar"]["searches"] > 0:
            return
        await asyncio.sleep(0.1)


@pytest.mark.asyncio
async def test_a_grammar_changes_nothing_of_what_is_verified(
    tmp_path: Path, target: TargetEngine, tokens: LlamaEngine
) -> None:
    """It masks the draft; of the target's own text it only cuts an end that would not fit (ux-17)."""
    before = sql_places()
    completion = CompletionConfig(max_tokens=MAX_TOKENS)
    expected = [alone(target, tokens, text, Sampling(0.0), 0) for text in before]
    texts, drafted = {}, {}
    for mask in (False, True):
        paths = runtime_paths(tmp_path / f"run{mask}", transport="unix")
        grammars = GrammarsConfig(enabled=mask, exemplar=False, files={"*.sql": "sql"})
        async with completing(paths, target, "bundled", completion, grammars) as client:
            if mask:
                async with asyncio.timeout(60):
                    await masked(client)
            texts[mask] = await verified_texts(client, before, "sql")
            drafted[mask] = (await client.stats())["acceptance"]["drafted"]
            searches = (await client.stats())["grammar"]["searches"]
        assert (searches > 0) is mask
    for plain, under_a_mask, own in zip(texts[False], texts[True], expected, strict=True):
        assert own.startswith(plain)
        assert own.startswith(under_a_mask)
    assert sum(map(bool, texts[True])) >= len(before) // 3
    assert min(drafted.values()) > 0
