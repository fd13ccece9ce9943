"""The demonstration's folder and processes: what is left of them when the run is ended from outside."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from draftwire.demo.processes import cleared_when_terminated, workplace


async def wait_in(folders: list[Path], end: Callable[[], object]) -> None:
    """A run that tells its folder, asks for its own end, and would go on."""
    with cleared_when_terminated(), workplace() as place:
        (place.folder / "config.toml").touch()
        folders.append(place.folder)
        end()
        await asyncio.wait_for(asyncio.Event().wait(), 20)


@pytest.mark.parametrize("interrupt", [signal.SIG_IGN, signal.default_int_handler])
def test_a_run_that_is_terminated_leaves_no_folder_behind(
    interrupt: signal.Handlers | Callable[..., object],
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    folders: list[Path] = []
    of_ctrl_c = signal.signal(signal.SIGINT, interrupt)
    try:
        with pytest.raises(SystemExit) as caught:
            asyncio.run(wait_in(folders, lambda: signal.raise_signal(signal.SIGTERM)))
    finally:
        signal.signal(signal.SIGINT, of_ctrl_c)
    assert caught.value.code == 143
    [folder] = folders
    assert not folder.exists()
    assert signal.getsignal(signal.SIGTERM) == before


def test_ctrl_c_stays_what_it_is() -> None:
    folders: list[Path] = []
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(wait_in(folders, lambda: signal.raise_signal(signal.SIGINT)))
    [folder] = folders
    assert not folder.exists()
