"""When pieces of other files are chosen, offered, adopted and kept."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.documents import Document, Place
from daemon.prompts import cross_file
from daemon.prompts.cross_file import FAR, CrossFile, Wanted
from daemon.prompts.open_texts import OpenTexts

WANTED = Wanted(200, ("secret.py",))
HELPER = "def parse_header(read_body):\n    return read_body\n"
DRAWING = "def draw_line(fill_area):\n    return fill_area\n"
TEXT = (
    "import helper\nimport drawing\n\n\nparse_header(read_body)\n" + "\n" * 2 * FAR + "draw_line(fill_area)\n"
)
END = len(TEXT)


class Scene:
    """A document `open.py` that imports `helper.py` and `drawing.py`; pauses are over at once."""

    def __init__(self, folder: Path, text: str = TEXT) -> None:
        (folder / "helper.py").write_text(HELPER, encoding="utf-8")
        (folder / "drawing.py").write_text(DRAWING, encoding="utf-8")
        self.folder = folder
        self.document = Document((folder / "open.py").as_uri(), "python", 1, text)
        self.texts = OpenTexts()
        self.changes = 0
        self.others = CrossFile(self.texts, lambda: 0.0, self._changed)

    def _changed(self) -> None:
        assert not self.others.is_looking
        self.changes += 1

    def go(self, offset: int) -> None:
        """A key there."""
        place = Place(self.document, offset)
        self.texts.visited(place)
        self.others.at(place)

    async def opened(self) -> None:
        """The document is there, and so are its first pieces."""
        self.texts.visited(Place(self.document, 0))
        self.others.use(self.document, WANTED)
        await self.looked()
        self.others.adopt()

    async def looked(self) -> None:
        """Until nothing is looked for, or about to be, any more."""
        async with asyncio.timeout(10):
            while self.others.is_looking or self.others._timer is not None:
                await asyncio.sleep(0.001)

    @property
    def names(self) -> list[str]:
        return [piece.name for piece in self.others.pieces]

    @property
    def offered(self) -> list[str] | None:
        offered = self.others.offered
        return None if offered is None else [piece.name for piece in offered]


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr(cross_file, "PAUSE_S", 0.0)
    return Scene(tmp_path)


@pytest.mark.asyncio
async def test_pieces_are_looked_for_when_the_document_is_opened_and_offered(scene: Scene) -> None:
    scene.others.use(scene.document, WANTED)
    assert (scene.others.is_looking, scene.offered, scene.changes) == (True, None, 0)
    await scene.looked()
    assert (scene.names, scene.offered, scene.changes) == ([], ["helper.py"], 1)
    scene.others.adopt()
    assert (scene.names, scene.offered) == (["helper.py"], None)
    scene.others.adopt()
    assert scene.names == ["helper.py"]


@pytest.mark.asyncio
async def test_a_key_where_the_user_is_looks_for_nothing(scene: Scene) -> None:
    await scene.opened()
    for offset in (50, 51, 60):
        scene.go(offset)
        assert (scene.others._timer, scene.others.is_looking) == (None, False)


@pytest.mark.asyncio
async def test_after_a_jump_and_a_pause_others_are_offered(scene: Scene) -> None:
    """A key looks for nothing itself, and the next one postpones it."""
    await scene.opened()
    scene.go(END)
    first = scene.others._timer
    scene.go(END)
    assert first is not None
    assert first.cancelled()
    assert not scene.others.is_looking
    await scene.looked()
    assert (scene.names, scene.offered, scene.changes) == (["helper.py"], ["drawing.py"], 2)
    scene.go(END)
    assert scene.others._timer is None


@pytest.mark.asyncio
async def test_what_stands_there_stays_where_others_are_hardly_better(tmp_path: Path) -> None:
    scene = Scene(tmp_path, TEXT.replace("draw_line(fill_area)", "parse_header(read_body)"))
    await scene.opened()
    scene.others._place = Place(scene.document, END)
    scene.others._look()
    await scene.looked()
    assert (scene.names, scene.offered, scene.changes) == (["helper.py"], None, 2)


@pytest.mark.asyncio
async def test_what_says_nothing_any_more_goes(scene: Scene) -> None:
    """Nothing better need be there."""
    await scene.opened()
    (scene.folder / "helper.py").unlink()
    (scene.folder / "drawing.py").unlink()
    scene.go(END)
    await scene.looked()
    assert scene.offered == []


@pytest.mark.asyncio
async def test_open_documents_of_the_language_count_after_the_user_was_there(scene: Scene) -> None:
    await scene.opened()
    for name, language in (("other.py", "python"), ("other.txt", "plaintext"), ("secret.py", "python")):
        document = Document((scene.folder / name).as_uri(), language, 1, HELPER * 2)
        scene.texts.visited(Place(document, 0))
    scene.go(40)
    await scene.looked()
    scene.others.adopt()
    assert set(scene.names) == {"helper.py", "other.py"}


@pytest.mark.asyncio
async def test_what_was_offered_already_is_not_offered_again(scene: Scene) -> None:
    await scene.opened()
    scene.go(END)
    await scene.looked()
    offered = scene.others.offered
    scene.others._look()
    await scene.looked()
    assert scene.others.offered is offered


@pytest.mark.asyncio
async def test_whoever_wants_none_has_none(scene: Scene) -> None:
    scene.others.use(scene.document, Wanted(0, ()))
    scene.go(END)
    assert (scene.others.is_looking, scene.others._timer) == (False, None)


@pytest.mark.asyncio
async def test_other_rules_start_anew(scene: Scene) -> None:
    await scene.opened()
    scene.others.use(scene.document, WANTED)
    assert scene.names == ["helper.py"]
    scene.others.use(scene.document, Wanted(200, ("helper.py",)))
    assert scene.names == []
    await scene.looked()
    assert scene.offered is None
    scene.others.use(scene.document, Wanted(0, ()))
    scene.go(END)
    assert not scene.others.is_looking


@pytest.mark.asyncio
async def test_another_language_imports_otherwise(scene: Scene) -> None:
    await scene.opened()
    scene.others.use(replace(scene.document, language="c"), WANTED)
    await scene.looked()
    assert (scene.names, scene.offered) == ([], None)


@pytest.mark.asyncio
async def test_a_search_that_nobody_wants_any_more_changes_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun = threading.Event(), threading.Event()

    def slowly(*arguments: object) -> None:
        begun.set()
        go_on.wait(10)

    monkeypatch.setattr(cross_file, "_better", slowly)
    scene.others.use(scene.document, WANTED)
    await asyncio.to_thread(begun.wait, 10)
    scene.go(END)
    scene.others.close()
    go_on.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert (scene.offered, scene.changes, scene.others.is_looking) == (None, 0, False)


@pytest.mark.asyncio
async def test_closing_ends_the_pause(scene: Scene) -> None:
    await scene.opened()
    scene.go(END)
    scene.others.close()
    await scene.looked()
    assert scene.changes == 1


@pytest.mark.asyncio
async def test_a_key_before_anything_was_looked_for_is_no_reason_to(scene: Scene) -> None:
    scene.others._wanted = WANTED
    scene.go(END)
    assert scene.others._timer is None


@pytest.mark.asyncio
async def test_a_defect_leaves_the_document_as_it_is(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("defect")

    await scene.opened()
    monkeypatch.setattr(cross_file, "_better", broken)
    scene.go(END)
    await scene.looked()
    assert (scene.names, scene.offered) == (["helper.py"], None)
    assert "pieces of other files failed" in caplog.text
