"""What the service says of itself."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from daemon.api.messages import Status
from daemon.documents import Document
from daemon.draft.engine import EngineFailed
from daemon.draft.model_source import SourceFile
from daemon.serving import service
from daemon.serving.client import Client
from daemon.serving.service import Service
from daemon.settings.annotated_config import settings_digest
from daemon.settings.config import Config
from daemon.target.draft_worth import JUDGED_TOKENS
from daemon.target.link_address import LinkSettings
from tests.fakes.engine import FakeEngine, following


@pytest.mark.parametrize("file", [Path("/settings/c.toml"), None])
def test_the_status_says_which_configuration_is_in_force(file: Path | None) -> None:
    service = Service(Config(file=file), lambda: FakeEngine(following("x")), None, time.monotonic)
    status = service.status()
    assert status.config_file == ("" if file is None else str(file))
    assert status.settings_digest == settings_digest(Config())


@pytest.mark.asyncio
async def test_the_status_says_where_the_users_grammars_are_and_how_the_needed_ones_fare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_GRAMMAR_LINES", 1)
    folder = tmp_path / "grammars"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.bnf").write_text(f"; @files *.{name}", encoding="utf-8")
    config = Config(file=tmp_path / "c.toml")
    made = Service(config, lambda: FakeEngine(following("x")), None, time.monotonic)
    for name in ("a", "b"):
        document = Document(f"file:///x.{name}", "", 1, "")
        made.grammars.of(document)
        await made.grammars.idle()
        made.grammars.of(document)
    await made.grammars.idle()
    status = made.status()
    await made.grammars.close()
    assert status.grammars_folder == str(folder)
    [line] = status.grammars
    assert line.startswith(f"a (user, {folder / 'a.bnf'}): refused: a.bnf: ")


def test_the_status_and_the_statistics_say_where_drafts_are_mostly_wrong() -> None:
    link = LinkSettings("ws://127.0.0.1:9")
    made = Service(Config(), lambda: FakeEngine(following("x")), link, lambda: 5.0)
    assert made.link is not None
    made.worker.state, made.link.state = "ready", "online"
    plain = made._status_line()
    for n in range(JUDGED_TOKENS):
        made.link.acceptances.heard("go", [1], [0.5], [n % 2], 5.0)
    assert made._status_line() == f"{plain}; drafts are often wrong in go"
    assert made.snapshot()["drafts"] == {"go": "poor, 50% the target's own"}


def test_without_a_verifier_nothing_is_said_of_drafts() -> None:
    made = Service(Config(), lambda: FakeEngine(following("x")), None, time.monotonic)
    assert made.snapshot()["drafts"] == {}


@pytest.mark.asyncio
async def test_once_the_model_is_there_full_collections_do_not_walk_through_it() -> None:
    gc.unfreeze()
    made = Service(Config(), lambda: FakeEngine(following("x")), None, time.monotonic)
    made.start()
    await made._tasks[0]
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    await made.close()
    assert frozen > len(made.worker.vocabulary.token_bytes)


class Ring:
    """Something that is freed by a full collection only."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.asyncio
async def test_what_is_left_in_cycles_is_freed_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """ux-32"""
    monkeypatch.setattr(service, "TIDY_EVERY_S", 0.001)
    made = Service(Config(), lambda: FakeEngine(following("x")), None, time.monotonic)
    made.start()
    assert await made.worker.ready()
    ring = Ring()
    gc.collect()  # it is old now
    known = weakref.ref(ring)
    del ring
    async with asyncio.timeout(10):
        while known() is not None:
            await asyncio.sleep(0.001)
    await made.close()


@pytest.mark.asyncio
async def test_a_model_that_comes_later_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once nobody writes it any more; clients are told each step."""
    monkeypatch.setattr(service, "LOOK_EVERY_S", 0.0)
    file = tmp_path / "m.gguf"
    loads: list[int] = []

    def load() -> FakeEngine:
        size = file.stat().st_size if file.exists() else 0
        loads.append(size)
        if size < 4:
            raise EngineFailed("no model: install it")
        return FakeEngine(following("x"))

    looks = iter([0, 0, 1, 2, 3, 3, 3, 4, 4, 4])

    def look(spec: str) -> SourceFile | None:
        assert spec == str(file)
        size = next(looks)
        file.write_bytes(b"x" * size)
        return SourceFile(file, size, 0) if size else None

    monkeypatch.setattr(service, "draft_source", look)
    config = Config()
    made = Service(replace(config, draft=replace(config.draft, model=str(file))), load, None, time.monotonic)
    told: list[Status] = []
    listener = Client(made, "listener", lambda message: told.append(cast(Status, message)), {})
    made.start()
    await made._tasks[0]
    await listener.close()
    await made.close()
    assert loads == [0, 3, 4]
    assert [status.draft for status in told] == ["failed", "loading", "failed", "loading", "ready"]
    assert told[0].message == "no completions: no model: install it"
