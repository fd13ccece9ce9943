"""Emacs with eglot, set up as docs/other-editors.md says: a suggestion is a candidate, and taken (ux-10, ux-11)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.editors.conftest import StartDaemon
from tests.fakes.documented_setups import setup

TYPING = Path(__file__).with_name("typing.el")
RULES = [{"before": "def add", "suggestions": [{"text": "(a, b):\n    return a + b"}]}]


@pytest.mark.parametrize(("eol", "line"), [("\n", ""), ("\r\n", "s = 'é你🤗🇨🇳'; ")])
def test_a_suggestion_is_offered_and_taken(
    emacs: str, start_daemon: StartDaemon, tmp_path: Path, eol: str, line: str
) -> None:
    """One candidate for `completion-at-point`: the file has it whole, with its own line ends, and so has the daemon."""
    daemon = start_daemon(RULES)
    file = tmp_path / "work" / "a.py"
    file.parent.mkdir()
    file.write_bytes(f"import os{eol}{line}".encode())
    init = tmp_path / "init.el"
    init.write_text(setup("Emacs with eglot", "init.el"), encoding="utf-8")
    home = {"HOME": str(tmp_path), "PATH": f"{daemon.folder}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    typed = subprocess.run(
        [emacs, "-q", "--batch", "-l", str(TYPING), str(init), str(file), "def add"],
        env={**os.environ, **daemon.environment, **home},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert typed.returncode == 0, typed.stderr
    assert 'Offered: ("add(a, b):…")' in typed.stderr
    assert "settings left out" not in typed.stderr
    expected = f"import os{eol}{line}def add(a, b):{eol}    return a + b"
    assert file.read_bytes().decode() == expected
    (told,) = daemon.wait_for("accepted")
    assert told["length"] == len("(a, b):\n    return a + b"), "eglot tells of nothing: it is seen"
    (taken,) = daemon.received("changedocument")[-1]["edits"]
    assert taken["text"] == "add(a, b):\n    return a + b"
