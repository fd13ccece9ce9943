"""The advice for a missing extra can be followed: each one it names is there, and it is installed from the source."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from verifier.extras import install_command

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("extras", [["verifier"], ["verifier", "bundled-model"]])
def test_the_command_names_extras_of_a_checkout(extras: list[str]) -> None:
    assert install_command(*extras) == f'pip install ".[{",".join(extras)}]" in a checkout of Draftwire'
    assert set(extras) <= set(tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"])
