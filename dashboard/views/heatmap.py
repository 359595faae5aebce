"""A map on the page: shaded cells, borders, what is impossible, and a ring that a click or an arrow key moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, cast

import holoviews as hv
import numpy as np
import panel as pn
from bokeh.events import Event, Tap
from bokeh.models import CustomJSHover, HoverTool, LinearColorMapper
from bokeh.models.glyphs import Image as ImageGlyph

from dashboard.components.map_foot import MapFoot
from dashboard.components.plot_head import PlotHead
from dashboard.palette import COLOURS, Theme
from dashboard.session import Session, State
from dashboard.views import figures
from dashboard.views.figures import FONT, INK, WHITE, build, feed, renderers, restyle, text_columns
from dashboard.views.placement import Sheet
from dashboard.views.writing import Text, Writing
from model.evaluate import Evaluation
from model.maps.plane import Map, Region, Window
from model.point import Point

HEIGHT = 332
BORDERS = (36, 1, 8, 26)
USUAL_WIDTH = 563
"""px of the frame until the browser says otherwise: a column of 600."""

_POWER = "const n = 2 ** value; return n >= 1000 ? Math.round(n).toLocaleString('en') : String(+n.toPrecision(3))"


class HeatMap(ABC):
    """Base of the maps: builds the figure once, paints a `Map` into its columns, and turns taps into settings."""

    title: str
    quantity: str
    axes: tuple[tuple[str, str, str], tuple[str, str, str]]
    """Name, symbol and hover name of the quantities across and upwards."""
    diverging = False
    """Whether the middle of the colour scale is where it makes no difference."""
    shown_as = "{0.0 %}"
    """Bokeh's format of the quantity."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: tuple[Point, Theme] | None = None
        self._window: Window | None = None
        self._last: tuple[State, Map, str] | None = None
        self._writing = Writing()
        self._frame_width = USUAL_WIDTH
        self._build()
        colours = figures.palette(diverging=self.diverging)
        self._head = PlotHead(spec={"title": self.title, "scale": [*colours[::32], colours[-1]]})
        (across, across_symbol, _), (up, up_symbol, _) = self.axes
        self._foot = MapFoot(
            on_message=self._key,
            spec={"across": [across, across_symbol], "up": [up, up_symbol], "title": self.title},
        )
        self._body = pn.Column(
            self._head, pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0), self._foot, margin=0
        )

    @property
    def body(self) -> pn.Column:
        """The title, the figure, and what the axes are."""
        return self._body

    @abstractmethod
    def draw(self, evaluation: Evaluation, previous: Window | None) -> Map:
        """Return the map around a point."""

    @abstractmethod
    def place(self, evaluation: Evaluation, across: float, up: float) -> Mapping[str, object]:
        """Return the settings nearest to a place on the map."""

    @abstractmethod
    def step(self, evaluation: Evaluation, right: int, up: int) -> Mapping[str, object]:
        """Return the settings that arrow keys lead to."""

    @abstractmethod
    def words(self, state: State, drawn: Map) -> dict[str, str]:
        """Return `remark`, `highest`, `here` (the ring's second line) and `sentence` (all of it, for a reader)."""

    def extra_texts(self, state: State, drawn: Map, sheet: Sheet) -> list[Text]:
        """Return texts of one kind of map only."""
        del state, drawn, sheet
        return []

    def _build(self) -> None:
        cells = hv.Image((np.arange(2.0), np.arange(2.0), np.zeros((2, 2))), ["across", "up"], "shade").opts(
            cmap=list(figures.palette(diverging=self.diverging)),
            clim=(0, 1),
            clipping_colors={"NaN": "rgba(0, 0, 0, 0)"},
            backend="bokeh",
        )
        elements = {
            "cells": cells,
            **{name: hv.Path([[(0, 0), (1, 1)]]) for name in ("casing", "borders", "exact casing", "exact")},
            "hatch": hv.Polygons([{"x": [0, 1, 1], "y": [0, 0, 1]}]),
            **{name: hv.Points([(0, 0)]) for name in ("marks", "ring casing", "ring")},
            "texts": figures.empty_texts(),
        }
        self.figure = build(hv.Overlay(list(elements.values())), height=HEIGHT, borders=BORDERS)
        self._layers = dict(zip(elements, renderers(self.figure), strict=True))
        for name, layer in self._layers.items():
            layer.name = name
        self._style_layers()
        figures.set_text_columns(self._layers["texts"])
        figures.doublings(self.figure)
        self.figure.add_tools(self._hover())
        self.figure.on_event(Tap, self._tap)
        self.figure.on_change("inner_width", self._resized)

    def _style_layers(self) -> None:
        """Set what never changes; a line or ring and its casing share one source."""
        layers = self._layers
        for name in ("borders", "exact", "ring"):
            casing = layers["casing" if name == "borders" else f"{name} casing"]
            layers[name].data_source = casing.data_source
        for name, dash in (("casing", []), ("exact casing", [5, 4])):
            layers[name].glyph.update(line_color=INK, line_width=2.6, line_join="round", line_dash=dash)
        layers["borders"].glyph.update(line_color=WHITE, line_width=1, line_join="round")
        layers["exact"].glyph.update(line_color=WHITE, line_width=1, line_join="round", line_dash=[5, 4])
        layers["hatch"].glyph.update(line_color=None, hatch_pattern="right_diagonal_line", hatch_scale=11)
        open_ring = {"size": 14, "fill_color": None, "hatch_color": None}
        layers["ring casing"].glyph.update(line_color=INK, line_width=4.5, **open_ring)
        layers["ring"].glyph.update(line_color=WHITE, line_width=2, **open_ring)
        layers["marks"].glyph.update(size=6, line_color=INK, line_width=1, fill_color=WHITE, hatch_color=None)
        for name in ("marks", "ring casing", "ring"):
            layers[name].level = "annotation"

    def _hover(self) -> HoverTool:
        power = CustomJSHover(code=_POWER)
        (_, _, across), (_, _, up) = self.axes
        words = f"<b>{self.quantity} @image{self.shown_as}</b><br>$x{{custom}} {across}, $y{{custom}} {up}"
        tooltip = f'<div style="font: 12px/18px {FONT}">{words}</div>'
        return HoverTool(renderers=[self._layers["cells"]], tooltips=tooltip, formatters={"$x": power, "$y": power})

    def _tap(self, event: Event) -> None:
        window = self._window
        if window is None or not isinstance(event, Tap) or event.x is None or event.y is None:
            return
        across, up = event.x, event.y
        if window.left <= across <= window.right and window.bottom <= up <= window.top:
            self._session.write(self.place(self._session.state.evaluation, across, up))

    def _key(self, message: Mapping[str, Any]) -> None:
        right, up = message.get("right", 0), message.get("up", 0)
        if isinstance(right, int) and isinstance(up, int) and abs(right) <= 1 and abs(up) <= 1:
            self._session.write(self.step(self._session.state.evaluation, right, up))

    def paint(self, state: State) -> None:
        """Draw the map of a new point, or in new colours; nothing where neither changed."""
        if (state.point, state.theme) == self._shown:
            return
        if self._shown is None or self._shown[1] != state.theme:
            self._restyle(state.theme)
        self._shown = state.point, state.theme
        drawn = self.draw(state.evaluation, self._window)
        if drawn.window != self._window:
            self._move_window(drawn.window)
        words = self.words(state, drawn)
        self._paint_plane(drawn)
        self._last = state, drawn, words["here"]
        self._write()
        self._head.data = {"remark": words["remark"], "highest": words["highest"]}
        self._foot.data = {"sentence": words["sentence"]}

    def _restyle(self, theme: Theme) -> None:
        restyle(self.figure, theme)
        colours = COLOURS[theme]
        self._layers["hatch"].glyph.update(fill_color=colours["hatch-ground"], hatch_color=colours["hatch-line"])

    def _move_window(self, window: Window) -> None:
        self._window = window
        self._writing.forget()
        figures.show_window(self.figure, window, self._frame_width)

    def _paint_plane(self, drawn: Map) -> None:
        window = drawn.window
        shade = {"image": [drawn.shade.astype(np.float32)], "x": [window.left], "y": [window.bottom]}
        size = {"dw": [window.right - window.left], "dh": [window.top - window.bottom]}
        feed(self._layers["cells"], {**shade, **size})
        cast(LinearColorMapper, cast(ImageGlyph, self._layers["cells"].glyph).color_mapper).update(high=drawn.highest)
        corners = [_beyond_the_frame(region, window) for region in drawn.forbidden]
        feed(self._layers["hatch"], {"xs": [[[xs]] for xs, _ in corners], "ys": [[[ys]] for _, ys in corners]})
        for name, lines in (("borders", drawn.borders), ("exact", drawn.exact)):
            feed(self._layers[name], {"xs": [line.across for line in lines], "ys": [line.up for line in lines]})
        feed(self._layers["ring"], _points([drawn.ring]))
        feed(self._layers["marks"], _points([(mark.across, mark.up) for mark in drawn.marks]))

    def _write(self) -> None:
        if self._last is None:
            return
        state, drawn, here = self._last
        frame = (float(self._frame_width), HEIGHT - BORDERS[2] - BORDERS[3])
        texts, sheet = self._writing.texts(drawn, here, state.theme, frame)
        feed(self._layers["texts"], text_columns([*texts, *self.extra_texts(state, drawn, sheet)]))

    def _resized(self, _attribute: str, _old: int, new: int) -> None:
        """The browser has laid the figure out: write anew for the width that there is."""
        if new and new != self._frame_width:
            self._frame_width = new
            if self._window is not None:
                self._move_window(self._window)
            self._write()


def _points(points: list[tuple[float, float]]) -> dict[str, np.ndarray]:
    return {"x": np.array([x for x, _ in points], dtype=float), "y": np.array([y for _, y in points], dtype=float)}


def _beyond_the_frame(region: Region, window: Window) -> tuple[list[float], list[float]]:
    """Return a region's corners, those on the window's edge moved out, so that no line of cells shows beside it."""
    across, up = region.across.copy(), region.up.copy()
    across[across <= window.left] -= 1
    across[across >= window.right] += 1
    up[up <= window.bottom] -= 1
    up[up >= window.top] += 1
    return across.tolist(), up.tolist()
