"""What the draft says on a line that an editor has indented: `python -m benchmarks.indented_lines [--json]`.

At the beginnings of lines in real files (Python, C, JavaScript, from installed packages), the cursor behind their
indentation: the bundled draft says a word there, once after the ids of the whole text (`as_it_stands`), once as the
daemon asks (`as_asked`): from before a blank at its end, with the blank forced (`daemon/prompts/healing.py`), or with a
tab as it stands before a word (`daemon/prompts/prefix_window.py`). Held against the word in the file. The same again
with each step of the indentation made a tab.

Figures, each for `spaces` and `tabs`: `right_as_it_stands_KIND`, `right_as_asked_KIND`: the share of places where the
word is the file's; `begins_so_spaces`: where the draft's own first token begins with the blank unforced, so that a
target like it need not be asked twice. Shares alone: nothing here depends on the machine's load.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from benchmarks.drafters import FOLDERS, WINDOW_TOKENS, _corpus
from benchmarks.dsl.places import CursorPlace, SourceFile, prompt_for
from benchmarks.machine import machine_info
from daemon.draft.engine import DraftEngine
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.prompts.healing import before_blank
from daemon.settings.config import DraftConfig
from grammars.pieces import PieceIndex

MOST_TOKENS: Final = 8
"""Of a word."""
KINDS: Final = ("spaces", "tabs")
_INDENTED: Final = re.compile(r"^[ \t]+(?=\S)", re.MULTILINE)
_STEP: Final = re.compile(r"^( {2,8}?)(?=\S)", re.MULTILINE)
_WORD: Final = re.compile(r"\w+|[^\w\s]")
Right = dict[str, list[bool]]
"""By figure, of each place."""


def measure(draft: DraftEngine, file: SourceFile, offsets: Sequence[int], kind: str, found: Right) -> None:
    """What the draft says at these places of a file."""
    pieces = PieceIndex(draft.vocabulary.token_bytes)
    for offset in offsets:
        cursor = CursorPlace(file, offset)
        word = _first_word(cursor.rest)
        whole = [*draft.prompt_start, *draft.tokenize(file.text[:offset])][-WINDOW_TOKENS:]
        begin, pending = before_blank(cursor.place, pieces)
        prompt = prompt_for(file, (), "", draft, cold=False)
        asked = prompt.ids(begin)[-WINDOW_TOKENS:]
        said = _said(draft, asked, pending).removeprefix(pending)
        found.setdefault(f"right_as_it_stands_{kind}", []).append(
            _first_word(_said(draft, whole, "")) == word
        )
        found.setdefault(f"right_as_asked_{kind}", []).append(_first_word(said) == word)
        if pending:
            own = draft.vocabulary.token_bytes[int(draft.next_candidates(0, asked).ids[0])]
            found.setdefault(f"begins_so_{kind}", []).append(own.startswith(pending.encode()))


def with_tabs(text: str) -> str:
    """The text with each step of its indentation made a tab: that of the line that is indented least."""
    steps = [len(found[1]) for found in _STEP.finditer(text)]
    step = min(steps, default=4)

    def tabs(found: re.Match[str]) -> str:
        blanks = found[0].replace("\t", " " * step)
        return "\t" * (len(blanks) // step) + " " * (len(blanks) % step)

    return _INDENTED.sub(tabs, text)


def places(text: str, count: int, source: random.Random) -> list[int]:
    """Behind the indentation of `count` lines, beyond the first third of the text; in order."""
    ends = [found.end() for found in _INDENTED.finditer(text) if found.end() > len(text) // 3]
    return sorted(source.sample(ends, min(count, len(ends))))


def _said(draft: DraftEngine, ids: Sequence[int], pending: str) -> str:
    """The beginning of what the draft says, a word long at least; it has to begin with what is pending."""
    path, data = list(ids), b""
    for _ in range(MOST_TOKENS):
        allowed = None if data or not pending else _beginning(draft, pending.encode())
        token = int(draft.next_candidates(0, path, allowed).ids[0])
        if token in draft.vocabulary.stop_ids:
            break
        path.append(token)
        data += draft.vocabulary.token_bytes[token]
        if re.search(rb"\w\W|[^\w\s].", data.lstrip(), re.DOTALL):
            break
    return data.decode(errors="ignore")


def _beginning(draft: DraftEngine, pending: bytes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([piece.startswith(pending) for piece in draft.vocabulary.token_bytes])


def _first_word(text: str) -> str:
    """With what stands before it: other blanks make another text."""
    found = _WORD.search(text)
    return text[: found.end()] if found else text


def _files(names: Sequence[str], kind: str) -> Iterator[SourceFile]:
    for name in names:
        for file in _corpus(name).files:
            yield file if kind == "spaces" else SourceFile(file.path, with_tabs(file.text))


def report(names: Sequence[str], count: int, seed: int, threads: int) -> dict[str, object]:
    """Figures and machine. count: places a file."""
    chosen = resolve_draft_model("bundled", DraftConfig().cache_path)
    found: Right = {}
    with LlamaEngine(
        chosen.path, n_context=WINDOW_TOKENS + 64, n_sequences=1, threads=threads, model_name=chosen.name
    ) as draft:
        for kind in KINDS:
            source = random.Random(seed)
            for file in _files(names, kind):
                measure(draft, file, places(file.text, count, source), kind, found)
                sys.stderr.write(f"indented lines: {kind}, {file.path}\n")
    return {
        "figures": {name: round(sum(right) / len(right), 3) for name, right in sorted(found.items())},
        "places": {name: len(right) for name, right in sorted(found.items())},
        "seed": seed,
        "machine": machine_info(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.indented_lines",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--places", type=int, default=6, help="lines a file")
    parser.add_argument("--language", nargs="+", default=list(FOLDERS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of the draft model")
    options = parser.parse_args()
    found = report(options.language, options.places, options.seed, options.threads)
    sys.stdout.write(json.dumps(found, indent=None if options.json else 2) + "\n")


if __name__ == "__main__":
    main()
