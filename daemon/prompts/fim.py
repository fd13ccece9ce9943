"""Fill-in-the-middle layouts: in which order a model was trained to read what stands around the cursor. Pure.

    prefix-suffix-middle   PRE prefix SUF suffix MID |      every model with these tokens; llama.cpp's /infill
    suffix-prefix-middle   SUF suffix PRE prefix MID |      Seed-Coder, Mellum; llama.cpp's --spm-infill
                           PRE SUF suffix MID prefix |      StarCoder, StarCoder 2, Code Llama
                           SUF suffix PRE prefix |          Codestral

The first three are those of Bavarian et al. 2022, "Efficient training of language models to fill in the middle". Where
the suffix comes first, a typed key extends the prompt's end, or only MID stands behind it: the KV caches survive. Where
it comes last it is evaluated anew for every key, so there it is kept short.

"auto" takes the suffix first where a model is known to be trained so, else the prefix first. It is known by the text of
its prefix token, or by its architecture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from daemon.draft.engine import Vocabulary
from daemon.settings.config_sections import Fim

_SUFFIX_SHARE: Final = 4
"""One part of so many of the window is the suffix's, as llama.cpp's server has it."""
_MOST_EVALUATED_ANEW: Final = 64
"""Tokens of a suffix that is evaluated for every key."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the two texts stand, and the ids before, between and after them."""

    suffix_first: bool
    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]

    def arrange(self, prefix: Sequence[int], suffix: Sequence[int]) -> list[int]:
        """The prompt's ids."""
        first, second = (suffix, prefix) if self.suffix_first else (prefix, suffix)
        return [*self.before, *first, *self.between, *second, *self.after]

    @property
    def n_marks(self) -> int:
        """How many ids are neither prefix nor suffix."""
        return len(self.before) + len(self.between) + len(self.after)

    def suffix_room(self, room: int) -> int:
        """Tokens of the suffix at most, where there is room for `room` tokens of both texts and the marks."""
        share = room // _SUFFIX_SHARE
        return share if self.suffix_first else min(share, _MOST_EVALUATED_ANEW)


@dataclass(frozen=True, slots=True)
class _Order:
    suffix_first: bool
    before: tuple[str, ...]
    between: tuple[str, ...]
    after: tuple[str, ...] = ()


_PREFIX_FIRST: Final = _Order(False, ("fim_pre",), ("fim_suf",), ("fim_mid",))
_SUFFIX_FIRST: Final = _Order(True, ("fim_suf",), ("fim_pre",), ("fim_mid",))
_JOINED: Final = _Order(True, ("fim_pre", "fim_suf"), ("fim_mid",))
"""Prefix and middle are one text: nothing stands between the last key and what is generated."""
_WITHOUT_MIDDLE: Final = _Order(True, ("fim_suf",), ("fim_pre",))

_BY_PREFIX_TOKEN: Final = {
    b"<PRE>": _JOINED,  # Code Llama, infilling_prompt_tokens(suffix_first=True)
    b" <PRE>": _JOINED,
    b"[PREFIX]": _WITHOUT_MIDDLE,  # Codestral
    b"<[fim-prefix]>": _SUFFIX_FIRST,  # Seed-Coder, model card
}
_BY_ARCHITECTURE: Final = {"starcoder": _JOINED, "starcoder2": _JOINED}
"""Both were trained on both orders; BigCode's training code has this one for the suffix first."""


def layout_of(vocabulary: Vocabulary, wanted: Fim) -> Layout | None:
    """How prompts of this model are laid out; None if it can't fill in the middle, or is not to.

    An order that is wanted and that the model lacks the tokens for gives way to its own.
    """
    if wanted == "off" or "fim_pre" not in vocabulary.special_ids:
        return None
    trained = _trained_suffix_first(vocabulary)
    if wanted == "psm":
        orders = [_PREFIX_FIRST, trained]
    elif wanted == "spm":
        orders = [trained or _SUFFIX_FIRST, _PREFIX_FIRST]
    else:
        orders = [trained, _PREFIX_FIRST]
    layouts = (_with_ids(order, vocabulary.special_ids) for order in orders if order is not None)
    return next((layout for layout in layouts if layout is not None), None)


def _trained_suffix_first(vocabulary: Vocabulary) -> _Order | None:
    """The order with the suffix first that the model is known to have been trained on."""
    prefix_token = vocabulary.token_bytes[vocabulary.special_ids["fim_pre"]]
    return _BY_PREFIX_TOKEN.get(prefix_token) or _BY_ARCHITECTURE.get(vocabulary.architecture)


def _with_ids(order: _Order, special_ids: dict[str, int]) -> Layout | None:
    names = (order.before, order.between, order.after)
    if any(name not in special_ids for part in names for name in part):
        return None
    before, between, after = (tuple(special_ids[name] for name in part) for part in names)
    return Layout(order.suffix_first, before, between, after)
