"""Bars: lanes of rectangles with words, on a frame whose height is counted in px and whose width in shares of 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import holoviews as hv
import numpy as np
from bokeh.events import Event, Tap
from bokeh.models import Range1d

from dashboard.palette import Theme
from dashboard.session import Session
from dashboard.views import figures
from dashboard.views.figures import build, feed, on_colour, renderers, restyle, text_columns

NAMES = 100
"""px left of the bars, for the lanes' names."""

TOTALS = 72
"""px right of the bars, for the total."""

_NARROW = 210
"""px that the bars have on a page of 390 px: what fits there fits anywhere."""

_LETTER = 7.0
"""px that a letter of 12 px takes at most, on average."""


@dataclass(frozen=True)
class Bar:
    """One rectangle: from and to in shares of the width, its row's middle and half height in px from the top."""

    left: float
    right: float
    middle: float
    half: float
    colour: str
    label: str = ""
    quantity: str = ""


class Bars:
    """A figure of bars; a tap on one puts its quantity in focus."""

    def __init__(self, session: Session, *, height: int) -> None:
        self._session = session
        self._drawn: tuple[Bar, ...] = ()
        overlay = hv.Overlay(
            [hv.Rectangles([(0.0, 0.0, 1.0, 1.0)]), hv.Path([[(0, 0), (1, 1)]]), figures.empty_texts()]
        )
        self.figure = build(overlay, height=height, borders=(NAMES, TOTALS, 0, 0))
        self.figure.update(x_range=Range1d(start=0, end=1), y_range=Range1d(start=height, end=0))
        self._boxes, self._lines, self._texts = renderers(self.figure)
        self._boxes.glyph.update(fill_color={"field": "color"}, line_color=None, hatch_color=None)
        self._lines.level = "annotation"
        figures.set_text_columns(self._texts)
        for axis in self.figure.axis:
            axis.visible = False
        self.figure.on_event(Tap, self._tap)

    def _tap(self, event: Event) -> None:
        if not isinstance(event, Tap) or event.x is None or event.y is None:
            return
        across, down = event.x, event.y
        for bar in self._drawn:
            if bar.quantity and bar.left <= across <= bar.right and abs(down - bar.middle) <= bar.half:
                self._session.look_at(bar.quantity)
                return

    def restyle(self, line: str, theme: Theme) -> None:
        """Give hairlines their colour and the figure its theme."""
        restyle(self.figure, theme)
        self._lines.glyph.update(line_color=line, line_width=1)

    def draw(
        self,
        bars: Sequence[Bar],
        lines: Sequence[tuple[float, float, float, float]],
        texts: Sequence[dict[str, Any]],
    ) -> None:
        """Write the columns: bars with their labels where they fit, hairlines `(x0, y0, x1, y1)`, and other texts."""
        self._drawn = tuple(bars)
        columns = {
            "left": np.array([bar.left for bar in bars], dtype=float),
            "right": np.array([bar.right for bar in bars], dtype=float),
            "top": np.array([bar.middle - bar.half for bar in bars], dtype=float),
            "bottom": np.array([bar.middle + bar.half for bar in bars], dtype=float),
            "color": [bar.colour for bar in bars],
        }
        feed(self._boxes, columns)
        ends = {"xs": [np.array([x0, x1]) for x0, _, x1, _ in lines]}
        feed(self._lines, {**ends, "ys": [np.array([y0, y1]) for _, y0, _, y1 in lines]})
        labels = [
            {"x": bar.left, "y": bar.middle, "text": bar.label, "color": on_colour(bar.colour), "dx": 8}
            for bar in bars
            if bar.label and fits(bar.label, bar.right - bar.left)
        ]
        feed(self._texts, text_columns([*labels, *texts]))


def fits(text: str, share: float) -> bool:
    """Return whether a text fits into a share of the width on the narrowest page."""
    return len(text) * _LETTER + 12 <= share * _NARROW
