"""Isoflop curves: the runs of each budget, the parabola through them, and where its minimum lies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import holoviews as hv
import numpy as np
import panel as pn
from bokeh.palettes import Cividis256
from panel.viewable import Viewable

from dashboard.components.caption import Caption
from dashboard.components.plot_head import PlotHead
from dashboard.palette import COLOURS, Theme
from dashboard.views import figures
from dashboard.views.axes import counts, number_axes, steps
from dashboard.views.figures import build, feed, renderers, restyle, text_columns
from model.numerals import digits, show

HEIGHT = 380
_ROOM_FOR_LABELS = 0.16
"""Share of the width right of the curves, where each says its budget."""
_LEAST_GAP = 0.055
"""Share of the height between two labels."""


@dataclass(frozen=True)
class Curve:
    """One budget as drawn: its runs, its parabola (empty without one), its vertex, and why that may not be used.

    `params` and `loss` are of the runs; `along` and `fitted` of the parabola; `vertex` is N and loss, or None.
    """

    flop: float
    params: Sequence[float]
    loss: Sequence[float]
    along: Sequence[float]
    fitted: Sequence[float]
    vertex: tuple[float, float] | None
    problem: str | None


class IsoflopPlot:
    """The plot, painted by the page that chose the runs."""

    def __init__(self) -> None:
        self._curves: tuple[Curve, ...] = ()
        self._theme: Theme = "light"
        point = [(0.0, 0.0)]
        overlay = hv.Overlay(
            [hv.Path([[(0, 0), (1, 1)]]), hv.Path([[(0, 0), (1, 1)]]), hv.Points(point), hv.Points(point)]
        )
        self.figure = build(overlay * figures.empty_texts(), height=HEIGHT, borders=(44, 12, 8, 28))
        self._parabolas, self._track, self._runs, self._vertices, self._texts = renderers(self.figure)
        self._parabolas.glyph.update(line_color={"field": "color"}, line_width=1.5)
        self._runs.glyph.update(fill_color={"field": "color"}, line_color=None, size=6, fill_alpha=0.85)
        self._vertices.glyph.update(
            fill_color={"field": "fill"},
            line_color={"field": "color"},
            line_width=2,
            size=11,
            marker={"field": "marker"},
        )
        figures.set_text_columns(self._texts)
        self._head = PlotHead(spec={"title": "Loss over parameters, at equal compute"})
        self._caption = Caption()
        pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        self._body = pn.Column(self._head, pane, self._caption, sizing_mode="stretch_width", margin=0)

    @property
    def body(self) -> Viewable:
        """The title, the plot, and the same in words."""
        return self._body

    def draw(self, curves: Sequence[Curve], remark: str, theme: Theme) -> None:
        """Draw budgets in the order of their FLOPs."""
        self._curves, self._theme = tuple(curves), theme
        restyle(self.figure, theme)
        colours, shades = COLOURS[theme], _shades(len(curves), theme)
        self._head.data = {"remark": remark}
        feed(self._parabolas, _paths([(curve.along, curve.fitted) for curve in curves], shades))
        good = [curve.vertex for curve in curves if curve.vertex and not curve.problem]
        feed(self._track, _paths([([n for n, _ in good], [loss for _, loss in good])], [colours["muted"]]))
        self._track.glyph.update(line_color=colours["muted"], line_width=1, line_dash="dashed")
        runs = [(n, loss, shade) for curve, shade in zip(curves, shades, strict=True) for n, loss in _runs(curve)]
        feed(self._runs, {**_places([run[:2] for run in runs]), "color": [run[2] for run in runs]})
        marked = [(curve, shade) for curve, shade in zip(curves, shades, strict=True) if curve.vertex]
        feed(
            self._vertices,
            {
                **_places([curve.vertex for curve, _ in marked if curve.vertex]),
                "color": [colours["warn"] if curve.problem else colours["bg"] for curve, _ in marked],
                "fill": [colours["bg"] if curve.problem else shade for curve, shade in marked],
                "marker": ["diamond" if curve.problem else "circle" for curve, _ in marked],
            },
        )
        self._scale(curves, shades)
        self._caption.data = {"lines": _words(curves)}

    def _scale(self, curves: Sequence[Curve], shades: Sequence[str]) -> None:
        xs = np.log10([n for curve in curves for n, _ in _all(curve)] or [1.0, 10.0])
        ys = np.array([loss for curve in curves for _, loss in _all(curve)] or [0.0, 1.0])
        pad_x, pad_y = 0.04 * max(np.ptp(xs), 0.3), 0.06 * max(np.ptp(ys), 1e-3)
        left, right = xs.min() - pad_x, xs.max() + pad_x
        bottom, top = ys.min() - pad_y, ys.max() + pad_y
        end = right + _ROOM_FOR_LABELS * (right - left)
        self.figure.x_range.update(start=left, end=end)
        self.figure.y_range.update(start=bottom, end=top)
        number_axes(self.figure, counts(left, right), steps(bottom, top))
        texts: list[dict[str, Any]] = []
        height = top
        ends = sorted(zip(curves, shades, strict=True), key=lambda item: -_last(item[0])[1])
        for curve, shade in ends:
            n, loss = _last(curve)
            height = min(loss, height - _LEAST_GAP * (top - bottom))
            at = {"x": math.log10(n), "y": height, "dx": 10, "color": shade}
            texts.append({**at, "text": f"{_power(curve.flop)}", "size": "11.5px"})
        feed(self._texts, text_columns(texts))


def _all(curve: Curve) -> list[tuple[float, float]]:
    vertex = [curve.vertex] if curve.vertex and not curve.problem else []
    return [*_runs(curve), *zip(curve.along, curve.fitted, strict=True), *vertex]


def _runs(curve: Curve) -> list[tuple[float, float]]:
    return list(zip(curve.params, curve.loss, strict=True))


def _last(curve: Curve) -> tuple[float, float]:
    return max(_all(curve))


def _shades(count: int, theme: Theme) -> list[str]:
    """Return one colour a budget, of cividis without the end that the ground would swallow."""
    low, high = (0, 200) if theme == "light" else (90, 255)
    return [Cividis256[round(low + (high - low) * place / max(count - 1, 1))] for place in range(count)]


def _places(points: Sequence[tuple[float, float]]) -> dict[str, Any]:
    return {
        "x": np.log10(np.array([n for n, _ in points], dtype=float)),
        "y": np.array([loss for _, loss in points], dtype=float),
    }


def _paths(lines: Sequence[tuple[Sequence[float], Sequence[float]]], shades: Sequence[str]) -> Mapping[str, Any]:
    drawn = [(np.log10(np.array(x)), np.array(y), shade) for (x, y), shade in zip(lines, shades, strict=True) if len(x)]
    return {"xs": [x for x, _, _ in drawn], "ys": [y for _, y, _ in drawn], "color": [shade for _, _, shade in drawn]}


def _power(flop: float) -> str:
    return f"{show(flop, 'FLOP')}" if flop < 1e21 else f"{digits(flop)} FLOP"


def _words(curves: Sequence[Curve]) -> list[str]:
    bracketed = [curve for curve in curves if curve.vertex and not curve.problem]
    lines = [f"{len(bracketed)} of {len(curves)} minima are bracketed (filled); a diamond is one that is not."]
    lines += [f"{_power(curve.flop)}: {curve.problem}." for curve in curves if curve.problem]
    return lines if curves else ["No budget has runs of five or more sizes: there is no curve to draw."]
