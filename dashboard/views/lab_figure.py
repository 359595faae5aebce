"""A lab's picture: its curves along one knob, where the bound flips, where the point stands, and what does not fit.

Both axes run in log10. A curve is solid where it is the largest of those that can bind and dashed where it is slack.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import holoviews as hv
import numpy as np
import panel as pn
from bokeh.models import BoxAnnotation, FixedTicker, GlyphRenderer, Range1d
from panel.viewable import Viewable

from dashboard.components.plot_head import PlotHead
from dashboard.course.lab import Lab, Reading
from dashboard.palette import COLOURS, Theme
from dashboard.views import figures
from dashboard.views.bars import Text
from dashboard.views.figures import build, feed, renderers, restyle
from model.formula import symbol_text
from model.graph import quantities
from model.knobs import KNOBS
from model.numerals import parts, show

HEIGHT = 420
DECADES = 4.5
"""Powers of ten shown below the highest value at most."""
_BORDERS = (66, 88, 26, 30)
_GAP = 15
"""px between two labels at least."""


@dataclass(frozen=True)
class _Stroke:
    xs: Sequence[float]
    ys: Sequence[float]
    colour: str
    width: float


class LabFigure:
    """One Bokeh figure, built once for all labs."""

    def __init__(self) -> None:
        solid, dashed, words = hv.Path([[(0, 0), (1, 1)]]), hv.Path([[(0, 0), (1, 1)]]), figures.empty_texts()
        ring = hv.Points([(0.0, 0.0)])
        overlay = hv.Overlay([solid, dashed, ring, words])
        self.figure = build(overlay, height=HEIGHT, borders=_BORDERS)
        self._x, self._y = Range1d(start=0, end=1), Range1d(start=0, end=1)
        self.figure.update(x_range=self._x, y_range=self._y)
        self._tickers = FixedTicker(ticks=[]), FixedTicker(ticks=[])
        for axis, ticker in zip((self.figure.below[0], self.figure.left[0]), self._tickers, strict=True):
            axis.update(ticker=ticker)
        self._solid, self._dashed, self._ring, self._words = renderers(self.figure)
        for path, dash in ((self._solid, "solid"), (self._dashed, [4, 4])):
            path.glyph.update(line_color={"field": "line_color"}, line_width={"field": "line_width"}, line_dash=dash)
        self._ring.glyph.update(size=13, line_width=2.5)
        figures.set_text_columns(self._words)
        self._too_big = BoxAnnotation(hatch_pattern="right_diagonal_line", line_color=None, level="underlay")
        self.figure.add_layout(self._too_big)
        self._head = PlotHead(spec={"title": "What it shows"})
        pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        self._body = pn.Column(self._head, pane, margin=0)

    @property
    def body(self) -> Viewable:
        """The picture with its title."""
        return self._body

    def draw(self, lab: Lab, reading: Reading, theme: Theme, *, guess: float | None, looked: bool) -> None:
        """Draw a reading.

        Args:
            lab: whose curves.
            reading: what the graph says.
            theme: colours.
            guess: the predicted flip, if there is a prediction.
            looked: whether the flip may be marked.
        """
        restyle(self.figure, theme)
        colours, knob = COLOURS[theme], lab.across.knob
        unit = _unit(lab.curves[0].of)
        self._head.data = {"remark": f"{_quantity(lab)} against {knob.label.lower()} {symbol_text(knob.name)}"}
        xs = [math.log10(place) for place in reading.line.places]
        low, high = self._window(lab, reading, xs, unit)
        solid, dashed, labels = self._curves(lab, reading, xs, low, high, colours)
        texts = _spread(labels, low, high)
        for flip in reading.flips if looked else ():
            x = math.log10(flip.place)
            solid.append(_Stroke([x, x], [low, high], colours["accent"], 1.5))
            texts.append(self._mark(x, xs, high, f"flips at {show(flip.place, knob.unit)}", colours["accent"]))
        if guess is not None and xs[0] <= math.log10(guess) <= xs[-1]:
            x = math.log10(guess)
            dashed.append(_Stroke([x, x], [low, high], colours["muted"], 1.5))
            texts.append(self._mark(x, xs, low, f"your guess {show(guess, knob.unit)}", colours["muted"]))
        texts += self._here(lab, reading, low, high, colours)
        self._hatch(lab, reading, xs, colours, texts, low, high)
        _write(self._solid, solid)
        _write(self._dashed, dashed)
        feed(self._words, figures.text_columns(texts))

    def _window(self, lab: Lab, reading: Reading, xs: Sequence[float], unit: str) -> tuple[float, float]:
        values = [
            value
            for curve in lab.curves
            for value in reading.line.values[curve.of]
            if math.isfinite(value) and value > 0
        ]
        high = math.log10(max(values)) + 0.15 if values else 1.0
        low = max(math.log10(min(values)) - 0.15, high - DECADES) if values else 0.0
        self._x.update(start=xs[0], end=xs[-1])
        self._y.update(start=low, end=high)
        axes = (self.figure.below[0], xs[0], xs[-1], lab.across.knob.unit), (self.figure.left[0], low, high, unit)
        for (axis, start, end, of), ticker in zip(axes, self._tickers, strict=True):
            ticks = _ticks(start, end)
            ticker.update(ticks=ticks)
            axis.update(major_label_overrides={tick: _tick_words(10**tick, of) for tick in ticks})
        return low, high

    def _curves(
        self, lab: Lab, reading: Reading, xs: Sequence[float], low: float, high: float, colours: Mapping[str, str]
    ) -> tuple[list[_Stroke], list[_Stroke], list[Text]]:
        solid: list[_Stroke] = []
        dashed: list[_Stroke] = []
        labels: list[Text] = []
        bound = [name for name in lab.says if name in reading.line.values]
        tops = [max(_finite(reading.line.values[name][index]) for name in bound) for index in range(len(xs))]
        shades = iter(("bar2", "bar3", "bar2", "bar3"))
        for curve in lab.curves:
            values = reading.line.values[curve.of]
            logs = [math.log10(value) if math.isfinite(value) and value > 0 else math.nan for value in values]
            logs = [value if value >= low else math.nan for value in logs]
            if not any(map(math.isfinite, logs)):
                continue
            colour = colours["text"] if curve.whole else colours[next(shades)]
            slack = [curve.of in lab.says and value < top * (1 - 1e-9) for value, top in zip(values, tops, strict=True)]
            for wanted, strokes in ((False, solid), (True, dashed)):
                # One place more at each end, so that the solid part meets the dashed one.
                kept = [
                    y
                    if is_slack == wanted or (not wanted and False in slack[max(index - 1, 0) : index + 2])
                    else math.nan
                    for index, (y, is_slack) in enumerate(zip(logs, slack, strict=True))
                ]
                if any(map(math.isfinite, kept)):
                    strokes.append(_Stroke(xs, kept, colour, 2.6 if curve.whole else 1.8))
            end = max(index for index, value in enumerate(logs) if math.isfinite(value))
            style = "bold" if curve.whole else "normal"
            labels.append(
                {"x": xs[-1], "y": logs[end], "text": curve.label, "color": colours["text"], "dx": 8, "style": style}
            )
        return solid, dashed, labels

    def _mark(self, x: float, xs: Sequence[float], y: float, words: str, colour: str) -> Text:
        to_left = x > (xs[0] + xs[-1]) / 2
        top = y == self._y.end
        return {
            "x": x,
            "y": y,
            "text": words,
            "color": colour,
            "align": "right" if to_left else "left",
            "dx": -6 if to_left else 6,
            "dy": -12 if top else -10,
            "style": "bold" if top else "normal",
        }

    def _here(self, lab: Lab, reading: Reading, low: float, high: float, colours: Mapping[str, str]) -> list[Text]:
        curve = next((curve for curve in lab.curves if curve.whole), None)
        name = curve.of if curve else reading.binds
        value = reading.here.get(name, math.nan)
        self._ring.glyph.update(fill_color=colours["bg"], line_color=colours["text"])
        if not (math.isfinite(value) and value > 0 and low <= math.log10(value) <= high):
            feed(self._ring, {"x": np.array([]), "y": np.array([])})
            return []
        x, y = math.log10(reading.place), math.log10(value)
        feed(self._ring, {"x": np.array([x]), "y": np.array([y])})
        ends = reading.line.places
        right = x > math.log10(ends[0] * ends[-1]) / 2
        align, dx = ("right", -12) if right else ("left", 12)
        words = f"here: {show(value, _unit(name))}"
        place = {"x": x, "y": y, "align": align, "dx": dx, "dy": -14}
        return [{**place, "text": words, "color": colours["text"], "style": "bold"}]

    def _hatch(
        self,
        lab: Lab,
        reading: Reading,
        xs: Sequence[float],
        colours: Mapping[str, str],
        texts: list[Text],
        low: float,
        high: float,
    ) -> None:
        room = reading.line.values.get(lab.fit, ())
        first = next((index for index, value in enumerate(room) if value < 0), None)
        self._too_big.update(
            visible=first is not None,
            left=xs[first or 0],
            right=xs[-1],
            fill_color=colours["hatch-ground"],
            fill_alpha=1.0,
            hatch_color=colours["hatch-line"],
        )
        if first is not None:
            middle = (xs[first] + xs[-1]) / 2
            place = {"x": middle, "y": low, "align": "center", "dy": -28}
            texts.append({**place, "text": "does not fit", "color": colours["text"]})


def _finite(value: float) -> float:
    return value if math.isfinite(value) else -math.inf


def _unit(of: str) -> str:
    owner = of.partition(":")[0]
    return quantities()[owner].unit if owner in quantities() else KNOBS[owner].unit


def _quantity(lab: Lab) -> str:
    curve = next((curve for curve in lab.curves if curve.whole), None)
    if curve is None:
        return f"{quantities()[lab.curves[0].of].unit}, by part"
    return quantities()[curve.of.partition(":")[0]].label


def _ticks(low: float, high: float) -> list[float]:
    """Return the powers of ten within a range, with 2 and 5 between where there is room."""
    steps = (0.0,) if high - low > 2.2 else (0.0, math.log10(2), math.log10(5))
    every = 2 if high - low > 7 else 1
    powers = range(math.floor(low), math.ceil(high) + 1)
    return [power + step for power in powers if power % every == 0 for step in steps if low <= power + step <= high]


def _tick_words(value: float, unit: str) -> str:
    number, name = parts(float(f"{value:.1g}"), unit, 1)
    word = name if unit in ("s", "B", "FLOP/token", "FLOP") else name.partition(" ")[0] if name != unit else ""
    return f"{number}\u2009{word}".strip()


def _write(path: GlyphRenderer, strokes: Sequence[_Stroke]) -> None:
    columns = {
        "xs": [np.array(stroke.xs) for stroke in strokes],
        "ys": [np.array(stroke.ys) for stroke in strokes],
        "line_color": [stroke.colour for stroke in strokes],
        "line_width": [stroke.width for stroke in strokes],
    }
    feed(path, columns)


def _spread(labels: Sequence[Text], low: float, high: float) -> list[Text]:
    """Return labels at the ends of the lines, moved down where two would touch."""
    inner = HEIGHT - _BORDERS[2] - _BORDERS[3]
    texts: list[Text] = []
    floor = math.inf
    for label in sorted(labels, key=lambda label: -label["y"]):
        floor = min(label["y"], floor - _GAP / inner * (high - low))
        texts.append({**label, "y": floor})
    return texts
