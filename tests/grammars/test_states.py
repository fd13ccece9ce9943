"""A document and its states under any order of events, against states made anew for every question."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import grammars
from benchmarks.dsl.files import generated
from grammars.compiled import CompiledGrammar
from grammars.compiler import compile_text
from grammars.cursor import GrammarState
from grammars.document import GrammarDocument
from grammars.engine import LlguidanceRecogniser, TokenTable, load
from grammars.interface import CursorState, Rejection

LIBRARY: Final = Path(grammars.__file__).parent / "library"
NAMES: Final = ("fsm_zh", "st", "promql")
WORDS: Final = (
    "状态", "转到", "：", "；", "＝", " 当", "{\n", "}\n", "END_", "VAR", ":=", "; ", " (", ")", "sum", "rate", "[5m]",
    '{a="b"}', " and ", "0..", "1.5", "\n  ", "x", " y", "//", "(*", "*)", "“", "”",
)  # fmt: skip
PIECES: Final = (
    *(bytes([byte]) for byte in range(256)),
    *map(str.encode, WORDS),
    "状".encode()[:2],
    b"\x8a\xe6",
    b"<end>",
)
TABLE: Final = TokenTable(PIECES, control_ids=(), stop_ids=(len(PIECES) - 1,))
FRAGMENTS: Final = ("", "\n", ";", "；", "x", "状态 甲 {", "}", " := 1;", "up\n", "(", "甲", " ")


@cache
def template(name: str) -> tuple[CompiledGrammar, LlguidanceRecogniser]:
    [file] = (LIBRARY / name).glob("grammar.*")
    compiled = compile_text(file.read_text(), file_name=file.name)
    return compiled, load(compiled, TABLE)


@cache
def sample(name: str) -> str:
    return generated(name, 1_500, 3)[:1_500]


class States(RuleBasedStateMachine):
    """Edits and cursors, pushes and pops; after each, the state answers as one that was made for the text alone."""

    @initialize(name=st.sampled_from(NAMES))
    def begin(self, name: str) -> None:
        compiled, recogniser = template(name)
        self.name = name
        self.document = GrammarDocument(recogniser, compiled, TABLE)
        self.text = sample(name)
        self.state: CursorState = self.document.at(self.text, 0)
        self.cursor = 0
        self.pushed: list[bytes] = []

    @rule(place=st.floats(0, 1))
    def move(self, place: float) -> None:
        self.cursor = round(place * len(self.text))
        self.state, self.pushed = self.document.at(self.text, self.cursor), []

    @rule(place=st.floats(0, 1), removed=st.integers(0, 5), inserted=st.sampled_from(FRAGMENTS))
    def edit(self, place: float, removed: int, inserted: str) -> None:
        at = round(place * len(self.text))
        self.text = self.text[:at] + inserted + self.text[at + removed :]
        self.move(place)

    @rule(count=st.integers(1, 8))
    def push_what_stands_there(self, count: int) -> None:
        rest = self.text.encode()[len(self._before()) :]
        for token in [
            one for one in TABLE.greedy(rest.decode(errors="ignore").encode()) if one < len(PIECES)
        ][:count]:
            self._push(token)

    @rule(token=st.integers(0, len(PIECES) - 1))
    def push_any(self, token: int) -> None:
        self._push(token)

    def _push(self, token: int) -> None:
        may_come = self.state.first_legal([token]) == 0
        assert self.state.push(token) == may_come or self.state.mode.kind == "unmasked"
        if may_come and self.state.mode.kind != "unmasked" and token != len(PIECES) - 1:
            self.pushed.append(PIECES[token])
        else:
            self.state.pop(1)

    @rule(data=st.data())
    def pop(self, data: st.DataObject) -> None:
        count = data.draw(st.integers(0, len(self.pushed)))
        self.state.pop(count)
        self.pushed = self.pushed[: len(self.pushed) - count]

    @precondition(lambda self: self.state.mode.kind == "masked")
    @rule(fragment=st.sampled_from(FRAGMENTS))
    def advance(self, fragment: str) -> None:
        """It says how far the text goes, as `extend` does, and leaves the state as it was."""
        data = fragment.encode()
        after = self.state.advance(data)
        taken = self.state.extend(data)
        self.state.pop(1)
        assert (after.position if isinstance(after, Rejection) else len(data)) == taken

    def _before(self) -> bytes:
        return self.text[: self.cursor].encode() + b"".join(self.pushed)

    @invariant()
    def it_answers_like_a_new_one(self) -> None:
        if self.state.mode.kind != "masked":
            return
        recogniser = template(self.name)[1].copy()
        tokens = TABLE.greedy(self._before())
        assert recogniser.consume(tokens) == len(tokens)
        fresh = GrammarState(recogniser, TABLE)
        assert (self.state.mask() == fresh.mask()).all()
        assert self.state.is_complete() == fresh.is_complete()


States.TestCase.settings = settings(max_examples=30, stateful_step_count=25)
TestStates = States.TestCase
