"""What a little more of each hardware figure is worth: the graph evaluated again, never an elasticity times a step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from model.errors import BadInput
from model.evaluate import Evaluation, evaluate, require_value
from model.knobs import KNOBS
from model.numerals import show
from model.programs import DIFFERENTIATED
from model.ties import moved

TRAINING = ("step_time", "train_days", "train_cost")
SERVING = ("decode_step_time", "tokens_per_second_per_chip", "cost_per_mtok")
NOTHING = 1e-12
"""Relative change below which an effect is rounding."""


@dataclass(frozen=True)
class Effect:
    """What one quantity does.

    Attributes:
        before: its value now, NaN with a `reason` where it can't be had.
        after: its value with the knob moved, NaN with a `reason` where it can't be had.
        change: `after - before`, exactly 0 where the knob is worth nothing, NaN where either can't be had.
        reason: why one can't be had, or the empty string.
    """

    before: float
    after: float
    change: float
    reason: str


@dataclass(frozen=True)
class Worth:
    """One knob moved.

    Attributes:
        knob: which.
        factor: how far it was really moved; a count goes to the next whole number, and no knob beyond its end.
        value: its value there.
        note: what was done instead of the factor asked for, or the empty string.
        effects: by quantity.
    """

    knob: str
    factor: float
    value: float
    note: str
    effects: Mapping[str, Effect]

    @property
    def nothing(self) -> bool:
        """Whether no quantity changes at all."""
        return all(effect.change == 0 for effect in self.effects.values())


def worth(
    evaluation: Evaluation, of: Sequence[str] = TRAINING, factor: float = 1.1, *, gate: bool = True
) -> list[Worth]:
    """Return what multiplying each hardware knob by `factor`, the others held, does to the quantities `of`.

    Knobs of group Hardware that are set, those that are worth most to the first quantity first.

    Args:
        evaluation: the present point.
        of: quantities, `TRAINING` or `SERVING` or others.
        factor: above 1 for more, below for less.
        gate: whether what does not fit has no value.

    Raises:
        BadInput: an unknown quantity, or a factor that is not a positive number other than 1.
    """
    for name in of:
        require_value(name, evaluation)
    if not (math.isfinite(factor) and factor > 0 and factor != 1):
        raise BadInput([f"factor={factor:g}: give a positive number other than 1, such as 1.1"])
    knobs = [
        name for name in DIFFERENTIATED if KNOBS[name].group == "Hardware" and evaluation.point.values[name] is not None
    ]
    return sorted((_moved(evaluation, knob, of, factor, gate) for knob in knobs), key=lambda row: _rank(row, of[0]))


def _rank(row: Worth, first: str) -> tuple[bool, float]:
    effect = row.effects[first]
    relative = abs(effect.change / effect.before) if effect.before else 0.0
    return row.nothing, -relative if math.isfinite(relative) else 0.0


def _moved(evaluation: Evaluation, knob: str, of: Sequence[str], factor: float, gate: bool) -> Worth:
    declared, x = KNOBS[knob], KNOBS[knob].number(evaluation.point.values[knob])
    low, high = declared.bounds
    aim = x * factor
    if declared.integer:
        aim = float(math.ceil(aim) if factor > 1 else math.floor(aim))
    value = min(max(aim, low), high)
    note = ""
    if value != aim:
        note = f"knob ends at {show(value, declared.unit)}"
    elif declared.integer and not math.isclose(value, x * factor):
        note = f"a whole number: {value:g} instead of {x:g}"
    after = evaluate(moved(evaluation.point, {knob: value}), gate=gate)
    return Worth(knob, value / x, value, note, {name: _effect(evaluation, after, name) for name in of})


def _effect(before: Evaluation, after: Evaluation, name: str) -> Effect:
    owner = name.partition(":")[0]
    reason = before.reasons.get(owner) or after.reasons.get(owner, "")
    pair = [math.nan if owner in side.reasons else side.bounds[name] for side in (before, after)]
    change = pair[1] - pair[0]
    if abs(change) <= NOTHING * abs(pair[0]):
        change = 0.0
    return Effect(pair[0], pair[1], change, reason)
