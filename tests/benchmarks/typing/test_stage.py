"""Settings, and the daemon's configuration for them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.emulation.line import Network
from benchmarks.emulation.target import TargetPlan
from benchmarks.typing.stage import BadSetting, Setting, config_text, daemon_settings


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], {}),
        (
            ["draft.threads=1", "display.settling_ms=0"],
            {"draft": {"threads": 1}, "display": {"settling_ms": 0}},
        ),
        (["display.policy=verified"], {"display": {"policy": "verified"}}),
        (['display.policy = "verified"'], {"display": {"policy": "verified"}}),
        (["languages.c.enabled=false"], {"languages.c": {"enabled": False}}),
        (['files.exclude=["a", "b"]'], {"files": {"exclude": ["a", "b"]}}),
    ],
)
def test_settings_of_the_daemon(given: list[str], expected: dict[str, Any]) -> None:
    assert daemon_settings(given) == expected


@pytest.mark.parametrize("given", ["threads=1", "draft.threads", "=", ""])
def test_what_is_no_setting_is_named(given: str) -> None:
    with pytest.raises(BadSetting, match=r"draft\.threads=1"):
        daemon_settings([given])


def test_the_configuration_is_toml_and_later_layers_count() -> None:
    text = config_text(
        {"verifier": {"url": "ws://x"}, "draft": {"threads": 2}},
        {"draft": {"threads": 1, "model": 'a "b"'}, "languages.c": {"enabled": False}},
    )
    assert tomllib.loads(text) == {
        "verifier": {"url": "ws://x"},
        "draft": {"threads": 1, "model": 'a "b"'},
        "languages": {"c": {"enabled": False}},
    }


@pytest.mark.parametrize(
    ("setting", "floor_ms", "words"),
    [
        (Setting(None), None, "no verifier"),
        (Setting(Network(20)), None, "bundled model"),
        (Setting(Network(20, jitter_ms=2), TargetPlan(15)), 37.0, "at least 15 ms"),
        (Setting(Network(), TargetPlan(15, (Path("a"),), error_rate=0.1)), 15.0, "oracle with 10% errors"),
    ],
)
def test_the_floor_is_the_round_trip_and_one_forward(
    setting: Setting, floor_ms: float | None, words: str
) -> None:
    assert setting.floor_ms == floor_ms
    assert words in str(setting)
