"""The demonstration, run as a user runs it, on the real model; and what of it can be tested without."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from draftwire.demo.report import percentile
from draftwire.demo.script import passages, source_text


def test_each_passage_is_typed_on_from_where_the_file_stands() -> None:
    text = source_text()
    assert len(passages()) >= 6
    for passage in passages():
        assert text.startswith(passage.before + passage.typed)
        assert passage.typed
        assert not passage.typed.startswith(" ")


def test_a_percentile_of_nothing_is_none() -> None:
    assert percentile([], 99) is None
    assert percentile([1.0, 2.0, 3.0], 50) == 2.0


@pytest.mark.model
@pytest.mark.timeout(600)
def test_the_demonstration_shows_what_it_claims() -> None:
    command = [sys.executable, "-m", "draftwire", "demo", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["verified_equals_target"] is True
    assert figures["verified_checked"] >= 3
    assert figures["keys"] == sum(len(p.typed) for p in [*passages(), *passages(3)])
    assert figures["suggestions"] > 0
    assert figures["offline_suggestions"] > 0
    assert figures["rounds"] > 0
    assert figures["first_ghost_p50_ms"] <= figures["first_ghost_p99_ms"]
    assert 0 < figures["poor_draft_acceptance_rate"] < figures["acceptance_rate"] <= 1
