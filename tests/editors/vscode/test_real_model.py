"""VS Code on the real daemon with the bundled draft model, and a real verifier whose target knows the text by heart."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator

import pytest

from benchmarks.editors.workbench import Window, workbench
from benchmarks.emulation.target import TargetPlan, target_process
from tests.editors.vscode.conftest import real_draftwire
from tests.fakes.processes import end_processes_of

pytestmark = [pytest.mark.editor, pytest.mark.model, pytest.mark.timeout(600)]

TEXT = """\
def mean(values):
    total = sum(values)
    count = len(values)
    return total / count


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle]
"""
LOADED_WITHIN_S = 240.0
"""The first start on a machine measures how many threads are best."""
VERDICT_WITHIN_S = 5.0
"""Far more than is waited for before a draft is settled."""


@pytest.fixture(scope="module")
def verifier(
    installed: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    text = tmp_path_factory.mktemp("target") / "text.py"
    text.write_text(TEXT, encoding="utf-8")
    with target_process(TargetPlan(forward_ms=3, texts=(text,))) as started:
        yield started


@pytest.fixture(scope="module")
def window(
    verifier: tuple[subprocess.Popen[bytes], int], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Window]:
    folder = tmp_path_factory.mktemp("real")
    program = real_draftwire(folder, f'[verifier]\nurl = "ws://127.0.0.1:{verifier[1]}"\n')
    with workbench(folder / "bench", {"draftwire.path": str(program)}, {}) as bench:
        yield bench.open_window()
    end_processes_of(folder)


def type_until_verified(window: Window, text: str) -> None:
    """Type the text until the rest of it is shown, as the target's.

    Where its verdict is late, on a busy machine, the draft stands (ux-21), and the next key asks again.
    """
    for at in range(1, len(text)):
        window.type(text[at - 1])
        end = time.monotonic() + VERDICT_WITHIN_S
        while time.monotonic() < end:
            screen = window.read()
            if screen["ghost"].startswith(text[at:]) and "codicon-pass-filled" in screen["statusIcons"]:
                return
            time.sleep(0.02)
    raise AssertionError(f"nothing was verified while {text!r} was typed: {window.read()}")


def test_drafted_verified_and_drafted_alone(
    window: Window, verifier: tuple[subprocess.Popen[bytes], int]
) -> None:
    """ux-17, ux-34: the target's text is shown as verified; without the verifier drafts go on, and that is told."""
    window.wait("model and verifier", lambda s: "codicon-sparkle" in s["statusIcons"], LOADED_WITHIN_S)
    file = window.new_file("statistics.py", TEXT[: TEXT.index(" sum(")])
    type_until_verified(window, " sum(values)")
    window.screenshot("real-model")
    window.press("Tab")
    window.press("Control+s")
    window.wait("it is taken", lambda s: "sum(values)" in s["lines"][1])
    assert TEXT.startswith(file.read_text("utf-8"))
    process, _ = verifier
    process.kill()
    window.wait("the verifier is missed", lambda s: "codicon-warning" in s["statusIcons"])
    window.press("Control+End", "Enter", "Enter")
    window.type("for value in ")
    window.wait("a draft", lambda s: s["ghost"] != "" and "codicon-circle-outline" in s["statusIcons"])
