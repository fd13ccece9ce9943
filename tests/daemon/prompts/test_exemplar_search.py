"""A document's exemplar is looked for once, in a thread, and kept as long as nothing asks for another."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.documents import Document
from daemon.grammars.document_grammar import LoadedGrammar
from daemon.prompts import exemplar_search
from daemon.prompts.exemplar import Candidate
from daemon.prompts.exemplar_search import ExemplarSearch, look_for
from grammars.compiled import CompiledGrammar
from grammars.engine import TokenTable
from grammars.interface import Recogniser

WINDOW = 300


class NoRecogniser:
    """Stands where nothing asks."""


def grammar(*examples: Path, comment: str = "--") -> LoadedGrammar:
    compiled = CompiledGrammar(
        "sql", "bnf", "", 1, globs=("*.ddl",), line_comments=(comment,) if comment else ()
    )
    recogniser: Recogniser = NoRecogniser()  # type: ignore[assignment]
    table: TokenTable = NoRecogniser()  # type: ignore[assignment]
    return LoadedGrammar("sql", Path("sql.bnf"), compiled, recogniser, table, examples)


def characters(text: str) -> list[int]:
    return [ord(one) for one in text]


def still() -> float:
    return 0.0


async def over() -> None:
    """Until nothing is looked for any more."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others)


class Scene:
    """A search of one document, `open.sql`, beside `near.sql`."""

    def __init__(self, folder: Path) -> None:
        (folder / "near.sql").write_text("select 1;\n", encoding="utf-8")
        self.document = Document((folder / "open.sql").as_uri(), "sql", 1, "")
        self.found = 0
        self.search = ExemplarSearch(still, self._count)

    def _count(self) -> None:
        assert not self.search.is_looking
        self.found += 1

    def text(self, window: int = WINDOW) -> str:
        return "".join(map(chr, self.search.ids(characters, window)))


@pytest.mark.asyncio
async def test_the_file_beside_the_document_stands_first_once_it_is_found(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.search.use(scene.document, grammar(), ())
    assert (scene.text(), scene.search.is_looking, scene.found) == ("", True, 0)
    await over()
    assert (scene.search.is_looking, scene.found) == (False, 1)
    assert scene.text() == "-- file: near.sql\nselect 1;\n\n-- file: open.sql\n"
    assert scene.text(window=30) == ""
    assert scene.search.ids(characters, WINDOW) is scene.search.ids(characters, WINDOW)


@pytest.mark.asyncio
async def test_it_stands_behind_the_models_separator_of_files_where_there_is_one(tmp_path: Path) -> None:
    separator = 0x1F4C4
    scene = Scene(tmp_path)
    scene.search.use(scene.document, grammar(), ())
    await over()
    ids = scene.search.ids(characters, WINDOW, separator)
    assert (ids[0], ids.count(separator)) == (separator, 2)


@pytest.mark.asyncio
async def test_it_is_kept_though_the_files_change(tmp_path: Path) -> None:
    scene, loaded = Scene(tmp_path), grammar()
    scene.search.use(scene.document, loaded, ())
    await over()
    (tmp_path / "near.sql").unlink()
    scene.search.use(replace(scene.document, version=2, text="select 2;"), loaded, ())
    assert "select 1;" in scene.text()


@pytest.mark.asyncio
async def test_it_is_looked_for_anew_under_another_grammar_or_other_rules(tmp_path: Path) -> None:
    scene, loaded = Scene(tmp_path), grammar(comment="")
    scene.search.use(scene.document, loaded, ())
    await over()
    assert scene.text() == "select 1;\n\n"
    scene.search.use(scene.document, loaded, ("near.sql",))
    await over()
    assert scene.text() == ""


@pytest.mark.asyncio
async def test_without_a_grammar_there_is_none(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.search.use(scene.document, grammar(), ())
    await over()
    scene.search.use(scene.document, None, ())
    assert scene.text() == ""


@pytest.mark.asyncio
async def test_a_search_that_nobody_wants_any_more_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun = threading.Event(), threading.Event()

    def slowly(*arguments: object) -> Candidate:
        begun.set()
        go_on.wait(10)
        return Candidate("late.sql", "late\n")

    monkeypatch.setattr(exemplar_search, "look_for", slowly)
    scene = Scene(tmp_path)
    scene.search.use(scene.document, grammar(), ())
    await asyncio.to_thread(begun.wait, 10)
    scene.search.close()
    go_on.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert (scene.text(), scene.search.is_looking, scene.found) == ("", False, 0)


@pytest.mark.asyncio
async def test_a_defect_leaves_the_document_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*arguments: object) -> Candidate:
        raise RuntimeError("defect")

    scene = Scene(tmp_path)
    scene.search.use(scene.document, grammar(), ())
    await over()
    monkeypatch.setattr(exemplar_search, "look_for", broken)
    scene.search.use(scene.document, grammar(), ("*.pem",))
    await over()
    assert scene.text() == ""
    assert "looking for an exemplar failed" in caplog.text


def test_an_example_of_the_grammar_stands_in_where_there_is_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "a.sql").write_text("select 3;\n", encoding="utf-8")
    loaded = grammar(tmp_path / "examples" / "a.sql")
    found = look_for(Document("untitled:1", "sql", 1, ""), loaded, (), still)
    assert found is not None
    assert (found.name, found.from_grammar) == ("a.sql", True)
    assert look_for(Document("untitled:1", "sql", 1, ""), grammar(), (), still) is None
