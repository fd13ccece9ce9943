"""Which field of a message's parameters could not be read. Quotes no value: it may be the user's code."""

from __future__ import annotations

from collections.abc import Iterator

from cattrs import BaseValidationError
from cattrs.errors import AttributeValidationNote, IterableValidationNote


def malformed_parameters(error: Exception) -> str:
    """One line for the first field that is wrong: `malformed parameters: position.line is not valid`."""
    cause, path = _first(error)
    field = "".join(path).removeprefix(".params").removeprefix(".")
    if isinstance(cause, KeyError):
        return f"malformed parameters: {field or 'params'} is missing"
    return f"malformed parameters: {field or 'params'} is not valid ({type(cause).__name__})"


def _first(error: BaseException) -> tuple[BaseException, list[str]]:
    """The innermost first cause, and the way to it."""
    path = list(_step(error))
    if isinstance(error, BaseValidationError) and error.exceptions:
        cause, rest = _first(error.exceptions[0])
        return cause, path + rest
    return error, path


def _step(error: BaseException) -> Iterator[str]:
    """Where within its parent an error is; cattrs notes it on the error."""
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            yield f".{_camel(note.name)}"
        elif isinstance(note, IterableValidationNote):
            yield f"[{note.index}]"


def _camel(name: str) -> str:
    """LSP's spelling of one of lsprotocol's names."""
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)
