"""`draftwire complete FILE:LINE:COL`: one completion, for scripts and for trying things out."""

from __future__ import annotations

import asyncio
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from daemon.api.reasons import in_words
from draftwire.commands.options import Json
from draftwire.failures import CommandFailed, Exit
from draftwire.language_ids import language_id
from draftwire.running_daemon import CHANGED, config_changed, other_version
from draftwire.terminal import note, out, print_json, spinner

if TYPE_CHECKING:
    from daemon.api.messages import Completions, Status, Suggestion

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
    from draftwire.commands.answer import answer_at

    asked = parse_place(place)
    source = read_source(asked.file)
    offset = offset_of(source.text, asked)
    with spinner("completing"):
        uri, language = asked.file.resolve().as_uri(), language_id(asked.file)
        answer, status = asyncio.run(answer_at(uri, language, source.text, offset, wait.value))
    if outdated := other_version(status.version) or (CHANGED if config_changed(status) else ""):
        note(outdated)
    suggestions = [source.in_its_line_ends(suggestion) for suggestion in answer.suggestions]
    if answer.grammar.startswith(("unmasked", "held back")):
        note(_without_grammar(answer.grammar))
    if json:
        print_json(_plain(suggestions, answer))
    elif suggestions:
        _print_suggestion(suggestions[0])
    if not suggestions:
        raise CommandFailed(f"nothing to suggest at {place}: {in_words(answer.reason)}")
    if wait is WaitFor.VERIFIED and suggestions[0].verified < len(suggestions[0].text):
        raise CommandFailed(_unverified(suggestions[0], status), Exit.UNVERIFIED)


def _without_grammar(mode: str) -> str:
    """What an unmasked answer rests on, or why there is none."""
    from grammars.interface import DEPARTED

    if mode.endswith(DEPARTED):
        return "the model's own text departs from the grammar; it is shown up to there"
    return f"the grammar took no part; {mode}"


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
        if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise CommandFailed(f"{file} is UTF-16 text; save it as UTF-8", Exit.UNREADABLE)
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
