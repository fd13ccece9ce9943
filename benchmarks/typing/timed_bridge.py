"""The bridge with a stop watch: `python -m benchmarks.typing.timed_bridge FILE`.

It is `draftwire lsp` in all else. At its end FILE has JSON (`Watched`): milliseconds, in order.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, Final

import msgspec
from lsprotocol.types import InlineCompletionList

from daemon.api.paths import runtime_paths
from daemon.version import VERSION
from lsp_bridge.main import run
from lsp_bridge.protocol import BridgeProtocol

COMMAND: Final = ("-m", "benchmarks.typing.timed_bridge")
"""To which the file is to be added."""
_CHANGE: Final = b'"textDocument/didChange"'


class Watched(msgspec.Struct):
    """What was timed, from a message's body on, by the wall's clock where nothing else is said."""

    changes_ms: list[float] = []
    """To handle each didChange, until the next message may be handled."""
    recalled_ms: list[float] = []
    """From a didChange to the ghost text that answers it from memory, written."""
    recalled_cpu_ms: list[float] = []
    """The processor's time of that: the rest went by while others had the cores, or the editor had yet to ask."""


def watched_in(file: Path) -> Watched:
    """What a bridge that has ended wrote; msgspec.DecodeError, OSError."""
    return msgspec.json.decode(file.read_bytes(), type=Watched)


def timed(watched: Watched) -> None:
    """From now on the bridge of this process notes what it takes."""
    receive, send = BridgeProtocol.receive, BridgeProtocol._send_data
    changed_at = changed_cpu = 0.0

    def receive_timed(self: BridgeProtocol, body: bytes | None) -> None:
        nonlocal changed_at, changed_cpu
        began, began_cpu = time.perf_counter(), time.thread_time()
        receive(self, body)
        if body is not None and _CHANGE in body[:256]:
            changed_at, changed_cpu = began, began_cpu
            watched.changes_ms.append((time.perf_counter() - began) * 1000)

    def send_timed(self: BridgeProtocol, data: Any) -> None:
        send(self, data)
        if _is_recalled(data):
            watched.recalled_ms.append((time.perf_counter() - changed_at) * 1000)
            watched.recalled_cpu_ms.append((time.thread_time() - changed_cpu) * 1000)

    BridgeProtocol.receive = receive_timed  # type: ignore[method-assign]
    BridgeProtocol._send_data = send_timed  # type: ignore[method-assign, assignment]


def _is_recalled(data: Any) -> bool:
    """Whether this is ghost text that the user has typed along (`lsp_bridge/items.py`)."""
    answer = getattr(data, "result", None)
    if not isinstance(answer, InlineCompletionList) or not answer.items:
        return False
    command = answer.items[0].command
    detail: Any = command.arguments[2] if command and command.arguments else {"typed": 0}
    return bool(detail["typed"])


def main() -> int:
    """The bridge's own exit status."""
    watched = Watched()
    timed(watched)
    try:
        return run(runtime_paths(), version=VERSION)
    finally:
        Path(sys.argv[1]).write_bytes(msgspec.json.encode(watched))


if __name__ == "__main__":
    sys.exit(main())
