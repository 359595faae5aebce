"""One evaluation of the graph: values, reasons, what binds, and the elasticities of the value in focus."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from model.errors import BadInput, did_you_mean
from model.feasibility import gate_faults, undefined_reasons
from model.graph import ancestors, quantities
from model.knobs import KNOBS
from model.point import Point
from model.programs import DIFFERENTIATED, gradient_program, pullback_program, values_program

FILLER = 1.0
"""Stands for an empty knob while derivatives are taken; nothing that depends on that knob is reported."""


@dataclass(frozen=True)
class Branch:
    """One branch of a maximum: its value, and how many times slower it could get before it binds (1: it binds)."""

    name: str
    value: float
    margin: float

    @property
    def binds(self) -> bool:
        """Whether the branch is the largest; two bind at an exact tie."""
        return self.margin == 1.0


@dataclass(frozen=True)
class Evaluation:
    """Everything that the views show at one point.

    Attributes:
        point: where.
        values: every quantity; NaN where `reasons` has a line.
        bounds: every quantity and `quantity:branch` with the feasibility gate off.
        reasons: why a quantity can't be had.
        branches: branches of each maximum by its quantity, the binding one first; absent ones left out.
    """

    point: Point
    values: Mapping[str, float]
    bounds: Mapping[str, float]
    reasons: Mapping[str, str]
    branches: Mapping[str, tuple[Branch, ...]]

    def binding(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the branches that bind in each maximum that `name` depends on."""
        owner = name.partition(":")[0]
        return {
            quantity: tuple(branch.name for branch in branches if branch.binds)
            for quantity, branches in self.branches.items()
            if quantity in ancestors(owner)
        }


@dataclass(frozen=True)
class Gradient:
    """Elasticities of one value at one point.

    Attributes:
        of: a quantity or `quantity:branch`.
        value: the value there, NaN with a `reason` where it can't be had.
        elasticities: (x/y) dy/dx by knob, for every differentiated knob; NaN where y is 0 or can't be had.
        reason: why the elasticities can't be had, or the empty string.
    """

    of: str
    value: float
    elasticities: Mapping[str, float]
    reason: str


def evaluate(point: Point, *, gate: bool = True) -> Evaluation:
    """Evaluate every quantity at `point`.

    Args:
        point: the operating point.
        gate: whether what does not fit or does not divide is refused; off shows the bound anyway.
    """
    program = values_program()
    bounds = dict(zip(program.outputs, program.run(*point.numbers()), strict=True))
    reasons = undefined_reasons(point, bounds)
    if gate:
        reasons |= {name: fault for name, fault in gate_faults(point, bounds).items() if name not in reasons}
    values = {name: math.nan if name in reasons else bounds[name] for name in quantities()}
    return Evaluation(point, values, bounds, reasons, _branches(bounds))


def _branches(bounds: Mapping[str, float]) -> dict[str, tuple[Branch, ...]]:
    grouped: dict[str, list[tuple[str, float]]] = {}
    for name, value in bounds.items():
        owner, _, branch = name.partition(":")
        if branch and value != -math.inf:
            grouped.setdefault(owner, []).append((branch, value))
    return {owner: _margins(branches) for owner, branches in grouped.items()}


def _margins(branches: list[tuple[str, float]]) -> tuple[Branch, ...]:
    largest = max(value for _, value in branches)
    found = [Branch(name, value, largest / value if value else math.inf) for name, value in branches]
    return tuple(sorted(found, key=lambda branch: branch.margin))


def gradient(evaluation: Evaluation, of: str) -> Gradient:
    """Return the elasticities of one value at the evaluation's point.

    Raises:
        BadInput: `of` is no quantity and no branch of one.
    """
    owner = require_value(of, evaluation)
    value = evaluation.bounds[of]
    reason = evaluation.reasons.get(owner, "")
    if not reason and not math.isfinite(value):
        reason = f"{of} is absent here"
    if reason:
        return Gradient(of, math.nan, dict.fromkeys(DIFFERENTIATED, math.nan), reason)
    if value == 0:
        return Gradient(of, value, dict.fromkeys(DIFFERENTIATED, math.nan), f"{of} is exactly 0: no relative change")
    derivatives = derivative(evaluation.point.numbers(), of)
    knobs = dict(zip(KNOBS, evaluation.point.numbers(), strict=True))
    # Adding 0.0 turns a negative zero into a plain one.
    elasticities = {name: slope * knobs[name] / value + 0.0 if slope else 0.0 for name, slope in derivatives.items()}
    return Gradient(of, value, elasticities, "")


def derivative(numbers: Sequence[float], of: str) -> dict[str, float]:
    """Return d(of)/d(knob) for every differentiated knob, the gate off.

    Args:
        numbers: of all knobs in declaration order; `of` must not depend on an empty (NaN) one.
        of: a quantity or `quantity:branch`.
    """
    program = pullback_program()
    cotangents = [1.0 if name == of else 0.0 for name in program.outputs]
    filled = [FILLER if math.isnan(number) else number for number in numbers]
    slopes = program.run(*filled, *cotangents)
    if not all(map(math.isfinite, slopes)):
        # Zero times a node without a derivative is NaN: leave out all that `of` does not hang on.
        slopes = gradient_program(of).run(*filled)
    return dict(zip(DIFFERENTIATED, slopes, strict=True))


def require_value(of: str, evaluation: Evaluation) -> str:
    """Return the quantity that owns `of`.

    Raises:
        BadInput: `of` is no quantity and no branch of one; the line names the nearest.
    """
    if of not in evaluation.bounds:
        hint = did_you_mean(of, evaluation.bounds) or "`scalegrad values` lists them"
        raise BadInput([f"{of}: no such quantity; {hint}"])
    return of.partition(":")[0]
