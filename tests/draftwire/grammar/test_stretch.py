"""Which part of a file is asked about: islands by configuration, files of the grammar's own, and what is neither."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from daemon.settings.config_sections import GrammarsConfig, IslandConfig
from draftwire.failures import CommandFailed, Exit
from draftwire.grammar.stretch import Stretch, stretch_of
from grammars.compiler import compile_text
from tests.fakes.orders import GRAMMAR

ORDERS = compile_text(GRAMMAR, file_name="orders.bnf")
TEXT = 'a = 1\nb = order("""\nbuy 1 a;\n""")\nrest: sell\nc\n'
CONFIG = GrammarsConfig(
    islands=(
        IslandConfig("python", r'order\("""', '"""', "orders"),
        IslandConfig("*.py", "rest: ", "", "other"),
    )
)


def at(before: str, file: str = "a.py", config: GrammarsConfig = CONFIG) -> Stretch:
    """Asked right after the first `before`."""
    return stretch_of(ORDERS, Path(file), TEXT, TEXT.index(before) + len(before), config)


def test_in_an_island_its_text_is_asked_about() -> None:
    found = at("buy ")
    assert found == Stretch("\nbuy 1 a;\n", 5, TEXT.index('"""') + 3, is_island=True)


def test_without_an_end_the_rest_of_the_file_is_the_island() -> None:
    text = 'order("""buy 1 '
    found = stretch_of(ORDERS, Path("a.py"), text, len(text), CONFIG)
    assert (found.text, found.offset) == ("buy 1 ", 6)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("a = ", "the place is outside the islands of orders in a.py"),
        ("rest: se", "the place lies in an island of other"),
    ],
)
def test_where_the_grammar_does_not_hold_it_is_said(before: str, said: str) -> None:
    with pytest.raises(CommandFailed, match=said) as failure:
        at(before)
    assert failure.value.status == Exit.USAGE


@pytest.mark.parametrize(
    ("file", "config"),
    [
        ("a.txt", CONFIG),
        ("a.py", GrammarsConfig()),
        ("a.py", replace(CONFIG, files={"*.py": "orders"})),
        ("a.py", replace(CONFIG, languages={"python": "orders"})),
    ],
)
def test_elsewhere_it_is_asked_about_all_of_the_text(file: str, config: GrammarsConfig) -> None:
    assert at("a = ", file, config) == Stretch(TEXT, 4, 0, is_island=False)
