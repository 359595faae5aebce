"""Which names move a value at a point, and why another does not: read off the formulas.

A name is *live* where a small change of it changes the value: it stands in a binding branch, in the case that holds,
and not beside a factor of 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from model.evaluate import Evaluation
from model.formula import formula, value
from model.formula.tree import Cases, Expression, Maximum, Name, Operation, Present, children, holds, names
from model.graph import ancestors, quantities
from model.knobs import KNOBS

TIE = 1e-12
"""Relative distance below which two branches count as equal: rounding alone can part them so far."""

Numbers = Mapping[str, float]
Cause = Literal["slack", "times zero", "other case", "decides", "has branch"]


@dataclass(frozen=True)
class Idle:
    """A part of a formula that has no effect at a point.

    Attributes:
        owner: the quantity whose formula it is in.
        within: the part.
        cause: `slack`: a branch that does not bind; `times zero`: beside a factor of 0; `other case`: its case does
            not hold; `decides`: it only decides which case holds; `has branch`: only whether a branch is there.
        because: the factor that is 0, or the condition.
        met: whether that condition holds.
        branch: the slack branch.
        margin: how many times larger it must get to bind.
    """

    owner: str
    within: Expression
    cause: Cause
    because: Expression
    met: bool = False
    branch: str = ""
    margin: float = math.inf


def numbers_of(evaluation: Evaluation) -> dict[str, float]:
    """Return every knob, quantity and branch by name, the gate off."""
    knobs = {name: knob.number(evaluation.point.values[name]) for name, knob in KNOBS.items()}
    return {**knobs, **evaluation.bounds}


def live(evaluation: Evaluation, of: str) -> frozenset[str]:
    """Return the quantities and knobs that move `of` at the evaluation's point, `of` itself included."""
    return frozenset(_trace(numbers_of(evaluation), of)[0])


def live_maxima(evaluation: Evaluation, of: str) -> tuple[str, ...]:
    """Return the quantities with a maximum that move `of`, nearest to `of` first."""
    reached, _ = _trace(numbers_of(evaluation), of)
    return tuple(name for name in reached if name in evaluation.branches)


def decisions(evaluation: Evaluation, of: str) -> tuple[Expression, ...]:
    """Return the conditions that decide which case holds in what moves `of`."""
    _, parts = _trace(numbers_of(evaluation), of)
    return tuple(dict.fromkeys(part.because for part in parts if part.cause == "decides"))


def idle(evaluation: Evaluation, of: str, knob: str) -> tuple[Idle, ...]:
    """Return the parts through which `knob` would enter `of` and has no effect."""
    _, parts = _trace(numbers_of(evaluation), of)
    return tuple(part for part in parts if any(knob in ancestors(name) for name in names(part.within)))


def _trace(numbers: Numbers, of: str) -> tuple[list[str], list[Idle]]:
    """Walk down from `of` through what is live, breadth first; return what was met and the idle parts on the way."""
    reached, parts, ahead = [of], [], [of]
    while ahead:
        name = ahead.pop(0)
        owner = name.partition(":")[0]
        if owner not in quantities():
            continue
        for part in _parts(owner, formula(name).expression, numbers):
            if isinstance(part, Idle):
                parts.append(part)
            elif part not in reached:
                reached.append(part)
                ahead.append(part)
    return reached, parts


def _parts(owner: str, expression: Expression, numbers: Numbers) -> Iterator[str | Idle]:
    """Yield the live names of an expression and its idle parts."""
    match expression:
        case Name(name):
            yield name
        case Operation("*", left, right):
            for factor, other in ((left, right), (right, left)):
                if value(other, numbers) == 0:
                    yield Idle(owner, factor, "times zero", other)
                else:
                    yield from _parts(owner, factor, numbers)
        case Operation("/", left, right) if value(left, numbers) == 0:
            yield from _parts(owner, left, numbers)
            yield Idle(owner, right, "times zero", left)
        case Cases(condition, then, otherwise):
            met = holds(condition, numbers)
            yield Idle(owner, condition, "decides", condition, met)
            yield from _parts(owner, then if met else otherwise, numbers)
            yield Idle(owner, otherwise if met else then, "other case", condition, met)
        case Maximum(branches):
            yield from _maximum(owner, branches, numbers)
        case _:
            for child in children(expression):
                yield from _parts(owner, child, numbers)


def _maximum(owner: str, branches: tuple[tuple[str, Expression], ...], numbers: Numbers) -> Iterator[str | Idle]:
    values = {name: value(branch, numbers) for name, branch in branches}
    largest = max(values.values())
    for name, branch in branches:
        inner = branch
        if isinstance(branch, Present):
            inner, condition = branch.value, branch.condition
            met = holds(condition, numbers)
            yield Idle(owner, condition, "has branch", condition, met)
            if not met:
                yield Idle(owner, inner, "other case", condition, met)
                continue
        if values[name] >= largest * (1 - TIE):
            yield from _parts(owner, inner, numbers)
        else:
            margin = largest / values[name] if values[name] else math.inf
            yield Idle(owner, inner, "slack", inner, branch=name, margin=margin)
