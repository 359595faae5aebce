"""What fills the memory of one chip, against what it has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import panel as pn
from panel.viewable import Viewable

from dashboard.components.caption import Caption
from dashboard.components.plot_head import PlotHead
from dashboard.palette import COLOURS, Theme
from dashboard.session import Session, State
from dashboard.views.bars import NAMES, Bar, Bars, Text
from dashboard.views.figures import on_colour
from model.lanes import Memory, serving_memory, training_memory
from model.numerals import show
from model.point import Point

Kind = Literal["training", "inference"]

HEIGHT, HALF = 24, 10


class MemoryBars:
    """One bar: the parts, what is free, and where the capacity ends if they do not fit."""

    def __init__(self, session: Session, kind: Kind) -> None:
        self._kind: Kind = kind
        self._shown: tuple[Point, Theme] | None = None
        self._bars = Bars(session, height=HEIGHT)
        self._head = PlotHead(spec={"title": "What fills the memory"})
        self._caption = Caption()
        self.figure = self._bars.figure
        pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        self._body = pn.Column(self._head, pane, self._caption, margin=0)

    @property
    def body(self) -> Viewable:
        """The title, the bar, and the same in words."""
        return self._body

    def paint(self, state: State) -> None:
        """Draw the memory of a new point, or in new colours."""
        if (state.point, state.theme) == self._shown:
            return
        colours = COLOURS[state.theme]
        if self._shown is None or self._shown[1] != state.theme:
            self._bars.restyle(colours["text"], state.theme)
        self._shown = state.point, state.theme
        memory = (training_memory if self._kind == "training" else serving_memory)(state.evaluation)
        self._head.data = {"remark": self._remark(state, memory)}
        if memory.reason:
            self._bars.draw([], [], [])
            self._caption.data = {"lines": [f"{memory.reason[:1].upper()}{memory.reason[1:]}."]}
            return
        self._draw(memory, colours)
        self._caption.data = {"lines": _verdict(memory)}

    def _remark(self, state: State, memory: Memory) -> str:
        parts = ", ".join(f"{span.label} {show(span.length, 'B')}" for span in memory.spans)
        limit = state.evaluation.bounds["decode_batch_limit"]
        if self._kind == "training" or not math.isfinite(limit) or limit < 1:
            return f"one chip; {parts}" if parts else "one chip"
        return f"one chip; {parts}; {math.floor(limit):,} sequences fit"

    def _draw(self, memory: Memory, colours: Mapping[str, str]) -> None:
        known = math.isfinite(memory.capacity)
        whole = max(memory.used, memory.capacity) if known else memory.used
        shades = ("bar2", "bar3")
        bars = []
        for span, shade in zip(memory.spans, shades, strict=False):
            # The mark of the capacity would run through the labels of a bar that goes past it.
            label = f"{span.label} {show(span.length, 'B')}" if memory.fits else ""
            ends = span.start / whole, span.stop / whole
            bars.append(Bar(*ends, HEIGHT / 2, HALF, colours[shade], label, span.quantity))
        texts: list[Text] = [
            {"x": 0.0, "y": HEIGHT / 2, "text": "HBM", "color": colours["text"], "style": "bold", "dx": -NAMES}
        ]
        lines = []
        if known and memory.fits:
            bars.append(Bar(memory.used / whole, 1.0, HEIGHT / 2, HALF, colours["ghost"]))
            texts += _free_texts(memory, colours)
        elif known:
            lines.append((memory.capacity / whole, 0.0, memory.capacity / whole, float(HEIGHT)))
            over = {"x": 1.0, "y": HEIGHT / 2, "text": "does not fit", "color": colours["text"], "dx": 6}
            texts.append({**over, "style": "bold", "size": "11px"})
            room = 1 - memory.capacity / whole
            has = {"x": memory.capacity / whole, "y": HEIGHT / 2, "room": room, "color": on_colour(colours["bar2"])}
            texts.append({**has, "text": f"over {show(memory.capacity, 'B')}", "dx": 8})
        self._bars.draw(bars, lines, texts)


def _free_texts(memory: Memory, colours: Mapping[str, str]) -> list[Text]:
    """Return what is used, right of the parts, and what is free, at the right end."""
    share = memory.used / memory.capacity
    used = f"{show(memory.used, 'B')} of {show(memory.capacity, 'B')}"
    free = f"{show(memory.capacity - memory.used, 'B')} free"
    row = {"y": HEIGHT / 2, "room": (1 - share) * len(free) / (len(free) + len(used))}
    return [
        {**row, "x": share, "text": used, "color": colours["text"], "dx": 8, "room": 1 - share},
        {**row, "x": 1.0, "text": free, "color": colours["muted"], "align": "right", "dx": -8},
    ]


def _verdict(memory: Memory) -> list[str]:
    """Return what the bar can't say: nothing where all fits."""
    if not math.isfinite(memory.capacity):
        return ["Capacity not known: set HBM capacity."]
    if memory.fits:
        return []
    over = show(memory.used - memory.capacity, "B")
    return [f"Does not fit: {show(memory.used, 'B')} of {show(memory.capacity, 'B')}, {over} too much."]
