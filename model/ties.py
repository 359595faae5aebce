"""Exact ties: which branches meet, and the elasticity on either side.

At a tie the graph's gradient is that of the branch named first. Neither side is wrong, so both are shown.
"""

from __future__ import annotations

from dataclasses import replace

from model.errors import BadInput
from model.evaluate import Evaluation, evaluate, gradient
from model.influence import TIE, live_maxima
from model.knobs import KNOBS
from model.point import Point
from model.programs import DIFFERENTIATED

STEP = 1e-9
"""Relative step to either side: far above rounding, far below anything that matters."""


def ties(evaluation: Evaluation, of: str) -> dict[str, tuple[str, ...]]:
    """Return the branches that tie, by quantity, among the maxima that move `of`."""
    found: dict[str, tuple[str, ...]] = {}
    for name in live_maxima(evaluation, of):
        binding = tuple(branch.name for branch in evaluation.branches[name] if branch.margin <= 1 + TIE)
        if len(binding) > 1:
            found[name] = binding
    return found


def one_sided(point: Point, of: str, knob: str) -> tuple[float, float]:
    """Return the elasticity of `of` just below and just above the knob's value; NaN where it can't be had.

    Args:
        point: where; the feasibility gate is off.
        of: a quantity or `quantity:branch`.
        knob: a continuous or integer knob that is set.

    Raises:
        BadInput: `of` is unknown, or `knob` is empty, a choice or unknown.
    """
    if knob not in DIFFERENTIATED or point.values[knob] is None:
        raise BadInput([f"{knob}: has no elasticity here; name a numeric knob that is set"])
    x = KNOBS[knob].number(point.values[knob])
    below, above = (moved(point, {knob: x * (1 + side * STEP)}) for side in (-1, 1))
    down, up = (gradient(evaluate(side, gate=False), of).elasticities[knob] for side in (below, above))
    return down, up


def moved(point: Point, numbers: dict[str, float]) -> Point:
    """Return the point with numeric knobs moved, whole or not, within bounds or not: for analysis, not for showing."""
    return replace(point, values={**point.values, **numbers})
