"""What the service says of itself."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from daemon.config import Config
from daemon.service import Service
from tests.fakes.engine import FakeEngine, following


@pytest.mark.parametrize("file", [Path("/settings/c.toml"), None])
def test_the_status_says_which_configuration_is_in_force_since_when(file: Path | None) -> None:
    before_s = time.time()
    service = Service(Config(file=file), lambda: FakeEngine(following("x")), None, time.monotonic)
    status = service.status()
    assert status.config_file == ("" if file is None else str(file))
    assert before_s <= status.started_unix_s <= time.time()
