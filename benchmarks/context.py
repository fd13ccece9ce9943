"""What pieces of other files before the document are worth: `python -m benchmarks.context [--json] [--places N]`.

At places in files that import each other (packages of the standard library, installed ones, C with its headers) the
draft model is asked for the next tokens along the text of the file, with and without pieces of other files standing
first. The pieces are found as the daemon finds them: imports are resolved in a copy of the package, the two files
before the document are open with a cursor in them, the words around the cursor choose. What the user is about to
write (HOLE characters) stands nowhere. All prompts are equally long: what other files take is the document's less; with
--added the prompts are longer by it. With --cold the cursor is in the first COLD characters of a file that ends there:
one that is being begun.

A visit is a stretch of PLACES_A_VISIT places in one file; the pieces are chosen where it begins. Figures, for `none`
(nothing before the document), `imports` and `open` (imports and open files): `right_X`, the share of positions at
which the model's first choice is the file's token; `saved_X`, characters per place that come out right before its
first wrong token; `gain_X`, `right_X - right_none` with `gain_X_low` and `gain_X_high`, the bounds of its 95 %
confidence interval (bootstrap over visits); `heading_tokens_X`, what the pieces take. Shares and counts only.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.machine import machine_info
from daemon.documents import Document, Place
from daemon.draft.engine import DraftEngine
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.prompts.context_pieces import Source, choose, words_around
from daemon.prompts.opening import opening_ids
from daemon.prompts.other_files import sources_for
from daemon.prompts.prompt import Prompt
from daemon.settings.config import DraftConfig

STEPS: Final = 24
"""Tokens along the file's text at each place."""
PLACES_A_VISIT: Final = 4
HOLE: Final = 1200
"""Characters behind the cursor that are not written yet."""
COLD: Final = (300, 2500)
"""Where a cursor is in a file that is being begun, in code points."""
CHARACTERS: Final = (4_000, 60_000)
CHARACTERS_PER_TOKEN: Final = 3
PACKAGES: Final = {
    "stdlib": ("stdlib", ("asyncio", "email", "http", "importlib", "logging", "unittest"), "python", "*.py"),
    "installed": ("purelib", ("websockets", "pygls", "importlinter", "httpx", "lark"), "python", "*.py"),
    "c": ("purelib", ("mypyc/lib-rt",), "c", "*.c"),
}
"""By corpus: which of the interpreter's folders, the packages in it, the language, the documents' names."""
COMMENTS: Final = {"python": "#", "c": "//"}
CONTEXTS: Final = ("none", "imports", "open")
NO_SPOTS: Final[tuple[int, ...]] = ()


@dataclass(frozen=True, slots=True)
class Visit:
    """The user is at `offset` of a document, with other files open beside it."""

    corpus: str
    document: Document
    offset: int
    truth: str
    """What is about to be written there."""
    opened: tuple[Source, ...]

    @property
    def place(self) -> Place:
        """The cursor, nothing written yet."""
        return Place(self.document, self.offset)


@dataclass(slots=True)
class Tally:
    """What came of one visit under one context."""

    positions: int = 0
    right: int = 0
    saved: int = 0
    """Characters before the first wrong token, over all places."""
    heading_tokens: int = 0


class Bench:
    """One draft model; `budget` tokens of other files, in prompts of `window` tokens."""

    def __init__(self, draft: DraftEngine, *, window: int, budget: int, added: bool) -> None:
        self._draft, self._window, self._budget, self._added = draft, window, budget, added
        self.tallies: dict[str, list[tuple[str, Tally]]] = defaultdict(list)
        """By context: the corpus and the tally of each visit."""

    def measure(self, visits: Sequence[Visit]) -> None:
        """Every visit under every context."""
        for visit in visits:
            for context in CONTEXTS:
                self.tallies[context].append((visit.corpus, self._visit(visit, context)))

    def _visit(self, visit: Visit, context: str) -> Tally:
        heading = self._heading(visit, context)
        prompt = Prompt(
            self._draft.tokenize,
            window_tokens=self._window + self._added * len(heading),
            splits_at_lines=self._draft.splits_at_lines,
            start=[*self._draft.prompt_start, *heading],
        )
        tally = Tally(heading_tokens=len(heading))
        truth = self._draft.tokenize(visit.truth)
        ids = prompt.ids(visit.place)
        for first in range(0, len(truth) - STEPS + 1, max(STEPS, len(truth) // PLACES_A_VISIT)):
            self._follow([*ids, *truth[:first]], truth[first : first + STEPS], tally)
        return tally

    def _follow(self, context: Sequence[int], truth: Sequence[int], tally: Tally) -> None:
        is_right = True
        for step, right in enumerate(truth):
            said = int(self._draft.next_candidates(0, [*context, *truth[:step]]).ids[0])
            tally.positions += 1
            tally.right += said == right
            is_right = is_right and said == right
            if is_right:
                tally.saved += len(self._draft.vocabulary.token_bytes[right])

    def _heading(self, visit: Visit, context: str) -> list[int]:
        if context == "none":
            return []
        opened = visit.opened if context == "open" else ()
        sources = sources_for(visit.document, opened, (), lambda: 0.0)
        pieces = choose(words_around(visit.place), sources, self._budget * CHARACTERS_PER_TOKEN)
        return opening_ids(
            [(piece.name, piece.text) for piece in pieces],
            visit.document.name.rpartition("/")[2],
            self._draft.tokenize,
            budget=self._budget,
            line_comment=COMMENTS[visit.document.language],
            file_separator=None,
        )


def copied(workspace: Path, corpora: Sequence[str]) -> dict[str, list[list[Path]]]:
    """The packages, copied into workspaces of their own: by corpus the documents of each package."""
    found: dict[str, list[list[Path]]] = {}
    for corpus in corpora:
        scheme, packages, _, pattern = PACKAGES[corpus]
        found[corpus] = []
        for package in packages:
            root = workspace / corpus / package.replace("/", "-")
            shutil.copytree(Path(sysconfig.get_path(scheme)) / package, root / Path(package).name)
            (root / ".draftwire").mkdir()
            sizes = {path: path.stat().st_size for path in sorted(root.rglob(pattern))}
            found[corpus].append(
                [path for path, size in sizes.items() if CHARACTERS[0] <= size <= CHARACTERS[1]]
            )
    return found


def visits_in(packages: dict[str, list[list[Path]]], count: int, seed: int, *, cold: bool) -> Iterator[Visit]:
    """`count` visits in each corpus, its packages in turn. cold: in files that are being begun."""
    for corpus, files_of in packages.items():
        source = random.Random(f"{seed} {corpus}")
        chosen: list[Path] = []
        while len(chosen) < count:
            chosen += [source.choice(files) for files in files_of if files]
        for path in chosen[:count]:
            siblings = next(files for files in files_of if path in files)
            yield _visit_in(corpus, path, siblings, source, cold=cold)


def _visit_in(
    corpus: str, path: Path, siblings: Sequence[Path], source: random.Random, *, cold: bool
) -> Visit:
    text = path.read_text("utf-8")
    last = len(text) - HOLE - 200
    first, last = (COLD[0], min(COLD[1], last)) if cold else (len(text) // 6, last)
    offset = text.find("\n", source.randrange(first, last)) + 1
    end = text.find("\n", offset + HOLE) + 1 or len(text)
    language = PACKAGES[corpus][2]
    document = Document(path.as_uri(), language, 1, text[:offset] + ("" if cold else text[end:]))
    at = siblings.index(path)
    beside = [siblings[(at + step) % len(siblings)] for step in (-1, -2)]
    opened = [_opened(other, source) for other in beside if other != path]
    return Visit(corpus, document, offset, text[offset:end], tuple(opened))


def _opened(path: Path, source: random.Random) -> Source:
    text = path.read_text("utf-8")
    return Source(path.as_uri(), text, (source.randrange(len(text)),))


def figures_of(tallies: dict[str, list[tuple[str, Tally]]], seed: int) -> dict[str, float]:
    """The figures of the module's docstring, over all corpora and for each of them."""
    corpora = sorted({corpus for corpus, _ in tallies["none"]})
    figures: dict[str, float] = {}
    for name in ("", *corpora):
        of_name = {
            context: [tally for corpus, tally in rows if name in ("", corpus)]
            for context, rows in tallies.items()
        }
        suffix = f"_{name}" if name else ""
        for context, rows in of_name.items():
            places = sum(tally.positions for tally in rows) / STEPS
            figures[f"right_{context}{suffix}"] = round(_share(rows), 4)
            figures[f"saved_{context}{suffix}"] = round(sum(tally.saved for tally in rows) / places, 2)
            figures[f"heading_tokens_{context}{suffix}"] = round(
                sum(tally.heading_tokens for tally in rows) / len(rows), 1
            )
            if context != "none":
                low, gain, high = _gain(rows, of_name["none"], random.Random(seed))
                figures[f"gain_{context}{suffix}"] = round(gain, 4)
                figures[f"gain_{context}_low{suffix}"] = round(low, 4)
                figures[f"gain_{context}_high{suffix}"] = round(high, 4)
    return figures


def _share(rows: Sequence[Tally]) -> float:
    return sum(tally.right for tally in rows) / sum(tally.positions for tally in rows)


def _gain(rows: Sequence[Tally], base: Sequence[Tally], source: random.Random) -> tuple[float, float, float]:
    """How much larger the share is, between the bounds of its 95 % confidence interval."""
    pairs = list(zip(rows, base, strict=True))

    def gain(sample: Sequence[tuple[Tally, Tally]]) -> float:
        return _share([one for one, _ in sample]) - _share([other for _, other in sample])

    draws = sorted(gain(source.choices(pairs, k=len(pairs))) for _ in range(1000))
    return draws[25], gain(pairs), draws[974]


def measure(
    corpora: Sequence[str],
    places: int,
    seed: int,
    *,
    threads: int,
    window: int,
    budget: int,
    added: bool = False,
    cold: bool = False,
    progress: Callable[[str], object] = sys.stderr.write,
) -> dict[str, object]:
    """The report: figures and machine."""
    file = resolve_draft_model("bundled", DraftConfig().cache_path)
    with (
        tempfile.TemporaryDirectory() as folder,
        LlamaEngine(
            file.path, n_context=window + budget + HOLE, n_sequences=1, threads=threads, model_name=file.name
        ) as draft,
    ):
        packages = copied(Path(folder), corpora)
        bench = Bench(draft, window=window, budget=budget, added=added)
        for visit in visits_in(packages, max(1, places // PLACES_A_VISIT), seed, cold=cold):
            bench.measure([visit])
            so_far = {
                context: round(_share([one for _, one in rows]), 4) for context, rows in bench.tallies.items()
            }
            progress(f"context: visit {len(bench.tallies['none'])}, {so_far}\n")
    return {
        "figures": figures_of(bench.tallies, seed),
        "places": places,
        "window_tokens": window,
        "budget_tokens": budget,
        "added": added,
        "cold": cold,
        "seed": seed,
        "machine": machine_info(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.context",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--places", type=int, default=64, help="cursor places a corpus")
    parser.add_argument("--corpus", nargs="+", default=tuple(PACKAGES), choices=tuple(PACKAGES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of the draft model")
    parser.add_argument("--window", type=int, default=1024, help="tokens of a prompt")
    parser.add_argument("--budget", type=int, default=384, help="tokens of them for other files")
    parser.add_argument("--added", action="store_true", help="the document keeps the whole window")
    parser.add_argument("--cold", action="store_true", help="in files that are being begun")
    options = parser.parse_args()
    report = measure(
        options.corpus,
        options.places,
        options.seed,
        threads=options.threads,
        window=options.window,
        budget=options.budget,
        added=options.added,
        cold=options.cold,
    )
    sys.stdout.write(json.dumps(report, indent=None if options.json else 2) + "\n")


if __name__ == "__main__":
    main()
