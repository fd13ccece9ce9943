"""A picture comes out, whatever there is to draw."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from benchmarks.typing.plot import plot, steps


@pytest.mark.parametrize(
    ("kinds", "floor_ms"),
    [({}, None), ({"none": []}, 20.0), ({"some": [1.0, 1e6, 0.001, 50.0], "one": [40.0]}, 35.5)],
)
def test_a_png_of_the_right_size(
    tmp_path: Path, kinds: dict[str, list[float]], floor_ms: float | None
) -> None:
    path = tmp_path / "a.png"
    plot(path, "a title", kinds, floor_ms)
    with Image.open(path) as image:
        assert (image.format, image.size) == ("PNG", (960, 540))
        colours = image.convert("RGB").getcolors(1 << 20)
    assert colours is not None
    assert len(colours) > 4


def test_a_curve_climbs_from_nothing_to_everything_within_the_axes() -> None:
    points = steps([0.5, 10.0, 100.0, 1e9])
    xs, ys = [x for x, _ in points], [y for _, y in points]
    assert xs == sorted(xs)
    assert ys == sorted(ys, reverse=True)
    assert (ys[0], ys[-1]) == (484.0, 56.0)
    assert (xs[0], xs[-1]) == (64.0, 936.0)
