"""How far a fit can be believed: what it leaves over at each run, and what its exponent owes to the fit window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import holoviews as hv
import numpy as np
import panel as pn
from panel.viewable import Viewable

from dashboard.components.caption import Caption
from dashboard.components.legend import Legend
from dashboard.components.plot_head import PlotHead
from dashboard.palette import COLOURS, Theme
from dashboard.views.axes import counts, number_axes, steps
from dashboard.views.figures import build, feed, renderers, restyle
from model.numerals import digits

HEIGHT = 184
_CUTS = {"min_flop": ("accent", "C at least"), "max_loss": ("pos", "L at most"), "min_loss": ("bar3", "L at least")}
"""Each cut of the fit window: its colour and its words."""
_FARTHEST = 2.0
"""Exponents beyond this, either way, stand at the edge of the plot."""


class ResidualPlot:
    """Measured loss over the fitted one, run by run, against compute."""

    def __init__(self) -> None:
        overlay = hv.Overlay([hv.Path([[(0, 0), (1, 0)]]), hv.Points([(0.0, 0.0)])])
        self.figure = build(overlay, height=HEIGHT, borders=(44, 12, 8, 28))
        self._zero, self._runs = renderers(self.figure)
        self._runs.glyph.update(line_color=None, size=6, fill_alpha=0.7)
        self._head = PlotHead(spec={"title": "What the fit leaves over"})
        self._caption = Caption()
        pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        self._body = pn.Column(self._head, pane, self._caption, sizing_mode="stretch_width", margin=0)

    @property
    def body(self) -> Viewable:
        """The title, the plot, and the same in words."""
        return self._body

    def draw(self, flop: Sequence[float], residuals: Sequence[float], theme: Theme) -> None:
        """Draw residuals in log loss; nothing where there is no fit."""
        colours = COLOURS[theme]
        restyle(self.figure, theme)
        x, y = np.log10(np.array(flop, dtype=float)), 100 * np.array(residuals, dtype=float)
        feed(self._runs, {"x": x, "y": y})
        self._runs.glyph.update(fill_color=colours["bar"])
        left, right = (x.min() - 0.1, x.max() + 0.1) if len(x) else (0.0, 1.0)
        reach = max(1.1 * float(np.abs(y).max()), 0.1) if len(y) else 1.0
        feed(self._zero, {"xs": [np.array([left, right])], "ys": [np.zeros(2)]})
        self._zero.glyph.update(line_color=colours["track"], line_width=1)
        self.figure.x_range.update(start=left, end=right)
        self.figure.y_range.update(start=-reach, end=reach)
        across = {place: f"{10**place:.0e}".replace("+", "") for place in counts(left, right)}
        number_axes(self.figure, across, {at: f"{label}\u2009%" for at, label in steps(-reach, reach, 4).items()})
        self._head.data = {"remark": "log loss, measured less fitted, against FLOPs"}
        self._caption.data = {"lines": [_spread(y)]}


class WindowPlot:
    """The exponent against the share of runs that a cut keeps."""

    def __init__(self) -> None:
        line = [[(0, 0), (1, 1)]]
        overlay = hv.Overlay([hv.Path(line), hv.Path(line), hv.Points([(0.0, 0.0)])])
        self.figure = build(overlay, height=HEIGHT, borders=(44, 12, 8, 28))
        self._whiskers, self._lines, self._dots = renderers(self.figure)
        self._whiskers.glyph.update(line_color={"field": "color"}, line_width=1, line_alpha=0.6)
        self._lines.glyph.update(line_color={"field": "color"}, line_width=1.5)
        self._dots.glyph.update(fill_color={"field": "color"}, line_color=None, size=6)
        self._head = PlotHead(spec={"title": "Exponent and fit window"}, data={"remark": "a, by the runs kept"})
        self._legend = Legend(data={"entries": [[tone, words] for tone, words in _CUTS.values()]})
        self._caption = Caption()
        pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        self._body = pn.Column(self._head, self._legend, pane, self._caption, sizing_mode="stretch_width", margin=0)

    @property
    def body(self) -> Viewable:
        """The title, the plot, and the same in words."""
        return self._body

    def draw(self, windows: Sequence[Mapping[str, Any]], theme: Theme) -> None:
        """Draw the rows of a report's windows; nothing where there is no fit."""
        colours = COLOURS[theme]
        restyle(self.figure, theme)
        whiskers: dict[str, list[Any]] = {"xs": [], "ys": [], "color": []}
        lines: dict[str, list[Any]] = {"xs": [], "ys": [], "color": []}
        dots: dict[str, list[Any]] = {"x": [], "y": [], "color": []}
        for place, (cut, (tone, _)) in enumerate(_CUTS.items()):
            rows = [row for row in windows if row["cut"] == cut]
            x = [row["runs"] + 0.12 * (place - 1) for row in rows]
            y = np.clip([row["a"]["value"] for row in rows], -_FARTHEST, _FARTHEST).tolist()
            for at, row in zip(x, rows, strict=True):
                ends = np.clip([row["a"]["lo"], row["a"]["hi"]], -_FARTHEST, _FARTHEST)
                _add(whiskers, colours[tone], xs=np.array([at, at]), ys=ends)
            if rows:
                _add(lines, colours[tone], xs=np.array(x), ys=np.array(y))
            for at, value in zip(x, y, strict=True):
                _add(dots, colours[tone], x=at, y=value)
        for renderer, columns in ((self._whiskers, whiskers), (self._lines, lines), (self._dots, dots)):
            feed(renderer, columns)
        kept = [row["runs"] for row in windows] or [0, 1]
        shown = [float(end) for ends in whiskers["ys"] for end in ends if np.isfinite(end)] or [0.0, 1.0]
        bottom, top = min(0.0, *shown), max(1.0, *shown)
        self.figure.x_range.update(start=max(kept) + 1, end=min(kept) - 1)
        self.figure.y_range.update(start=bottom - 0.03, end=top + 0.03)
        number_axes(self.figure, steps(min(kept), max(kept)), steps(bottom, top, 4))
        values = [row["a"]["value"] for row in windows]
        said = "These rows are printed vertices, no runs: there is no window to move."
        if values:
            bound = sum(row["on_bound"] for row in windows)
            said = f"From {digits(min(values))} to {digits(max(values))}, by the window alone"
            said += f"; in {bound} of {len(windows)} windows a coefficient is on its bound." if bound else "."
        self._caption.data = {"lines": [said]}


def _spread(percent: np.ndarray) -> str:
    if not len(percent):
        return "These rows are printed vertices, no runs: no residuals."
    return f"Half of the runs lie within {digits(float(np.median(np.abs(percent))), 2)}\u2009% of the fit."


def _add(columns: dict[str, list[Any]], colour: str, **entries: Any) -> None:
    for name, entry in {**entries, "color": colour}.items():
        columns[name].append(entry)
