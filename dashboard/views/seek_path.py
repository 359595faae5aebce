"""The path of a goal-seek: the value against the steps, with its target, and how far each freed knob has moved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import holoviews as hv
import numpy as np
import panel as pn
from bokeh.models import BasicTicker, FixedTicker, Range1d
from bokeh.plotting import figure
from panel.viewable import Viewable

from dashboard.answers import moves
from dashboard.components.plot_head import PlotHead
from dashboard.headlines import PERCENT
from dashboard.palette import COLOURS, Theme
from dashboard.views import figures
from dashboard.views.bars import Text
from dashboard.views.figures import build, feed, renderers, restyle
from model.formula import symbol_text
from model.graph import quantities
from model.numerals import digits, parts
from model.seek import SeekStep

HEIGHT = 168
LABELS = 112
"""px right of the frame, for the words at the ends of the lines."""
_BORDERS = (52, LABELS, 10, 24)
_GAP = 15
"""px between two labels at least."""
_TICKS = 4
"""Ticks up the second chart at most."""


@dataclass(frozen=True)
class Path:
    """What is drawn: a quantity, its target, and the steps so far."""

    of: str
    target: float
    steps: tuple[SeekStep, ...]


class SeekPath:
    """Two figures over one axis of steps."""

    def __init__(self) -> None:
        self._value, self._moves = _chart(), _chart()
        self._heads = PlotHead(spec={"title": "Path"}), PlotHead(spec={"title": "Knobs moved"})
        panes = [pn.pane.Bokeh(chart, sizing_mode="stretch_width", margin=0) for chart in (self._value, self._moves)]
        self._body = pn.Column(self._heads[0], panes[0], self._heads[1], panes[1], margin=0)
        self._heads[1].data = {"remark": "factor from where they stand"}

    @property
    def body(self) -> Viewable:
        """Both charts with their titles."""
        return self._body

    def draw(self, path: Path | None, theme: Theme) -> None:
        """Draw a path as far as it has come; nothing without one."""
        for chart in (self._value, self._moves):
            restyle(chart, theme)
            for axis in chart.axis:
                axis.visible = path is not None
        if path is None or not path.steps:
            self._heads[0].data = {"remark": "nothing asked yet"}
            for chart in (self._value, self._moves):
                _write(chart, [], [], 0.0, 1.0)
            return
        self._draw_value(path, theme)
        self._draw_moves(path, theme)

    def _draw_value(self, path: Path, theme: Theme) -> None:
        colours, unit = COLOURS[theme], quantities()[path.of.partition(":")[0]].unit
        scale, word = _scale(path.of, path.target, unit)
        values = [step.value / scale for step in path.steps]
        target = path.target / scale
        self._heads[0].data = {
            "remark": f"{quantities()[path.of.partition(':')[0]].label}{f', {word}' if word else ''}"
        }
        last = _last(path)
        low, high = _padded([value for value in [*values, target] if math.isfinite(value)])
        self._value.x_range.update(start=0, end=last)
        self._value.y_range.update(start=low, end=high)
        labels = [
            (last, target, f"target {digits(target)}", colours["accent"]),
            (last, values[-1], f"now {digits(values[-1])}" if math.isfinite(values[-1]) else "", colours["text"]),
        ]
        lines = [([0.0, float(last)], [target, target], colours["accent"])]
        lines.append(([float(step.iteration) for step in path.steps], values, colours["text"]))
        if abs(target - values[-1]) < (high - low) * _GAP / HEIGHT:
            labels = labels[:1]
        _write(self._value, lines, labels, low, high)

    def _draw_moves(self, path: Path, theme: Theme) -> None:
        colours, start = COLOURS[theme], path.steps[0].knobs
        moved = [moves(step.knobs, start) for step in path.steps]
        last = _last(path)
        low, high = _padded([value for row in moved for value in row.values()] + [-1.0, 1.0])
        self._moves.x_range.update(start=0, end=last)
        self._moves.y_range.update(start=low, end=high)
        every = math.ceil((high - low) / _TICKS)
        ticks = [power for power in range(math.ceil(low), math.floor(high) + 1) if power % every == 0]
        self._moves.left[0].update(
            ticker=FixedTicker(ticks=ticks), major_label_overrides={float(power): _doublings(power) for power in ticks}
        )
        lines, labels = [], []
        for index, name in enumerate(start):
            colour = colours[("text", "bar2", "bar", "bar3")[index % 4]]
            ys = [row[name] for row in moved]
            lines.append(([float(step.iteration) for step in path.steps], ys, colour))
            labels.append((last, ys[-1], f"{symbol_text(name)}  {_factor(ys[-1])}", colours["text"]))
        _write(self._moves, lines, labels, low, high)


def _chart() -> figure:
    """Return an empty chart: lines, points and words."""
    overlay = hv.Overlay([hv.Path([[(0, 0), (1, 1)]]), figures.empty_texts()])
    chart = build(overlay, height=HEIGHT, borders=_BORDERS)
    chart.update(x_range=Range1d(start=0, end=1), y_range=Range1d(start=0, end=1))
    chart.below[0].update(ticker=BasicTicker(min_interval=1, desired_num_ticks=6))
    chart.left[0].update(ticker=BasicTicker(desired_num_ticks=4))
    lines, words = renderers(chart)
    lines.glyph.update(line_color={"field": "line_color"}, line_width=2)
    figures.set_text_columns(words)
    return chart


def _write(
    chart: figure,
    lines: Sequence[tuple[list[float], list[float], str]],
    labels: Sequence[tuple[float, float, str, str]],
    low: float,
    high: float,
) -> None:
    path, words = renderers(chart)
    columns = {"xs": [np.array(xs) for xs, _, _ in lines], "ys": [np.array(ys) for _, ys, _ in lines]}
    feed(path, {**columns, "line_color": [colour for _, _, colour in lines]})
    inner = HEIGHT - _BORDERS[2] - _BORDERS[3]
    texts: list[Text] = []
    floor = math.inf
    for x, y, text, colour in sorted(labels, key=lambda label: -label[1]):
        place = min(y, floor - _GAP / inner * (high - low))
        floor = place
        texts.append({"x": x, "y": place, "text": text, "color": colour, "dx": 8})
    feed(words, figures.text_columns(texts))


def _last(path: Path) -> int:
    return max(1, path.steps[-1].iteration)


def _padded(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = 0.1 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def _scale(of: str, target: float, unit: str) -> tuple[float, str]:
    """Return what one unit on the axis stands for, and its name."""
    if of in PERCENT:
        return 0.01, "%"
    number, word = parts(target, unit)
    shown = float(number.replace("$", "").replace(",", "").replace("−", "-"))
    factor = 10.0 ** round(math.log10(target / shown)) if shown else 1.0
    return factor, f"${word}" if unit == "$" else word


def _doublings(power: int) -> str:
    return f"× {2**power:,}" if power >= 0 else f"÷ {2**-power:,}"


def _factor(power: float) -> str:
    factor = 2.0**power
    return f"× {digits(factor)}" if factor >= 1 else f"÷ {digits(1 / factor)}"
