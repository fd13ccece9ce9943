"""Pieces of other files before the document, from the client's messages to what the model reads and a key costs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.api.messages import ChangeDocument, Complete, Completions, DaemonMessage, Edit, OpenDocument
from daemon.completion import Completer
from daemon.prompts import cross_file
from daemon.serving.client import Client
from daemon.serving.service import Service
from daemon.settings.config import Config
from tests.fakes.engine import FakeEngine

HELPER = "def parse_header(read_body):\n    return read_body\n"
DRAWING = "def draw_line(fill_area):\n    return fill_area\n"
GAP = "\n" * 2 * cross_file.FAR
TEXT = f"from helper import parse_header\n\n\nparse_header(read_body)\n{GAP}draw_line(fill_area)\n"
CONSTANT = 4
"""Tokens that a key may cost beside itself and what is drafted."""


class Editor:
    """One client of a daemon with a scripted engine that has nothing to say; documents lie in `folder`."""

    def __init__(self, service: Service, engine: FakeEngine, folder: Path) -> None:
        self.client = Client(service, "test", self._push, {})
        self.service, self.engine, self.folder = service, engine, folder
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.answers: asyncio.Queue[Completions] = asyncio.Queue()
        self.requests = 0

    def _push(self, message: DaemonMessage) -> None:
        if isinstance(message, Completions):
            self.answers.put_nowait(message)

    def name_of(self, file: str) -> str:
        return (self.folder / file).as_uri()

    def open(self, file: str, text: str) -> None:
        self.texts[file], self.versions[file] = text, 1
        self.client.take(OpenDocument(self.name_of(file), "python", 1, text))

    async def key(self, file: str, offset: int, text: str = "x") -> int:
        """Type there, and ask; the tokens that are evaluated for it."""
        before = self.engine.evaluated_tokens()
        self.versions[file] += 1
        self.requests += 1
        self.texts[file] = self.texts[file][:offset] + text + self.texts[file][offset:]
        name, version = self.name_of(file), self.versions[file]
        self.client.take(ChangeDocument(name, version, [Edit(offset, offset, text)]))
        self.client.take(Complete(self.requests, name, version, offset + len(text), wait="settled"))
        async with asyncio.timeout(60):
            await self.answers.get()
        return self.engine.evaluated_tokens() - before

    def pause(self, file: str) -> None:
        """No key comes for a while."""
        others = self._completer(file)._prompts._others
        assert others._timer is not None
        others._look()

    async def read(self, *files: str) -> None:
        """Until nothing is looked for, or to be read ahead, for these documents."""
        async with asyncio.timeout(60):
            while not all(map(self._is_read, files)):
                await asyncio.sleep(0.001)

    def _is_read(self, file: str) -> bool:
        completer = self._completer(file)
        others, task = completer._prompts._others, completer._warm_up._task
        return not others.is_looking and others.offered is None and (task is None or task.done())

    def _completer(self, file: str) -> Completer:
        return self.client.documents[self.name_of(file)][1]

    @property
    def last_prompt(self) -> str:
        """What the engine was last asked to continue."""
        return bytes(self.engine.calls[-1][1]).decode()


@asynccontextmanager
async def editor(folder: Path, *, tokens: int = 200) -> AsyncIterator[Editor]:
    (folder / ".draftwire").mkdir()
    (folder / "helper.py").write_text(HELPER, encoding="utf-8")
    engine = FakeEngine(lambda prefix: b"", n_context=4096)
    config = Config()
    config = replace(
        config,
        draft=replace(config.draft, other_files_tokens=tokens),
        display=replace(config.display, first_ghost_ms=0, answer_ms=10_000),
    )
    service = Service(config, lambda: engine, None, time.monotonic)
    await service.worker.start()
    scene = Editor(service, engine, folder)
    try:
        yield scene
    finally:
        engine.release()
        await scene.client.close()
        await service.worker.close()


@pytest.fixture(autouse=True)
def long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """They end when a test says so."""
    monkeypatch.setattr(cross_file, "PAUSE_S", 3600.0)


@pytest.mark.asyncio
async def test_what_the_document_imports_is_read_ahead_and_the_first_key_costs_itself(tmp_path: Path) -> None:
    async with editor(tmp_path) as e:
        text = "from helper import parse_header\n\nparse_header(read_body)\n"
        e.open("open.py", text)
        await e.read("open.py")
        assert await e.key("open.py", len(text)) <= CONSTANT
        assert e.last_prompt == f"# file: helper.py\n{HELPER}\n# file: open.py\n{text}x"


@pytest.mark.asyncio
async def test_without_the_setting_nothing_is_read(tmp_path: Path) -> None:
    async with editor(tmp_path, tokens=0) as e:
        e.open("open.py", TEXT)
        await e.read("open.py")
        await e.key("open.py", len(TEXT))
        assert "file:" not in e.last_prompt


@pytest.mark.asyncio
async def test_a_key_costs_itself_and_a_constant_while_other_pieces_come(tmp_path: Path) -> None:
    """The user goes to another document and back, to another part of this one: no key pays for what is chosen then."""
    async with editor(tmp_path) as e:
        e.open("open.py", TEXT)
        e.open("drawing.py", DRAWING)
        await e.read("open.py", "drawing.py")
        at = TEXT.index(GAP)
        await e.key("open.py", at)
        costs = [await e.key("open.py", at + 1 + step) for step in range(10)]
        assert e.last_prompt.startswith("# file: helper.py\n")
        await e.key("drawing.py", len(DRAWING))
        end = len(e.texts["open.py"])
        await e.key("open.py", end)  # the window jumps, as it does without other files
        costs += [await e.key("open.py", end + step) for step in range(1, 10)]
        assert e.last_prompt.startswith("# file: helper.py\n")
        e.pause("open.py")
        await e.read("open.py")
        costs += [await e.key("open.py", end + step) for step in range(10, 20)]
        assert e.last_prompt.startswith("# file: drawing.py\n")
        assert DRAWING in e.last_prompt
        assert max(costs) <= CONSTANT


@pytest.mark.asyncio
async def test_a_key_before_they_are_read_finds_its_prompt_as_it_was(tmp_path: Path) -> None:
    async with editor(tmp_path) as e:
        e.open("open.py", TEXT)
        e.open("drawing.py", DRAWING)
        await e.read("open.py", "drawing.py")
        end = len(TEXT)
        await e.key("open.py", end)
        e.engine.hold(after_tokens=40)
        e.pause("open.py")
        await asyncio.to_thread(e.engine.wait_until_held)  # in the middle of what is read aside
        so_far = len(e.engine.calls)
        key = asyncio.create_task(e.key("open.py", end + 1))
        await asyncio.sleep(0)
        e.engine.release()
        await key
        prompt = bytes(e.engine.calls[so_far][1]).decode()
        assert (prompt[:18], prompt[-4:]) == ("# file: helper.py\n", ")\nxx")
        await e.read("open.py")
        await e.key("open.py", end + 2)
        assert e.last_prompt.startswith("# file: drawing.py\n")


@pytest.mark.parametrize("file", ["secret.py", "ignored.py", "../elsewhere/a.py", "id_rsa"])
@pytest.mark.asyncio
async def test_ux_39_nothing_is_shown_of_what_is_to_be_left_alone(tmp_path: Path, file: str) -> None:
    """Though it is open in the same editor, and imported."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    path = (folder / file).resolve()
    path.parent.mkdir(exist_ok=True)
    path.write_text(DRAWING, encoding="utf-8")
    async with editor(folder) as e:
        files = replace(e.service.config.files, exclude=(*e.service.config.files.exclude, "secret.py"))
        e.service.config = replace(e.service.config, files=files)
        e.client = Client(e.service, "test", e._push, {})
        e.open(file, DRAWING)
        text = f"import secret, ignored, a, id_rsa\n{DRAWING}"
        e.open("open.py", text)
        await e.read("open.py")
        await e.key("open.py", len(text))
        assert "file:" not in e.last_prompt


@pytest.mark.asyncio
async def test_where_the_user_asks_is_where_the_user_is(tmp_path: Path) -> None:
    """A request without a key before it tells what is looked at."""
    async with editor(tmp_path) as e:
        e.open("open.py", TEXT)
        e.open("drawing.py", GAP + DRAWING)
        e.client.take(Complete(1, e.name_of("drawing.py"), 1, len(GAP), wait="settled"))
        async with asyncio.timeout(60):
            await e.answers.get()
        [other] = e.client._trail.texts.beside(e.name_of("open.py"))
        assert [other.start + spot for spot in other.spots] == [0, len(GAP)]
