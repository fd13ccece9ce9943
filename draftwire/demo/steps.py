"""The steps that both demonstrations take: type passages, read the daemon's counts, ask the target alone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from rich.progress import Progress

from daemon.api.client import DaemonClient
from daemon.settings.config import DraftConfig
from draftwire.demo.check import Claim, Finding, Opening, check
from draftwire.demo.editor import Editor, Session
from draftwire.demo.processes import Workplace
from draftwire.demo.report import Screen
from draftwire.demo.script import Passage

MODEL = "bundled"
POOR_DRAFT = "bundled:shallow28"
RHYTHM_S = 0.12
"""Between two keys: an even, quick typist."""
PAUSE_S = 2.5
"""The longest wait at the end of a passage for what is shown to be complete."""
UP_S = 180.0


async def type_all(
    editor: Editor, typed: Sequence[Passage], opened: Callable[[Passage], Awaitable[None]]
) -> None:
    """Type the passages at an even rhythm, with a pause before and after each. `opened` opens the document."""
    for passage in typed:
        await opened(passage)
        editor.invoke()
        await editor.settled(PAUSE_S)
        for key in passage.typed:
            editor.press(key)
            await asyncio.sleep(RHYTHM_S)
        await editor.settled(PAUSE_S)


async def counts(place: Workplace) -> dict[str, Any]:
    """The daemon's own statistics, over its socket."""
    client = await DaemonClient.connect(place.paths(), client="draftwire demo")
    try:
        return await client.stats()
    finally:
        await client.close()


async def acceptance(place: Workplace) -> dict[str, Any]:
    """The daemon's counts of rounds with the verifier."""
    found: dict[str, Any] = (await counts(place))["acceptance"]
    return found


def claims(
    session: Session, opening: Callable[[str, str], Opening | None] = lambda before, after: None
) -> list[Claim]:
    """What was said to be the target's own, for suggestions that began where they were shown.

    `opening`: what prompts begin with in a document of this text, before and after the cursor as it was opened.
    """
    return [
        Claim(
            suggested.before,
            suggested.ghost.text[: suggested.ghost.verified],
            suggested.start,
            opening(suggested.before[: suggested.start], suggested.after),
        )
        for suggested in (*session.suggested, *session.typed_along.values())
        if suggested.fresh and suggested.ghost.verified > 0
    ]


async def checked(screen: Screen, made: Sequence[Claim]) -> list[Finding]:
    """Every claim held against what the target says alone."""
    screen.title("Asking the target alone")
    with Progress(transient=True, disable=screen.quiet) as progress:
        task = progress.add_task("checking", total=len(made))
        cache, window = DraftConfig().cache_path, DraftConfig().window_tokens
        return await asyncio.to_thread(
            check, made, MODEL, cache, window, lambda done: progress.update(task, completed=done)
        )


def target_threads() -> int:
    """Draft and target share this machine: the target gets half of it."""
    return max(1, (os.cpu_count() or 2) // 2)
