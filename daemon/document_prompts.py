"""The prompts of one document: how long they are, what stands first in them, what the next will begin with.

The ids are `daemon/prompt.py`'s, the exemplar before them is `daemon/exemplar_search.py`'s. Event loop only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from daemon.blocks import CHARACTERS_PER_TOKEN
from daemon.completion_settings import Settings
from daemon.documents import Document, Place
from daemon.engine import DraftEngine
from daemon.exemplar_search import ExemplarSearch
from daemon.fim import layout_of
from daemon.grammars.document_grammar import LoadedGrammar
from daemon.prompt import Prompt
from daemon.room import window_tokens


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What is known of a prompt before there is a key."""

    start: tuple[int, ...]
    """What every prompt of the document begins with."""
    ids: list[int]
    """A beginning of the next prompt, or what it is a beginning of."""


class DocumentPrompts:
    """One document's. `changed` is called when prompts begin with something else than before."""

    def __init__(self, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        self._exemplar = ExemplarSearch(clock, changed)
        self._prompt: Prompt | None = None

    def use(self, document: Document, grammar: LoadedGrammar | None, settings: Settings) -> None:
        """The document is of this grammar's language now (None: of none): look for its exemplar."""
        self._exemplar.use(document, grammar if settings.exemplar else None, settings.exclude)

    def ids(self, place: Place, engine: DraftEngine, settings: Settings, target: int | None) -> list[int]:
        """The prompt at `place`. target: tokens that the target can hold, if there is one."""
        return self._of(engine, settings, target).ids(place)

    @property
    def start(self) -> tuple[int, ...]:
        """What the last prompt began with, as all do until that changes."""
        return () if self._prompt is None else self._prompt.start

    @property
    def heading(self) -> str:
        """How the line begins in which prompts say that another file comes: a text ends before one."""
        return self._exemplar.heading

    def foreseen(
        self,
        document: Document,
        cursor: int | None,
        engine: DraftEngine,
        settings: Settings,
        target: int | None,
    ) -> Foreseen | None:
        """What the next prompt is known to begin with; None as long as the exemplar is looked for.

        cursor: where the user has written last. Where that is not known, any place of a text that fits the window has a
        beginning of it before it; of a longer text nothing is certain.
        """
        if self._exemplar.is_looking:
            return None
        prompt = self._of(engine, settings, target)
        if cursor is not None:
            return Foreseen(prompt.start, prompt.ids(Place(document, cursor)))
        return Foreseen(prompt.start, [*prompt.start, *_before_any_cursor(prompt, document.text, engine)])

    def close(self) -> None:
        """What is being looked for is of no use any more."""
        self._exemplar.close()

    def _of(self, engine: DraftEngine, settings: Settings, target: int | None) -> Prompt:
        window = window_tokens(settings.window_tokens, settings.completion, engine.n_context, target)
        separator = engine.vocabulary.special_ids.get("fim_sep")
        start = (*engine.prompt_start, *self._exemplar.ids(engine.tokenize, window, separator))
        layout = layout_of(engine.vocabulary, settings.completion.fim)
        known = self._prompt
        if known is None or (known.window_tokens, known.start, known.layout) != (window, start, layout):
            self._prompt = known = Prompt(
                engine.tokenize,
                window_tokens=window,
                splits_at_lines=engine.splits_at_lines,
                start=start,
                layout=layout,
            )
        return known


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
    ids = engine.tokenize(text)
    return [*marks, *ids] if len(ids) <= room else []
