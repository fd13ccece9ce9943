"""`draftwire complete FILE:LINE:COL`: one completion, for scripts and for trying things out."""

from __future__ import annotations

import asyncio
import contextlib
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftwire.commands.options import Json
from draftwire.config_change import CHANGED, config_changed
from draftwire.failures import CommandFailed, Exit
from draftwire.language_ids import language_id
from draftwire.reasons import in_words
from draftwire.terminal import note, out, print_json, spinner

if TYPE_CHECKING:
    from daemon.api.client import DaemonClient
    from daemon.api.messages import Completions, OpenDocument, Status, Suggestion

READY_TIMEOUT_S = 120.0
"""For a daemon that has just started to load its draft model (the first time it also makes the file)."""
LINK_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 60.0
SLOW_S = 1.0
"""What takes longer than this is explained on stderr."""
VERSION = 1
"""Of the document, which is opened, asked about once, and closed."""


_LINE_END = re.compile(r"\r\n|\r|\n")


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

    Starts the daemon if none runs. Exit status 0 with a suggestion; 1 with none, and the reason on stderr; 3 if
    verified text was asked for and not all of the text printed is the target's own (0 only if all of it is).
    """
    from daemon.api.messages import OpenDocument

    asked = parse_place(place)
    source = read_source(asked.file)
    offset = offset_of(source.text, asked)
    with spinner("completing"):
        uri, language = asked.file.resolve().as_uri(), language_id(asked.file)
        answer, status = asyncio.run(
            _complete(OpenDocument(uri, language, VERSION, source.text), offset, wait)
        )
    if config_changed(status):
        note(CHANGED)
    suggestions = [source.in_its_line_ends(suggestion) for suggestion in answer.suggestions]
    if answer.grammar.startswith("unmasked"):
        note(f"the grammar took no part; {answer.grammar}")
    if json:
        print_json(_plain(suggestions, answer))
    elif suggestions:
        _print_suggestion(suggestions[0])
    if not suggestions:
        raise CommandFailed(f"nothing to suggest at {place}: {in_words(answer.reason)}")
    if wait is WaitFor.VERIFIED and suggestions[0].verified < len(suggestions[0].text):
        raise CommandFailed(_unverified(suggestions[0], status), Exit.UNVERIFIED)


def parse_place(text: str) -> Place:
    """FILE:LINE:COL; the file's name may hold colons. Raises CommandFailed."""
    file, _, rest = text.rpartition(":")
    file, _, line = file.rpartition(":")
    if not (file and line.isdecimal() and rest.isdecimal() and int(line) and int(rest)):
        text = f'"{text}" is not FILE:LINE:COL; lines and columns count from 1, for example src/main.py:12:5'
        raise CommandFailed(text, Exit.USAGE)
    return Place(Path(file), int(line), int(rest))


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text with LF line ends, and the line end it really has."""

    text: str
    line_end: str

    def in_its_line_ends(self, suggestion: Suggestion) -> Suggestion:
        """The suggestion as it would stand in the file."""
        if self.line_end == "\n":
            return suggestion
        from msgspec.structs import replace

        verified = suggestion.text[: suggestion.verified].replace("\n", self.line_end)
        rest = suggestion.text[suggestion.verified :].replace("\n", self.line_end)
        return replace(suggestion, text=verified + rest, verified=len(verified))


def read_source(file: Path) -> Source:
    """A file's text and line end (that of its first line). Raises CommandFailed."""
    try:
        data = file.read_bytes()
        if (at := data.find(b"\0")) >= 0:
            text = f"{file} is a binary file (byte {at} is NUL), not text"
            raise CommandFailed(text, Exit.UNREADABLE)
        text = data.decode("utf-8-sig")
        found = _LINE_END.search(text)
        return Source(_LINE_END.sub("\n", text), found.group() if found else "\n")
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


async def _complete(document: OpenDocument, offset: int, wait: WaitFor) -> tuple[Completions, Status]:
    """The answer, and the daemon's status before it was asked."""
    from daemon.api.messages import CloseDocument, Status
    from daemon.api.paths import runtime_paths
    from daemon.api.start import ensure_daemon

    states: asyncio.Queue[Status] = asyncio.Queue()
    loading = "starting the daemon and loading the draft model ..."
    slow = asyncio.get_running_loop().call_later(SLOW_S, note, loading)
    try:
        client = await ensure_daemon(
            runtime_paths(),
            client="draftwire complete",
            on_push=lambda pushed: states.put_nowait(pushed) if isinstance(pushed, Status) else None,
        )
    except BaseException:
        slow.cancel()
        raise
    try:
        status = await _wait_ready(client, states, wait)
        slow.cancel()
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
        slow.cancel()
        await client.close()
    return answer, status


async def _wait_ready(client: DaemonClient, states: asyncio.Queue[Status], wait: WaitFor) -> Status:
    """Wait while the draft model loads; for verified text also while the link is being made. The status then."""
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
    if wait is WaitFor.VERIFIED:
        with contextlib.suppress(
            TimeoutError
        ):  # without a link the outcome says what was not verified, and why
            async with asyncio.timeout(LINK_TIMEOUT_S):
                while status.link == "connecting":
                    status = await states.get()
    return status


def _unverified(suggestion: Suggestion, status: Status) -> str:
    """How much of the text the verifier did not decide on, and why."""
    text = f"{suggestion.verified} of {len(suggestion.text)} characters are verified: "
    if status.link == "off":
        return f"{text}no verifier is configured (verifier.url)"
    if status.link == "online":
        return f"{text}the verifier did not answer in time (verifier.deadline_ms), or decided on less"
    return f"{text}the verifier is {status.link}" + (f" ({status.link_reason})" if status.link_reason else "")


def _print_suggestion(suggestion: Suggestion) -> None:
    from rich.text import Text

    shown = Text(suggestion.text[: suggestion.verified])
    shown.append(suggestion.text[suggestion.verified :], style="dim italic")
    console = out()
    if console.is_terminal:
        console.print(shown)
    else:
        typer.echo(suggestion.text)


def _plain(suggestions: list[Suggestion], answer: Completions) -> dict[str, Any]:
    plain = [
        {
            "text": suggestion.text,
            "verified_characters": suggestion.verified,
            "complete": suggestion.complete,
            "source": suggestion.source,
        }
        for suggestion in suggestions
    ]
    return {"suggestions": plain, "reason": answer.reason, "grammar": answer.grammar}
