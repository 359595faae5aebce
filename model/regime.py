"""How far each knob can move, the others held, before something else limits a value.

The regime of a value is what binds in every maximum that moves it, which case holds in every formula on the way, and
whether it fits. Each knob is walked outwards in small steps up to its bounds; where the regime changes, the place is
bisected. Between two steps a regime that comes and goes within a factor of 1.1 could be missed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from model.evaluate import Evaluation, require_value
from model.feasibility import Gate
from model.formula import formula, symbol_text
from model.formula.conditions import condition_text
from model.formula.printing import expression_text, plain_figure
from model.formula.tree import Expression, holds, names
from model.graph import ancestors, quantities
from model.influence import TIE, decisions, live_maxima
from model.knobs import KNOBS
from model.numerals import show
from model.probe import Probe, Row
from model.programs import DIFFERENTIATED
from model.words import binding_state

Kind = Literal["binds", "jump", "switch", "does not fit", "fits", "knob ends"]
STEP = 1.1
"""Factor between two looks while walking outwards."""
EVEN_STEPS = 64
"""Looks at a knob that may be 0."""
CLOSE = 1e-10
"""Relative width to which a change is bisected."""
JUMP = 1e-6
"""Relative change of the value across that width above which it jumps."""
PAST = 1e-7
"""Relative step past a change at which what follows is read: clear of the tie, short of anything else."""


@dataclass(frozen=True)
class Reach:
    """Where the regime ends for one knob in one direction.

    Attributes:
        knob: which knob moves.
        factor: `value` over the knob's present value; infinite where that is 0.
        value: the knob's value there; at a jump of an integer knob, the first whole number past it.
        before: what holds up to there, in words: `compute-bound`.
        after: what holds past it: `TP-bound`, or the reason that nothing does.
        kind: what happens: another branch binds; the value jumps; another case of a formula takes over; it stops
            fitting, or starts to; the knob's bounds end.
        whole: the first whole number past `value`, for integer knobs.
        words: ready to show: `TP-bound at Y = 38.9`.
    """

    knob: str
    factor: float
    value: float
    before: str
    after: str
    kind: Kind
    whole: float | None
    words: str


def regime(evaluation: Evaluation, of: str) -> list[Reach]:
    """Return at most two reaches (down, up) for each numeric knob that `of`, or whether it fits, depends on.

    They come nearest first; the ends of the knobs come last.

    Args:
        evaluation: the present point; where `of` does not fit there, its bound is followed.
        of: a quantity or `quantity:branch`.

    Raises:
        BadInput: `of` is unknown.
    """
    require_value(of, evaluation)
    if not math.isfinite(evaluation.bounds[of]):
        return []
    walker = _Walker(evaluation, of)
    found = [reach for knob in walker.knobs for reach in walker.reaches(knob)]
    return sorted(found, key=lambda reach: (reach.kind == "knob ends", _distance(reach.factor)))


def _distance(factor: float) -> float:
    return abs(math.log(factor)) if 0 < factor < math.inf else math.inf


@dataclass(frozen=True)
class _State:
    """The regime at one point, as far as one knob can change it; equal states are one regime."""

    binding: tuple[tuple[str, ...], ...]
    cases: tuple[bool, ...]
    fits: bool

    def words(self, maxima: Sequence[str], told: Sequence[str]) -> str:
        """Return what binds in those maxima that are to be told."""
        return binding_state({name: bound for name, bound in zip(maxima, self.binding, strict=True) if name in told})


@dataclass(frozen=True)
class _Watched:
    """What one knob could change: maxima (by quantity), conditions of cases, gates."""

    maxima: tuple[str, ...]
    conditions: tuple[Expression, ...]
    gates: tuple[Gate, ...]

    def __bool__(self) -> bool:
        return bool(self.maxima or self.conditions or self.gates)


class _Walker:
    """Walks one knob at a time away from an evaluation."""

    def __init__(self, evaluation: Evaluation, of: str) -> None:
        self.of, self.maxima = of, live_maxima(evaluation, of)
        self.conditions = decisions(evaluation, of)
        self.probe = Probe(evaluation.point, [of], (name for condition in self.conditions for name in names(condition)))
        self.gates = {gate: _inputs(gate.reads()) for gate in self.probe.gates if not gate.whole}
        self.numbers = evaluation.point.numbers_by_name()
        self.branches = {
            name: tuple(output for output in self.probe.program.outputs if output.startswith(f"{name}:"))
            for name in self.maxima
        }
        inputs = frozenset().union(_inputs(formula(of).inputs), *self.gates.values())
        self.knobs = [name for name in DIFFERENTIATED if name in inputs and evaluation.point.values[name] is not None]

    def row(self, knob: str, x: float) -> Row:
        """Return everything with one knob at `x`."""
        return self.probe.at({knob: x})

    def reaches(self, knob: str) -> Iterator[Reach]:
        """Yield where the regime ends below and above the knob's present value."""
        watched = _Watched(
            tuple(name for name in self.maxima if knob in ancestors(name)),
            tuple(condition for condition in self.conditions if knob in _inputs(names(condition))),
            tuple(gate for gate, inputs in self.gates.items() if knob in inputs),
        )
        x = self.numbers[knob]
        before = self.state(self.row(knob, x), watched)
        for end in KNOBS[knob].bounds:
            found = self.first_change(knob, x, end, watched, before) if watched else None
            yield self.ended(knob, x, end) if found is None else self.changed(knob, x, found, end, watched, before)

    def state(self, row: Row, watched: _Watched) -> _State:
        binding = []
        for name in watched.maxima:
            values = [row[branch] for branch in self.branches[name]]
            least = max(values) * (1 - TIE)
            tied = (branch for branch, value in zip(self.branches[name], values, strict=True) if value >= least)
            binding.append(tuple(branch.partition(":")[2] for branch in tied))
        cases = tuple(holds(condition, row) for condition in watched.conditions)
        fits = not any(gate.excess(row, row) > 0 for gate in watched.gates)
        return _State(tuple(binding), cases, fits)

    def first_change(
        self, knob: str, x: float, end: float, watched: _Watched, before: _State
    ) -> tuple[float, float] | None:
        """Return values of the knob just before and just past the first change on the way to `end`, if any."""
        inside = x
        for outside in _steps(knob, x, end):
            if self.state(self.row(knob, outside), watched) != before:
                break
            inside = outside
        else:
            return None
        while abs(outside - inside) > CLOSE * max(inside, outside):
            middle = _middle(knob, inside, outside)
            if self.state(self.row(knob, middle), watched) == before:
                inside = middle
            else:
                outside = middle
        return inside, outside

    def changed(
        self, knob: str, x: float, found: tuple[float, float], end: float, watched: _Watched, before: _State
    ) -> Reach:
        """Return the reach of a change between two values of the knob."""
        inside, value = found
        up = value > x or end > x
        y, y_past = self.row(knob, inside)[self.of], self.row(knob, value)[self.of]
        jumps = abs(y_past - y) > JUMP * abs(y)
        if jumps and KNOBS[knob].integer:
            value = float(math.ceil(value) if up else math.floor(value))
        past = self.row(knob, value if jumps else _clipped(value * (1 + PAST if up else 1 - PAST), end, up))
        after = self.state(past, watched)
        pairs = zip(watched.maxima, before.binding, after.binding, strict=True)
        new = [name for name, old, now in pairs if old != now]
        was, now = (state.words(watched.maxima, new or watched.maxima) for state in (before, after))
        whole = _whole(knob, value, up, jumps)
        if after.fits != before.fits:
            if whole is not None:
                past = self.row(knob, whole)
            kind, now = ("fits", "fits") if after.fits else ("does not fit", self.fault(past, watched))
            words = now
        elif jumps:
            unit = quantities()[self.of.partition(":")[0]].unit
            kind, words = "jump", f"jumps to {show(past[self.of], unit)} at {_place(knob, value)}"
        elif new:
            kind, words = "binds", f"{now} at {_place(knob, value)}"
        else:
            kind, words = "switch", f"{self.switched(before, after, watched)} at {_place(knob, value)}"
        return Reach(knob, _ratio(value, x), value, was, now, kind, whole, words)

    def fault(self, row: Row, watched: _Watched) -> str:
        """Return the first reason, up to its figures."""
        faults = (gate.fault(row, row) for gate in watched.gates)
        return next(re.split("[:;]", fault)[0] for fault in faults if fault)

    def switched(self, before: _State, after: _State, watched: _Watched) -> str:
        pairs = zip(watched.conditions, before.cases, after.cases, strict=True)
        condition, met = next((condition, new) for condition, old, new in pairs if old != new)
        shown = condition_text(condition, expression_text)
        return shown if met else f"no longer {shown}"

    def ended(self, knob: str, x: float, end: float) -> Reach:
        """Return the reach of a knob that changes nothing up to its bound."""
        row = self.row(knob, x)
        state = self.state(row, _Watched(self.maxima, (), ()))
        words = state.words(self.maxima, self.maxima)
        shown = f"knob ends at {plain_figure(end, KNOBS[knob].unit)}"
        return Reach(knob, _ratio(end, x), end, words, words, "knob ends", None, shown)


def _inputs(read: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*(ancestors(name) for name in read))


def _steps(knob: str, x: float, end: float) -> Iterator[float]:
    """Yield values from `x` to its bound, the bound last: `STEP` apart, or evenly where the knob may be 0."""
    if KNOBS[knob].bounds[0] > 0:
        count = math.ceil(abs(math.log(end / x)) / math.log(STEP))
        ratio = STEP if end > x else 1 / STEP
        yield from (x * ratio**number for number in range(1, count))
    else:
        yield from (x + (end - x) * number / EVEN_STEPS for number in range(1, EVEN_STEPS))
    if end != x:
        yield end


def _middle(knob: str, one: float, other: float) -> float:
    return math.sqrt(one * other) if KNOBS[knob].bounds[0] > 0 else (one + other) / 2


def _ratio(value: float, x: float) -> float:
    if x == 0:
        return 1.0 if value == 0 else math.inf
    return value / x


def _clipped(value: float, end: float, up: bool) -> float:
    return min(value, end) if up else max(value, end)


def _whole(knob: str, value: float, up: bool, jumps: bool) -> float | None:
    """Return the first whole number past `value`, or None where the knob is no count or ends before it."""
    if not KNOBS[knob].integer:
        return None
    near = float(round(value))
    if jumps:
        whole = near
    elif abs(value - near) <= 2 * CLOSE * value:  # Equality at a whole number: it is past at the next.
        whole = near + (1 if up else -1)
    else:
        whole = float(math.ceil(value) if up else math.floor(value))
    low, high = KNOBS[knob].bounds
    return whole if low <= whole <= high else None


def _place(knob: str, value: float) -> str:
    if KNOBS[knob].integer:
        return f"{symbol_text(knob)} = {plain_figure(value, KNOBS[knob].unit)}"
    return show(value, KNOBS[knob].unit)
