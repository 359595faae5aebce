"""Where the time of a step goes: one lane a resource, laid out in time, so that the longest lane of a pass is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import panel as pn
from panel.viewable import Viewable

from dashboard.components.caption import Caption
from dashboard.components.plot_head import PlotHead
from dashboard.palette import COLOURS, Theme
from dashboard.session import Session, State
from dashboard.views.bars import NAMES, Bar, Bars, Text
from model.evaluate import Evaluation
from model.lanes import Lane, Span, Timeline, decode_timeline, prefill_timeline, training_timeline
from model.numerals import MISSING, digits, show
from model.point import Point

Kind = Literal["training", "inference"]

PITCH, HALF = 35, 8
"""px from lane to lane, and half a bar."""

TOPS = {"training": 18, "inference": 2}
"""px above the first lane: room for the names of the passes."""

NAMES_OF_LANES = {"training": ("Math", "TP comms", "FSDP comms"), "inference": ("HBM", "FLOPs", "ICI comms", "Prefill")}

_PART_COLOURS = {"first": "bar", "second": "bar2", "third": "bar3", "fourth": "bar4"}


@dataclass(frozen=True)
class _Row:
    """A lane with the words under it, and the time that the whole width stands for."""

    lane: Lane
    words: str
    total: float


class TimeBars:
    """The lanes of a training step, or of a decode step with the prefill below it."""

    def __init__(self, session: Session, kind: Kind) -> None:
        self._kind: Kind = kind
        self._shown: tuple[Point, Theme] | None = None
        self._bars = Bars(session, height=TOPS[kind] + PITCH * len(NAMES_OF_LANES[kind]))
        self._head = PlotHead(spec={"title": "Where the time goes"})
        self._caption = Caption()
        self.figure = self._bars.figure
        pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        self._body = pn.Column(self._head, pane, self._caption, margin=0)

    @property
    def body(self) -> Viewable:
        """The title, the bars, and the same in words."""
        return self._body

    def paint(self, state: State) -> None:
        """Draw the lanes of a new point, or in new colours."""
        if (state.point, state.theme) == self._shown:
            return
        if self._shown is None or self._shown[1] != state.theme:
            self._bars.restyle(COLOURS[state.theme]["track"], state.theme)
        self._shown = state.point, state.theme
        if self._kind == "training":
            self._paint_training(state)
        else:
            self._paint_inference(state)

    def _paint_training(self, state: State) -> None:
        timeline = training_timeline(state.evaluation)
        self._head.data = {"remark": "the longest lane of each pass counts"}
        if timeline.reason:
            self._refuse(state, timeline.reason)
            return
        rows = [_Row(lane, _training_words(lane), timeline.total) for lane in timeline.lanes]
        self._draw(state, rows, timeline, ("forward", "backward", ""))
        math_lane = timeline.lanes[0]
        parts = ", ".join(f"{label} {show(value, 's')}" for label, value in math_lane.totals().items())
        self._caption.data = {"lines": [f"Math: {parts}."]}

    def _paint_inference(self, state: State) -> None:
        decode, prefill = decode_timeline(state.evaluation), prefill_timeline(state.evaluation)
        self._head.data = {"remark": "the longer of HBM and FLOPs, then comms"}
        if decode.reason or prefill.reason:
            self._refuse(state, decode.reason or prefill.reason)
            return
        rows = [_Row(lane, _serving_words(lane), decode.total) for lane in decode.lanes]
        rows.append(_Row(_one_lane("Prefill", prefill), _prefill_words(state.evaluation), prefill.total))
        self._draw(state, rows, decode, ("", ""))
        parts = [f"{label} {show(value, 's')}" for lane in decode.lanes for label, value in lane.totals().items()]
        self._caption.data = {"lines": [f"Decode: {', '.join(parts)}."]}

    def _refuse(self, state: State, reason: str) -> None:
        faint = COLOURS[state.theme]["faint"]
        texts: list[Text] = []
        for index, name in enumerate(NAMES_OF_LANES[self._kind]):
            row = {"x": 0.0, "y": self._middle(index), "color": faint}
            texts += [{**row, "text": name, "dx": -NAMES}, {**row, "text": MISSING}]
        self._bars.draw([], [], texts)
        self._caption.data = {"lines": [f"{reason[:1].upper()}{reason[1:]}."]}

    def _middle(self, index: int) -> float:
        return TOPS[self._kind] + PITCH * index + HALF

    def _draw(self, state: State, rows: list[_Row], timeline: Timeline, passes: tuple[str, ...]) -> None:
        colours = COLOURS[state.theme]
        bars: list[Bar] = []
        texts: list[Text] = []
        start = 0.0
        for stop, name in zip(timeline.stops, passes, strict=False):
            at = {"x": start / timeline.total, "y": 8, "dx": 4 if start else 0}
            texts.append({**at, "text": name, "color": colours["faint"], "size": "11px"})
            start = stop
        for index, row in enumerate(rows):
            middle = self._middle(index)
            bars += [_bar(span, row, middle, colours) for span in row.lane.spans]
            weight = "bold" if row.lane.binding else "normal"
            at = {"x": 0.0, "y": middle, "color": colours["text"], "style": weight}
            texts.append({**at, "text": row.lane.name, "dx": -NAMES})
            texts.append({"x": 0.0, "y": middle + HALF + 9, "text": row.words, "color": colours["muted"]})
        for index in {0, len(rows) - 1} if self._kind == "inference" else {0}:
            at = {"x": 1.0, "y": self._middle(index), "color": colours["text"]}
            texts.append({**at, "text": show(rows[index].total, "s"), "dx": 8, "style": "bold"})
        lines = [
            (stop / timeline.total, middle - HALF - 3, stop / timeline.total, middle + HALF + 3)
            for stop in timeline.stops[:-1]
            for middle in map(self._middle, range(3))
        ]
        self._bars.draw(bars, lines, texts)


def _bar(span: Span, row: _Row, middle: float, colours: Mapping[str, str]) -> Bar:
    binds = span.stage in row.lane.binding or span.stage == "head"
    colour = colours[_PART_COLOURS[span.part]] if binds else colours["bar3" if span.part == "first" else "bar4"]
    own = span.label in row.lane.name
    label = show(span.length, "s") if own else f"{span.label} {show(span.length, 's')}"
    left, right = span.start / row.total, span.stop / row.total
    return Bar(left, right, middle, HALF, colour, label, span.quantity)


def _training_words(lane: Lane) -> str:
    if not lane.spans:
        return "nothing: one shard"
    busy = show(lane.busy, "s")
    if not lane.binding:
        return f"{busy}, hidden; {digits(lane.slack)}× slack"
    return f"{busy}, binds in {'both passes' if len(lane.binding) == 2 else f'the {lane.binding[0]} pass'}"


def _serving_words(lane: Lane) -> str:
    if not lane.spans:
        return "nothing: one chip, or left out"
    busy = show(lane.busy, "s")
    if lane.name == "ICI comms":
        return f"{busy}, added after"
    return f"{busy}, binds" if lane.binding else f"{busy}, hidden; {digits(lane.slack)}× slack"


def _one_lane(name: str, timeline: Timeline) -> Lane:
    """Return the binding lane of a timeline and its collectives as one lane."""
    longest = next(lane for lane in timeline.lanes if lane.binding)
    return Lane(name, (*longest.spans, *timeline.lanes[-1].spans), ("step",), 1.0)


def _prefill_words(evaluation: Evaluation) -> str:
    knobs = evaluation.point.numbers_by_name()
    return f"{knobs['decode_batch']:,.0f} × {knobs['prompt_len']:,.0f} tokens, own scale"
