"""A share of lately."""

from __future__ import annotations

import pytest

from daemon.target.fading_share import FadingShare


def test_each_occasion_weighs_less_after_the_next() -> None:
    share = FadingShare(0.5)
    for was_so in (True, True, False):
        share.add(was_so=was_so)
    assert (share.occasions, share.were_so) == (1.75, 0.75)


@pytest.mark.parametrize("was_so", [True, False])
def test_what_is_always_so_comes_to_be_all_there_is(was_so: bool) -> None:
    share = FadingShare(0.9, 20.0, 10.0)
    for _ in range(200):
        share.add(was_so=was_so)
    assert share.value == pytest.approx(float(was_so), abs=1e-6)
    assert share.occasions == pytest.approx(10.0)
