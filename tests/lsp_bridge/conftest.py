"""Every test of the bridge has a runtime directory of its own, and an editor that is connected if it asks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from daemon.api.paths import RuntimePaths, runtime_paths
from tests.fakes.lsp_editor import InProcessEditor


@pytest.fixture
def paths(tmp_path: Path) -> RuntimePaths:
    return runtime_paths(tmp_path / "run")


@asynccontextmanager
async def connected(paths: RuntimePaths) -> AsyncIterator[InProcessEditor]:
    """A UTF-16 editor that is connected; in the end it has got nothing that it could not match."""
    async with InProcessEditor(paths) as editor:
        await editor.initialize()
        await editor.connected()
        yield editor
        assert editor.unmatched == []
