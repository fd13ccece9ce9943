"""One answer of the daemon about one place, for a command that ends with it.

Starts the daemon if none runs, and once more if it dies before it has answered. Knows the order of the messages, not
files or what is printed of the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

from daemon.api.client import DaemonClient
from daemon.api.errors import DaemonLost
from daemon.api.messages import CloseDocument, Completions, OpenDocument, Status, Wait
from daemon.api.paths import runtime_paths
from daemon.api.start import ensure_daemon
from draftwire.failures import CommandFailed, Exit
from draftwire.terminal import note

READY_TIMEOUT_S = 120.0
"""For a daemon that has just started to load its draft model (the first time it also makes the file)."""
LINK_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 60.0
SLOW_S = 1.0
"""What takes longer than this is explained on stderr."""
VERSION: Final = 1
"""Of the document, which is opened, asked about once, and closed."""


async def answer_at(
    uri: str, language: str, text: str, offset: int, wait: Wait
) -> tuple[Completions, Status]:
    """The answer at an offset (code points), and the daemon's status before it was asked.

    Raises CommandFailed if there is no answer in time or the daemon dies twice, ApiError as `ensure_daemon` does.
    """
    document = OpenDocument(uri, language, VERSION, text)
    loading = "starting the daemon and loading the draft model ..."
    slow = asyncio.get_running_loop().call_later(SLOW_S, note, loading)
    try:
        try:
            return await _ask(document, offset, wait, slow)
        except DaemonLost:
            note("the daemon ended before it answered; it is started again")
            return await _ask(document, offset, wait, slow)
    except DaemonLost as error:
        said = (
            f"the daemon ended twice before it answered; see {runtime_paths().log} or run: draftwire doctor"
        )
        raise CommandFailed(said, Exit.UNAVAILABLE) from error
    finally:
        slow.cancel()


async def _ask(
    document: OpenDocument, offset: int, wait: Wait, slow: asyncio.TimerHandle
) -> tuple[Completions, Status]:
    """One connection's life; `slow` is cancelled when nothing has to be loaded any more. Raises DaemonLost."""
    states: asyncio.Queue[Status] = asyncio.Queue()
    client = await ensure_daemon(
        runtime_paths(),
        client="draftwire complete",
        on_push=lambda pushed: states.put_nowait(pushed) if isinstance(pushed, Status) else None,
    )
    try:
        status = await _wait_ready(client, states, wait)
        slow.cancel()
        client.send(document)
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            answer = await client.complete(document.document, VERSION, offset, trigger="invoked", wait=wait)
        with contextlib.suppress(DaemonLost):  # the answer is there
            client.send(CloseDocument(document.document))
    except TimeoutError:
        said = f"the daemon gave no answer within {ANSWER_TIMEOUT_S:g} s; run: draftwire doctor"
        raise CommandFailed(said, Exit.UNAVAILABLE) from None
    finally:
        await client.close()
    return answer, status


async def _wait_ready(client: DaemonClient, states: asyncio.Queue[Status], wait: Wait) -> Status:
    """Wait while the draft model loads; for verified text also while the link is being made. The status then."""
    status = await client.status()
    try:
        async with asyncio.timeout(READY_TIMEOUT_S):
            while status.draft == "loading":
                status = await _next_state(client, states)
    except TimeoutError:
        said = f"the draft model is not ready after {READY_TIMEOUT_S:g} s; run: draftwire doctor"
        raise CommandFailed(said, Exit.UNAVAILABLE) from None
    if status.draft == "failed":
        note(f"the draft model failed: {status.draft_error}")
    if wait == "verified":
        with contextlib.suppress(
            TimeoutError
        ):  # without a link the outcome says what was not verified, and why
            async with asyncio.timeout(LINK_TIMEOUT_S):
                while status.link == "connecting":
                    status = await _next_state(client, states)
    return status


async def _next_state(client: DaemonClient, states: asyncio.Queue[Status]) -> Status:
    """What the daemon tells next about itself. Raises DaemonLost as soon as it can tell nothing more."""
    told = asyncio.create_task(states.get())
    lost = asyncio.create_task(client.wait_lost())
    try:
        await asyncio.wait({told, lost}, return_when=asyncio.FIRST_COMPLETED)
        if told.done():
            return told.result()
    finally:
        told.cancel()
        lost.cancel()
    raise client.lost or DaemonLost("the daemon closed the connection")
