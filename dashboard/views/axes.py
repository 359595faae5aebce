"""Axes of plain numbers: a few round ticks, counts in powers of ten with their suffix."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from bokeh.models import Axis, FixedTicker
from bokeh.plotting import figure

from model.numerals import parts

_ROUND = (1, 2, 5)


def steps(low: float, high: float, count: int = 5) -> dict[float, str]:
    """Return about `count` round numbers from `low` to `high`, each with its label."""
    least = (high - low) / count
    scale = 10 ** math.floor(math.log10(least))
    step = next((scale * size for size in (*_ROUND, 10) if scale * size >= least), scale * 10)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return {number * step: f"{number * step:,.{decimals}f}".replace("-", "−") for number in numbers}


def counts(low: float, high: float) -> dict[float, str]:
    """Return ticks of an axis in log10 of a count: decades, and a 3 between them where there are few."""
    sizes = (1, 3) if high - low < 2.7 else (1,)
    every = max(1, math.ceil((high - low) / 7)) if len(sizes) == 1 else 1
    ticks = {
        decade + math.log10(size): size * 10.0**decade
        for decade in range(math.floor(low), math.ceil(high) + 1, every)
        for size in sizes
    }
    return {place: _count(value) for place, value in ticks.items() if low <= place <= high}


def _count(value: float) -> str:
    number, unit = parts(value, "params", 1)
    return f"{number}\N{THIN SPACE}{unit.removesuffix('params').strip()}".strip() if value < 1e15 else f"{value:.0e}"


def number_axes(plot: figure, across: Mapping[float, str], up: Mapping[float, str]) -> None:
    """Give the axes of a figure these ticks and labels, and no others."""
    for axis, ticks in ((plot.below[0], across), (plot.left[0], up)):
        cast(Axis, axis).update(ticker=FixedTicker(ticks=list(ticks)), major_label_overrides=dict(ticks))
