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
from bokeh.palettes import Cividis256
from panel.viewable import Viewable

from dashboard.components.map_foot import MapFoot
from dashboard.components.plot_head import PlotHead
from dashboard.palette import COLOURS, Theme
from dashboard.session import Session, State
from dashboard.views import figures, placement
from dashboard.views.figures import INK, WHITE, build, feed, on_colour, renderers, restyle, shade_colour, text_columns
from model.evaluate import Evaluation
from model.maps.plane import NOWHERE, Map, Mark, Region, Window
from model.point import Point

HEIGHT = 332
BORDERS = (36, 1, 8, 26)

_POWER = "const n = 2 ** value; return n >= 1000 ? Math.round(n).toLocaleString('en') : String(+n.toPrecision(3))"


class HeatMap(ABC):
    """Base of the maps: builds the figure once, paints a `Map` into its columns, and turns taps into settings."""

    title: str
    quantity: str
    axes: tuple[tuple[str, str, str], tuple[str, str, str]]
    """Name, symbol and hover name of the quantities across and upwards."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: tuple[Point, Theme] | None = None
        self._window: Window | None = None
        self._places: dict[str, placement.Cell] = {}
        self._build()
        self._head = PlotHead(spec={"title": self.title, "scale": [*Cividis256[::32], Cividis256[-1]]})
        (across, across_symbol, _), (up, up_symbol, _) = self.axes
        self._foot = MapFoot(
            on_message=self._key,
            spec={"across": [across, across_symbol], "up": [up, up_symbol], "title": self.title},
        )
        self._body = pn.Column(
            self._head, pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0), self._foot, margin=0
        )

    @property
    def body(self) -> Viewable:
        """The title, the figure, and what the axes are."""
        return self._body

    @abstractmethod
    def draw(self, evaluation: Evaluation, previous: Window | None) -> Map:
        """Return the map around a point."""

    @abstractmethod
    def place(self, point: Point, across: float, up: float) -> Mapping[str, object]:
        """Return the settings nearest to a place on the map."""

    @abstractmethod
    def step(self, point: Point, right: int, up: int) -> Mapping[str, object]:
        """Return the settings that arrow keys lead to."""

    @abstractmethod
    def words(self, state: State, drawn: Map) -> dict[str, str]:
        """Return `remark`, `highest`, `here` (the ring's second line) and `sentence` (all of it, for a reader)."""

    def extra_texts(self, state: State, drawn: Map) -> list[dict[str, Any]]:
        """Return texts of one kind of map only."""
        del state, drawn
        return []

    def _build(self) -> None:
        hatch, casing, border, exact, ring, dots, texts = (
            hv.Polygons([{"x": [0, 1, 1], "y": [0, 0, 1]}]),
            hv.Path([[(0, 0), (1, 1)]]),
            hv.Path([[(0, 0), (1, 1)]]),
            hv.Path([[(0, 0), (1, 1)]]),
            hv.Points([(0, 0)]),
            hv.Points([(0, 0)]),
            figures.empty_texts(),
        )
        cells = hv.Image((np.arange(2.0), np.arange(2.0), np.zeros((2, 2))), ["across", "up"], "shade").opts(
            cmap=list(Cividis256), clim=(0, 1), clipping_colors={"NaN": "rgba(0, 0, 0, 0)"}, backend="bokeh"
        )
        outer = hv.Points([(0, 0)])
        overlay = hv.Overlay([cells, hatch, casing, border, exact, dots, outer, ring, texts])
        self.figure = build(overlay, height=HEIGHT, borders=BORDERS)
        self._cells, self._hatch, cased, lined, dashed, marks, ring_outer, ring_inner, written = renderers(self.figure)
        lined.data_source = cased.data_source
        ring_inner.data_source = ring_outer.data_source
        self._borders, self._exact, self._ring, self._marks, self._texts = cased, dashed, ring_outer, marks, written
        cased.glyph.update(line_color=INK, line_width=2.6, line_join="round", line_cap="butt")
        lined.glyph.update(line_color=WHITE, line_width=1)
        dashed.glyph.update(line_color=WHITE, line_width=1.6, line_dash=[4, 4])
        self._hatch.glyph.update(line_color=None, hatch_pattern="right_diagonal_line", hatch_scale=8, hatch_weight=1)
        ring_outer.glyph.update(size=14, line_color=INK, line_width=4.5, fill_color=None, hatch_color=None)
        ring_inner.glyph.update(size=14, line_color=WHITE, line_width=2, fill_color=None, hatch_color=None)
        marks.glyph.update(size=6, line_color=INK, line_width=1, fill_color=WHITE, hatch_color=None)
        for renderer in (ring_outer, ring_inner, marks):
            renderer.level = "annotation"
        figures.set_text_columns(written)
        figures.doublings(self.figure)
        self.figure.add_tools(self._hover())
        self.figure.on_event(Tap, self._tap)

    def _hover(self) -> HoverTool:
        power = CustomJSHover(code=_POWER)
        (_, _, across), (_, _, up) = self.axes
        tooltips = [(across, "$x{custom}"), (up, "$y{custom}"), (self.quantity, "@image{0.0 %}")]
        return HoverTool(renderers=[self._cells], tooltips=tooltips, formatters={"$x": power, "$y": power})

    def _tap(self, event: Event) -> None:
        window = self._window
        if window is None or not isinstance(event, Tap) or event.x is None or event.y is None:
            return
        across, up = event.x, event.y
        if window.left <= across <= window.right and window.bottom <= up <= window.top:
            self._session.write(self.place(self._session.point, across, up))

    def _key(self, message: Mapping[str, Any]) -> None:
        right, up = message.get("right", 0), message.get("up", 0)
        if isinstance(right, int) and isinstance(up, int) and abs(right) <= 1 and abs(up) <= 1:
            self._session.write(self.step(self._session.point, right, up), drag=True)

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
        feed(self._texts, text_columns(self._all_texts(state, drawn, words)))
        self._head.data = {"remark": words["remark"], "highest": words["highest"]}
        self._foot.data = {"sentence": words["sentence"]}

    def _restyle(self, theme: Theme) -> None:
        restyle(self.figure, theme)
        colours = COLOURS[theme]
        self._hatch.glyph.update(fill_color=colours["hatch-ground"], hatch_color=colours["hatch-line"])

    def _move_window(self, window: Window) -> None:
        self._window = window
        self._places.clear()
        figures.show_window(self.figure, window)

    def _paint_plane(self, drawn: Map) -> None:
        window = drawn.window
        shade = {"image": [drawn.shade.astype(np.float32)], "x": [window.left], "y": [window.bottom]}
        size = {"dw": [window.right - window.left], "dh": [window.top - window.bottom]}
        feed(self._cells, {**shade, **size})
        cast(LinearColorMapper, cast(ImageGlyph, self._cells.glyph).color_mapper).update(high=drawn.highest)
        xs = [[[region.across.tolist()]] for region in drawn.forbidden]
        feed(self._hatch, {"xs": xs, "ys": [[[region.up.tolist()]] for region in drawn.forbidden]})
        for renderer, lines in ((self._borders, drawn.borders), (self._exact, drawn.exact)):
            feed(renderer, {"xs": [line.across for line in lines], "ys": [line.up for line in lines]})
        feed(self._ring, _points([drawn.ring]))
        feed(self._marks, _points([(mark.across, mark.up) for mark in drawn.marks]))

    def _all_texts(self, state: State, drawn: Map, words: Mapping[str, str]) -> list[dict[str, Any]]:
        colours = COLOURS[state.theme]
        taken = np.zeros(drawn.regimes.shape, dtype=bool)
        texts = self._ring_texts(drawn, words["here"], colours["text"], taken)
        for mark in drawn.marks:
            texts.append(self._mark_text(drawn, mark, taken))
        for region in drawn.forbidden:
            texts += _region_texts(region, drawn.window, colours)
        for index, name in enumerate(drawn.names):
            cell = placement.place(drawn.regimes == index, taken, self._places.get(name))
            if cell is None:
                self._places.pop(name, None)
                continue
            self._places[name] = cell
            across, up = float(drawn.window.across()[cell[1]]), float(drawn.window.up()[cell[0]])
            texts.append({"x": across, "y": up, "text": name, "color": _ink(drawn, cell), "align": "center"})
        return texts + self.extra_texts(state, drawn)

    def _ring_texts(self, drawn: Map, here: str, outside: str, taken: np.ndarray) -> list[dict[str, Any]]:
        across, up = drawn.ring
        cell = drawn.window.cell(across, up)
        to_left = _in_right_part(drawn.window, across)
        taken |= placement.around(taken.shape, cell, *((18, 2) if to_left else (2, 18)))
        color = outside if drawn.regimes[cell] == NOWHERE else _ink(drawn, cell)
        set_ = {"x": across, "y": up, "color": color, "dx": -14 if to_left else 14}
        align = "right" if to_left else "left"
        return [
            {**set_, "text": "here", "dy": -7, "style": "bold", "align": align},
            {**set_, "text": here, "dy": 7, "align": align},
        ]

    def _mark_text(self, drawn: Map, mark: Mark, taken: np.ndarray) -> dict[str, Any]:
        cell = drawn.window.cell(mark.across, mark.up)
        to_left = _in_right_part(drawn.window, mark.across)
        taken |= placement.around(taken.shape, cell, *((20, 1) if to_left else (1, 20)), half_height=1)
        return {
            "x": mark.across,
            "y": mark.up,
            "text": mark.words,
            "color": _ink(drawn, cell),
            "dx": -8 if to_left else 8,
            "align": "right" if to_left else "left",
        }


def _points(points: list[tuple[float, float]]) -> dict[str, np.ndarray]:
    return {"x": np.array([x for x, _ in points], dtype=float), "y": np.array([y for _, y in points], dtype=float)}


def _in_right_part(window: Window, across: float) -> bool:
    return across > window.left + 0.62 * (window.right - window.left)


def _ink(drawn: Map, cell: placement.Cell) -> str:
    return on_colour(shade_colour(float(drawn.shade[cell]), drawn.highest))


def _region_texts(region: Region, window: Window, colours: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the words in a forbidden region, or nothing where they have no room."""
    wide = (region.across.max() - region.across.min()) / (window.right - window.left)
    high = (region.up.max() - region.up.min()) / (window.top - window.bottom)
    if wide < 0.13 or high < 0.11:
        return []
    across, up = float(region.across.mean()), float(region.up.mean())
    return [
        {"x": across, "y": up, "text": region.words, "color": colours["text"], "align": "center", "dy": -8},
        {"x": across, "y": up, "text": region.limit, "color": colours["muted"], "align": "center", "dy": 8},
    ]
