"""Tests in Emacs drive a real one in batch mode, on the real bridge, with a scripted daemon."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.editor)


@pytest.fixture(scope="session")
def emacs() -> str:
    """Skip where it is missing, with the command that mends it; REQUIRE_EDITORS makes it fail instead."""
    found = shutil.which("emacs")
    if found is None:
        say = pytest.fail if os.environ.get("REQUIRE_EDITORS") else pytest.skip
        say("there is no Emacs here; on Debian, as root: packaging/install-test-emacs")
    return str(found)
