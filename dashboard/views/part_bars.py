"""Two models by part: parameters, FLOPs and bytes, each model one bar of its own whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import panel as pn
from panel.viewable import Viewable

from dashboard.components.caption import Caption
from dashboard.components.legend import Legend
from dashboard.components.plot_head import PlotHead
from dashboard.palette import COLOURS, Theme
from dashboard.session import Session
from dashboard.views.bars import NAMES, Bar, Bars, Text
from model.numerals import digits, show
from model.picture import PARTS, Part, Picture

HALF, PITCH, GROUP, TITLE = 10, 26, 88, 22
"""px: half a bar, from one model's bar to the other's, from measure to measure, and of a measure's title."""

_TONES = {
    "embedding": "bar4",
    "attention": "bar",
    "mlp": "bar3",
    "experts": "bar2",
    "shared_experts": "bar3",
    "router": "ghost",
    "norms": "ghost",
    "head": "bar4",
    "vision": "ghost",
}
_GAP = 0.0023
"""Share of the width between two parts: one px."""

_LONGEST_NAME = 12


@dataclass(frozen=True)
class _Measure:
    title: str
    unit: str
    of: Callable[[Part], float]


_MEASURES = (
    _Measure("Parameters", "params", lambda part: part.params),
    _Measure("FLOPs of one token, forward, in matrices", "FLOP", lambda part: part.flops),
    _Measure("Bytes of the weights", "B", lambda part: part.bytes),
)


class PartBars:
    """The picture of two models, painted by the page that chose them."""

    def __init__(self, session: Session) -> None:
        self._theme: Theme | None = None
        self._bars = Bars(session, height=GROUP * len(_MEASURES) - 12)
        self._head = PlotHead(spec={"title": "Where it sits"}, data={"remark": "each bar is one model's whole"})
        self._legend = Legend()
        self._caption = Caption()
        self.figure = self._bars.figure
        pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        self._body = pn.Column(self._head, self._legend, pane, self._caption, margin=0)

    @property
    def body(self) -> Viewable:
        """The title, the bars, and the same in words."""
        return self._body

    def draw(self, models: Sequence[tuple[str, Picture]], theme: Theme) -> None:
        """Draw two models, each by its title."""
        colours = COLOURS[theme]
        if theme != self._theme:
            self._bars.restyle(colours["track"], theme)
            self._theme = theme
        bars: list[Bar] = []
        texts: list[Text] = []
        for group, measure in enumerate(_MEASURES):
            top = GROUP * group
            texts.append({"x": 0.0, "y": top + 9, "text": measure.title, "color": colours["muted"], "dx": -NAMES})
            for row, (title, picture) in enumerate(models):
                middle = top + TITLE + HALF + PITCH * row
                bars += _lane(picture, measure, middle, colours)
                total = sum(map(measure.of, picture.parts.values()))
                at = {"y": middle, "color": colours["text"]}
                texts.append({**at, "x": 0.0, "text": _short(title), "dx": -NAMES})
                shown = show(total, measure.unit).removesuffix(measure.unit if measure.unit != "B" else "").strip()
                texts.append({**at, "x": 1.0, "text": shown, "dx": 8, "style": "bold"})
        self._bars.draw(bars, [], texts)
        self._legend.data = {"entries": _entries([picture for _, picture in models])}
        self._caption.data = {"lines": [_words(title, picture) for title, picture in models]}


def _lane(picture: Picture, measure: _Measure, middle: float, colours: Mapping[str, str]) -> list[Bar]:
    total = sum(map(measure.of, picture.parts.values()))
    bars: list[Bar] = []
    start = 0.0
    for name, part in picture.parts.items():
        share = measure.of(part) / total if total else 0.0
        stop = start + share
        gap = _GAP if share > 4 * _GAP and stop < 1 else 0.0
        label = f"{PARTS[name].capitalize() if name != 'mlp' else 'MLP'} {digits(100 * share)}\u2009%"
        bars.append(Bar(start, stop - gap, middle, HALF, colours[_TONES[name]], label))
        start = stop
    return bars


def _entries(pictures: Sequence[Picture]) -> list[tuple[str, str]]:
    """Return each shade with the parts that it stands for in any of the pictures."""
    names: dict[str, list[str]] = {}
    for part, tone in _TONES.items():
        if any(part in picture.parts for picture in pictures):
            names.setdefault(tone, []).append(PARTS[part])
    return [(tone, ", ".join(parts)) for tone, parts in names.items()]


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST_NAME else f"{title[: _LONGEST_NAME - 1]}…"


def _words(title: str, picture: Picture) -> str:
    held = [item for item in picture.parts.items() if item[1].params]
    parts = sorted(held, key=lambda item: -item[1].params)
    said = [f"{PARTS[name]} {show(part.params, 'params').removesuffix('params').strip()}" for name, part in parts]
    return f"{title}: {', '.join(said)} parameters."
