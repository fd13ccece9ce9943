"""One DSL in one setting, all variants at every place: the loop of `benchmarks.dsl_acceptance`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from benchmarks.dsl.drafts import SUGGESTION_TOKENS, Drafter, Policy
from benchmarks.dsl.grammars import Language, states_of
from benchmarks.dsl.places import CursorPlace, Setting, places, prompt_for, truth_after
from benchmarks.dsl.suggestions import SUFFIX_CHARACTERS, judged
from benchmarks.dsl.tallies import Rounds, Suggestions
from benchmarks.dsl.targets import StrictTarget, TargetText
from daemon.draft.engine import DraftEngine
from daemon.prompts.prompt import Prompt
from grammars.interface import CursorState
from speculation.paths import common_length
from verifier.engine import TargetEngine

MAIN_DRAFT: Final = "bundled"
POOR_DRAFT: Final = "shallow28"
SUGGEST_EVERY: Final = 4
"""Every so many places whole suggestions are written, and the strict target asked."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way of drafting that is measured."""

    name: str
    policy: Policy
    exemplars: Mapping[Setting, bool]
    """In which settings it is measured, and whether another file stands first there."""


VARIANTS: Final = (
    Variant("plain", Policy(), {"cold": False, "warm": True}),
    Variant("masked", Policy(masked=True), {"cold": False, "warm": True}),
    Variant("exemplar", Policy(), {"cold": True}),
    Variant("exemplar_masked", Policy(masked=True), {"cold": True}),
    Variant("best", Policy(masked=True, matches=True), {"cold": True, "warm": True}),
    Variant("alone", Policy(masked=True), {"warm": False}),
)
SUGGESTED: Final = ("plain", "masked", "best")
STRICT: Final = ("masked",)
"""Judged by a target that is masked as well, too."""


@dataclass(slots=True)
class Counts:
    """All tallies of one DSL in one setting."""

    rounds: defaultdict[tuple[str, str, str], Rounds] = field(default_factory=lambda: defaultdict(Rounds))
    """By draft, variant and target."""
    suggestions: defaultdict[tuple[str, str], Suggestions] = field(
        default_factory=lambda: defaultdict(Suggestions)
    )
    """By variant, and "draft" or "verified"."""

    def figures(self, suffix: str) -> dict[str, float]:
        """The figures of the module's docstring."""
        found: dict[str, float] = {}
        for variant in ("plain", "masked", "best"):
            found[f"{variant}_{suffix}"] = self.rounds[MAIN_DRAFT, variant, "target"].acceptance
            found[f"{variant}_{suffix}_{POOR_DRAFT}"] = self.rounds[POOR_DRAFT, variant, "target"].acceptance
            found[f"{variant}_{suffix}_truth"] = self.rounds[MAIN_DRAFT, variant, "truth"].acceptance
        for variant in ("plain", "masked"):
            found[f"legal_{variant}_{suffix}"] = self.suggestions[variant, "draft"].report()["legal"]
        return found

    def rows(self) -> dict[str, dict[str, float]]:
        """Everything that was counted."""
        rounds = {" ".join(key): tally.report() for key, tally in sorted(self.rounds.items())}
        suggestions = {
            f"suggestion {' '.join(key)}": tally.report() for key, tally in sorted(self.suggestions.items())
        }
        return rounds | suggestions


class Bench:
    """The models, and one DSL after another measured with them."""

    def __init__(
        self, engines: Mapping[str, DraftEngine], target: TargetEngine, strict: StrictTarget
    ) -> None:
        stop_ids = engines[MAIN_DRAFT].vocabulary.stop_ids
        self._main, self._drafts = engines[MAIN_DRAFT], tuple(engines)
        self._drafters = {
            (name, exemplar): Drafter(engine, sequence)
            for name, engine in engines.items()
            for sequence, exemplar in enumerate((False, True))
        }
        self._targets = {exemplar: TargetText(target, exemplar, stop_ids) for exemplar in (False, True)}
        self._strict = strict

    def measure(self, language: Language, setting: Setting, count: int) -> Counts:
        """All variants at about `count` places of the language's files."""
        counts = Counts()
        states = states_of(language, self._main.vocabulary)
        prompts: dict[tuple[str, bool], Prompt] = {}
        for number, cursor in enumerate(
            places(language.files, setting, count, self._main, language.line_comment)
        ):
            file = cursor.file
            for exemplar in (False, True):
                if (file.path, exemplar) not in prompts:
                    others = language.project if exemplar else ()
                    prompts[file.path, exemplar] = prompt_for(
                        file, others, language.line_comment, self._main, cold=setting == "cold"
                    )
                ids = prompts[file.path, exemplar].ids(cursor.place)
                state = states(cursor)
                variants = [one for one in VARIANTS if one.exemplars.get(setting) is exemplar]
                self._blocks(counts, cursor, ids, state, variants, exemplar=exemplar)
                if number % SUGGEST_EVERY == 0:
                    self._suggestions(counts, cursor, ids, state, variants, exemplar=exemplar)
                    self._strictly(counts, ids, state, variants, exemplar=exemplar)
        return counts

    def _blocks(
        self,
        counts: Counts,
        cursor: CursorPlace,
        ids: Sequence[int],
        state: CursorState,
        variants: Sequence[Variant],
        *,
        exemplar: bool,
    ) -> None:
        """One block of every draft and variant, judged by the target and by the file."""
        truth = truth_after(cursor, self._main)
        for draft in self._drafts:
            for variant in variants:
                block = self._drafters[draft, exemplar].block(ids, state, variant.policy).block
                accepted = self._targets[exemplar].accepted(ids, block)
                counts.rounds[draft, variant.name, "target"].add(len(block), accepted)
                counts.rounds[draft, variant.name, "truth"].add(len(block), common_length(block, truth))

    def _strictly(
        self,
        counts: Counts,
        ids: Sequence[int],
        state: CursorState,
        variants: Sequence[Variant],
        *,
        exemplar: bool,
    ) -> None:
        """A masked block of every draft, judged by a target that is masked as well."""
        for draft in self._drafts:
            for variant in variants:
                if variant.name in STRICT:
                    block = self._drafters[draft, exemplar].block(ids, state, variant.policy).block
                    accepted = self._strict.accepted(ids, block, state)
                    counts.rounds[draft, variant.name, "strict"].add(len(block), accepted)

    def _suggestions(
        self,
        counts: Counts,
        cursor: CursorPlace,
        ids: Sequence[int],
        state: CursorState,
        variants: Sequence[Variant],
        *,
        exemplar: bool,
    ) -> None:
        """What the main draft would show, without and with the verifier."""
        suffix = cursor.rest[:SUFFIX_CHARACTERS].encode()
        for variant in variants:
            if variant.name in SUGGESTED:
                drafted = self._drafters[MAIN_DRAFT, exemplar].draft(
                    ids, state, variant.policy, SUGGESTION_TOKENS
                )
                texts = {
                    "draft": drafted.ids,
                    "verified": self._targets[exemplar].text(ids, SUGGESTION_TOKENS),
                }
                for kind, tokens in texts.items():
                    shown = self._up_to_line_end(tokens)
                    if shown:
                        counts.suggestions[variant.name, kind].add(judged(state, shown, suffix))

    def _up_to_line_end(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of the tokens up to the one that ends a line with text in it."""
        pieces = [self._main.vocabulary.token_bytes[token] for token in tokens]
        for count, text in enumerate(accumulate(pieces), 1):
            if b"\n" in text.lstrip():
                return pieces[:count]
        return pieces
