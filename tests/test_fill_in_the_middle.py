"""Fill-in-the-middle through the real engines, on tiny random models that have the tokens for it.

What a key costs, counted in evaluated tokens; that verified text is the target's own continuation of the same prompt;
that none of the marks ever reaches an editor.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.api.client import DaemonClient
from daemon.api.messages import OpenDocument, Suggestion
from daemon.api.paths import runtime_paths
from daemon.documents import Document, Place
from daemon.draft.llama_engine import LlamaEngine
from daemon.prompts.fim import layout_of
from daemon.prompts.prompt import Prompt
from daemon.settings.config import CompletionConfig, Config
from daemon.settings.config_sections import Fim
from tests.fakes.both_ends import both_ends
from tests.fakes.tiny_gguf import CODE_LLAMA, FIRST_SPECIAL, QWEN_CODER, byte_level_tokens, tiny_llama
from verifier.reference import greedy_continuation
from verifier.service import VerifierSettings, load_engine

pytest.importorskip("torch")

WINDOW = 256
SOURCE = inspect.getsource(inspect.cleandoc)
TYPED = "    found = [line for line in lines if line.strip()]  # what is left of them\n    return found[0]\n"
SUFFIX_BEFORE_PREFIX = {"spm": QWEN_CODER, "auto": CODE_LLAMA}
"""The two orders with the suffix first: with a mark behind the last key, and without."""
SPACES_AGAIN = 3
"""The four spaces before a word are another number of tokens once its first letter is there."""
LETTERS = range(ord("a"), ord("i"))
MARKS = range(FIRST_SPECIAL, FIRST_SPECIAL + len(QWEN_CODER))
TARGET = VerifierSettings(slots=4, max_context=512, port=0)


def prompt(engine: LlamaEngine, fim: Fim, window: int = WINDOW) -> Prompt:
    return Prompt(
        engine.tokenize,
        window_tokens=window,
        splits_at_lines=engine.splits_at_lines,
        start=engine.prompt_start,
        layout=layout_of(engine.vocabulary, fim),
    )


def typing(text: str, offset: int, typed: str) -> Iterator[Place]:
    """A place for each key of `typed` at `offset`."""
    for n in range(1, len(typed) + 1):
        yield Place(Document("f", "python", n, text[:offset] + typed[:n] + text[offset:]), offset + n)


def costs_of_keys(engine: LlamaEngine, fim: Fim) -> list[int]:
    """Tokens evaluated for each key in the middle of a file, where the window need not move."""
    builder = prompt(engine, fim, 1024)
    offset = SOURCE.index("\n", 400)
    costs = []
    for place in typing(SOURCE, offset, TYPED):
        before = engine.evaluated_tokens()
        engine.next_candidates(0, builder.ids(place))
        costs.append(engine.evaluated_tokens() - before)
    return costs[1:]  # the first is the whole prompt


@pytest.mark.parametrize(("fim", "specials"), SUFFIX_BEFORE_PREFIX.items())
def test_with_the_suffix_first_a_key_costs_itself_and_at_most_a_mark(
    tmp_path: Path, fim: Fim, specials: tuple[str, ...]
) -> None:
    path = tiny_llama(tmp_path / "tiny.gguf", specials=specials)
    with LlamaEngine(path, n_context=1280, n_sequences=1, threads=1) as engine:
        layout = layout_of(engine.vocabulary, fim)
        assert layout is not None
        assert layout.suffix_first
        costs = costs_of_keys(engine, fim)
    assert max(costs) <= 1 + SPACES_AGAIN + len(layout.after)
    assert sum(costs) / len(costs) < 1.2 + len(layout.after)


def test_with_the_prefix_first_a_key_costs_the_suffix_too(tmp_path: Path) -> None:
    """That is why there it is short: with the two marks around it, and the key."""
    path = tiny_llama(tmp_path / "tiny.gguf", specials=QWEN_CODER)
    with LlamaEngine(path, n_context=1280, n_sequences=1, threads=1) as engine:
        costs = costs_of_keys(engine, "psm")
    assert max(costs) <= 64 + 2 + 1 + SPACES_AGAIN
    assert min(costs) >= 40


def test_going_on_at_the_end_of_a_file_costs_the_key_in_any_order(tmp_path: Path) -> None:
    path = tiny_llama(tmp_path / "tiny.gguf", specials=QWEN_CODER)
    with LlamaEngine(path, n_context=1280, n_sequences=1, threads=1) as engine:
        builder = prompt(engine, "psm", 1024)
        engine.next_candidates(0, builder.ids(Place(Document("f", "python", 0, SOURCE), len(SOURCE))))
        for place in typing(SOURCE, len(SOURCE), TYPED):
            before = engine.evaluated_tokens()
            engine.next_candidates(0, builder.ids(place))
            assert engine.evaluated_tokens() - before <= 1 + SPACES_AGAIN


def places(text: str) -> list[int]:
    """At ends of lines, within them, and at the end of the document."""
    ends = [n for n, character in enumerate(text) if character == "\n"]
    within = [text.index(")", n) for n in ends[2:14:4]]
    return [*ends[2:14], *within, len(text)]


async def suggestions(client: DaemonClient, text: str, offsets: list[int]) -> list[Suggestion | None]:
    found = []
    for number, offset in enumerate(offsets):
        name = f"file:///{number}.py"
        client.send(OpenDocument(name, "python", 1, text))
        answer = await client.complete(name, 1, offset, trigger="invoked", wait="verified")
        found.append(answer.suggestions[0] if answer.suggestions else None)
    return found


def config(fim: Fim) -> Config:
    base = Config()
    return replace(
        base,
        draft=replace(base.draft, window_tokens=WINDOW),
        completion=CompletionConfig(max_tokens=12, fim=fim),
    )


@pytest.mark.parametrize(
    ("fim", "specials"), [("psm", QWEN_CODER), ("spm", QWEN_CODER), ("auto", CODE_LLAMA), ("off", QWEN_CODER)]
)
@pytest.mark.asyncio
async def test_verified_text_is_the_targets_own_continuation_of_the_same_prompt(
    tmp_path: Path, fim: Fim, specials: tuple[str, ...]
) -> None:
    """The draft is another model, which the target now follows and now corrects (ux-17)."""
    said = {*LETTERS, FIRST_SPECIAL}
    path = tiny_llama(tmp_path / "target.gguf", specials=specials, scale=2.0, says=said)
    draft = tiny_llama(tmp_path / "draft.gguf", specials=specials, scale=1.9, says=said)
    target = load_engine(replace(TARGET, model=str(path)))
    offsets = places(SOURCE)
    paths = runtime_paths(tmp_path / "run", transport="unix")

    def load_draft() -> LlamaEngine:
        return LlamaEngine(draft, n_context=512, threads=1)

    async with both_ends(paths, target, TARGET, config(fim), load_draft) as client:
        found = await suggestions(client, SOURCE, offsets)
        acceptance = (await client.stats())["acceptance"]
    with load_draft() as engine:
        contexts = [
            prompt(engine, fim).ids(Place(Document("f", "python", 1, SOURCE), offset)) for offset in offsets
        ]
        vocabulary = engine.vocabulary
    mark = vocabulary.special_ids["fim_pre"]
    assert [mark in context for context in contexts] == [fim != "off"] * (len(offsets) - 1) + [False]
    for suggestion, context in zip(found, contexts, strict=True):
        own = greedy_continuation(target, context, 12, vocabulary.stop_ids)
        text = bytes(token for token in own if token < 256).decode()
        if suggestion is not None:
            assert suggestion.complete
            assert text.startswith(suggestion.text[: suggestion.verified])
    assert sum(suggestion is not None and suggestion.verified > 0 for suggestion in found) >= len(found) // 2
    assert 0 < acceptance["accepted"] < acceptance["drafted"]


@pytest.mark.parametrize("fim", ["psm", "spm", "off"])
@pytest.mark.asyncio
async def test_no_mark_reaches_the_editor(tmp_path: Path, fim: Fim) -> None:
    """Not from a target and a draft that can hardly say anything else (ux-15)."""
    path = tiny_llama(tmp_path / "tiny.gguf", specials=QWEN_CODER, scale=2.0, says={*LETTERS, *MARKS})
    target = load_engine(replace(TARGET, model=str(path)))
    offsets = places(SOURCE)
    paths = runtime_paths(tmp_path / "run", transport="unix")

    def load_draft() -> LlamaEngine:
        return LlamaEngine(path, n_context=512, threads=1)

    async with both_ends(paths, target, TARGET, config(fim), load_draft) as client:
        found = await suggestions(client, SOURCE, offsets)
    with load_draft() as engine:
        contexts = [
            prompt(engine, fim).ids(Place(Document("f", "python", 1, SOURCE), offset)) for offset in offsets
        ]
    said = [greedy_continuation(target, context, 12) for context in contexts]
    assert sum(not set(MARKS).isdisjoint(own) for own in said) >= len(said) // 2
    letters = bytes(LETTERS).decode()
    assert all(set(suggestion.text) <= set(letters) for suggestion in found if suggestion is not None)
    assert any(found)


def test_the_marks_are_the_last_ids() -> None:
    assert byte_level_tokens(QWEN_CODER)[MARKS.start :] == list(QWEN_CODER)
