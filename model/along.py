"""A few values along one knob, the others held: what a line chart shows, and where the largest of them changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from model.graph import quantities
from model.point import Point
from model.probe import Probe, Row

SAMPLES = 97
"""Places looked at between the ends of a line, both included."""
CLOSE = 1e-12
"""Relative width to which a flip is bisected."""


@dataclass(frozen=True)
class Flip:
    """Where another value becomes the largest: `before` is the largest below `place`, `after` above it."""

    place: float
    before: str
    after: str


@dataclass(frozen=True)
class Line:
    """Values along one knob, the feasibility gate off.

    Attributes:
        places: values of the knob, ascending, evenly spaced in their logarithm.
        values: columns by name, as long as `places`.
    """

    places: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]


class Walk:
    """Moves one knob of a point between two ends."""

    def __init__(self, point: Point, of: Iterable[str], knob: str, low: float, high: float) -> None:
        """Prepare the smallest program that gives the values.

        Args:
            point: the other knobs.
            of: quantities, branches `quantity:branch`, and knobs to compare them with.
            knob: the numeric knob that moves.
            low: its lower end, above 0.
            high: its upper end.
        """
        self._names = tuple(of)
        self._probe = Probe(point, [name for name in self._names if name.partition(":")[0] in quantities()])
        self._knob = knob
        steps = SAMPLES - 1
        inner = (low * (high / low) ** (step / steps) for step in range(1, steps))
        self.places = (low, *inner, high)

    def at(self, place: float) -> Row:
        """Return everything with the knob at `place`."""
        return self._probe.at({self._knob: place})

    def line(self) -> Line:
        """Return all values at all places."""
        rows = [self.at(place) for place in self.places]
        return Line(self.places, {name: tuple(row[name] for row in rows) for name in self._names})

    def flips(self, bound: Sequence[str]) -> tuple[Flip, ...]:
        """Return where the largest of `bound` changes, upwards; values that can't be had never are the largest."""
        found: list[Flip] = []
        below, before = self.places[0], largest(self.at(self.places[0]), bound)
        for place in self.places[1:]:
            after = largest(self.at(place), bound)
            if before and after and after != before:
                found.append(self._bisected(below, place, before, bound))
            below, before = place, after
        return tuple(found)

    def _bisected(self, inside: float, outside: float, before: str, bound: Sequence[str]) -> Flip:
        while outside - inside > CLOSE * outside:
            middle = math.sqrt(inside * outside)
            if not inside < middle < outside:
                break
            if largest(self.at(middle), bound) == before:
                inside = middle
            else:
                outside = middle
        return Flip(outside, before, largest(self.at(outside), bound))


def largest(row: Mapping[str, float], bound: Sequence[str]) -> str:
    """Return the name of the largest value, the first at a tie, or the empty string where none is a number."""
    known = [name for name in bound if math.isfinite(row[name])]
    return max(known, key=lambda name: row[name]) if known else ""
