"""The engine over a vocabulary of single bytes: whether a text is allowed. For tests of what is emitted."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

_END = 256


class _Bytes:
    """What the engine's wrapper wants of a tokenizer."""

    eos_token_id = _END
    bos_token_id = None
    tokens: ClassVar = [*(bytes([one]) for one in range(256)), b"<end>"]
    special_token_ids: ClassVar = [_END]

    def __call__(self, text: bytes | str) -> list[int]:
        return list(text.encode() if isinstance(text, str) else text)


@cache
def _tokenizer() -> Any:
    return LLTokenizer(TokenizerWrapper(_Bytes()))


class ByteEngine:
    """One grammar, loaded."""

    def __init__(self, emitted: str) -> None:
        self._matcher = LLMatcher(_tokenizer(), LLMatcher.grammar_from_lark(emitted))
        error = self._matcher.get_error() if self._matcher.is_error() else ""
        assert not error, f"{error}\n{emitted}"

    def allowed(self, text: str) -> int:
        """How many bytes of the text are allowed, from its beginning."""
        self._matcher.reset()
        return self._matcher.try_consume_tokens(list(text.encode()))

    def accepts(self, text: str) -> bool:
        """Whether the whole text is allowed, and may end there."""
        return self.allowed(text) == len(text.encode()) and self._matcher.is_accepting()

    def rejected(self, text: str) -> bool:
        """Whether a byte of the text is refused, or the text may not end there."""
        return not self.accepts(text)
