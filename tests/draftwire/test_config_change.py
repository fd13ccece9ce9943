"""Whether the running daemon's settings are those of the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from draftwire.config_change import config_changed
from tests.fakes.daemon import READY


@pytest.mark.parametrize(("written_s", "changed"), [(99.0, False), (100.0, False), (100.5, True)])
def test_a_file_younger_than_the_daemon_is_not_in_force(
    tmp_path: Path, written_s: float, changed: bool
) -> None:
    file = tmp_path / "c.toml"
    file.write_text("")
    os.utime(file, (written_s, written_s))
    status = replace(READY, config_file=str(file), started_unix_s=100.0)
    assert config_changed(status) is changed


def test_no_file_and_a_daemon_that_does_not_say_are_no_change(tmp_path: Path) -> None:
    assert not config_changed(replace(READY, config_file=str(tmp_path / "gone"), started_unix_s=100.0))
    assert not config_changed(READY)
