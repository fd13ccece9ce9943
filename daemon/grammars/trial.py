"""Compiles one grammar in a process of its own and tries it out: `python -m daemon.grammars.trial`.

A grammar comes from anybody. Compiling one may take for ever, take all memory, or end the process in the engine; so
it is tried here first, at low priority and within limits that the system keeps, and the daemon loads only what has
stood the trial. The other side of the pipe is daemon/grammars/runner.py.

    stdout  ready                     imports are done, and the limits of memory in force
    stdin   a TrialRequest, as JSON
    stdout  a TrialResult, as JSON    unless the process is ended by a signal

Memory is bounded by RLIMIT_AS. CPU time is bounded by ITIMER_PROF, counted from when the request is there: its signal
ends the process in whatever code it is, and a busy machine uses up none of it. Without either (Windows), the time
that the other side waits is the only limit.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Final

import msgspec

from grammars.diagnostics import Diagnostic, GrammarError

if sys.platform != "win32":
    import resource

MEMORY_BYTES: Final = 512 << 20
"""What compiling and trying a grammar may take, beyond what the imports have taken."""
_NICENESS: Final = 10


class TrialRequest(msgspec.Struct, frozen=True):
    """A grammar to compile and try."""

    text: str
    file_name: str
    """Its extension tells the dialect."""
    schema: str = ""
    """The text is a JSON schema, and this the name of the grammar made of it."""
    dialect: str = ""
    """Empty: told by the file's name and content."""
    samples: tuple[str, ...] = ()
    """Beginnings of texts of the language."""
    cpu_s: float = 0.8


class TrialResult(msgspec.Struct, frozen=True):
    """What came of it: the compiled grammar, or errors."""

    compiled: str = ""
    """`CompiledGrammar.to_json`; empty if there is none."""
    diagnostics: tuple[Diagnostic, ...] = ()
    compile_s: float = 0.0
    """CPU time of compiling it, without trying it out."""
    cpu_s: float = 0.0
    """CPU time of all of it, which is what is bounded."""


def main() -> int:
    """Run one trial over stdin and stdout."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    _load_all()
    _limit_memory()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=TrialRequest)
    _limit_cpu(request.cpu_s)
    started = time.process_time()
    results: list[TrialResult] = []
    # As in the daemon, the engine runs on a thread that is not the first: there is less stack on those.
    worker = threading.Thread(target=lambda: results.append(_tried(request)))
    worker.start()
    worker.join()
    result = msgspec.structs.replace(results[0], cpu_s=time.process_time() - started)
    sys.stdout.buffer.write(msgspec.json.encode(result))
    sys.stdout.flush()
    return 0


def _load_all() -> None:
    """What is slow to import, and the engine: before the clock runs, and beside what memory is counted."""
    for name in ("grammars.compiler", "grammars.engine", "grammars.json_schema"):
        importlib.import_module(name)
    importlib.import_module("daemon.grammars.exercise").byte_table()


def _tried(request: TrialRequest) -> TrialResult:
    """Whatever goes wrong is told; what ends the process is seen from the other side."""
    try:
        return _compiled(request)
    except GrammarError as error:
        return TrialResult(diagnostics=error.diagnostics)
    except MemoryError:
        return TrialResult(diagnostics=(too_much_memory(),))
    except RecursionError:
        text = "the grammar is nested too deeply"
        return TrialResult(diagnostics=(_error("too-deep", text, "give parts of it names of their own"),))
    except BaseException as error:  # the engine's panics are no Exceptions
        text = f"the grammar made the compiler fail ({type(error).__name__}: {str(error)[:200]})"
        return TrialResult(diagnostics=(_error("compiler-failed", text, ADVICE_ON_FAILURE),))


ADVICE_ON_FAILURE: Final = (
    "find the rule by taking others out; this is a mistake of Draftwire's, please report it"
)


def too_much_memory() -> Diagnostic:
    """The error for a grammar that does not fit into MEMORY_BYTES."""
    text = f"the grammar takes more than {MEMORY_BYTES >> 20} MB of memory"
    return _error(
        "too-large", text, "use smaller counts in repetitions ({m,n}) and shorter lists of literals"
    )


def _error(code: str, message: str, advice: str) -> Diagnostic:
    return Diagnostic("error", code, message, advice)


def _compiled(request: TrialRequest) -> TrialResult:
    """The compiled grammar, once it has been loaded and walked through."""
    from daemon.grammars.exercise import byte_table, exercise
    from grammars.compiler import compile_text
    from grammars.engine import load

    started = time.thread_time()
    if request.schema:
        from grammars.json_schema import compile_schema

        compiled = compile_schema(request.text, name=request.schema)
    else:
        compiled = compile_text(request.text, file_name=request.file_name, dialect=request.dialect)
    compile_s = time.thread_time() - started
    exercise(load(compiled, byte_table()), [sample.encode() for sample in request.samples])
    return TrialResult(compiled.to_json(), compile_s=compile_s)


def _limit_memory() -> None:
    """Bound the address space to what is in use and MEMORY_BYTES more."""
    if sys.platform == "win32":
        return
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:  # no Linux: what the imports have taken is a guess
        pages = (4 << 30) // resource.getpagesize()
    limit = pages * resource.getpagesize() + MEMORY_BYTES
    with contextlib.suppress(OSError, ValueError):  # macOS refuses some limits
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _limit_cpu(seconds: float) -> None:
    """End this process by SIGPROF when it has computed that long; by SIGXCPU if something stops that."""
    if sys.platform == "win32":
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    whole = int(used.ru_utime + used.ru_stime + seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))


if __name__ == "__main__":
    sys.exit(main())
