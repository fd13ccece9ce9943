"""A document's prompts: what stands first in them, and what is foreseen of the next before there is a key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from daemon.completion_settings import Settings
from daemon.documents import Document, Place
from daemon.prompts.document_prompts import DocumentPrompts, Foreseen
from daemon.settings.config_sections import Fim
from speculation.paths import common_length
from tests.fakes.completion import settings
from tests.fakes.engine import SPECIALS, FakeEngine
from tests.fakes.grammars import whole

BOS = 256
PREFIX = 256 + list(SPECIALS).index("fim_pre")
TEXT = "let a = 1;\nlet b = 2;\nlet c = a;\n"
WINDOW = 256


def with_fim(fim: Fim) -> Settings:
    chosen = settings(window_tokens=WINDOW)
    return replace(chosen, completion=replace(chosen.completion, fim=fim))


CHOSEN = with_fim("off")


class Scene:
    """One document's prompts for an engine whose prompts begin with BOS."""

    def __init__(self, text: str = TEXT, *, chosen: Settings = CHOSEN, name: str = "file:///a.x") -> None:
        self.document = Document(name, "x", 1, text)
        self.chosen = chosen
        self.engine = FakeEngine(fim=True)
        self.engine.prompt_start = (BOS,)
        self.changes = 0
        self.prompts = DocumentPrompts(lambda: 0.0, self._changed)

    def _changed(self) -> None:
        self.changes += 1

    def ids(self, offset: int) -> list[int]:
        return self.prompts.ids(Place(self.document, offset), self.engine, self.chosen, None)

    def foreseen(self, cursor: int | None = None) -> Foreseen | None:
        return self.prompts.foreseen(self.document, cursor, self.engine, self.chosen, None)


def test_any_cursor_of_a_small_document_has_a_beginning_of_it_before_it() -> None:
    """So all of it is foreseen, though nobody knows where the cursor is."""
    scene = Scene()
    found = scene.foreseen()
    assert found == Foreseen((BOS,), [BOS, *TEXT.encode()])
    for offset in range(len(TEXT) + 1):
        ids = scene.ids(offset)
        assert common_length(found.ids, ids) == len(ids)


def test_of_a_long_document_nothing_but_the_start_is_certain() -> None:
    """Unless it is known where the user is."""
    for text in (TEXT * 10, TEXT * 1000):
        scene = Scene(text)
        assert scene.foreseen() == Foreseen((BOS,), [BOS])
        found = scene.foreseen(len(text) - 5)
        assert found is not None
        assert found.ids == scene.ids(len(text) - 5)


@pytest.mark.parametrize(
    ("fim", "ids"),
    [("off", [BOS, *TEXT.encode()]), ("psm", [BOS, PREFIX, *TEXT.encode()]), ("spm", [BOS])],
)
def test_what_is_foreseen_is_laid_out_as_prompts_are(fim: Fim, ids: list[int]) -> None:
    """A prompt that begins with the text after the cursor can't be foreseen."""
    scene = Scene(chosen=with_fim(fim))
    assert scene.foreseen() == Foreseen((BOS,), ids)
    for offset in (0, 5, 12):
        common = common_length(ids, scene.ids(offset))
        assert common == {"off": 1 + offset, "psm": 2 + offset, "spm": 1}[fim]


@pytest.mark.asyncio
async def test_nothing_is_foreseen_until_the_exemplar_is_found(tmp_path: Path) -> None:
    """And then it stands first."""
    (tmp_path / "near.x").write_text("let near = 1;\n", encoding="utf-8")
    scene = Scene("let b = ", name=(tmp_path / "open.x").as_uri())
    scene.prompts.use(scene.document, whole().whole, scene.chosen)
    assert scene.foreseen() is None
    assert scene.ids(8) == [BOS, *b"let b = "]
    task = scene.prompts._exemplar._task
    assert task is not None
    await task
    assert scene.changes == 1
    found = scene.foreseen()
    assert found is not None
    assert found.start == scene.prompts.start
    assert b"let near = 1;" in bytes(found.start[1:])
    assert found.ids == [*found.start, *b"let b = "] == scene.ids(8)


@pytest.mark.asyncio
async def test_whoever_wants_no_exemplar_has_none(tmp_path: Path) -> None:
    (tmp_path / "near.x").write_text("let near = 1;\n", encoding="utf-8")
    scene = Scene(name=(tmp_path / "open.x").as_uri(), chosen=replace(CHOSEN, exemplar=False))
    scene.prompts.use(scene.document, whole().whole, scene.chosen)
    assert scene.foreseen() is not None
    scene.prompts.close()
    assert scene.changes == 0


HELPER = "def parse_header(read_body):\n    return read_body\n"
IMPORTING = "import helper\n\nparse_header(read_body)\n"
SHOWN = f"# file: helper.py\n{HELPER}\n# file: open.py\n".encode()


class WithOthers(Scene):
    """A document that imports `helper.py`, whose prompts may show pieces of it."""

    def __init__(self, folder: Path, tokens: int = 120) -> None:
        (folder / "helper.py").write_text(HELPER, encoding="utf-8")
        super().__init__(
            chosen=replace(CHOSEN, other_files_tokens=tokens), name=(folder / "open.py").as_uri()
        )
        self.document = Document(self.document.name, "python", 1, IMPORTING)

    async def looked(self) -> None:
        self.prompts.use(self.document, None, self.chosen)
        task = self.prompts._others._task
        assert task is not None
        await task


@pytest.mark.asyncio
async def test_pieces_of_other_files_stand_first_where_there_is_no_exemplar(tmp_path: Path) -> None:
    scene = WithOthers(tmp_path)
    scene.prompts.use(scene.document, None, scene.chosen)
    assert scene.foreseen() is None
    await scene.looked()
    assert scene.changes == 1
    assert scene.foreseen() == Foreseen((BOS, *SHOWN), [BOS, *SHOWN, *IMPORTING.encode()])
    assert scene.ids(5) == [BOS, *SHOWN, *IMPORTING[:5].encode()]
    assert scene.prompts.heading == "# file: "


@pytest.mark.asyncio
async def test_they_are_there_at_the_first_key_though_nothing_was_foreseen(tmp_path: Path) -> None:
    """Whoever wants nothing done ahead has no prompt that they could change."""
    scene = WithOthers(tmp_path)
    await scene.looked()
    assert scene.ids(5) == [BOS, *SHOWN, *IMPORTING[:5].encode()]


@pytest.mark.asyncio
async def test_no_prompt_begins_otherwise_than_the_last_until_that_was_read(tmp_path: Path) -> None:
    scene = WithOthers(tmp_path)
    before = scene.ids(5)
    await scene.looked()
    assert scene.ids(5) == before
    assert scene.prompts.heading == ""
    found = scene.foreseen(5)
    assert found is not None
    assert found.adopt is not None
    assert (found.start, found.ids) == ((BOS, *SHOWN), [BOS, *SHOWN, *before[1:]])
    assert scene.ids(5) == before
    found.adopt()
    assert (scene.ids(5), scene.prompts.start) == (found.ids, found.start)
    assert scene.foreseen(5) == Foreseen(found.start, found.ids)


@pytest.mark.asyncio
async def test_they_take_half_of_the_window_at_most(tmp_path: Path) -> None:
    """What does not fit is left out."""
    for tokens, is_shown in [(len(SHOWN), True), (len(SHOWN) - 1, False)]:
        scene = WithOthers(tmp_path, tokens)
        await scene.looked()
        assert (scene.ids(5)[1:6] == [*SHOWN[:5]]) is is_shown
    scene = WithOthers(tmp_path, 10_000)
    scene.chosen = replace(scene.chosen, window_tokens=2 * len(SHOWN) - 2)
    await scene.looked()
    assert scene.ids(5) == [BOS, *IMPORTING[:5].encode()]


@pytest.mark.asyncio
async def test_where_there_is_an_exemplar_it_is_the_only_other_file(tmp_path: Path) -> None:
    scene = WithOthers(tmp_path)
    scene.prompts.use(scene.document, whole().whole, scene.chosen)
    assert not scene.prompts._others.is_looking
    scene.prompts.close()


def test_the_start_is_that_of_the_last_prompt() -> None:
    """Nothing before the first."""
    scene = Scene()
    assert scene.prompts.start == ()
    scene.ids(3)
    assert scene.prompts.start == (BOS,)


def test_prompts_are_of_the_settings_and_of_what_both_models_hold() -> None:
    """A smaller window, a smaller target."""
    scene = Scene(TEXT * 100)
    place = Place(scene.document, 3000)
    assert 64 <= len(scene.ids(3000)) <= WINDOW
    assert len(scene.prompts.ids(place, scene.engine, replace(CHOSEN, window_tokens=64), None)) <= 64
    assert len(scene.prompts.ids(place, scene.engine, CHOSEN, 80)) <= 48
