"""A run: one generation under way, who waits for it, and what the verifier has of it.

State only. The completer drives it (`daemon/completion.py`), the target's side of it is `daemon/target/target_side.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from daemon.api.messages import NothingReason
from daemon.documents import Place
from daemon.generation import Generation
from daemon.grammars.run_grammar import RunGrammar
from daemon.statistics import Drafter


@dataclass(eq=False)
class Run:
    """One generation under way."""

    generation: Generation
    started_at: float
    task: asyncio.Task[None] | None = None
    finished: bool = False
    """Nothing will be drafted or waited for any more."""
    ahead: bool = False
    """It begins behind what is shown, where the user may yet get to. Nobody waits for it; the target has no part."""
    begun: bool = False
    """The verifier was told of it, or could not be had when it should have been."""
    alone: bool = False
    """The target has no part any more: its words were none of the document's language, or the verifier gave it up."""
    offered: bool = False
    """Text of it was the answer to a request."""
    failure: NothingReason | None = None
    stopgap: str = ""
    """A text to show as long as neither model has said anything (`daemon/draft/text_drafts.py`)."""
    drafters: dict[int, Drafter] = field(default_factory=dict)
    """Who drafted the token that many tokens after the context."""
    evaluating: list[int] | None = None
    """The path whose next token the engine is looking for."""
    grammar: RunGrammar = field(default_factory=RunGrammar)
    healed: bool = False
    """A prompt that ended inside a token has been looked at (`daemon/prompts/healing.py`)."""
    awaited: bool = False
    """The verifier has the context, and its next verdict has not missed its deadline."""
    heard_at: float = 0.0
    """When the verifier was last heard of (or was given the context)."""
    allowance_s: float = 0.0
    """Extra time for the first verdict: the context has to be read."""
    _waiting: list[asyncio.Event] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return self.generation.place

    @property
    def known_text(self) -> str:
        """What there is to type along; of a run that is over, only what was found to fit."""
        text = self.generation.text().text
        return self.grammar.fitting(text, self.place.characters_after) if self.finished else text

    def draft(self, token: int, entropy: float, drafter: Drafter) -> None:
        """A token joins the generation's tail."""
        self.drafters[len(self.generation.generated)] = drafter
        self.generation.draft(token, entropy)

    def drafters_of_next(self, count: int) -> list[Drafter]:
        """Who drafted the next `count` tokens after the commit."""
        first = len(self.generation.committed)
        return [self.drafters.get(first + index, "model") for index in range(count)]

    def changed(self) -> None:
        """Wake who waits for news of this run."""
        for event in self._waiting:
            event.set()

    @contextlib.contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        """An event that is set at each change, for the time of the `with`."""
        event = asyncio.Event()
        self._waiting.append(event)
        try:
            yield event
        finally:
            self._waiting.remove(event)
