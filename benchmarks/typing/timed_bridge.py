"""The bridge with a stop watch, for `benchmarks.contention`: `python -m benchmarks.typing.timed_bridge FILE`.

It is `draftwire lsp` in all else. At its end FILE has a JSON list: milliseconds it took to handle each didChange, from
its body to where the next message may be handled, in their order; as the clock on the wall shows them.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from daemon.api.paths import runtime_paths
from daemon.version import VERSION
from lsp_bridge.main import run
from lsp_bridge.protocol import BridgeProtocol

CHANGE = b'"textDocument/didChange"'


def timed(taken_ms: list[float]) -> None:
    """From now on the bridge of this process notes what each didChange takes."""
    receive = BridgeProtocol.receive

    def receive_timed(self: BridgeProtocol, body: bytes | None) -> None:
        began = time.perf_counter()
        receive(self, body)
        if body is not None and CHANGE in body[:256]:
            taken_ms.append((time.perf_counter() - began) * 1000)

    BridgeProtocol.receive = receive_timed  # type: ignore[method-assign]


def main() -> int:
    """The bridge's own exit status."""
    taken_ms: list[float] = []
    timed(taken_ms)
    try:
        return run(runtime_paths(), version=VERSION)
    finally:
        Path(sys.argv[1]).write_text(json.dumps(taken_ms), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
