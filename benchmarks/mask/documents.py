"""Part of `benchmarks.masks`: keys, jumps, errors and suffixes in documents: their cost, how right the answers are."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from benchmarks.dsl.files import generated
from benchmarks.dsl.grammars import Language
from grammars.cursor import GrammarState
from grammars.document import GrammarDocument
from grammars.engine import TokenTable, load
from grammars.interface import CursorState, Recogniser
from grammars.suffix import Suffix, longest_fit

KEYS = 600
ERROR_FILE_BYTES = 8_000
NEXT_TOKENS = 10


def milliseconds(call: Callable[[], object]) -> float:
    """CPU of this thread."""
    start = time.thread_time_ns()
    call()
    return (time.thread_time_ns() - start) / 1e6


@dataclass(slots=True)
class KeyTimes:
    """Milliseconds of CPU in documents of 20 kB."""

    cold: list[float] = field(default_factory=list)
    key: list[float] = field(default_factory=list)
    edit_at_start: list[float] = field(default_factory=list)


def key_times(language: Language, template: Recogniser, table: TokenTable, seed: int) -> KeyTimes:
    """Open a file, type at its end, and edit its start."""
    times = KeyTimes()
    text = generated(language.name, 20_000, seed)
    document = GrammarDocument(template, language.compiled, table)
    times.cold.append(milliseconds(lambda: document.at(text, len(text))))
    _require_masked(document.at(text, len(text)), language.name)
    for end in range(len(text) - KEYS, len(text) + 1):
        times.key.append(milliseconds(lambda end=end: document.at(text[:end], end)))  # type: ignore[misc]
    for count in range(1, 4):
        edited = "\n" * count + text
        times.edit_at_start.append(
            milliseconds(lambda edited=edited: document.at(edited, len(edited)))  # type: ignore[misc]
        )
    return times


def step_us(language: Language, template: Recogniser, table: TokenTable, size: int, seed: int) -> list[float]:
    """Microseconds for each push of the last 200 tokens of a file of `size` bytes, taken back and pushed thrice."""
    text = generated(language.name, size + 2_000, seed)
    line = text.index("\n", min(size, len(text) - 1_500)) + 1
    state = GrammarDocument(template, language.compiled, table).at(text, line)
    _require_masked(state, language.name)
    tokens = [token for token in table.greedy(text[line:].encode()) if token < table.n_vocab][:200]
    times: list[float] = []
    for _ in range(3):
        for token in tokens:
            start = time.thread_time_ns()
            state.first_legal((token,))
            state.push(token)
            times.append((time.thread_time_ns() - start) / 1e3)
        state.pop(len(tokens))
    return times


def pop_us(language: Language, template: Recogniser, table: TokenTable, seed: int) -> list[float]:
    """Microseconds to take back 32 tokens."""
    tokens = table.greedy(generated(language.name, 2_000, seed).encode())
    state = GrammarState(template.copy(), table)
    times: list[float] = []
    for token in tokens:
        if token < table.n_vocab:
            state.push(token)
    for _ in range(len(tokens) // 32 - 1):
        start = time.thread_time_ns()
        state.pop(32)
        times.append((time.thread_time_ns() - start) / 1e3)
    return times


# Errors -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Recoveries:
    """Trials, and what the state at the end of a broken file was worth."""

    trials: int = 0
    right: int = 0
    """The next tokens of the file are legal."""
    wrong: int = 0
    """They are forbidden."""
    ms: list[float] = field(default_factory=list)


def recoveries(
    language: Language, template: Recogniser, table: TokenTable, *, errors: int, trials: int, seed: int
) -> Recoveries:
    """Break a file in its first three quarters; ask at its end."""
    found, random = Recoveries(), Random(seed)
    for trial in range(trials):
        text = generated(language.name, ERROR_FILE_BYTES, seed + trial)
        cut = text.rindex(" ", 0, len(text) - 200 - random.randint(0, 400))
        coming = table.greedy(text[cut : cut + 60].encode())[:NEXT_TOKENS]
        broken = text[:cut]
        for _ in range(errors):
            broken = corrupted(broken, random)
        document = GrammarDocument(template, language.compiled, table)
        found.ms.append(milliseconds(lambda: document.at(broken, len(broken))))  # noqa: B023
        state = document.at(broken, len(broken))
        found.trials += 1
        fits = state.fits(coming) == len(coming)
        found.right += fits and state.mode.kind != "unmasked"
        found.wrong += not fits
    return found


def corrupted(text: str, random: Random) -> str:
    """One error in the first three quarters: a word gone, added or twice, a line cut short, a quote too many."""
    words = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text[: len(text) * 3 // 4])]
    start, end = random.choice(words)
    match random.choice(("delete", "insert", "truncate", "double", "unbalance")):
        case "delete":
            return text[:start] + text[end:]
        case "insert":
            return text[:start] + random.choice((") ", "= ", "foo bar ", "{ ", "} ")) + text[start:]
        case "truncate":
            line_end = text.find("\n", start)
            return text[:start] + text[line_end if line_end >= 0 else start :]
        case "double":
            return text[:end] + " " + text[start:end] + text[end:]
        case _:
            return text[:start] + random.choice(('"', "'", "(")) + text[start:]


# Suffix -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Trims:
    """Trials, and how often the window found what the whole suffix says."""

    trials: int = 0
    agree: int = 0
    ms: list[float] = field(default_factory=list)


def trims(language: Language, template: Recogniser, table: TokenTable, *, cursors: int, seed: int) -> Trims:
    """Cut completions of five kinds in the middle of a file by the window, and by all of the suffix."""
    found, random = Trims(), Random(seed)
    text = generated(language.name, 20_000, seed)
    lines = [line for line in text.split("\n") if len(line) > 12]
    document = GrammarDocument(template, language.compiled, table)
    for _ in range(cursors):
        cursor = random.randint(len(text) // 5, len(text) * 4 // 5)
        end = text.find("\n", cursor)
        end = end if end > cursor else cursor + 1
        hole = text[cursor:end]
        state = document.at(text, cursor)
        _require_masked(state, language.name)
        window = Suffix(state.tokens, text[end:].encode())
        everything = Suffix(state.tokens, window.text, tokens=len(window.text) + 1)
        for completion in completions(hole, text[end : end + 60], random.choice(lines)):
            data = completion[:80].encode()
            cuts = piece_ends(table, data)
            found.ms.append(milliseconds(lambda: longest_fit(state, data, cuts, window)))  # noqa: B023
            windowed = longest_fit(state, data, cuts, window)
            whole = longest_fit(state, data, cuts, everything)
            found.trials += 1
            found.agree += windowed.cut == whole.cut
    return found


def completions(hole: str, over: str, line: str) -> tuple[str, ...]:
    """The true text, one that goes on over the suffix, another line's, one bracket closed and one opened too many."""
    return hole, hole + over, f"{hole[: max(0, hole.rfind(' '))]} {line.strip()}", hole + " )", hole + " {"


def piece_ends(table: TokenTable, data: bytes) -> list[int]:
    """Where the tokens of a completion end, 17 at most."""
    ends, length = [], 0
    for token in table.greedy(data)[:17]:
        length += table.length(token)
        ends.append(length)
    return ends


def _require_masked(state: CursorState, name: str) -> None:
    if state.mode.kind != "masked":
        raise RuntimeError(f"a valid file of {name} is not followed: {state.mode.reason}")


def templates_of(languages: Sequence[Language], table: TokenTable) -> list[tuple[Language, Recogniser]]:
    """Every language's grammar, loaded."""
    return [(language, load(language.compiled, table)) for language in languages]
