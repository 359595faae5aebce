"""Conditions in words: `wire = 1`, `block is parallel`, `Y > 1`.

A convention or a 0/1 quantity is compared with a number halfway between two of its values; shown are the values.
"""

from __future__ import annotations

from collections.abc import Callable

from model.formula.source import formula
from model.formula.tree import Cases, Comparison, Constant, Expression, Logic, Name, holds
from model.knobs import KNOBS
from model.numerals import digits

_SIGNS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}


def condition_text(condition: Expression, show: Callable[[Expression], str]) -> str:
    """Return the condition in words; `show` prints its operands."""
    match condition:
        case Logic(word, left, right):
            return f"{condition_text(left, show)} {word} {condition_text(right, show)}"
        case Comparison(sign, Name(name) as operand, Constant(limit)):
            met = _values_met(condition, name)
            if met is not None:
                return f"{show(operand)} {met}"
            return f"{show(operand)} {_SIGNS[sign]} {digits(limit).removesuffix('.00')}"
        case Comparison(sign, left, right):
            return f"{show(left)} {_SIGNS[sign]} {show(right)}"
    return show(condition)


def _values_met(condition: Comparison, name: str) -> str | None:
    """Return which of the few values that `name` can take meet the condition, or None where it takes any."""
    knob = KNOBS.get(name)
    if knob is not None and knob.kind == "choice":
        met = [option for option, number in knob.numbers.items() if holds(condition, {name: number})]
        return f"is {' or '.join(met)}"
    if knob is not None and knob.integer and knob.bounds[1] <= 8:
        counts = range(int(knob.bounds[0]), int(knob.bounds[1]) + 1)
        return f"= {' or '.join(str(count) for count in counts if holds(condition, {name: float(count)}))}"
    if knob is None:
        levels = _levels(formula(name).expression)
        if levels:
            return f"= {' or '.join(f'{level:g}' for level in levels if holds(condition, {name: level}))}"
    return None


def _levels(expression: Expression) -> list[float]:
    match expression:
        case Cases(_, Constant(then), Constant(otherwise)):
            return [then, otherwise]
    return []
