"""The conventions of the graph: what each could be instead, what that changes at a point, and what the book takes.

Nothing here is asserted. An effect is the graph evaluated again with one knob changed; the book's choice is the one
that its statements need to come out: those that agree, and stop agreeing once the knob is changed.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import presets
from model.errors import BadInput
from model.feasibility import Gate, gates_of
from model.graph import ancestors, quantities
from model.knobs import KNOBS, Knob, KnobValue
from model.point import Point
from model.programs import values_program
from model.verify import verify

WATCHED = (
    "step_time",
    "train_cost",
    "memory_per_chip",
    "decode_step_time",
    "prefill_time",
    "cost_per_mtok",
    "decode_memory_per_chip",
)
"""Quantities whose change is told."""

STEPS: Mapping[str, tuple[float, ...]] = {
    "matmul_efficiency": (1.0, 0.8, 0.6, 0.4),
    "collective_latency": (1e-7, 1e-6, 1e-5),
}
"""Values to choose from for continuous knobs that say how far the machine falls short of its specification."""

_SAME = 1e-12


@dataclass(frozen=True)
class Convention:
    """One knob that is a convention, and the values that it can be switched to."""

    knob: Knob
    options: tuple[KnobValue, ...]


@dataclass(frozen=True)
class Effect:
    """What one other value of a convention does at a point.

    Attributes:
        option: the value.
        changes: relative change of each watched quantity that moves; NaN where it can be had on one side only.
        reason: why the value can't be set there, or does not fit; else the empty string.
    """

    option: KnobValue
    changes: Mapping[str, float]
    reason: str


@functools.cache
def conventions() -> tuple[Convention, ...]:
    """Return every convention: the choices, bytes an element where a watched quantity reads them, and `STEPS`."""
    read = frozenset().union(*(ancestors(name) for name in WATCHED))
    found: list[Convention] = []
    for name, knob in KNOBS.items():
        if knob.kind == "choice":
            found.append(Convention(knob, tuple(knob.numbers)))
        elif name in STEPS:
            found.append(Convention(knob, STEPS[name]))
        elif knob.names and name in read:
            found.append(Convention(knob, tuple(sorted(set(knob.names.values())))))
    return tuple(found)


def effects(point: Point) -> Mapping[str, tuple[Effect, ...]]:
    """Return, by convention, what each value but the present one does at `point`, the gate off."""
    before = _look(point)
    return {
        name: tuple(_effect(before, name, option) for option in options if option != point.values[name])
        for name, options in ((convention.knob.name, convention.options) for convention in conventions())
    }


@dataclass(frozen=True)
class _Look:
    point: Point
    knobs: Mapping[str, float]
    values: Mapping[str, float]

    def faults(self) -> list[str]:
        """Return why what is watched can't be had here."""
        found = (gate.fault(self.knobs, self.values) for gate in _gates())
        return [fault for fault in found if fault is not None]


def _look(point: Point) -> _Look:
    knobs, program = point.numbers_by_name(), values_program(*_targets())
    return _Look(point, knobs, dict(zip(program.outputs, program.run(*knobs.values()), strict=True)))


@functools.cache
def _gates() -> tuple[Gate, ...]:
    return tuple(dict.fromkeys(gate for name in WATCHED for gate in gates_of(name)))


@functools.cache
def _targets() -> tuple[str, ...]:
    read = (name for gate in _gates() for name in gate.reads() if name in quantities())
    return tuple(dict.fromkeys((*WATCHED, *read)))


def _effect(before: _Look, name: str, option: KnobValue) -> Effect:
    try:
        after = _look(_switched(before.point, name, option))
    except BadInput as error:
        return Effect(option, {}, "; ".join(error.faults))
    changes = {watched: _change(before.values[watched], after.values[watched]) for watched in WATCHED}
    faults = [] if before.faults() else after.faults()
    return Effect(option, {watched: change for watched, change in changes.items() if change}, "".join(faults[:1]))


def _switched(point: Point, name: str, option: KnobValue) -> Point:
    """Return the point with one knob at an option of its own; another dtype brings the rate printed for it."""
    if name == "compute_dtype":
        return point.with_settings({name: option})
    return replace(point, values={**point.values, name: option})


def _change(before: float, after: float) -> float:
    """Return the relative change, rounding left out; NaN where the quantity can be had on one side only."""
    if before == after or (math.isnan(before) and math.isnan(after)):
        return 0.0
    change = (after - before) / before if before else math.nan
    return 0.0 if abs(change) <= _SAME else change


@functools.cache
def needed_by_book() -> Mapping[str, Counter[KnobValue]]:
    """Return, by convention, how many statements need each of its values to come out.

    A statement needs the value at its point if it agrees there and no longer does at another value. It takes a second.
    """
    found: dict[str, Counter[KnobValue]] = {convention.knob.name: Counter() for convention in conventions()}
    variants = list(_variants())
    # Beside the statements themselves, whose program is there already.
    changed = {variant.id: variant for _, _, variant in variants}
    verdicts = {row.statement.id: row.verdict for row in verify({**presets.statements(), **changed}).rows}
    for name, value, variant in variants:
        found[name][value] += verdicts[variant.id] != "agrees"
    return found


def _variants() -> Iterator[tuple[str, KnobValue, presets.Statement]]:
    """Yield a convention and its value for every agreeing statement that reads it, and that statement changed."""
    for row in verify().rows:
        if row.point is None or row.verdict != "agrees":
            continue
        read = {name for link in row.via for name in quantities()[link].inputs}
        for convention in conventions():
            name = convention.knob.name
            value = row.point.values[name]
            others = [option for option in convention.options if option not in (value, None)]
            if name in read and others:
                settings = {**row.statement.settings, name: others[-1]}
                slug = f"{row.statement.id}, {name} changed"
                yield name, value, replace(row.statement, id=slug, settings=settings)
