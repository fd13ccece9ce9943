"""Whether the running daemon is of this version, and its settings are those of the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.api.messages import Status
from daemon.settings.annotated_config import annotated_default, settings_digest
from daemon.settings.config import Config, parse_config
from daemon.version import VERSION
from draftwire.running_daemon import config_changed, other_version
from tests.fakes.daemon import READY


def begun_with(text: str, file: Path) -> Status:
    """Of a daemon that read `text` from `file` at its start."""
    digest = settings_digest(parse_config(text, file))
    return replace(READY, version=VERSION, config_file=str(file), settings_digest=digest)


@pytest.mark.parametrize(
    ("begun", "written", "changed"),
    [
        ("", annotated_default(), False),  # `draftwire config init`, say
        ("[display]\nanswer_ms = 90\n", "# slower\ndisplay.answer_ms = 90", False),
        ("", "[display]\nanswer_ms = 90\n", True),
        ("[display]\nanswer_ms = 90\n", annotated_default(), True),
        ("", "[languages.sql]\nenabled = false\n", True),
        ("", "nonsense = 1\n", True),
    ],
)
def test_what_counts_is_the_settings_not_the_file(
    tmp_path: Path, begun: str, written: str, changed: bool
) -> None:
    file = tmp_path / "c.toml"
    file.write_text(written, "utf-8")
    assert config_changed(begun_with(begun, file)) is changed


def test_a_file_that_is_gone_means_the_defaults(tmp_path: Path) -> None:
    gone = tmp_path / "gone.toml"
    assert not config_changed(begun_with("", gone))
    assert config_changed(begun_with("[display]\nanswer_ms = 90\n", gone))


def test_a_daemon_that_does_not_say_or_has_other_defaults_is_not_judged(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text("[display]\nanswer_ms = 90\n", "utf-8")
    status = begun_with("", file)
    assert not config_changed(replace(status, settings_digest=""))
    assert not config_changed(replace(status, config_file=""))
    assert not config_changed(replace(status, version="0.0.1"))


def test_a_digest_is_of_the_values_alone() -> None:
    assert settings_digest(Config()) == settings_digest(Config(file=Path("x")))
    assert len(settings_digest(Config())) == 16


def test_another_version_is_named_with_what_to_do() -> None:
    assert other_version(VERSION) == other_version("") == ""
    said = other_version("0.0.1")
    assert said.startswith(
        f"the daemon is version 0.0.1, this command {VERSION}: run `draftwire daemon stop`"
    )
