"""One other file of the language stands first in a document's prompts, where there is a grammar and it is wanted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.completion_settings import Settings
from daemon.documents import Document, Place
from daemon.grammars.document_grammar import DocumentGrammar
from tests.fakes.completion import Bench, bench, settings
from tests.fakes.engine import FakeEngine, following
from tests.fakes.grammars import whole

OTHER = "let near = 1;\ndel near;\n"
TEXT = "let abc = "


async def looked(b: Bench) -> None:
    """Until nothing is looked for any more."""
    task = b.completer._prompts._exemplar._task
    if task is not None:
        await asyncio.wait_for(task, 10)


async def first_prompt(b: Bench, folder: Path, grammar: DocumentGrammar | None) -> str:
    """What the draft model is asked after the document has been opened beside another file."""
    (folder / "near.x").write_text(OTHER, encoding="utf-8")
    document = Document((folder / "open.x").as_uri(), "x", 1, TEXT)
    b.completer.opened(document, b.completer.settings)
    if grammar is not None:
        b.completer.use_grammar(grammar)
    await looked(b)
    await b.ask(Place(document, len(TEXT)))
    return bytes(b.engine.calls[0][1]).decode()


@pytest.mark.asyncio
async def test_the_other_file_stands_first(tmp_path: Path) -> None:
    async with bench(draft="1;\n") as b:
        prompt = await first_prompt(b, tmp_path, whole())
    assert prompt == f"# file: near.x\n{OTHER}\n# file: open.x\n{TEXT}"


@pytest.mark.asyncio
async def test_it_stands_behind_the_models_separator_of_files_where_there_is_one(tmp_path: Path) -> None:
    engine = FakeEngine(following("1;\n"))
    special = engine.vocabulary.special_ids
    engine.vocabulary = replace(engine.vocabulary, special_ids={**special, "fim_sep": ord("\f")})
    async with bench(engine=engine) as b:
        prompt = await first_prompt(b, tmp_path, whole())
    assert prompt == f"\fnear.x\n{OTHER}\fopen.x\n{TEXT}"


@pytest.mark.asyncio
async def test_without_a_grammar_nothing_is_read(tmp_path: Path) -> None:
    async with bench(draft="1;\n") as b:
        assert await first_prompt(b, tmp_path, None) == TEXT


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "chosen", [replace(settings(), exemplar=False), replace(settings(), exclude=("near.x",))]
)
async def test_whoever_does_not_want_it_does_without(tmp_path: Path, chosen: Settings) -> None:
    async with bench(draft="1;\n", chosen=chosen) as b:
        assert await first_prompt(b, tmp_path, whole()) == TEXT


@pytest.mark.asyncio
async def test_a_small_window_has_no_room_for_it(tmp_path: Path) -> None:
    async with bench(draft="1;\n", chosen=replace(settings(), window_tokens=64)) as b:
        assert await first_prompt(b, tmp_path, whole()) == TEXT


@pytest.mark.asyncio
async def test_the_heading_of_another_file_is_none_of_the_text(tmp_path: Path) -> None:
    async with bench(draft="1;\n\n# file: far.x\nlet far = 1;\n") as b:
        await first_prompt(b, tmp_path, whole())
        answer = await b.ask(Place(b.completer._document, len(TEXT)), wait="settled")  # type: ignore[arg-type]
    assert [one.text for one in answer.suggestions] == ["1;"]
