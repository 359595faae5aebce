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

USUAL_WIDTH = 428
"""px of the bars until the browser says otherwise: a column of 600."""

_LETTER = 6.8
"""px that a letter of 12 px takes at most, on average."""


Text = dict[str, Any]
Line = tuple[float, float, float, float]
"""From x, y to x, y."""


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
        self._other: tuple[Text, ...] = ()
        self._width = USUAL_WIDTH
        overlay = hv.Overlay(
            [hv.Rectangles([(0.0, 0.0, 1.0, 1.0)]), hv.Path([[(0, 0), (1, 1)]]), figures.empty_texts()]
        )
        self.figure = build(overlay, height=height, borders=(NAMES, TOTALS, 0, 0))
        self.figure.update(x_range=Range1d(start=0, end=1), y_range=Range1d(start=height, end=0))
        self._boxes, self._lines, self._texts = renderers(self.figure)
        self._boxes.name, self._lines.name, self._texts.name = "boxes", "lines", "texts"
        self._boxes.glyph.update(fill_color={"field": "color"}, line_color=None, hatch_color=None)
        self._lines.level = "annotation"
        figures.set_text_columns(self._texts)
        for axis in self.figure.axis:
            axis.visible = False
        self.figure.on_event(Tap, self._tap)
        self.figure.on_change("inner_width", self._resized)

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

    def draw(self, bars: Sequence[Bar], lines: Sequence[Line], texts: Sequence[Text]) -> None:
        """Write the columns: bars with their labels where they fit, hairlines, and other texts.

        A text may say in `room` the share of the width that it needs free, without which it is left out.
        """
        self._drawn, self._other = tuple(bars), tuple(texts)
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
        self._write()

    def _write(self) -> None:
        labels = [
            {"x": bar.left, "y": bar.middle, "text": bar.label, "color": on_colour(bar.colour), "dx": 8}
            for bar in self._drawn
            if bar.label and self._fits(bar.label, bar.right - bar.left)
        ]
        others = [text for text in self._other if "room" not in text or self._fits(text["text"], text["room"])]
        feed(self._texts, text_columns([*labels, *others]))

    def _fits(self, text: str, share: float) -> bool:
        return len(text) * _LETTER + 12 <= share * self._width

    def _resized(self, _attribute: str, _old: int, new: int) -> None:
        """The browser has laid the figure out: write anew for the width that there is."""
        if new and new != self._width:
            self._width = new
            self._write()
