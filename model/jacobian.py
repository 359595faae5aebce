"""Every elasticity at once: quantities down, knobs across."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from model.evaluate import Evaluation, Gradient, gradient
from model.graph import quantities
from model.programs import DIFFERENTIATED


def gradients(evaluation: Evaluation, of: Sequence[str] = ()) -> list[Gradient]:
    """Return the gradient of each quantity or branch in `of`, of all quantities where it is empty.

    Raises:
        BadInput: an unknown name.
    """
    return [gradient(evaluation, name) for name in of or quantities()]


def jacobian(evaluation: Evaluation, of: Sequence[str] = ()) -> pd.DataFrame:
    """Return the elasticities (x/y) dy/dx as a table of floats.

    Args:
        evaluation: the present point.
        of: quantities or branches; all quantities where empty.

    Returns:
        Index `quantity`, columns the continuous and integer knobs in declaration order; NaN where the quantity is 0 or
        can't be had, or the knob is empty.

    Raises:
        BadInput: an unknown name.
    """
    rows = {found.of: _row(evaluation, found) for found in gradients(evaluation, of)}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(DIFFERENTIATED), dtype=float)
    return table.rename_axis(index="quantity", columns="knob")


def jacobian_records(evaluation: Evaluation, of: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the same for JSON, one record a quantity.

    Returns:
        `{"quantity", "label", "unit", "value", "reason", "elasticities": {knob: e}}`, null (None) for what is NaN.

    Raises:
        BadInput: an unknown name.
    """
    return [_record(evaluation, found) for found in gradients(evaluation, of)]


def _row(evaluation: Evaluation, found: Gradient) -> list[float]:
    return [
        math.nan if evaluation.point.values[knob] is None else elasticity
        for knob, elasticity in found.elasticities.items()
    ]


def _record(evaluation: Evaluation, found: Gradient) -> dict[str, Any]:
    node = quantities()[found.of.partition(":")[0]]
    elasticities = zip(DIFFERENTIATED, _row(evaluation, found), strict=True)
    return {
        "quantity": found.of,
        "label": node.label,
        "unit": node.unit,
        "value": found.value if math.isfinite(found.value) else None,
        "reason": found.reason,
        "elasticities": {knob: slope if math.isfinite(slope) else None for knob, slope in elasticities},
    }
