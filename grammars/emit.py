"""A grammar whose rules are marked as terminals or not, written down in the engine's own language.

That is llguidance's dialect of Lark: ASCII names, terminals as regular expressions of Rust's regex crate, `&` and `~`
for exclusions between terminals. Nothing is decided here that changes which texts are allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from grammars.characters import has_case
from grammars.form import (
    ANY_CHARACTER,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    Sequence,
    references,
    walk,
)

HEADER: Final = '%llguidance {"allow_initial_skip": true, "no_forcing": true}'
NEVER: Final = "NEVER_"
"""A terminal that matches nothing: with it after the whole text, the engine still skips blanks there."""

ANYTHING: Final = CharacterSet(((0, 0x10FFFF),))
"""Any character, listed."""

_LINE: Final = 100
_TAKEN: Final = frozenset({"start", NEVER})
_CONTROLS: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SPECIAL: Final = frozenset("\\/.^$|()[]{}*+?-&~#\"'<>=!:,;@%_` ") - frozenset("\"'<>=!:,;@%_` ")


@dataclass(frozen=True, slots=True)
class Emitted:
    """What the engine loads."""

    text: str
    names: Mapping[str, str] = field(default_factory=dict)
    """Emitted name -> the grammar's."""


def emit(grammar: Grammar, ignored: CharacterSet | None = None) -> Emitted:
    """The grammar as text; every rule in it has `lexical` set. `ignored`: blanks skipped beside `grammar.skip`."""
    used = _terminals_used(grammar)
    names = _names(grammar, used)
    writer = _Writer(grammar.rules, names)
    end = f" {NEVER}?" if grammar.skip or ignored else ""
    lines = [HEADER, f"start: {names[grammar.start]}{end}"]
    for name, rule in grammar.rules.items():
        if not rule.lexical:
            lines.append(f"{names[name]}: {writer.body(rule.expression)}")
    for name in used:
        lines.append(f"{names[name]}: {writer.terminal(Reference(name))}")
    if end:
        lines.append(f"{NEVER}: /[^\\x{{0}}-\\x{{10FFFF}}]/")
    lines.extend(f"%ignore {names[name]}" for name in grammar.skip)
    if ignored:
        lines.extend(f"%ignore /{blanks}/" for blanks in _blanks(ignored))
    return Emitted("\n".join(lines) + "\n", {emitted: name for name, emitted in names.items()})


def regex(expression: Expression, rules: Mapping[str, Rule]) -> str | None:
    """A regular expression for a terminal's expression; None where it takes `&` and `~` between terminals."""
    return _Writer(rules, {}).regex(expression)


def character_class(characters: CharacterSet) -> str:
    """The set as a class, brackets included. Shape: `[^a-z\\p{Han}]`."""
    if characters.negated and not characters.ranges and not characters.properties:
        return "(?s:.)"
    return f"[{'^' if characters.negated else ''}{_class_body(characters)}]"


def _class_body(characters: CharacterSet) -> str:
    ranges = [
        _in_class(first) if first == last else f"{_in_class(first)}-{_in_class(last)}"
        for first, last in characters.ranges
    ]
    properties = [
        f"\\P{{{name[1:]}}}" if name.startswith("^") else f"\\p{{{name}}}" for name in characters.properties
    ]
    return "".join((*ranges, *properties)) or "^\\x{0}-\\x{10FFFF}"


def _in_class(code: int) -> str:
    character = chr(code)
    if character in _CONTROLS:
        return _CONTROLS[character]
    if character in "\\/[]^-&~":
        return "\\" + character
    return character if character.isprintable() else f"\\x{{{code:X}}}"


def _escaped(text: str) -> str:
    return "".join(
        _CONTROLS.get(one)
        or ("\\" + one if one in _SPECIAL else one if one.isprintable() else f"\\x{{{ord(one):X}}}")
        for one in text
    )


@dataclass(slots=True)
class _Writer:
    rules: Mapping[str, Rule]
    names: Mapping[str, str]
    _cache: dict[str, str | None] = field(default_factory=dict)

    def body(self, expression: Expression) -> str:
        """A rule's expression, its alternatives on lines of their own where they are long."""
        if not isinstance(expression, Choice):
            return self._rule(expression)
        alternatives = [self._rule(one) for one in expression.alternatives]
        long = sum(map(len, alternatives)) > _LINE
        return ("\n    | " if long else " | ").join(alternatives)

    def _rule(self, expression: Expression) -> str:
        match expression:
            case Literal(text, ignore_case):
                return self._literal(text, ignore_case=ignore_case)
            case Reference(name):
                return self.names[name]
            case Sequence(items):
                return " ".join(map(self._rule_part, items)) or '""'
            case Choice(alternatives):
                return f"({' | '.join(map(self._rule, alternatives))})"
            case Repeat(item, least, bound):
                inner = self._rule(item)
                simple = isinstance(item, (Literal, Choice, Reference))
                return (inner if simple else f"({inner})") + _count(least, bound)
            case _:
                raise AssertionError(f"{type(expression).__name__} is not in a terminal")

    def _rule_part(self, expression: Expression) -> str:
        return self._rule(expression)

    def _literal(self, text: str, *, ignore_case: bool) -> str:
        if not all(one.isprintable() or one in _CONTROLS for one in text):
            return f"/{_insensitive(text) if ignore_case else _escaped(text)}/"
        return json.dumps(text, ensure_ascii=False) + ("i" if ignore_case and has_case(text) else "")

    def terminal(self, expression: Expression) -> str:
        """A terminal's expression: one regular expression, or several put together."""
        plain = self.regex(expression)
        if plain is not None:
            return f"/{plain}/" if plain else '""'
        match expression:
            case Reference(name):
                return self.terminal(self.rules[name].expression)
            case Sequence(items):
                return f"({' '.join(map(self.terminal, items))})"
            case Choice(alternatives):
                return f"({' | '.join(map(self.terminal, alternatives))})"
            case Repeat(item, least, bound):
                return f"({self.terminal(item)}){_count(least, bound)}"
        assert isinstance(expression, Exclusion), "all else is a regular expression"
        return f"({self.terminal(expression.item)} & ~{self.terminal(expression.excluded)})"

    def regex(self, expression: Expression) -> str | None:
        """The expression as a regular expression, None where that takes an exclusion."""
        match expression:
            case Literal(text, ignore_case):
                return _insensitive(text) if ignore_case else _escaped(text)
            case CharacterSet():
                return character_class(expression)
            case Reference(name):
                if name not in self._cache:
                    self._cache[name] = self.regex(self.rules[name].expression)
                return self._cache[name]
            case Sequence(items):
                return self._together(items, "", grouped=lambda one: isinstance(self._target(one), Choice))
            case Choice(alternatives):
                return self._together(alternatives, "|", grouped=lambda one: False)
            case Repeat(item, least, bound):
                inner = self.regex(item)
                return inner and (inner if _is_atom(inner) else f"(?:{inner})") + _count(least, bound)
            case Exclusion(item, excluded):
                return self._class_difference(item, excluded)
            case _:
                raise AssertionError("patterns are read into the form before they are written")

    def _target(self, expression: Expression) -> Expression:
        while isinstance(expression, Reference):
            expression = self.rules[expression.name].expression
        return expression

    def _together(
        self, items: tuple[Expression, ...], between: str, grouped: Callable[[Expression], bool]
    ) -> str | None:
        texts = []
        for item in items:
            text = self.regex(item)
            if text is None:
                return None
            texts.append(f"(?:{text})" if grouped(item) else text)
        return between.join(texts)

    def _class_difference(self, item: Expression, excluded: Expression) -> str | None:
        """`[a&&[^b]]` where both are single characters."""
        one, other = self._one_set(item), self._one_set(excluded)
        if one is None or other is None:
            return None
        if not (other.ranges or other.properties):
            return character_class(one)
        inverse = CharacterSet(other.ranges, other.properties, not other.negated)
        return f"[{character_class(one)}&&{character_class(inverse)}]"

    def _one_set(self, expression: Expression) -> CharacterSet | None:
        target = self._target(expression)
        match target:
            case CharacterSet():
                return ANYTHING if target == ANY_CHARACTER else target
            case Literal(text, ignore_case) if len(text) == 1 and not (ignore_case and has_case(text)):
                return CharacterSet(((ord(text), ord(text)),))
            case Choice(alternatives):
                sets = [self._one_set(one) for one in alternatives]
                plain = [one for one in sets if one is not None and not one.negated]
                if len(plain) < len(sets):
                    return None
                return CharacterSet(
                    tuple(sorted(pair for one in plain for pair in one.ranges)),
                    tuple(name for one in plain for name in one.properties),
                )
            case _:
                return None


def _insensitive(text: str) -> str:
    return f"(?i:{_escaped(text)})" if has_case(text) else _escaped(text)


def _is_atom(text: str) -> bool:
    return bool(re.fullmatch(r"\\?.|\\x\{\w+\}|\[(?:\\.|[^\\\[\]])*\]|\(\?s:\.\)", text, re.DOTALL))


def _count(least: int, bound: int | None) -> str:
    signs: dict[tuple[int, int | None], str] = {(0, 1): "?", (0, None): "*", (1, None): "+"}
    if (least, bound) in signs:
        return signs[least, bound]
    return f"{{{least}}}" if least == bound else f"{{{least},{'' if bound is None else bound}}}"


def _terminals_used(grammar: Grammar) -> list[str]:
    """The terminals that rules refer to or that are skipped, in the grammar's order."""
    used = {*grammar.skip, grammar.start}
    for rule in grammar.rules.values():
        if not rule.lexical:
            used.update(one.name for one in references(rule.expression))
    return [name for name, rule in grammar.rules.items() if rule.lexical and name in used]


def _blanks(ignored: CharacterSet) -> list[str]:
    """Blanks of ASCII together, others one by one: within a row of those the lexer could not find back to
    punctuation that begins with the same byte."""
    ascii_ones = tuple(pair for pair in ignored.ranges if pair[1] < 0x80)
    others = tuple(pair for pair in ignored.ranges if pair[1] >= 0x80)
    return [character_class(CharacterSet(ascii_ones)) + "+"] + [
        character_class(CharacterSet((pair,))) for pair in others
    ]


def _names(grammar: Grammar, used: list[str]) -> dict[str, str]:
    """Grammar name -> an ASCII name: small letters for rules, capitals for terminals."""
    terminals, taken, names = set(used), set(_TAKEN), {}
    for number, (name, rule) in enumerate(grammar.rules.items()):
        if rule.lexical and name not in terminals:
            continue
        base = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        if not base or not base[0].isalpha() or not name.isascii():
            base = f"{'t' if rule.lexical else 'r'}{number}_{base}".rstrip("_")
        base = base.upper() if rule.lexical else base.lower()
        unique, again = base, 1
        while unique in taken:
            again += 1
            unique = f"{base}_{again}"
        taken.add(unique)
        names[name] = unique
    return names


def literals(grammar: Grammar) -> list[Literal]:
    """The literals in rules that are not terminals, each once."""
    return list(
        dict.fromkeys(
            one
            for rule in grammar.rules.values()
            if not rule.lexical
            for one in walk(rule.expression)
            if isinstance(one, Literal) and one.text
        )
    )
