"""Somebody types while the verifier is killed and comes back: no key is lost, and no wrong text is shown.

Real bridge, daemon, link, wire and verifier service; the verifier is a process behind an emulated network. The draft
knows another text than the target, so that drafts are rejected all the time. Every text that would be drawn is checked
against the buffer it is for (ux-8), and its verified part against the target (ux-17).
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.emulation.line import Network
from benchmarks.emulation.network import EmulatedNetwork
from benchmarks.emulation.oracle_target import OracleTarget
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.api.text import surroundings_hash
from daemon.serving.server import run_daemon
from daemon.settings.config import Config, VerifierConfig
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import URI, InProcessEditor
from tests.fakes.oracle import byte_oracle
from tests.fakes.verifier_process import verifier_process
from verifier.reference import greedy_continuation

TARGETS = "".join(
    f"def total_{n}(values):\n    total = {n}\n    for value in values:\n        total += value * {n}\n"
    f"    return total  # é 你 {n}\n\n\n"
    for n in range(9)
)
DRAFTS = TARGETS.replace("total += value", "total -= value").replace("# é", "# ë")
START = TARGETS.index("def total_1")
KEY_TO_KEY_S = 0.03


@dataclass(frozen=True, slots=True)
class Seen:
    """A text that an editor would draw, and the buffer up to the cursor."""

    before: str
    text: str
    verified: str


class Typist:
    """Types at the end of a document, asks after each key, and checks whatever comes."""

    def __init__(self, editor: InProcessEditor, target: OracleTarget) -> None:
        self.buffers: dict[int, str] = {}
        """Each version's text; the cursor is at its end."""
        self.seen: list[Seen] = []
        self.answers = 0
        self._editor = editor
        self._target = target
        self._version = 0
        self._read = 0
        """Notifications looked at."""
        self._requests: list[asyncio.Future[Any]] = []
        """Not answered yet."""

    @property
    def buffer(self) -> str:
        return self.buffers[self._version]

    def open(self, text: str) -> None:
        self._editor.open(text)
        self._version, self.buffers[1] = 1, text

    async def type(self, count: int) -> None:
        """The next `count` keys of the text."""
        for _ in range(count):
            await self._type_one()

    async def type_until_verified(self) -> None:
        """Go on, slower and slower, until something verified is shown.

        It may take some keys, since text that was known before needs no verdict, and on a busy machine some time.
        """
        since = len(self.seen)
        for count in range(150):
            await self._type_one()
            await asyncio.sleep(KEY_TO_KEY_S * count / 20)
            self.look()
            if any(seen.verified for seen in self.seen[since:]):
                return
        raise AssertionError("nothing verified is shown any more")

    async def _type_one(self) -> None:
        """The next character; one in seven is mistyped first, and taken back."""
        key = TARGETS[len(self.buffer)]
        if len(self.buffer) % 7 == 3:
            await self._key("#", len(self.buffer))
            await self._key("", len(self.buffer) - 1)
        await self._key(key, len(self.buffer))

    async def _key(self, text: str, start: int) -> None:
        """Replace what stands from `start` on, ask, and let some time pass; the answer may come later."""
        before = self.buffer
        at, end = position(before[:start]), position(before)
        self._editor.change({"range": {"start": at, "end": end}, "text": text})
        self._version += 1
        self.buffers[self._version] = before[:start] + text
        at = position(self.buffer)
        self._requests.append(self._editor.start_inline(at["line"], at["character"]))
        await asyncio.sleep(KEY_TO_KEY_S)
        self.look()

    def look(self) -> None:
        """Take in the answers and updates that have come."""
        answered = [request for request in self._requests if request.done()]
        self._requests = [request for request in self._requests if not request.done()]
        self.answers += len(answered)
        for request in answered:
            for item in request.result()["items"]:
                _, _, detail = item["command"]["arguments"]
                assert item["range"]["start"] == item["range"]["end"]
                self._check(detail, item["range"]["start"], item["insertText"], detail["verifiedLength"])
        for message in self._editor.notifications[self._read :]:
            params = message["params"]
            if message["method"] == "draftwire/suggestion" and params["kind"] != "withdrawn":
                self._check(params, params["position"], params["text"], params["verifiedLength"])
        self._read = len(self._editor.notifications)

    def _check(self, detail: dict[str, Any], at: dict[str, int], text: str, verified_units: int) -> None:
        """The text is for a version that was, at its cursor, and what is called verified is the target's."""
        before = self.buffers[detail["version"]]
        assert detail["uri"] == URI
        assert at == position(before)
        assert detail["surroundings"] == surroundings_hash(before, len(before))
        verified = text.encode("utf-16-le")[: 2 * verified_units].decode("utf-16-le")
        assert verified == self._said(before, len(verified.encode())), "verified, and not the target's"
        self.seen.append(Seen(before, text, verified))

    def _said(self, before: str, n_bytes: int) -> str:
        ids = greedy_continuation(self._target, list(before.encode()), n_bytes)
        return bytes(token for token in ids if token < 256).decode()

    async def last_answers(self) -> None:
        """Every key has been answered, once."""
        async with asyncio.timeout(20):
            await asyncio.gather(*self._requests)
        self.look()
        assert self.answers == len(self.buffers) - 1
        assert self._editor.unmatched == []

    async def until_link(self, state: str) -> None:
        """Wait for the newest status to say so, without a key."""
        statuses = self._editor.received("draftwire/status")
        if statuses[-1]["link"] == state:
            return
        async with asyncio.timeout(30):
            await self._editor.wait_for(
                "draftwire/status", lambda s: s["link"] == state and all(s is not old for old in statuses)
            )


def position(text: str) -> dict[str, int]:
    """Where a text ends, as LSP counts in UTF-16."""
    line = text[text.rfind("\n") + 1 :]
    return {"line": text.count("\n"), "character": len(line.encode("utf-16-le")) // 2}


@dataclass
class Surroundings:
    """What a fault is done to."""

    text: Path
    stack: AsyncExitStack
    network: EmulatedNetwork
    editor: InProcessEditor
    verifier: asyncio.subprocess.Process

    async def kill(self) -> None:
        self.verifier.send_signal(signal.SIGKILL)
        assert await self.verifier.wait() == -signal.SIGKILL

    async def start_again(self) -> None:
        self.verifier, port = await self.stack.enter_async_context(verifier_process(self.text))
        self.network.lead_to(port)

    async def cut(self) -> None:
        self.network.cut()

    async def unplug(self) -> None:
        self.network.cut(silently=True)

    async def mend(self) -> None:
        self.network.restore()


Fault = Callable[[Surroundings], Awaitable[None]]


@asynccontextmanager
async def typing(tmp_path: Path, expected: OracleTarget) -> AsyncIterator[tuple[Typist, Surroundings]]:
    """Everything up and online, and a document open; what is verified is compared with what is `expected`."""
    text = tmp_path / "target.txt"
    text.write_text(TARGETS, "utf-8")
    async with AsyncExitStack() as stack:
        process, port = await stack.enter_async_context(verifier_process(text))
        network = EmulatedNetwork(Network(4, jitter_ms=2), port)
        await stack.enter_async_context(network)
        paths = runtime_paths(tmp_path / "run")
        await stack.enter_async_context(daemon(paths, f"ws://127.0.0.1:{network.port}"))
        editor = await stack.enter_async_context(InProcessEditor(paths))
        await editor.initialize()
        await editor.connected()
        typist = Typist(editor, expected)
        await typist.until_link("online")
        typist.open(TARGETS[:START])
        yield typist, Surroundings(text, stack, network, editor, process)


@asynccontextmanager
async def daemon(paths: RuntimePaths, url: str) -> AsyncIterator[None]:
    config = Config()
    config = replace(
        config, verifier=VerifierConfig(url=url), display=replace(config.display, first_ghost_ms=20)
    )
    engine = FakeEngine(following(DRAFTS), fim=False)
    task = asyncio.create_task(run_daemon(config, paths, lambda: engine))
    try:
        yield
    finally:
        engine.release()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("breaks", "mends"),
    [
        (Surroundings.kill, Surroundings.start_again),
        (Surroundings.cut, Surroundings.mend),
        (Surroundings.unplug, Surroundings.mend),
    ],
    ids=["verifier killed", "connections reset", "network silent"],
)
async def test_no_key_is_lost_and_no_wrong_text_shown(
    tmp_path: Path, breaks: Fault, mends: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    """Before, while and after: suggestions come, of the target's where it can be had; nobody has to do
    anything (ux-34)."""
    async with typing(tmp_path, byte_oracle(TARGETS, fim=False)) as (typist, surroundings):
        await typist.type_until_verified()
        with_target = len(typist.seen)
        await breaks(surroundings)
        await typist.type(40)
        await typist.until_link("offline")
        await typist.type(20)
        alone = typist.seen[with_target:]
        assert any(seen.text and not seen.verified for seen in alone), "the draft goes on alone"
        await mends(surroundings)
        await typist.until_link("online")
        await typist.type_until_verified()
        await typist.last_answers()
        assert TARGETS.startswith(typist.buffer)
        document = surroundings.editor.bridge.documents.get(URI)
        assert document is not None
        assert document.text == typist.buffer
    assert "copy of a document differs" not in caplog.text


@pytest.mark.asyncio
async def test_the_check_finds_a_target_that_says_something_else(tmp_path: Path) -> None:
    """Verified text does not pass for that of a target which always says another token."""
    another = byte_oracle(TARGETS, error_rate=1.0, fim=False)
    async with typing(tmp_path, another) as (typist, _):
        with pytest.raises(AssertionError, match="the target's"):
            await typist.type_until_verified()
