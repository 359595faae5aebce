"""The one state of an open page: the point, what is in focus, and the evaluation that every view reads.

A change travels one way: something writes knobs, the graph is evaluated once, and one immutable `State` is published
inside one hold. Widgets, clicks on heatmaps, goal-seek, presets and links all write knobs through `Session.write`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

import param
from panel.io import hold

import presets
from dashboard.pages import PAGES
from dashboard.palette import Theme
from model.errors import BadInput
from model.evaluate import Evaluation, Gradient, evaluate, gradient
from model.importing import SHAPE_KNOBS, nearest_preset
from model.knobs import KNOBS, KnobValue
from model.point import Point, resolve

CHIP_KNOBS = frozenset({"peak_flops", *presets.FIGURES})
"""What a chip's source prints: another chip brings its own."""

Kind = Literal["chip", "model"]
KINDS: tuple[Kind, ...] = ("chip", "model")
OWN_KNOBS: Mapping[Kind, frozenset[str]] = {"chip": CHIP_KNOBS & frozenset(KNOBS), "model": SHAPE_KNOBS}
"""What a chip or a model decides: another one brings its own."""

HISTORY = 200
"""Points that undo can go back to."""


@dataclass(frozen=True)
class State:
    """What is true of the page now; replaced as a whole, never changed."""

    page: str
    focus: str
    evaluation: Evaluation
    gradient: Gradient
    theme: Theme = "light"
    part: str = ""
    """Which chapter or lab of the course is open, or was when it was left; empty for its first."""

    @property
    def point(self) -> Point:
        """The operating point."""
        return self.evaluation.point


class Session(param.Parameterized):
    """Holds the state of one page and publishes each new one once."""

    # Always set, from the first line of a session on; the declaration alone would allow None.
    state = cast(State, param.ClassSelector(class_=State, doc="The state that views paint; watch it, never set it."))
    notice = param.String("", doc="One line for a person: what was refused, where, and the mend.")
    moves = param.Tuple((False, False), doc="Whether there is something to undo, and to redo.")

    def __init__(
        self,
        point: Point | None = None,
        *,
        page: str = "training",
        focus: str = "step_time",
        theme: Theme = "light",
        part: str = "",
    ) -> None:
        super().__init__()
        self._past: list[Point] = []
        self._future: list[Point] = []
        self._in_stroke = False
        self._last_focus: dict[str, str] = {}
        self._names: dict[frozenset[tuple[str, KnobValue]], str] = {}
        self._publish(point or resolve(), page, focus, theme, part)

    @property
    def point(self) -> Point:
        """The operating point of the present state."""
        return self.state.point

    def write(self, settings: Mapping[str, object], *, drag: bool = False) -> bool:
        """Write knobs (or `chips`, `batch_seqs`) and publish; a refusal becomes the notice and changes nothing.

        Args:
            settings: knob names and what was typed or chosen for them.
            drag: the change continues the one before, so both are one step of undo.
        """
        return self._move(lambda: self.point.with_settings(settings), drag=drag)

    def reset(self, *names: str) -> bool:
        """Put knobs back to their presets; all of them when none is named."""
        kept = {name: value for name, value in self.point.changes().items() if names and name not in names}
        return self._move(lambda: resolve(self.point.chip, self.point.model, kept))

    def pick(self, *, chip: str | None = None, model: str | None = None) -> bool:
        """Change the chip or the model: its own figures come in, changes by hand to the other groups stay."""
        replaced = (OWN_KNOBS["chip"] if chip else frozenset()) | (OWN_KNOBS["model"] if model else frozenset())
        kept = {name: value for name, value in self.point.changes().items() if name not in replaced}
        dtype = kept.get("compute_dtype")
        unprinted = bool(chip) and dtype is not None and dtype not in presets.chip(str(chip)).peak_flops
        if unprinted:
            del kept["compute_dtype"]
        moved = self._move(lambda: resolve(chip or self.point.chip, model or self.point.model, kept))
        if moved and unprinted:
            self.notice = f"compute_dtype: no {dtype} rate is printed for {chip}; back to the preset"
        return moved

    def load(self, kind: Kind, name: str, settings: Mapping[str, object]) -> bool:
        """Bring in a chip or a model that is no preset, under its name: one step of undo.

        Args:
            kind: which of the two.
            name: what it is called as long as none of its knobs moves.
            settings: all of its knobs; a link holds those that differ from the nearest preset.
        """
        before = self.state
        moved = self._move(lambda: self._brought(kind, name, settings))
        if moved and self.state is before:
            self._publish(self.point, before.page, before.focus)
        return moved

    def _brought(self, kind: Kind, name: str, settings: Mapping[str, object]) -> Point:
        own = OWN_KNOBS[kind]
        faults = [f"{name}: {knob} is no knob of a {kind}; leave it out" for knob in settings if knob not in own]
        if faults:
            raise BadInput(faults)
        kept = {knob: value for knob, value in self.point.changes().items() if knob not in own}
        model = self.point.model
        if kind == "model":
            # As typed or as text: read first, and what an older browser did not save stands at its default.
            read = resolve(settings={**{knob: KNOBS[knob].default for knob in own}, **settings}).values
            settings = {knob: read[knob] for knob in own}
            model = nearest_preset(settings)
        point = resolve(self.point.chip, model, {**kept, **settings})
        self._names[_own(point, kind)] = name
        return point

    def name_of(self, kind: Kind) -> str:
        """Return what the present chip or model is called: a preset's name, or the one that it was brought under."""
        preset = presets.chip(self.point.chip).name if kind == "chip" else presets.model(self.point.model).name
        return self._names[_own(self.point, kind)] if self.is_own(kind) else preset

    def is_own(self, kind: Kind) -> bool:
        """Whether the present chip or model is one that was brought in under a name and has not changed since."""
        return self.is_changed(kind) and _own(self.point, kind) in self._names

    def is_changed(self, kind: Kind) -> bool:
        """Whether the present chip or model differs from its preset."""
        return not OWN_KNOBS[kind].isdisjoint(self.point.changes())

    def jump(self, point: Point) -> bool:
        """Move to a whole point: a link, an example, the answer of goal-seek."""
        return self._move(lambda: point)

    def look_at(self, focus: str) -> None:
        """Put a value in focus; the point does not change."""
        self._publish(self.point, self.state.page, focus)

    def open(self, page: str, focus: str = "") -> None:
        """Show another page with what was in focus there, or with `focus`; the point does not change."""
        self._publish(self.point, page, focus or self._last_focus.get(page, PAGES[page].focus))

    def paint_in(self, theme: Theme) -> None:
        """Change the colours; nothing else changes."""
        if theme != self.state.theme:
            self._publish(self.point, self.state.page, self.state.focus, theme)

    def visit(self, point: Point, page: str, focus: str, part: str | None = None) -> None:
        """Go to a whole place, as the browser's back button does; its point is one step of undo."""
        self._remember(point, continues=False)
        self._publish(point, page, focus, part=part)

    def undo(self) -> None:
        """Go back one step."""
        self._travel(self._past, self._future)

    def redo(self) -> None:
        """Take back an undo."""
        self._travel(self._future, self._past)

    def _travel(self, source: list[Point], target: list[Point]) -> None:
        if source:
            target.append(self.point)
            self._publish(source.pop(), self.state.page, self.state.focus)

    def _move(self, find: Callable[[], Point], *, drag: bool = False) -> bool:
        try:
            point = find()
        except BadInput as error:
            self.notice = "; ".join(error.faults)
            return False
        self._remember(point, continues=drag)
        if point != self.point:
            self._publish(point, self.state.page, self.state.focus)
        return True

    def _remember(self, point: Point, *, continues: bool) -> None:
        """Keep the present point for undo, unless the move continues one that has kept it."""
        self._in_stroke = self._in_stroke and continues
        if point != self.point:
            if not self._in_stroke:
                self._past = [*self._past[1 - HISTORY :], self.point]
            self._in_stroke = True
            self._future.clear()

    def _publish(
        self, point: Point, page: str, focus: str, theme: Theme | None = None, part: str | None = None
    ) -> None:
        evaluation = evaluate(point)
        with hold(), param.parameterized.batch_call_watchers(self):
            theme = theme or self.state.theme
            part = self.state.part if part is None else part
            self._last_focus[page] = focus
            self.state = State(page, focus, evaluation, gradient(evaluation, focus), theme, part)
            self.notice = ""
            self.moves = (bool(self._past), bool(self._future))


def _own(point: Point, kind: Kind) -> frozenset[tuple[str, KnobValue]]:
    return frozenset((name, value) for name, value in point.values.items() if name in OWN_KNOBS[kind])
