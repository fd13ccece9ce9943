"""llama.cpp's environment, log and converter."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.draft import llama_library
from daemon.draft.engine import EngineFailed
from daemon.draft.llama_library import (
    ERROR,
    INFO,
    WARNING,
    how_threads_wait,
    llama_cpp_version,
    loading,
    rewrite_model,
    why,
)
from tests.fakes.tiny_gguf import tiny_llama


def log(level: int, text: bytes | None) -> None:
    llama_library._forward_log(level, text, None)


def test_errors_are_collected_while_loading_and_logged_as_warnings_otherwise(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[tuple[int, str]] = []
    with caplog.at_level(logging.DEBUG, "daemon.draft.llama_library"):
        with loading(lambda level, line: heard.append((level, line))) as errors:
            log(ERROR, b"load: broken\n")
            log(INFO, b"load: fine\n")
        log(ERROR, b"decode: broken")
        log(WARNING, b"decode: odd")
        log(INFO, b"decode: fine")
        log(ERROR, b"\n")
        log(ERROR, None)
    assert errors == ["load: broken"]
    assert heard == [(ERROR, "load: broken"), (INFO, "load: fine")]
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.DEBUG, "llama.cpp: load: broken"),
        (logging.WARNING, "llama.cpp: decode: broken"),
        (logging.DEBUG, "llama.cpp: decode: odd"),
    ]


def test_a_log_line_that_is_no_utf8_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    log(ERROR, b"\xff broken")
    assert "broken" in caplog.text


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        (["llama_model_load: error loading model: tensor 'x' is cut", "failed to load"], "tensor 'x' is cut"),
        (["gguf_init: bad magic"], "bad magic"),
        (["plain"], "plain"),
        ([], "no reason given"),
    ],
)
def test_the_reason_is_the_first_error_without_the_functions_name(errors: list[str], reason: str) -> None:
    assert why(errors) == reason


def test_the_version_names_bindings_and_library() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\+\S+", llama_cpp_version())


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, "passive 2000"), ({"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "5"}, "active 5")],
    ids=["unset", "the user's stay"],
)
def test_threads_sleep_unless_the_user_says_otherwise(given: dict[str, str], expected: str) -> None:
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    environment = {key: value for key, value in os.environ.items() if key not in names} | given
    code = "import os, daemon.draft.llama_library; print(os.environ['OMP_WAIT_POLICY'], os.environ['GOMP_SPINCOUNT'])"
    child = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert (child.stdout.strip(), child.stderr) == (expected, "")


def test_a_library_that_cannot_be_loaded_is_told_with_the_remedy() -> None:
    code = (
        "import sys; sys.modules['llama_cpp'] = None\n"
        "from daemon.draft.engine import EngineFailed\n"
        "try:\n    import daemon.draft.llama_library\n"
        "except EngineFailed as failure:\n    print(failure)"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install --force-reinstall llama-cpp-python" in child.stdout


def test_a_conversion_reports_its_progress(tmp_path: Path) -> None:
    source, fractions = tiny_llama(tmp_path / "tiny.gguf"), list[float]()
    rewrite_model(source, tmp_path / "q8.gguf", quantisation="q8_0", progress=fractions.append)
    assert (tmp_path / "q8.gguf").stat().st_size < source.stat().st_size
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < fractions[-1] == 1.0


def test_a_conversion_that_fails_says_where(tmp_path: Path) -> None:
    source = tiny_llama(tmp_path / "tiny.gguf")
    with pytest.raises(EngineFailed, match=r"can't convert .*tiny\.gguf.*free space"):
        rewrite_model(source, tmp_path / "no folder" / "q8.gguf", quantisation="q8_0")


@pytest.mark.parametrize(
    ("policy", "looks", "told"),
    [
        ("passive", "2000", "they look 2000 times for work, then sleep"),
        ("active", "2000", "they wait as OMP_WAIT_POLICY=active GOMP_SPINCOUNT=2000 says"),
        ("passive", "infinite", "they wait as OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=infinite says"),
    ],
)
def test_how_threads_wait(monkeypatch: pytest.MonkeyPatch, policy: str, looks: str, told: str) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    monkeypatch.setenv("GOMP_SPINCOUNT", looks)
    assert how_threads_wait() == told
