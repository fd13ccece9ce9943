"""The one door to llguidance: a vocabulary as it wants it, and a grammar loaded into it.

A matcher that is kept gets only the calls that leave it whole (`validate_tokens`, `try_consume_tokens`): llguidance
never forgives an illegal `consume_tokens`. What still goes wrong in there (limits, panics of the Rust side) comes out
as RecogniserFailed or GrammarError. This module knows nothing of cursors, files or threads.

llguidance itself is imported where something is first made of it: 10 to 100 ms that no process pays at its start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from grammars.compiled import CompiledGrammar
from grammars.diagnostics import Diagnostic, GrammarError
from grammars.interface import RecogniserFailed
from grammars.pieces import PieceIndex

if TYPE_CHECKING:
    from llguidance import LLTokenizer

_MOST_ITEMS: Final = 200_000
"""Of a step: about 10 ms for a mask. Over 152k tokens a SQL of 130 rules needs over 20,000 (4 ms), PromQL over 100,000
(6 ms); a recogniser that was stopped is lost, one that is slow only late."""
_MOST_ITEMS_IN_A_ROW: Final = 20_000
"""Of what may come next at one place, literals one by one; what takes too long is found out before it is used."""
_MOST_LEXER_FUEL: Final = 1_000_000
"""Of a step: about 70 ms at the first masks of a list of 10,000 words (20 ms for 5,000), and never again."""

_R = TypeVar("_R")


class TokenTable:
    """A vocabulary prepared for the engine: once per draft model, shared by all grammars (0.15 s and 20 MB at 49k).

    The engine gets an id for every byte that has no token of its own (after the vocabulary's), so that any bytes
    can be followed, and one at a time. No control or stop token stands for text.
    """

    def __init__(
        self, token_bytes: Sequence[bytes], *, control_ids: Collection[int], stop_ids: Collection[int]
    ) -> None:
        self.n_vocab: Final = len(token_bytes)
        """The width of the model's row of logits."""
        self.stop_ids: Final = frozenset(stop_ids)
        self.control_ids: Final = frozenset(control_ids) - self.stop_ids
        unusable = self.stop_ids | self.control_ids
        self.token_bytes: Final = tuple(
            b"" if token in unusable else bytes(piece) for token, piece in enumerate(token_bytes)
        )
        """Shape [n_vocab]; empty for those that stand for no text."""
        single = {piece[0]: token for token, piece in enumerate(self.token_bytes) if len(piece) == 1}
        missing = [byte for byte in range(256) if byte not in single]
        single.update({byte: self.n_vocab + n for n, byte in enumerate(missing)})
        self.byte_tokens: Final = tuple(single[byte] for byte in range(256))
        """Shape [256]; the engine's id of each byte by itself."""
        self._words: Final = (*self.token_bytes, *(bytes([byte]) for byte in missing))
        self.tokenizer: Final = _tokenizer(self._words)
        self.pieces: Final = PieceIndex(self.token_bytes)
        """The tokens by their text."""
        self.n_words: Final = len(self._words)
        """Ids of the engine: the vocabulary's, and those of the bytes that it lacks."""

    def greedy(self, data: bytes) -> list[int]:
        """The longest token again and again, as the engine's ids: what it follows are bytes, however they are cut.

        `data` may begin and end inside a character, or be no UTF-8 at all.
        """
        tokens: list[int] = []
        while True:
            try:
                return tokens + self.tokenizer.greedy_tokenize(data.decode())
            except UnicodeDecodeError as error:
                tokens += self.tokenizer.greedy_tokenize(data[: error.start].decode())
                tokens += [self.byte_tokens[byte] for byte in data[error.start : error.end]]
                data = data[error.end :]

    def length(self, token: int) -> int:
        """How many bytes an id of the engine stands for."""
        return len(self._words[token])

    def single_bytes(self, token: int) -> list[int]:
        """The token's bytes, each as an id of its own."""
        return [self.byte_tokens[byte] for byte in self._words[token]]


def _tokenizer(words: tuple[bytes, ...]) -> LLTokenizer:
    from llguidance import LLTokenizer, TokenizerWrapper

    return LLTokenizer(TokenizerWrapper(_Words(words)))


class _Words:
    """What llguidance's TokenizerWrapper asks of a tokenizer."""

    bos_token_id = None

    def __init__(self, words: tuple[bytes, ...]) -> None:
        self.eos_token_id = len(words)
        self.tokens = (*words, b"end")
        self.special_token_ids = [self.eos_token_id]
        """The end of text is decided in `grammars/cursor.py`: the engine gets one that nobody ever sends."""

    def __call__(self, text: bytes | str) -> list[int]:
        return []


class LlguidanceRecogniser:
    """`grammars.interface.Recogniser` by an LLMatcher. Not thread-safe."""

    __slots__ = ("_bits", "_failure", "_matcher", "_table")

    def __init__(self, matcher: Any, table: TokenTable) -> None:
        self._matcher = matcher
        self._table = table
        self._bits: NDArray[np.int32] | None = None
        self._failure = ""

    def consume(self, tokens: Sequence[int]) -> int:
        """As many of `tokens` as are allowed; 5-15 us each."""
        count: int = self._call(self._matcher.try_consume_tokens, self._checked(tokens))
        if count < len(tokens):
            self._check()
        return count

    def consume_pieces(self, pieces: Sequence[Sequence[int]]) -> int:
        """As many of `pieces` as are allowed from end to end; half as long as `consume`, and 0.1 ms for 2 kB behind.

        `consume_tokens` does not try each token first, as `try_consume_tokens` does, but is lost at an illegal one:
        so a copy goes ahead.
        """
        ahead: Any = self._call(self._matcher.deep_copy)
        for count, piece in enumerate(pieces):
            if not self._call(ahead.consume_tokens, self._checked(piece)):
                for allowed in pieces[:count]:
                    self._call(self._matcher.consume_tokens, allowed)
                return count
        self._matcher = ahead
        return len(pieces)

    def valid(self, tokens: Sequence[int]) -> int:
        """How many `consume` would take; about 1 us for one, however large the vocabulary."""
        count: int = self._call(self._matcher.validate_tokens, self._checked(tokens))
        if count < len(tokens):
            self._check()
        return count

    def rollback(self, count: int) -> None:
        """Take back `count` tokens; about 3 us for 32."""
        if count and not self._call(self._matcher.rollback, count):
            self._check()

    def mask(self) -> NDArray[np.bool_]:
        """Shape [n_vocab]; up to some milliseconds."""
        if self._bits is None:
            words = self._table.tokenizer.vocab_size
            self._bits = np.zeros((words + 31) // 32, dtype=np.int32)
        self._call(self._matcher.unsafe_compute_mask_ptr, self._bits.ctypes.data, self._bits.nbytes)
        self._check()
        unpacked = np.unpackbits(self._bits.view(np.uint8), count=self._table.n_vocab, bitorder="little")
        return unpacked.view(np.bool_)

    def accepting(self) -> bool:
        """Whether the text may end here."""
        return bool(self._call(self._matcher.is_accepting))

    def copy(self) -> LlguidanceRecogniser:
        """A deep copy: 0.03 ms at the start of a text, some milliseconds after 20 kB of it."""
        return LlguidanceRecogniser(self._call(self._matcher.deep_copy), self._table)

    def _call(self, method: Callable[..., _R], *args: object) -> _R:
        if self._failure:
            raise RecogniserFailed(self._failure)
        try:
            return method(*args)
        except BaseException as error:
            self._failure = _panic(error)
            raise RecogniserFailed(self._failure) from error

    def _check(self) -> None:
        if self._matcher.is_error():
            self._failure = _in_a_line(self._matcher.get_error())
            raise RecogniserFailed(self._failure)

    def _checked(self, tokens: Sequence[int]) -> Sequence[int]:
        """An id that the engine does not have would make it fail for ever."""
        if tokens and not (min(tokens) >= 0 and max(tokens) < self._table.n_words):
            raise ValueError(f"tokens out of range: {min(tokens)} to {max(tokens)} of {self._table.n_words}")
        return tokens


def load(compiled: CompiledGrammar, table: TokenTable) -> LlguidanceRecogniser:
    """The grammar at the start of a text; some 10 ms. Raises GrammarError if the engine does not take it."""
    from llguidance import LLMatcher, LLParserLimits

    limits = LLParserLimits(
        verbose_errors=False,
        step_max_items=_MOST_ITEMS,
        max_items_in_row=_MOST_ITEMS_IN_A_ROW,
        step_lexer_fuel=_MOST_LEXER_FUEL,
    )
    grammar = LLMatcher.grammar_from_lark(compiled.text)
    try:
        matcher = LLMatcher(table.tokenizer, grammar, log_level=0, limits=limits)
    except BaseException as error:
        raise _refused(compiled, _panic(error)) from error
    if matcher.is_error():
        raise _refused(compiled, _in_a_line(matcher.get_error()))
    return LlguidanceRecogniser(matcher, table)


def _refused(compiled: CompiledGrammar, message: str) -> GrammarError:
    """The engine's message, in the author's names."""
    named = re.sub(r"\b\w+\b", lambda word: compiled.names.get(word[0], word[0]), message)
    return GrammarError(
        [
            Diagnostic(
                "error",
                "engine",
                f"the grammar can't be loaded: {named}",
                "make its terminals and repetitions simpler, or fewer",
            )
        ]
    )


def _panic(error: BaseException) -> str:
    """What went wrong on llguidance's Rust side, for a panic (no Exception for Python); raises anything else again."""
    if type(error).__name__ != "PanicException":
        raise error
    return f"the engine failed: {_in_a_line(str(error))}"


def _in_a_line(message: str) -> str:
    """The first line of a message that goes on with excerpts and states."""
    return message.strip().partition("\n")[0][:300] or "no reason given"
