"""The oracle, asked alone, says the text that it knows, with the real vocabulary."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.emulation.target import TargetPlan
from benchmarks.typing.oracle import oracle_alone

TEXT = "".join(f"def name_{number}(value):\n    return value + {number * 37}\n\n" for number in range(40))


@pytest.mark.model
def test_it_says_the_text_from_anywhere_and_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(TEXT)
    says = oracle_alone(TargetPlan(15.0, (path,)))
    for cut in (400, 777, 1000):
        assert says(TEXT[:cut], 60)[:60] == TEXT[cut : cut + 60].encode()
        assert len(says(TEXT[:cut], 0)) > 0
    assert says(TEXT[:-5], 100) == TEXT[-5:].encode()
    assert says(TEXT[:-5], 100) == TEXT[-5:].encode()
