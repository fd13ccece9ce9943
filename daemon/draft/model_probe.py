"""Loads a model file in a process of its own: `python -m daemon.draft.model_probe FILE`.

llama.cpp ends the process when some assertions about a file fail (two tokens with the same text, say). A file that
nobody has tried yet is therefore tried here first: exit status 0 says it drafts, 1 says it does not, with the reason
on stdout; any other means that llama.cpp took this process down, and not the daemon.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from daemon.draft.engine import EngineFailed

PROBE_TIMEOUT_S = 600
"""A model of many gigabytes on a slow disk loads in less."""


def probe_model(path: Path) -> None:
    """Raise EngineFailed unless a process of its own can load `path` and evaluate a token."""
    command = [sys.executable, "-m", "daemon.draft.model_probe", str(path)]
    try:
        child = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PROBE_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EngineFailed(f"{path} did not load in {PROBE_TIMEOUT_S} s: choose a smaller model") from None
    if child.returncode == 1 and child.stdout:
        raise EngineFailed(child.stdout.decode(errors="replace").strip())
    if child.returncode != 0:
        raise EngineFailed(
            f"{path} makes llama.cpp crash (exit status {child.returncode}): the file is damaged, or made for "
            "another version; fetch it again, or choose another model"
        )


def main(path: Path) -> int:
    """Load and evaluate; the exit status (see the module)."""
    from daemon.draft.llama_engine import LlamaEngine

    try:
        with LlamaEngine(path, n_context=64, n_sequences=1, threads=1) as engine:
            engine.next_candidates(0, [engine.vocabulary.n_vocab - 1])
    except EngineFailed as failure:
        sys.stdout.write(str(failure))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
