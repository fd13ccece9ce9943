"""What the command line asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.typing.corpus import NothingToType
from benchmarks.typing.options import FULL_KEYS, QUICK_KEYS, request_of


def test_without_options_a_full_run_against_the_bundled_model() -> None:
    request = request_of([], "")
    assert request.plan.keys == FULL_KEYS
    assert request.plan.pauses.cap_s == 1.0
    assert [setting.target for setting in request.settings] == [None]
    assert not request.json
    assert request.plot is None


def test_quick() -> None:
    plan = request_of(["--quick"], "").plan
    assert (plan.keys, plan.pauses.cap_s) == (QUICK_KEYS, 0.5)
    assert request_of(["--quick", "--keys", "7"], "").plan.keys == 7


def test_every_combination_of_round_trip_and_target_is_a_setting() -> None:
    line = "--round-trip-ms 0 20 --target-ms 15 30 --target oracle --jitter-ms 2 --set draft.threads=1"
    request = request_of(line.split(), "")
    pairs = [(setting.network, setting.target) for setting in request.settings]
    assert [(n.round_trip_ms, t.forward_ms) for n, t in pairs if n and t] == [
        *((0.0, 15.0), (0.0, 30.0), (20.0, 15.0), (20.0, 30.0))
    ]
    assert all(network is not None and network.jitter_ms == 2 for network, _ in pairs)
    assert all(target is not None and len(target.texts) == len(request.plan.sources) for _, target in pairs)
    assert all(setting.daemon == {"draft": {"threads": 1}} for setting in request.settings)


def test_files_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "a.ts"
    path.write_text("let x = 1\n")
    sources = request_of(["--no-verifier", "--files", str(path)], "").plan.sources
    assert [source.language for source in sources] == ["typescript"]
    with pytest.raises(NothingToType):
        request_of(["--files", str(tmp_path / "b.ts")], "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--no-verifier --target-ms 15", "leave it or --no-verifier out"),
        ("--target oracle", "give that too"),
        ("--no-verifier --interrupt", "leave it or --no-verifier out"),
        ("--target none", "invalid choice"),
        ("--keys many", "'many'"),
        ("--keys 0", "1 or more"),
        ("--accept-characters 0", "1 or more"),
        ("--pause-s -1", "0 or more"),
        ("--speed 0", "more than 0"),
    ],
)
def test_wrong_usage_is_told(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        request_of(arguments.split(), "")
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_network_that_can_not_be() -> None:
    with pytest.raises(ValueError, match="loss"):
        request_of(["--loss", "2"], "")
