"""Grammar expressions as one line of text, for tables of what a dialect is read into."""

from __future__ import annotations

from grammars.form import (
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Literal,
    Pattern,
    Reference,
    Repeat,
    Sequence,
)


def shown(expression: Expression) -> str:
    """`'text'` (with i: any case), `[a-z]`, `/pattern/`, `name`, `(a b)`, `{a | b}`, `a~1..`, `(a - b)`."""
    match expression:
        case Literal(text, ignore_case):
            return repr(text) + "i" * ignore_case
        case CharacterSet(ranges, properties, negated):
            members = [chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in ranges]
            return "[" + "^" * negated + "".join(members) + "".join(f"\\p{one}" for one in properties) + "]"
        case Pattern(source):
            return f"/{source}/"
        case Reference(name):
            return name.replace(" ", "_")
        case Sequence(items):
            return "(" + " ".join(map(shown, items)) + ")"
        case Choice(alternatives):
            return "{" + " | ".join(map(shown, alternatives)) + "}"
        case Repeat(item, least, most):
            return f"{shown(item)}~{least}..{'' if most is None else most}"
        case Exclusion(item, excluded):
            return f"({shown(item)} - {shown(excluded)})"
