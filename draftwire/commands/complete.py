"""`draftwire complete FILE:LINE:COL`: one completion, for scripts and for trying things out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftwire.commands.options import Json
from draftwire.failures import CommandFailed, Exit
from draftwire.language_ids import language_id
from draftwire.terminal import note, out, print_json, spinner

if TYPE_CHECKING:
    from daemon.api.client import DaemonClient
    from daemon.api.messages import Completions, OpenDocument, Status, Suggestion

READY_TIMEOUT_S = 120.0
"""For a daemon that has just started to load its draft model (the first time it also makes the file)."""
LINK_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 60.0
VERSION = 1
"""Of the document, which is opened, asked about once, and closed."""


class WaitFor(StrEnum):
    """What to wait for before the answer."""

    FIRST = "first"
    SETTLED = "settled"
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file; `line` and `column` count from 1, the column in code points."""

    file: Path
    line: int
    column: int


def complete(
    place: Annotated[
        str, typer.Argument(metavar="FILE:LINE:COL", help="Line and column from 1; the column in characters.")
    ],
    *,
    wait: Annotated[
        WaitFor,
        typer.Option(
            help="first: as an editor gets it; settled: the whole draft; verified: the target's part too."
        ),
    ] = WaitFor.SETTLED,
    json: Json = False,
) -> None:
    """Print what would be suggested at a place in a file; the provisional part is dimmed on a terminal.

    Starts the daemon if none runs. Exit status 0 with a suggestion; 1 with none, and the reason on stderr.
    """
    from daemon.api.messages import OpenDocument

    asked = parse_place(place)
    text = read_text(asked.file)
    offset = offset_of(text, asked)
    with spinner("completing"):
        document = OpenDocument(asked.file.resolve().as_uri(), language_id(asked.file), VERSION, text)
        answer = asyncio.run(_complete(document, offset, wait))
    if json:
        print_json(_plain(answer))
    elif answer.suggestions:
        _print_suggestion(answer.suggestions[0])
    if not answer.suggestions:
        raise CommandFailed(f"nothing to suggest at {place}: {answer.reason}")


def parse_place(text: str) -> Place:
    """FILE:LINE:COL; the file's name may hold colons. Raises CommandFailed."""
    file, _, rest = text.rpartition(":")
    file, _, line = file.rpartition(":")
    if not (file and line.isdecimal() and rest.isdecimal() and int(line) and int(rest)):
        text = f'"{text}" is not FILE:LINE:COL; lines and columns count from 1, for example src/main.py:12:5'
        raise CommandFailed(text, Exit.USAGE)
    return Place(Path(file), int(line), int(rest))


def read_text(file: Path) -> str:
    """A file's text with LF line ends. Raises CommandFailed."""
    try:
        return file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        text = f"{file} is not UTF-8 text (byte {error.start}); convert it first"
        raise CommandFailed(text, Exit.UNREADABLE) from None
    except OSError as error:
        raise CommandFailed(f"{file} can't be read: {error.strerror}", Exit.UNREADABLE) from None


def offset_of(text: str, place: Place) -> int:
    """The offset of a place in the text, in code points. Raises CommandFailed if it lies outside."""
    lines = text.split("\n")
    if place.line > len(lines):
        raise CommandFailed(f"{place.file} has {len(lines)} lines, not {place.line}", Exit.USAGE)
    length = len(lines[place.line - 1])
    if place.column > length + 1:
        text = f"line {place.line} of {place.file} ends at column {length + 1}, before column {place.column}"
        raise CommandFailed(text, Exit.USAGE)
    return sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1


async def _complete(document: OpenDocument, offset: int, wait: WaitFor) -> Completions:
    from daemon.api.messages import CloseDocument, Status
    from daemon.api.paths import runtime_paths
    from daemon.api.start import ensure_daemon

    states: asyncio.Queue[Status] = asyncio.Queue()
    client = await ensure_daemon(
        runtime_paths(),
        client="draftwire complete",
        on_push=lambda pushed: states.put_nowait(pushed) if isinstance(pushed, Status) else None,
    )
    try:
        await _wait_ready(client, states, wait)
        client.send(document)
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            answer = await client.complete(
                document.document, VERSION, offset, trigger="invoked", wait=wait.value
            )
        client.send(CloseDocument(document.document))
    except TimeoutError:
        text = f"the daemon gave no answer within {ANSWER_TIMEOUT_S:g} s; run: draftwire doctor"
        raise CommandFailed(text, Exit.UNAVAILABLE) from None
    finally:
        await client.close()
    return answer


async def _wait_ready(client: DaemonClient, states: asyncio.Queue[Status], wait: WaitFor) -> None:
    """Wait while the draft model loads; for verified text also while the link is being made."""
    status = await client.status()
    try:
        async with asyncio.timeout(READY_TIMEOUT_S):
            while status.draft == "loading":
                status = await states.get()
    except TimeoutError:
        text = f"the draft model is not ready after {READY_TIMEOUT_S:g} s; run: draftwire doctor"
        raise CommandFailed(text, Exit.UNAVAILABLE) from None
    if status.draft == "failed":
        note(f"the draft model failed: {status.draft_error}")
    if wait is not WaitFor.VERIFIED:
        return
    try:
        async with asyncio.timeout(LINK_TIMEOUT_S):
            while status.link == "connecting":
                status = await states.get()
    except TimeoutError:
        pass  # the message below says it
    if status.link != "online":
        note(f"nothing will be verified, the verifier is {status.link}. {status.link_reason}".rstrip())


def _print_suggestion(suggestion: Suggestion) -> None:
    from rich.text import Text

    shown = Text(suggestion.text[: suggestion.verified])
    shown.append(suggestion.text[suggestion.verified :], style="dim italic")
    console = out()
    if console.is_terminal:
        console.print(shown)
    else:
        typer.echo(suggestion.text)


def _plain(answer: Completions) -> dict[str, Any]:
    suggestions = [
        {
            "text": suggestion.text,
            "verified_characters": suggestion.verified,
            "complete": suggestion.complete,
            "source": suggestion.source,
        }
        for suggestion in answer.suggestions
    ]
    return {"suggestions": suggestions, "reason": answer.reason}
