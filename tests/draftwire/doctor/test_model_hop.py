"""The draft model: loads and is timed, slow, failing while it runs, not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.draft.calibration import Calibration, Threads
from daemon.draft.engine import DraftEngine, EngineFailed
from daemon.draft.models import DraftModelFile
from daemon.settings.config import Config
from daemon.settings.config_sections import Fim
from draftwire.doctor import model_hop
from draftwire.doctor.model_hop import DECODED_TOKENS, check_model, suffix_finding, tokens_per_second
from tests.fakes.engine import FakeEngine, following


def engine() -> FakeEngine:
    return FakeEngine(following(model_hop.SAMPLE + "if n < 2: return n # and so on"), model_name="small")


def load(monkeypatch: pytest.MonkeyPatch, outcome: DraftEngine | Exception) -> None:
    def load_draft_engine(_: Config) -> DraftEngine:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(model_hop, "load_draft_engine", load_draft_engine)
    file = DraftModelFile(Path("small.gguf"), "small", f"sha256:{'0123456789abcdef' * 4}")
    monkeypatch.setattr(model_hop, "resolve_draft_model", lambda *_: file)
    threads = Threads((1, 2), Calibration({1: 20.0, 2: 12.5}, 6, 0), "they sleep")
    monkeypatch.setattr(model_hop, "draft_threads", lambda _: threads)


def test_a_model_that_loads_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = engine()
    load(monkeypatch, fake)
    loaded, [found, suffix, threads, speed] = check_model(Config())
    assert loaded is fake
    assert found.level == "ok"
    assert found.text.startswith("small (sha256:0123456789ab), 263 tokens, ready after")
    assert (suffix.level, suffix.text) == ("info", "not read: the model has no tokens for it")
    assert (threads.level, threads.text.startswith("2 at the start (a token: 1 thread 20 ms, ")) == (
        "ok",
        True,
    )
    assert (speed.level, speed.text.endswith("tokens/s")) == ("ok", True)


@pytest.mark.parametrize(
    ("fim", "level", "text"),
    [
        ("auto", "ok", "read last, and again for every key"),
        ("spm", "ok", "read first"),
        ("off", "info", 'not read: completion.fim is "off"'),
    ],
)
def test_when_the_text_after_the_cursor_is_read(fim: Fim, level: str, text: str) -> None:
    found = suffix_finding(FakeEngine(fim=True), fim)
    assert (found.level, found.text) == (level, text)


def test_the_time_is_of_one_token_after_the_other() -> None:
    fake = engine()
    assert tokens_per_second(fake) > 0
    lengths = [len(ids) for _, ids in fake.calls]
    assert lengths == list(range(len(model_hop.SAMPLE), len(model_hop.SAMPLE) + DECODED_TOKENS + 1))


def test_a_slow_model_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, engine())
    monkeypatch.setattr(model_hop, "SLOW_TOKENS_PER_S", 1e9)
    _, [*_, speed] = check_model(Config())
    assert (speed.level, "draft.threads" in speed.fix) == ("warning", True)


def test_a_model_that_fails_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = engine()
    load(monkeypatch, fake)
    fake.close()
    loaded, [*_, speed] = check_model(Config())
    assert (loaded, speed.level) == (fake, "failed")


def test_a_model_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, EngineFailed("no such file: x.gguf"))
    loaded, [found] = check_model(Config())
    assert (loaded, found.level, found.text) == (None, "failed", "no such file: x.gguf")
    assert "draft.model" in found.fix
