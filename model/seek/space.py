"""The space of the freed knobs: coordinates in which steps are relative, bounds, and the checks of what is asked.

A coordinate is the logarithm of its knob, or log(1 + x) where the knob may be 0. Where the chip count is held, tensor
shards are the coordinate and data shards follow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from model.entry import parse_number
from model.errors import BadInput, did_you_mean
from model.evaluate import Evaluation, require_value
from model.formula import formula
from model.formula.tree import Constant, Operation, walk
from model.knobs import KNOBS
from model.point import TYPED, Point
from model.programs import DIFFERENTIATED

Vector = NDArray[np.float64]
SHARDS = ("data_shards", "tensor_shards")


@dataclass(frozen=True)
class Space:
    """Coordinates of the freed knobs.

    Attributes:
        point: where the other knobs stay.
        free: the freed knobs.
        coordinates: the knobs that are coordinates; all freed ones but `data_shards` where the chips are held.
        chips: the chip count that is held, or None.
        ends: bounds of the coordinates' knobs.
        low, high: the same as coordinates, shape (coordinates,).
    """

    point: Point
    free: tuple[str, ...]
    coordinates: tuple[str, ...]
    chips: float | None
    ends: tuple[tuple[float, float], ...]
    low: Vector
    high: Vector

    def start(self) -> Vector:
        """Return the present point's coordinates."""
        return np.array([self.inward(name, float(self.point.values[name] or 0.0)) for name in self.coordinates])

    def knobs(self, u: NDArray[Any]) -> dict[str, Any]:
        """Return the freed knobs at coordinates of shape (coordinates,) or (coordinates, points)."""
        found = {name: _outward(name, u[index]) for index, name in enumerate(self.coordinates)}
        for index, (name, value) in enumerate(found.items()):
            # The ends and the start themselves, not their rounded exponentials.
            kept = np.clip(value, *self.ends[index])
            for at, exact in ((self.low, self.ends[index][0]), (self.high, self.ends[index][1])):
                kept = np.where(u[index] == at[index], exact, kept)
            kept = np.where(u[index] == self.start()[index], float(self.point.values[name] or 0.0), kept)
            found[name] = kept if np.ndim(kept) else float(kept)
        if self.chips is not None:
            found["data_shards"] = self.chips / found["tensor_shards"]
        return found

    @staticmethod
    def inward(name: str, x: Any) -> Any:
        """Return the coordinate of a knob's value."""
        return np.log(x) if KNOBS[name].bounds[0] > 0 else np.log1p(x)

    def slopes(self, u: Vector, derivative: Mapping[str, float]) -> Vector:
        """Return dy/du from dy/dx, shape (coordinates,)."""
        knobs = self.knobs(u)
        found = np.array([derivative[name] * _stretch(name, knobs[name]) for name in self.coordinates])
        if self.chips is not None:
            found[self.coordinates.index("tensor_shards")] -= derivative["data_shards"] * knobs["data_shards"]
        return found

    def clip(self, u: Vector) -> Vector:
        """Return the nearest coordinates within bounds."""
        return np.clip(u, self.low, self.high)

    def moved(self, knobs: Mapping[str, float]) -> Point:
        """Return the point with the freed knobs moved."""
        return Point(self.point.chip, self.point.model, {**self.point.values, **knobs})


def _outward(name: str, u: Any) -> Any:
    return np.exp(u) if KNOBS[name].bounds[0] > 0 else np.expm1(u)


def _stretch(name: str, x: float) -> float:
    return x if KNOBS[name].bounds[0] > 0 else 1 + x


def space(point: Point, free: Iterable[str], hold_chips: bool = False) -> Space:
    """Return the space of the freed knobs.

    Args:
        point: the present point.
        free: continuous or integer knobs that are set.
        hold_chips: whether data times tensor shards stays what it is; then both are freed, or neither.

    Raises:
        BadInput: nothing is freed, a name is no numeric knob, a knob is empty, or only one kind of shards is freed
            while the chips are held.
    """
    freed = tuple(dict.fromkeys(free))
    faults = [fault for name in freed if (fault := _fault(name, point))]
    if not freed:
        faults.append("free: no knob is freed; name at least one, such as batch_tokens")
    held = hold_chips and bool(set(SHARDS) & set(freed))
    if held and not set(SHARDS) <= set(freed):
        faults.append("chips are held: free both data_shards and tensor_shards, or neither")
    if faults:
        raise BadInput(faults)
    coordinates = tuple(name for name in freed if not (held and name == "data_shards"))
    bounds = {name: KNOBS[name].bounds for name in coordinates}
    chips = None
    if held:
        chips = math.prod(float(point.values[name] or 1.0) for name in SHARDS)
        low, high = bounds["tensor_shards"]
        most = KNOBS["data_shards"].bounds[1]
        bounds["tensor_shards"] = (max(low, chips / most), min(high, chips))
    low, high = (
        np.array([Space.inward(name, bounds[name][end]) for name in coordinates], dtype=float) for end in (0, 1)
    )
    return Space(point, freed, coordinates, chips, tuple(bounds.values()), low, high)


def _fault(name: str, point: Point) -> str:
    if name in TYPED:
        return (
            f"{name}: can't be freed, it sets other knobs; free {'data_shards' if name == 'chips' else 'batch_tokens'}"
        )
    if name not in KNOBS:
        return f"{name}: no such knob to free; {did_you_mean(name, DIFFERENTIATED) or '`scalegrad values` lists them'}"
    if KNOBS[name].kind == "choice":
        return f"{name}: can't be freed, a choice has no elasticity; set it to one of {', '.join(KNOBS[name].numbers)}"
    if point.values[name] is None:
        return f"{name}: can't be freed while it is empty; set it first"
    return ""


def read_target(evaluation: Evaluation, of: str, target: float | str) -> float:
    """Return the number aimed at.

    Raises:
        BadInput: `of` is unknown or hangs on an empty knob, or the target is no finite number or of the wrong sign.
    """
    owner = require_value(of, evaluation)
    reason = evaluation.reasons.get(owner, "")
    if reason.startswith("set "):
        raise BadInput([f"{of}: has no value yet; {reason}"])
    number = parse_number(target) if isinstance(target, str) else float(target)
    if number is None or not math.isfinite(number):
        raise BadInput([f"target={target}: not a number; write it like 0.5, 4M or 1.8e11"])
    if number <= 0 and not can_be_negative(of):
        raise BadInput([f"target={target}: {of} is never {'0' if number == 0 else 'negative'}; give a number above 0"])
    return number


def can_be_negative(of: str) -> bool:
    """Return whether a difference of two quantities stands in the formula, as in a headroom."""
    return any(
        isinstance(part, Operation)
        and part.sign == "-"
        and not isinstance(part.left, Constant)
        and not isinstance(part.right, Constant)
        for part in walk(formula(of).expression)
    )
