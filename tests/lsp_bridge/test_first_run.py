"""The first run, as an editor meets it: the status says what is going on, nothing pops up, and typing goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from daemon.api.paths import RuntimePaths
from daemon.draft.engine import DraftEngine
from daemon.serving import server
from daemon.serving.host import this_host
from daemon.settings.config import Config, VerifierConfig
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import InProcessEditor

pytestmark = pytest.mark.asyncio

JSON = "file:///work/b.json"


class Preparation:
    """A draft model that takes its time: each step goes on when the test says so."""

    def __init__(self) -> None:
        self._may = threading.Semaphore(0)

    def go_on(self) -> None:
        self._may.release()

    def load(self, config: Config, progress: Callable[[str, float], None]) -> DraftEngine:
        for what, fraction in (("checking m.gguf (98 MB)", 0.41), ("loading m", 0.0)):
            progress(what, fraction)
            assert self._may.acquire(timeout=20)
        return FakeEngine(following("x = 1 + 2\n"))


async def test_ux_50_the_status_tells_what_is_being_done(
    paths: RuntimePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Size and percent of what is prepared, then loading, then connecting, then compiling a grammar: each in the status
    item, none in a window; until then there is nothing to show, and a reason for it (ux-35, ux-50)."""
    preparation = Preparation()
    monkeypatch.setattr(server, "load_draft_engine", preparation.load)
    config = replace(Config(), verifier=VerifierConfig(url="ws://127.0.0.1:9"))
    config = replace(config, display=replace(config.display, first_ghost_ms=0, answer_ms=10_000))
    running = asyncio.create_task(server.run_daemon(config, paths))
    try:
        async with asyncio.timeout(30), InProcessEditor(paths) as editor:
            await editor.initialize()
            told = await editor.wait_for("draftwire/status", lambda one: "m.gguf" in one["message"])
            assert told["message"] == "checking m.gguf (98 MB): 41%"
            assert (told["kind"], told["reason"]) == ("Inactive", "draft_loading")
            editor.open("x =")
            editor.type(0, 3, " ")
            assert await editor.inline(0, 4) == []
            assert (await editor.request("draftwire/stats"))["nothing"] == {"model_loading": 1}
            preparation.go_on()
            await editor.wait_for("draftwire/status", lambda one: one["message"] == "loading m")
            preparation.go_on()
            told = await editor.wait_for("draftwire/status", lambda one: one["draft"] == "ready")
            assert told["host"] == this_host()
            assert told["verifier"] == "127.0.0.1:9"
            await editor.wait_for("draftwire/status", lambda one: "nothing listens" in one["message"])
            item = {"uri": JSON, "languageId": "json", "version": 1, "text": "{"}
            editor.notify("textDocument/didOpen", {"textDocument": item})
            await editor.wait_for(
                "draftwire/status", lambda one: "compiling" in one["grammars"].get(JSON, "")
            )
            while not await editor.inline(0, 4):
                await asyncio.sleep(0.01)
            methods = {one["method"] for one in editor.notifications}
            assert methods <= {"draftwire/status", "draftwire/suggestion"}, "nothing pops up"
    finally:
        preparation.go_on()
        preparation.go_on()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_ux_50_a_model_that_is_not_there_is_told_in_the_status(paths: RuntimePaths) -> None:
    """Which file it is, and in no window (ux-45)."""
    config = replace(Config(), draft=replace(Config().draft, model=str(paths.directory / "m.gguf")))
    running = asyncio.create_task(server.run_daemon(config, paths))
    try:
        async with asyncio.timeout(30), InProcessEditor(paths) as editor:
            await editor.initialize()
            told = await editor.wait_for("draftwire/status", lambda one: one["kind"] == "Error")
            assert (told["draft"], told["reason"]) == ("failed", "draft_failed")
            assert "m.gguf" in told["message"]
            assert {one["method"] for one in editor.notifications} == {"draftwire/status"}, "nothing pops up"
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
