"""Which terminals may be taken for a literal: those that match its text, and those that go on after it.

A terminal stands at many places of a grammar; the places are bits here. What a terminal matches is asked of the caller.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from grammars.form import Literal
from grammars.passes.following import Terminal


class Alike:
    """Which terminals may match the same text, as bits of all places where they stand; perhaps more of them."""

    def __init__(
        self,
        kinds: Mapping[Terminal, Terminal],
        at: Mapping[Terminal, int],
        named: Callable[[str, Terminal], bool],
    ) -> None:
        """`kinds`: place -> what stands there; `at`: place -> its bit.

        `named`: whether a terminal of a name may match a text that the other does.
        """
        self._kinds = kinds
        self._at = dict.fromkeys(kinds.values(), 0)
        self._named = [kind for kind in self._at if isinstance(kind, str)]
        self._literals: dict[str, list[Literal]] = {}
        """By their text in lower case."""
        for key, kind in kinds.items():
            self._at[kind] |= at[key]
        for kind in self._at:
            if isinstance(kind, Literal):
                self._literals.setdefault(kind.text.lower(), []).append(kind)
        self._texts = sorted(self._literals)
        self._alike = dict(self._at)
        for alike in self._literals.values():
            places = sum(self._at[one] for one in alike)
            self._alike.update(dict.fromkeys(alike, places))
        for one in self._named:
            for other in self._at:
                if one != other and named(one, other):
                    self._alike[one] |= self._at[other]
                    self._alike[other] |= self._at[one]

    def of(self, key: Terminal) -> int:
        """The terminals like the one that stands at a place, itself among them."""
        return self._alike[self._kinds.get(key, key)]

    def going_on(self, literal: Literal, goes_on: Callable[[Terminal, Literal], bool]) -> int:
        """The terminals that go on after the literal's text."""
        able: list[Terminal] = [*self._named, *self._beginning_with(literal.text.lower())]
        return sum(self._at[kind] for kind in able if goes_on(kind, literal))

    def _beginning_with(self, text: str) -> Iterator[Literal]:
        """Whatever the case of their letters. Texts with one beginning are neighbours in the alphabet."""
        for index in range(bisect_left(self._texts, text), len(self._texts)):
            if not self._texts[index].startswith(text):
                return
            yield from self._literals[self._texts[index]]


def without_rivals(
    able: set[str],
    places: Mapping[str, Literal],
    rivals: dict[Literal, int],
    beside: Mapping[Terminal, int],
    at: Mapping[Terminal, int],
) -> set[str]:
    """The places where nothing else may be taken for the literal; what drops out is a rival of those that stay."""
    while True:
        dropped = {name for name in able if beside[name] & rivals[places[name]]}
        if not dropped:
            return able
        for name in dropped:
            rivals[places[name]] |= at[name]
        able = able - dropped
