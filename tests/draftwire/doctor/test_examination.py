"""The whole examination: the hops in order, and what a broken one keeps from being looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.api.paths import TRANSPORT_VARIABLE, runtime_paths
from daemon.draft.engine import DraftEngine
from daemon.settings.config import Config
from draftwire.doctor import bridge_hop, editors, grammars_hop, model_hop
from draftwire.doctor.examination import examine
from draftwire.doctor.findings import Finding
from tests.fakes.engine import FakeEngine


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """Everything that costs time replaced by what says ok at once."""
    fake = FakeEngine()

    async def bridge() -> Finding:
        return Finding("bridge", "handshake", "ok", "fine")

    def model(_: Config) -> tuple[DraftEngine | None, list[Finding]]:
        return fake, [Finding("model", "load", "ok", "fine")]

    async def grammars(*_: object) -> list[Finding]:
        return [Finding("grammars", "built in", "ok", "fine")]

    monkeypatch.setattr(bridge_hop, "check_bridge", bridge)
    monkeypatch.setattr(grammars_hop, "check_grammars", grammars)
    monkeypatch.setattr(editors, "check_editors", lambda: iter([Finding("editor", "nvim", "ok", "fine")]))
    monkeypatch.setattr(model_hop, "check_model", model)
    return fake


async def hops(config: Path | None = None) -> dict[str, list[str]]:
    """The levels found, by hop."""
    found: dict[str, list[str]] = {}
    steps: list[str] = []
    await examine(
        config, lambda one: found.setdefault(one.hop, []).append(one.level), steps.append, start=False
    )
    assert steps[0] == "the installation"
    return found


@pytest.mark.asyncio
async def test_the_hops_come_in_the_order_of_the_data_path(engine: FakeEngine) -> None:
    """ux-44."""
    found = await hops()
    assert list(found) == ["installation", "editor", "bridge", "daemon", "grammars", "model", "verifier"]
    assert found["daemon"] == ["ok", "info"]
    assert found["verifier"] == ["info"]
    assert engine._closed


@pytest.mark.asyncio
async def test_without_a_configuration_model_and_verifier_are_unknown(
    engine: FakeEngine, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text("x = 1")
    found = await hops()
    assert list(found) == ["installation", "editor", "bridge", "daemon"]
    assert "failed" in found["installation"]


@pytest.mark.asyncio
async def test_a_token_that_can_not_be_read_is_named_once(engine: FakeEngine, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[verifier]\nurl = "ws://127.0.0.1:9"\ntoken_file = "gone"\n')
    found = await hops()
    assert found["installation"].count("failed") == 1
    assert "verifier" not in found
    assert engine._closed


@pytest.mark.asyncio
async def test_a_runtime_directory_that_is_open_to_others(engine: FakeEngine) -> None:
    paths = runtime_paths()
    paths.prepare()
    paths.directory.chmod(0o777)
    assert (await hops())["daemon"] == ["failed"]


@pytest.mark.asyncio
async def test_a_transport_that_does_not_exist(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRANSPORT_VARIABLE, "pigeon")
    assert (await hops())["daemon"] == ["failed"]


@pytest.mark.asyncio
async def test_without_a_draft_model_the_verifier_is_looked_at_all_the_same(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        model_hop, "check_model", lambda _: (None, [Finding("model", "load", "failed", "x", "y")])
    )
    assert (await hops())["verifier"] == ["info"]
