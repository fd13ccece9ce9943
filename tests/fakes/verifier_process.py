"""The real verifier with an oracle for a target, as a process: `python -m tests.fakes.verifier_process TEXT_FILE`.

It knows the file's text by heart, in bytes; a forward takes 3 ms. It says on stdout, in a line, where it listens, and
ends with its stdin, so that none is left behind by a test that was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.emulation.pace import Pace
from tests.fakes.oracle import byte_oracle
from verifier.service import VerifierSettings, serve_engine

ROOT = Path(__file__).resolve().parents[2]
FORWARD_MS = 3.0


@contextlib.asynccontextmanager
async def verifier_process(text: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """Such a process and its port; killed at the end."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.verifier_process", str(text)), cwd=ROOT, stdin=pipe, stdout=pipe
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            yield process, int(await process.stdout.readline())
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    engine = byte_oracle(Path(sys.argv[1]).read_text("utf-8"), pace=Pace(FORWARD_MS), fim=False)
    asyncio.run(serve_engine(engine, VerifierSettings(port=0), ready=_ready))


def _ready(_host: str, port: int) -> None:
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
