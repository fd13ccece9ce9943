"""What is known of a document's grammars: what the draft loop gets of the grammar store. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grammars.compiled import CompiledGrammar
from grammars.engine import TokenTable
from grammars.interface import Recogniser
from grammars.islands import Island


@dataclass(frozen=True, slots=True, eq=False)
class LoadedGrammar:
    """A grammar that is ready for use with the draft model's vocabulary."""

    name: str
    file: Path
    compiled: CompiledGrammar
    template: Recogniser
    """At the start of a text; to be copied, never moved."""
    table: TokenTable
    examples: tuple[Path, ...]
    """Files of the language that lie beside the grammar."""


Islands = tuple[tuple[Island, LoadedGrammar | str], ...]
"""Where stretches of other languages begin and end in a text; of each its grammar, or why that is not there."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a grammar is not used as it should be, where only the user can mend that."""

    about: str
    """The same as long as it is the same matter: a file's path while that is being mended, say."""
    text: str


@dataclass(frozen=True, slots=True)
class DocumentGrammar:
    """The grammars of one document, as far as they are known now."""

    whole: LoadedGrammar | None
    """The document is of this language."""
    islands: Islands = ()
    reason: str = ""
    """Why there is none for the whole (yet)."""
    expected: bool = True
    """There should be one for the whole: it is on its way, or its user is to do something about it."""
    required: bool = False
    """Without one nothing is to be shown of the whole: its user has put one in force, or that is not known yet."""
    notes: tuple[str, ...] = ()
    """What else its author should know: a version of the file that has errors, islands without their grammar."""
    problems: tuple[Problem, ...] = ()
    """What of all that waits for the user."""

    @property
    def lack(self) -> str:
        """Why nothing is to be shown of the whole; empty where its grammar is there, or need not be."""
        return self.reason if self.required and self.whole is None else ""

    @property
    def line(self) -> str:
        """The state in one line for people."""
        parts = [self.reason if self.whole is None else f"masked by {self.whole.name}"]
        names = dict.fromkeys(one.name for _, one in self.islands if isinstance(one, LoadedGrammar))
        if names:
            parts.append(f"islands of {', '.join(names)}")
        return "; ".join([*parts, *self.notes])
