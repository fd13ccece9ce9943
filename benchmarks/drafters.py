"""Which drafter is right more often, by how long the match is: `python -m benchmarks.drafters [--json] [--places N]`.

At places in real files, and along the text that a judge says follows there, two drafters name the next token: the
draft model, and what followed the longest match in the texts around (`daemon/draft/text_match.py`). Judges: `target`,
the verifier's engine on the bundled weights in float32 (it agrees with the bundled draft nearly always), and `file`,
what stands in the file: a stand-in for a strong target. Languages without a grammar: python, c, javascript, from
installed packages; with one, under which both drafters name legal tokens only: those of `benchmarks.dsl_acceptance`.

Figures, for each judge, with and without a grammar: `match_right_JUDGE_FROM`, `model_right_JUDGE_FROM`: the share of
positions with a match of FROM characters or more (up to the next of 3, 6, 12, 24, 48, 96) where the drafter named the
judge's token. `rows` has the counts. Shares and counts only: nothing here depends on the machine's load.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.dsl.grammars import language_of, states_of
from benchmarks.dsl.places import CursorPlace, SourceFile, prompt_for, truth_after
from benchmarks.dsl.targets import TargetText
from benchmarks.machine import machine_info
from daemon.draft.engine import DraftEngine
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.draft.text_match import longest_match
from daemon.settings.config import DraftConfig
from grammars.interface import CursorState
from verifier.bundled import bundled_model
from verifier.model.load import load_gguf
from verifier.torch_engine import TorchEngine

FROM: Final = (3, 6, 12, 24, 48, 96)
"""Characters of a match, the classes' lower ends."""
STEPS: Final = 12
"""Tokens along the judge's text."""
WINDOW_TOKENS: Final = 512
GRAMMARS: Final = ("proto3", "sql", "graphql")
FOLDERS: Final = {
    "python": ("stdlib", "*.py"),
    "c": ("platlib", "mypyc/lib-rt/*.c"),
    "javascript": ("platlib", "*/**/*.js"),
}
"""Where files of a language are: which of the interpreter's folders, and what they are called there."""
LANGUAGES: Final = tuple(name for pair in zip(FOLDERS, GRAMMARS, strict=True) for name in pair)
FILES: Final = 8
CHARACTERS: Final = (5_000, 60_000)

Counts = dict[tuple[str, str, int], list[int]]
"""By language, judge and class: positions, those where the match was right, the model, both, neither."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Files of a language; with a grammar, `state_at` gives its state at a place."""

    name: str
    files: Sequence[SourceFile]
    state_at: Callable[[CursorPlace], CursorState] | None


class Bench:
    """Two drafters and two judges."""

    def __init__(self, draft: DraftEngine, target: TargetText) -> None:
        self._draft, self._target = draft, target
        self.counts: Counts = defaultdict(lambda: [0, 0, 0, 0, 0])

    def measure(self, corpus: Corpus, count: int, seed: int) -> None:
        """`count` places in the corpus, a place in one file after another."""
        for cursor in _places(corpus.files, count, random.Random(seed)):
            prompt = prompt_for(cursor.file, (), "", self._draft, cold=False)
            ids = prompt.ids(cursor.place)[-WINDOW_TOKENS:]
            judges = {
                "target": self._target.text(ids, STEPS),
                "file": truth_after(cursor, self._draft)[:STEPS],
            }
            for judge, path in judges.items():
                state = corpus.state_at(cursor) if corpus.state_at is not None else None
                self._follow(corpus, judge, cursor, ids, path, state)

    def _follow(
        self,
        corpus: Corpus,
        judge: str,
        cursor: CursorPlace,
        ids: Sequence[int],
        path: Sequence[int],
        state: CursorState | None,
    ) -> None:
        """Every position of the judge's path up to where the grammar ends it."""
        texts = _texts(cursor, corpus.files)
        for step, right in enumerate(path):
            written = b"".join(self._draft.vocabulary.token_bytes[token] for token in path[:step])
            before = texts[0] + written.decode(errors="ignore")
            match = longest_match(before, texts, FROM[0])
            candidates = self._draft.next_candidates(0, [*ids, *path[:step]]).ids.tolist()
            model = candidates[(state.first_legal(candidates) or 0) if state is not None else 0]
            if match is not None:
                named = self._draft.tokenize(match.continuation)[0]
                if state is None or state.first_legal([named]) == 0:
                    row = self.counts[corpus.name, judge, max(one for one in FROM if one <= match.matched)]
                    _count(row, match=named == right, model=model == right)
            if state is not None:
                if state.first_legal([right]) is None:
                    return
                state.push(right)


def _count(row: list[int], *, match: bool, model: bool) -> None:
    for index, holds in enumerate((True, match, model, match and model, not match and not model)):
        row[index] += holds


def _texts(cursor: CursorPlace, files: Sequence[SourceFile]) -> list[str]:
    """Where matches are sought: before the cursor, after it, in the file that is open beside it."""
    other = files[(files.index(cursor.file) + 1) % len(files)]
    return [cursor.file.text[: cursor.offset], cursor.rest, other.text]


def _places(files: Sequence[SourceFile], count: int, source: random.Random) -> Iterator[CursorPlace]:
    """Anywhere but in the first third of a file and at its end."""
    for number in range(count):
        file = files[number % len(files)]
        yield CursorPlace(file, source.randrange(len(file.text) // 3, len(file.text) - 200))


def _corpus(name: str) -> Corpus:
    """Files of installed packages, the same ones each time."""
    scheme, pattern = FOLDERS[name]
    folder = Path(sysconfig.get_path(scheme))
    least, most = CHARACTERS
    sizes = {path: path.stat().st_size for path in sorted(folder.glob(pattern))}
    chosen = [path for path, size in sizes.items() if least <= size <= most]
    chosen = chosen[:: max(1, len(chosen) // FILES)][:FILES]
    if not chosen:
        raise SystemExit(f"no {name} files of {least} to {most} bytes are below {folder}")
    return Corpus(name, [SourceFile(path.name, path.read_text("utf-8")) for path in chosen], None)


def measure(names: Sequence[str], count: int, seed: int, threads: int) -> dict[str, object]:
    """The report: figures, rows and machine."""
    with ExitStack() as stack:
        file = resolve_draft_model("bundled", DraftConfig().cache_path)
        draft = stack.enter_context(
            LlamaEngine(
                file.path, n_context=WINDOW_TOKENS + 64, n_sequences=1, threads=threads, model_name=file.name
            )
        )
        model = load_gguf(bundled_model(), n_positions=WINDOW_TOKENS + 64)
        target = TargetText(
            TorchEngine(model, n_slots=1, chunk_tokens=WINDOW_TOKENS), 0, draft.vocabulary.stop_ids
        )
        bench = Bench(draft, target)
        for name in names:
            if name in FOLDERS:
                corpus = _corpus(name)
            else:
                language = language_of(name, seed)
                corpus = Corpus(name, language.files, states_of(language, draft.vocabulary))
            bench.measure(corpus, count, seed)
            rows = {f"{key[1]} {key[2]}": row for key, row in bench.counts.items() if key[0] == name}
            sys.stderr.write(f"drafters: {name}: {rows}\n")
    return {
        "figures": figures_of(bench.counts),
        "rows": {" ".join(map(str, key)): row for key, row in sorted(bench.counts.items())},
        "places": count,
        "seed": seed,
        "machine": machine_info(),
    }


def figures_of(counts: Counts) -> dict[str, float]:
    """The figures of the module's docstring, over all languages of a kind."""
    sums: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for (name, judge, least), row in counts.items():
        kind = judge if name in FOLDERS else f"grammar_{judge}"
        sums[kind, least] = [one + other for one, other in zip(sums[kind, least], row, strict=False)]
    figures: dict[str, float] = {}
    for (kind, least), (positions, match, model) in sorted(sums.items()):
        figures[f"match_right_{kind}_{least}"] = round(match / positions, 3)
        figures[f"model_right_{kind}_{least}"] = round(model / positions, 3)
        figures[f"positions_{kind}_{least}"] = positions
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.drafters",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--places", type=int, default=64, help="cursor places a language")
    parser.add_argument("--language", nargs="+", default=LANGUAGES, metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of the draft model")
    options = parser.parse_args()
    report = measure(options.language, options.places, options.seed, options.threads)
    sys.stdout.write(json.dumps(report, indent=None if options.json else 2) + "\n")


if __name__ == "__main__":
    main()
