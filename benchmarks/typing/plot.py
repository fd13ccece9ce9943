"""The latencies of a replay as a picture: for each kind, the share of keys that had their text within a time.

A PNG of cumulative distributions over a logarithmic axis of milliseconds, drawn at twice its size and scaled down.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

_SCALE: Final = 2
_SIZE: Final = (960, 540)
_LEFT, _TOP, _RIGHT, _BOTTOM = 64, 56, 936, 484
_FROM_MS, _TO_MS = 1.0, 3000.0
_TICKS_MS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
_SHARES: Final = (0, 0.25, 0.5, 0.75, 0.9, 1)
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's, which people with any colour vision tell apart."""
_INK, _GREY, _PAPER = "#222222", "#dddddd", "#ffffff"

Point = tuple[float, float]


def plot(path: Path, title: str, kinds: Mapping[str, Sequence[float]], floor_ms: float | None) -> None:
    """Write the picture. `kinds`: name -> latencies in milliseconds, those without any left out. Raises OSError."""
    image = Image.new("RGB", (_SIZE[0] * _SCALE, _SIZE[1] * _SCALE), _PAPER)
    sheet = _Sheet(ImageDraw.Draw(image))
    sheet.text((_LEFT, 18), title, size=18)
    _axes(sheet)
    if floor_ms is not None:
        sheet.line([(_x(floor_ms), _TOP), (_x(floor_ms), _BOTTOM)], _INK, width=1)
        sheet.text((_x(floor_ms) + 4, _TOP + 2), f"floor {floor_ms:g} ms")
    drawn = [(name, sorted(values)) for name, values in kinds.items() if values]
    for index, (name, values) in enumerate(drawn):
        colour = _COLOURS[index % len(_COLOURS)]
        sheet.line(steps(values), colour, width=2)
        top = _BOTTOM - 24 * (len(drawn) - index)
        sheet.line([(_RIGHT - 250, top + 8), (_RIGHT - 226, top + 8)], colour, width=4)
        sheet.text((_RIGHT - 218, top), f"{name} ({len(values)})")
    image.resize(_SIZE, Image.Resampling.LANCZOS).save(path, "PNG")


def steps(values_ms: Sequence[float]) -> list[Point]:
    """The curve of sorted values: up by one of them at each."""
    points = [(_x(values_ms[0]), _y(0.0))]
    for count, value in enumerate(values_ms, 1):
        points += [(_x(value), points[-1][1]), (_x(value), _y(count / len(values_ms)))]
    return [*points, (float(_RIGHT), _y(1.0))]


class _Sheet:
    """Draws in the picture's own units."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self._draw = draw

    def line(self, points: Sequence[Point], colour: str, *, width: int) -> None:
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._draw.line(scaled, fill=colour, width=width * _SCALE)

    def text(self, place: Point, text: str, *, size: int = 14, anchor: str = "la") -> None:
        font = ImageFont.load_default(size * _SCALE)
        self._draw.text((place[0] * _SCALE, place[1] * _SCALE), text, fill=_INK, font=font, anchor=anchor)


def _axes(sheet: _Sheet) -> None:
    for tick in _TICKS_MS:
        sheet.line([(_x(tick), _TOP), (_x(tick), _BOTTOM)], _GREY, width=1)
        sheet.text((_x(tick), _BOTTOM + 8), str(tick), anchor="ma")
    for share in _SHARES:
        sheet.line([(_LEFT, _y(share)), (_RIGHT, _y(share))], _GREY, width=1)
        sheet.text((_LEFT - 8, _y(share)), f"{share:.0%}", anchor="rm")
    sheet.text(((_LEFT + _RIGHT) / 2, _BOTTOM + 30), "milliseconds from the key", anchor="ma")


def _x(ms: float) -> float:
    """Where a time is; what is off the axis is at its end."""
    share = math.log(min(max(ms, _FROM_MS), _TO_MS) / _FROM_MS) / math.log(_TO_MS / _FROM_MS)
    return _LEFT + share * (_RIGHT - _LEFT)


def _y(share: float) -> float:
    return _BOTTOM - share * (_BOTTOM - _TOP)
