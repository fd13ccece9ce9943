"""The verifier with an emulated target as a process: it is what its plan says, dies at once, and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from benchmarks.emulation.oracle_target import Tokens
from benchmarks.emulation.oracle_tokens import gguf_tokens
from benchmarks.emulation.target import EmulatedTarget, TargetPlan, options_of, plan_of
from speculation.codec import decode, encode
from speculation.messages import Context, Hello, Open, Verdict, Welcome
from speculation.paths import EMPTY_PATH
from verifier.bundled import bundled_model
from verifier.errors import ModelUnusable, VerifierFailed

TEXT = "def area(width, height):\n    return width * height\n\n\nprint(area(3, 4))\n"


@pytest.mark.parametrize(
    "plan",
    [
        TargetPlan(30),
        TargetPlan(15.5, (Path("a.py"), Path("b c.py")), 0.25, 7, "m.gguf", 32, 2, 512),
    ],
)
def test_a_plan_reaches_the_process_whole(plan: TargetPlan) -> None:
    assert plan_of(options_of(plan))[0] == plan


@pytest.mark.asyncio
async def test_what_can_not_be_served_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = EmulatedTarget(TargetPlan(15, (tmp_path / "missing.py",)))
    with pytest.raises(VerifierFailed, match="above"):
        await target.start()
    assert "missing.py" in capfd.readouterr().err
    await target.kill()


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(b"not a model")
    with pytest.raises(ModelUnusable, match="give a GGUF file"):
        gguf_tokens(file)


@pytest.mark.model
@pytest.mark.asyncio
async def test_an_oracle_is_served_killed_and_started_again(tmp_path: Path) -> None:
    """With the bundled model's vocabulary; each time it says the text, and no verdict comes before its time."""
    file = tmp_path / "area.py"
    file.write_text(TEXT, "utf-8")
    tokens = gguf_tokens(bundled_model())
    async with EmulatedTarget(TargetPlan(20, (file,))) as target:
        assert target.name == "oracle of 1 texts (emulated: at least 20 ms a forward, 0% errors)"
        for _ in range(2):
            said = await _said(target.port, tokens, TEXT[:25], least_us=20_000)
            assert len(said) > 10
            assert TEXT[25:].startswith(said)
            await target.kill()
            assert not await _answers(target.port)
            await target.start()
    assert not await _answers(target.port)


@pytest.mark.model
@pytest.mark.asyncio
async def test_a_real_model_at_a_pace() -> None:
    """Each forward takes at least what was planned, however fast the machine is."""
    tokens = gguf_tokens(bundled_model())
    async with EmulatedTarget(TargetPlan(1000)) as target:
        assert target.name.endswith("(emulated: at least 1000 ms a forward)")
        assert await _said(target.port, tokens, TEXT[:25], least_us=1_000_000, rounds=2)


async def _said(port: int, tokens: Tokens, before: str, *, least_us: int, rounds: int = 8) -> str:
    """What the target says by itself, each time after `least_us` or more."""
    identity = tokens.target.identity
    async with connect(f"ws://127.0.0.1:{port}", compression=None, proxy=None) as socket:

        async def heard() -> object:
            frame = await socket.recv()
            assert isinstance(frame, bytes)
            return decode(frame)

        hello = Hello(1, identity.fingerprint, identity.n_vocab, dict(identity.special_ids), "draft")
        await socket.send(encode(hello))
        welcome = await heard()
        assert isinstance(welcome, Welcome)
        assert welcome.verify_estimate_us >= least_us
        await socket.send(encode(Open(1, max_tokens=rounds)))
        await socket.send(encode(Context(1, 1 << 20, 0, EMPTY_PATH, tokens.tokenize(before))))
        verdicts = [await heard() for _ in range(rounds)]
    assert all(isinstance(verdict, Verdict) and verdict.verify_us >= least_us for verdict in verdicts)
    ids = [verdict.next_id for verdict in verdicts if isinstance(verdict, Verdict)]
    return b"".join(tokens.pieces[token] for token in ids).decode()


async def _answers(port: int) -> bool:
    try:
        async with connect(f"ws://127.0.0.1:{port}", compression=None, proxy=None):
            return True
    except OSError:
        return False
