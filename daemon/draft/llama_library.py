"""llama.cpp brought into the process: its environment, its silence, its version, its quantiser.

The only file that imports llama_cpp (low-level bindings; the others take `llama` from here), so that the
environment is set before the library loads and no line of its log reaches stdout or stderr. It knows nothing of
sequences or drafts (`llama_engine.py`) nor of where files are kept (`models.py`).
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from daemon.draft.engine import EngineFailed

# Read once by the OpenMP runtime when it loads; what the user has set stays. Spinning threads collapse when they
# share cores with other work (from 10 ms to over 1 s a token was seen), sleeping ones pay a wake-up at each of
# the ~900 barriers of a token. Measured with 2 threads on 2 free cores, Q4_0: never spin 41 ms a token, spin 1000
# rounds 13 ms, 2000 and more 10 ms; beside a busy process 1000 to 3000 rounds stay where one thread is, 30,000
# rounds went to 264 ms. Hence: sleep, but look 2000 times first (about 10 us).
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("GOMP_SPINCOUNT", "2000")
# When an assertion fails, llama.cpp would start a debugger on this process to print its stack.
os.environ.setdefault("GGML_NO_BACKTRACE", "1")

try:
    from llama_cpp import llama_cpp as llama_cpp_bindings
except (ImportError, OSError, RuntimeError) as failure:
    raise EngineFailed(
        f"llama.cpp can't be loaded ({failure}): run `pip install --force-reinstall llama-cpp-python`"
    ) from failure

llama: Any = llama_cpp_bindings
"""The low-level bindings (untyped)."""

log = logging.getLogger(__name__)

LogListener = Callable[[int, str], None]
"""Called with llama.cpp's log level and the line."""

INFO, WARNING, ERROR = 2, 3, 4

_SAID_OF_AN_ABORT = (
    "graph_compute_async failed with error 1",
    "failed to compute graph, compute status: 1",
    "failed to decode, ret = 2",
)
"""How the lines end that llama.cpp logs as errors when an evaluation is aborted, as it was asked to."""

_listeners: list[LogListener] = []
_loading = threading.Lock()


def _forward_log(level: int, text: bytes | None, _user_data: object) -> None:
    line = (text or b"").decode(errors="replace").rstrip()
    if not line:
        return
    for listener in tuple(_listeners):
        listener(level, line)
    if level == ERROR and not _listeners and not line.endswith(_SAID_OF_AN_ABORT):
        log.warning("llama.cpp: %s", line)
    elif level in (WARNING, ERROR):
        log.debug("llama.cpp: %s", line)


# llama.cpp keeps the pointer for the life of the process: so does this name.
_log_callback = llama.llama_log_callback(_forward_log)
llama.llama_log_set(_log_callback, None)
llama.llama_backend_init()


def llama_cpp_version() -> str:
    """The versions of the bindings and of the llama.cpp in this process (whose own number rarely changes)."""
    return f"{metadata.version('llama-cpp-python')}+{llama.llama_version().decode()}"


def how_threads_wait() -> str:
    """For people: what threads do while there is no work, as OpenMP was told when the library was loaded."""
    policy, looks = os.environ["OMP_WAIT_POLICY"], os.environ["GOMP_SPINCOUNT"]
    if policy == "passive" and looks.isdigit():
        return f"they look {looks} times for work, then sleep"
    return f"they wait as OMP_WAIT_POLICY={policy} GOMP_SPINCOUNT={looks} says"


@contextlib.contextmanager
def loading(listener: LogListener | None = None) -> Iterator[list[str]]:
    """One load or quantisation at a time, for llama.cpp says why it failed only in its (global) log.

    Yields a list that collects the error lines; `listener` hears every line.
    """
    errors: list[str] = []

    def hear(level: int, line: str) -> None:
        if level == ERROR:
            errors.append(line)
        if listener is not None:
            listener(level, line)

    with _loading:
        _listeners.append(hear)
        try:
            yield errors
        finally:
            _listeners.remove(hear)


def why(errors: Sequence[str]) -> str:
    """The most specific of the error lines of a failed load (llama.cpp's first), without the function's name."""
    return re.sub(r"^[\w:~]+: (error loading model: )?", "", errors[0]) if errors else "no reason given"


FILE_TYPES: dict[str, int] = {"q4_0": llama.LLAMA_FTYPE_MOSTLY_Q4_0, "q8_0": llama.LLAMA_FTYPE_MOSTLY_Q8_0}
"""The quantisations `rewrite_model` makes, and llama.cpp's number of each."""


def rewrite_model(
    source: Path,
    target: Path,
    *,
    quantisation: str | None,
    drop_layers: Sequence[int] = (),
    progress: Callable[[float], None] | None = None,
) -> None:
    """Write `source` to `target`, re-quantised (None: as it is) and without the blocks `drop_layers`.

    The blocks that stay are renumbered. `progress` gets the fraction of tensors done. Raises EngineFailed
    (`target` is then incomplete); ValueError if there is no such block or none would be left.
    """
    if drop_layers:
        _check_layers(source, drop_layers)
    params = llama.llama_model_quantize_default_params()
    params.nthread = min(os.cpu_count() or 1, 4)
    if quantisation is None:
        params.only_copy = True
    else:
        params.ftype = FILE_TYPES[quantisation]
        params.allow_requantize = True
    # The array must outlive the call. llama.cpp takes the first element for the smallest.
    pruned = (ctypes.c_int32 * (len(drop_layers) + 1))(*sorted(drop_layers), -1)
    if drop_layers:
        params.prune_layers = pruned
    with loading(_tensor_counter(progress)) as errors:
        status = llama.llama_model_quantize(os.fsencode(source), os.fsencode(target), ctypes.byref(params))
    if status != 0:
        raise EngineFailed(
            f"llama.cpp can't convert {source} ({why(errors)}): check that {target.parent} has free space, "
            "and fetch the model again if the file is damaged"
        )


def _check_layers(source: Path, layers: Sequence[int]) -> None:
    """llama.cpp would pass over a block that isn't there without a word."""
    params = llama.llama_model_default_params()
    params.vocab_only = True
    with loading() as errors:
        model = llama.llama_model_load_from_file(os.fsencode(source), params)
    if not model:
        raise EngineFailed(f"llama.cpp can't load {source} ({why(errors)}): fetch it again")
    count = int(metadata_value(model, f"{metadata_value(model, 'general.architecture')}.block_count") or 0)
    llama.llama_model_free(model)
    if not set(layers) < set(range(count)):
        raise ValueError(
            f"{source} has the blocks 0 to {count - 1}: {list(layers)} can't be left out of them"
        )


def _tensor_counter(progress: Callable[[float], None] | None) -> LogListener | None:
    """llama.cpp reports a conversion's progress only as log lines that begin with "[  12/ 272]"."""
    if progress is None:
        return None

    def hear(_level: int, line: str) -> None:
        match = re.match(r"\[ *(\d+)/ *(\d+)\]", line)
        if match is not None:
            progress(int(match[1]) / max(int(match[2]), 1))

    return hear


def metadata_value(model: Any, key: str) -> str | None:
    """One value of the loaded file's metadata, as text; None if the file hasn't it."""
    buffer = ctypes.create_string_buffer(256)
    length = llama.llama_model_meta_val_str(model, key.encode(), buffer, len(buffer))
    return buffer.value.decode(errors="replace") if length >= 0 else None
