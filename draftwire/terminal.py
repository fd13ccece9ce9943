"""What the commands print: JSON for scripts, tables for people, a spinner where something takes its time.

Results go to stdout; notes, progress and errors go to stderr.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: Any) -> None:
    """One JSON object on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def note(text: str) -> None:
    """One line on stderr, for people."""
    sys.stderr.write(text + "\n")


def out() -> Console:
    """A console on stdout: colours on a terminal only."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def print_pairs(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """A table of two columns; rows with an empty value are left out."""
    from rich.table import Table
    from rich.text import Text

    heading = Text(title, style="bold") if title else None
    table = Table(title=heading, title_justify="left", show_header=False, box=None, pad_edge=False)
    for name, value in rows:
        if value:
            table.add_row(Text(name, style="bold"), Text(value))
    out().print(table)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """A spinner on stderr, if that is a terminal; call what it gives with what is going on now."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield status.update


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """A spinner on stderr, if that is a terminal, while one thing goes on."""
    with steps() as step:
        step(text)
        yield
