"""The prompts of one document: how long they are, what stands first in them, what the next will begin with.

The ids are `prompt.py`'s. Before them stands the exemplar (`exemplar_search.py`) where the language has
one, else pieces of other files (`cross_file.py`). Event loop only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.completion_settings import Settings
from daemon.documents import Document, Place
from daemon.draft.engine import DraftEngine, Vocabulary
from daemon.grammars.document_grammar import LoadedGrammar
from daemon.grammars.places import document_path
from daemon.prompts.blocks import CHARACTERS_PER_TOKEN
from daemon.prompts.context_pieces import Piece
from daemon.prompts.cross_file import CrossFile, Wanted
from daemon.prompts.exemplar_search import ExemplarSearch
from daemon.prompts.fim import layout_of
from daemon.prompts.key_shapes import masked
from daemon.prompts.open_texts import OpenTexts
from daemon.prompts.opening import heading, line_comment_of, opening_ids
from daemon.prompts.prompt import Prompt
from daemon.prompts.room import window_tokens


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What is known of a prompt before there is a key."""

    start: tuple[int, ...]
    """What every prompt of the document begins with."""
    ids: list[int]
    """A beginning of the next prompt, or what it is a beginning of."""
    adopt: Callable[[], None] | None = None
    """Prompts begin otherwise as yet; to be called once this is read, which makes them begin so."""


class DocumentPrompts:
    """One document's. `changed` is called when prompts begin with something else than before."""

    def __init__(
        self, clock: Callable[[], float], changed: Callable[[], None], texts: OpenTexts | None = None
    ) -> None:
        """texts: what the document's user has around."""
        self._exemplar = ExemplarSearch(clock, changed)
        self._others = CrossFile(texts or OpenTexts(), clock, changed)
        self._document_name = ""
        self._language = ""
        self._prompt: Prompt | None = None
        self._next: Prompt | None = None
        """The one that is to take its place."""
        self._openings: dict[tuple[tuple[Piece, ...], int], tuple[int, ...]] = {}
        """Pieces and their budget as ids: the last two that were asked for."""

    def use(self, document: Document, grammar: LoadedGrammar | None, settings: Settings) -> None:
        """The document is of this grammar's language now (None: of none): look for what stands before it."""
        path = document_path(document.name)
        self._document_name = document.name if path is None else path.name
        self._language = document.language
        has_exemplar = grammar is not None and settings.exemplar
        self._exemplar.use(document, grammar if has_exemplar else None, settings.exclude)
        self._others.use(
            document, Wanted(0 if has_exemplar else settings.other_files_tokens, settings.exclude)
        )

    def ids(self, place: Place, engine: DraftEngine, settings: Settings, target: int | None) -> list[int]:
        """The prompt at `place`. target: tokens that the target can hold, if there is one."""
        if self._prompt is None:
            self._others.adopt()
        self._others.at(place)
        self._prompt = self._like(self._prompt, self._others.pieces, engine, settings, target)
        return self._prompt.ids(place)

    @property
    def start(self) -> tuple[int, ...]:
        """What the last prompt began with, as all do until that changes."""
        return () if self._prompt is None else self._prompt.start

    def read_on(self, vocabulary: Vocabulary, settings: Settings) -> bool:
        """Whether prompts have the text after the cursor as well."""
        return layout_of(vocabulary, settings.completion.fim) is not None

    @property
    def heading(self) -> str:
        """How the line begins in which prompts say that another file comes: a text ends before one."""
        return self._exemplar.heading or (
            heading(line_comment_of(self._language)) if self._others.pieces else ""
        )

    def foreseen(
        self,
        document: Document,
        cursor: int | None,
        engine: DraftEngine,
        settings: Settings,
        target: int | None,
    ) -> Foreseen | None:
        """What the next prompt is known to begin with; None as long as it is not known what stands before the document.

        cursor: where the user has written last. Where that is not known, any place of a text that fits the window has a
        beginning of it before it; of a longer text nothing is certain.
        """
        is_first = self._prompt is None
        if self._exemplar.is_looking or (is_first and self._others.is_looking):
            return None
        if is_first:
            self._others.adopt()
        offered = self._others.offered
        if offered is None:
            prompt = self._prompt = self._like(self._prompt, self._others.pieces, engine, settings, target)
        else:
            prompt = self._next = self._like(self._next, offered, engine, settings, target)
        if cursor is not None:
            ids = prompt.ids(Place(document, cursor))
        else:
            ids = [*prompt.start, *_before_any_cursor(prompt, document.text, engine)]
        return Foreseen(prompt.start, ids, None if offered is None else self._adopt)

    def close(self) -> None:
        """What is being looked for is of no use any more."""
        self._exemplar.close()
        self._others.close()

    def _adopt(self) -> None:
        self._others.adopt()
        self._prompt, self._next = self._next, None

    def _like(
        self,
        known: Prompt | None,
        pieces: Sequence[Piece],
        engine: DraftEngine,
        settings: Settings,
        target: int | None,
    ) -> Prompt:
        """The prompts with these pieces before the document; `known` if it is these."""
        window = window_tokens(settings.window_tokens, settings.completion, engine.n_context, target)
        separator = engine.vocabulary.special_ids.get("fim_sep")
        start = (
            *engine.prompt_start,
            *self._exemplar.ids(engine.tokenize, window, separator),
            *self._ids_of(pieces, min(settings.other_files_tokens, window // 2), engine, separator),
        )
        layout = layout_of(engine.vocabulary, settings.completion.fim)
        if known is not None and (known.window_tokens, known.start, known.layout) == (window, start, layout):
            return known
        return Prompt(
            engine.tokenize,
            window_tokens=window,
            splits_at_lines=engine.splits_at_lines,
            start=start,
            layout=layout,
        )

    def _ids_of(
        self, pieces: Sequence[Piece], budget: int, engine: DraftEngine, separator: int | None
    ) -> tuple[int, ...]:
        """What stands before the document of other files."""
        asked = (tuple(pieces), budget)
        if pieces and asked not in self._openings:
            ids = opening_ids(
                [(piece.name, piece.text) for piece in pieces],
                self._document_name,
                engine.tokenize,
                budget=budget,
                line_comment=line_comment_of(self._language),
                file_separator=separator,
            )
            self._openings = {**dict(list(self._openings.items())[-1:]), asked: tuple(ids)}
        return self._openings.get(asked, ())


def _before_any_cursor(prompt: Prompt, text: str, engine: DraftEngine) -> list[int]:
    """The ids of the text behind the start, if prompts at all of its places begin with them as far as they go."""
    layout, room = prompt.layout, prompt.window_tokens - len(prompt.start)
    marks: tuple[int, ...] = ()
    if layout is not None:
        if layout.suffix_first:
            return []
        marks, room = layout.before, room - layout.suffix_room(room) - layout.n_marks
    if len(text) > room * CHARACTERS_PER_TOKEN:
        return []
    ids = engine.tokenize(masked(text))
    return [*marks, *ids] if len(ids) <= room else []
