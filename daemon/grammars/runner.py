"""Has grammars compiled and tried in processes of their own, one after the other, and says what came of each.

The process (daemon/grammars/trial.py) keeps its own limits; what it does not keep, or can't, is kept here: it is ended
when it takes too long by the clock, and waited for in any case. Whether a result can be kept depends on what it says
of: the grammar, or the state of this machine (`Outcome.passing`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from daemon.grammars.places import MAX_GRAMMAR_BYTES
from daemon.grammars.trial import ADVICE_ON_FAILURE, TrialRequest, TrialResult, too_much_memory
from grammars.compiled import CompiledGrammar
from grammars.diagnostics import Diagnostic

log = logging.getLogger(__name__)

START_S: Final = 15.0
"""The process has to be ready by then: its imports take a quarter of a second on a quiet machine."""
CPU_S: Final = 0.8
CPU_S_PER_BYTE: Final = 10e-6
FREE_BYTES: Final = 16_000
MOST_CPU_S: Final = 2.0
MAX_WAITING: Final = 16
MAX_DIAGNOSTICS: Final = 200
"""More of one grammar are not told."""
_MAX_RESULT_BYTES: Final = 32 << 20
_MAX_STDERR_BYTES: Final = 8192
_READY: Final = b"ready\n"
_WALL_FACTOR: Final = 2.0 if sys.platform == "win32" else 6.0
"""The time by the clock, in CPU times allowed. Where the process can't limit its CPU time, this is the limit."""
_LOW_PRIORITY: Final[int] = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
_SIGNALS: Final = frozenset(int(one) for one in signal.Signals)
_OUT_OF_TIME: Final = frozenset() if sys.platform == "win32" else {-signal.SIGPROF, -signal.SIGXCPU}
_FROM_OUTSIDE: Final = frozenset() if sys.platform == "win32" else {-signal.SIGKILL, -signal.SIGTERM}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a trial."""

    compiled: CompiledGrammar | None
    diagnostics: tuple[Diagnostic, ...]
    """Errors where there is no compiled grammar, else its warnings and notes."""
    passing: bool = False
    """It says nothing of the grammar: the machine was too busy, say. Another trial may go better."""
    compile_s: float = field(default=0.0, compare=False)
    """CPU time that compiling it took."""
    cpu_s: float = field(default=0.0, compare=False)
    """CPU time of the whole trial, which is what `cpu_budget_s` bounds."""

    @property
    def why(self) -> str:
        """Why there is no grammar, in one line; empty if there is one."""
        errors = [one for one in self.diagnostics if one.severity == "error"]
        if self.compiled is not None or not errors:
            return ""
        first = errors[0]
        place = f"line {first.span.line}: " if first.span is not None else ""
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return place + first.message + (f"; {first.advice}" if first.advice else "") + more


def cpu_budget_s(size: int) -> float:
    """The CPU time that compiling and trying a grammar of `size` bytes may take."""
    return min(CPU_S + CPU_S_PER_BYTE * max(0, size - FREE_BYTES), MOST_CPU_S)


class GrammarRunner:
    """Runs trials, one at a time. Event loop only."""

    def __init__(self, command: Sequence[str] = (sys.executable, "-m", "daemon.grammars.trial")) -> None:
        self._command = command
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def run(
        self,
        text: str,
        file_name: str,
        *,
        schema: str = "",
        dialect: str = "",
        samples: Sequence[str] = (),
        patience: float = 1.0,
    ) -> Outcome:
        """Compile `text` and try it, in `patience` times the usual time. Never raises for anything in the text."""
        size = len(text.encode("utf-8", "replace"))
        if size > MAX_GRAMMAR_BYTES:
            return _refused("too-large", f"the grammar has more than {MAX_GRAMMAR_BYTES:,} bytes", "split it")
        if self._waiting >= MAX_WAITING:
            return _busy(f"{MAX_WAITING} other grammars wait to be compiled")
        request = TrialRequest(
            text, file_name, schema, dialect, tuple(samples), patience * cpu_budget_s(size)
        )
        self._waiting += 1
        try:
            async with self._turn:
                return await self._trial(request)
        finally:
            self._waiting -= 1

    async def _trial(self, request: TrialRequest) -> Outcome:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=Path(__file__).parents[2],  # where our packages are, and nobody else's
                creationflags=_LOW_PRIORITY,
            )
        except OSError as error:
            return _busy(f"no process can be started to compile it ({error.strerror})")
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("a trial needs pipes")
        complaints = asyncio.create_task(_beginning(process.stderr, _MAX_STDERR_BYTES))
        try:
            process.stdin.write(msgspec.json.encode(request))
            process.stdin.close()
            output = await _result(process.stdout, request.cpu_s)
            return _outcome(await process.wait(), output, await complaints, request)
        except TimeoutError:
            return _busy("this machine was too busy to compile it")
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await asyncio.shield(asyncio.gather(_beginning(process.stdout, 0), complaints, process.wait()))


async def _result(stdout: asyncio.StreamReader, cpu_s: float) -> bytes | None:
    """What the process writes once it is ready; None if it never is. Raises TimeoutError."""
    async with asyncio.timeout(START_S):
        if await stdout.readline() != _READY:
            return None
    async with asyncio.timeout(_WALL_FACTOR * cpu_s):
        return await _beginning(stdout, _MAX_RESULT_BYTES)


async def _beginning(stream: asyncio.StreamReader, limit: int) -> bytes:
    """All that is written, to its end; the first `limit` bytes of it are kept."""
    kept = b""
    while block := await stream.read(1 << 16):
        kept += block[: limit - len(kept)]
    return kept


def _outcome(code: int, output: bytes | None, complaints: bytes, request: TrialRequest) -> Outcome:
    """What the end of a process means."""
    if output is None:
        log.error(
            "the process that compiles grammars does not start: %s", complaints.decode(errors="replace")
        )
        return _busy("the process that compiles grammars does not start (see the daemon's log)")
    if code == 0:
        return _told(output)
    if code in _OUT_OF_TIME:
        text = f"compiling and trying the grammar takes more than {request.cpu_s:.1f} s"
        advice = "make it smaller, or look for repetitions within repetitions and large counts ({m,n})"
        return _refused("too-slow", text, advice)
    if b"memory allocation" in complaints or b"MemoryError" in complaints:
        return Outcome(None, (too_much_memory(),))
    if code in _FROM_OUTSIDE:
        return _busy("its compilation was ended from outside, perhaps for want of memory")
    how = signal.Signals(-code).name if -code in _SIGNALS else f"exit status {code}"
    return _refused("compiler-crash", f"the grammar makes the compiler crash ({how})", ADVICE_ON_FAILURE)


def _told(output: bytes) -> Outcome:
    try:
        result = msgspec.json.decode(output, type=TrialResult)
        if result.compiled:
            compiled = CompiledGrammar.from_json(result.compiled)
            return Outcome(compiled, compiled.diagnostics, compile_s=result.compile_s, cpu_s=result.cpu_s)
        if any(one.severity == "error" for one in result.diagnostics):
            return Outcome(None, result.diagnostics[:MAX_DIAGNOSTICS])
    except ValueError:  # msgspec's are among these
        pass
    return _refused("compiler-crash", "the compiler gave no result for the grammar", ADVICE_ON_FAILURE)


def _refused(code: str, message: str, advice: str) -> Outcome:
    return Outcome(None, (Diagnostic("error", code, message, advice),))


def _busy(message: str) -> Outcome:
    return Outcome(None, (Diagnostic("error", "busy", message, "it is tried again"),), passing=True)
