"""The way to a target: descent on log y - log y*, and a scan along each knob where descent can't go on.

A step is u <- u - r e/|e|^2, the least move that would reach the target were y a power law, halved until r shrinks.
At a kink, where steps from either side undo each other, the least combination of both sides' gradients leads along it.
Descent sees neither plateaus nor jumps; the scan does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from model.probe import Probe
from model.programs import DIFFERENTIATED, gradient_program
from model.seek.space import Space, Vector

CLOSE = 1e-10
"""Relative distance from the target at which it is reached."""
LONGEST = 2.0
"""Longest step of a coordinate: a factor of 7.4."""
HALVINGS = 40
STEPS = 200
POOR = 0.5
"""Share of the distance left after a step from which on a kink is thought to be in the way."""
REACHED = 1e-7
"""Relative distance within which a bisected crossing is the target and not a jump over it."""
BISECTIONS = 100
SCANNED = 129
"""Looks along each knob's range."""


@dataclass(frozen=True)
class Look:
    """One point seen: coordinates, value, distance r from the target (signed, relative), and why it can't be had."""

    u: Vector
    value: float
    residual: float
    fault: str

    @property
    def distance(self) -> float:
        """How far it is from the target, infinite where there is no value."""
        return abs(self.residual) if math.isfinite(self.residual) else math.inf


class Landscape:
    """A value over the freed knobs, and its distance from a target."""

    def __init__(self, space: Space, of: str, target: float) -> None:
        self.space, self.of, self.target = space, of, target
        self.probe = Probe(space.point, [of])
        self.gradient = gradient_program(of)
        present = self.probe.at({})[of]
        self.relative = target > 0 and not present <= 0
        self.scale = 1.0 if self.relative else max(abs(target), abs(present) if math.isfinite(present) else 0.0)
        self.looks = 0

    def look(self, u: Vector) -> Look:
        """Return what is seen at coordinates `u`."""
        self.looks += 1
        row = self.probe.at(self.space.knobs(u))
        value = row[self.of]
        return Look(u, value, self.residual(value), self.probe.fault(row, whole=False))

    def residual(self, value: float) -> float:
        """Return log(y/y*); where either may be 0 or below, (y - y*) over their size."""
        if not self.relative:
            return (value - self.target) / self.scale
        return math.log(value / self.target) if 0 < value < math.inf else math.inf

    def slopes(self, look: Look) -> Vector:
        """Return dr/du, shape (coordinates,)."""
        numbers = self.probe.arguments(self.space.knobs(look.u))
        filled = [1.0 if math.isnan(number) else number for number in numbers]
        derivative = dict(zip(DIFFERENTIATED, self.gradient.run(*filled), strict=True))
        slopes = self.space.slopes(look.u, derivative) / (look.value if self.relative else self.scale)
        return np.where(np.isfinite(slopes), slopes, 0.0)


def descend(land: Landscape, start: Look) -> Iterator[Look]:
    """Yield each point on the way from `start`, which is left out, to the target or to where no step helps."""
    look = start
    for _ in range(STEPS):
        if look.distance <= CLOSE or not math.isfinite(look.distance):
            break
        slopes = land.slopes(look)
        found, refused = _shortened(land, look, _step(land, look, slopes))
        beyond = refused or found
        if beyond is not None and (found is None or found.distance > POOR * look.distance):
            along, _ = _shortened(land, look, _step(land, look, _least(slopes, land.slopes(beyond))))
            found = min((one for one in (found, along) if one), key=lambda one: one.distance, default=None)
        if found is None:
            break
        look = found
        yield look


def _step(land: Landscape, look: Look, slopes: Vector) -> Vector:
    """Return the least move that takes r to 0 to first order, without pushing against a bound."""
    wish = -math.copysign(1.0, look.residual) * slopes
    stuck = ((look.u >= land.space.high) & (wish > 0)) | ((look.u <= land.space.low) & (wish < 0))
    free = np.where(stuck, 0.0, slopes)
    square = float(free @ free)
    if square < CLOSE**2:
        return np.zeros_like(free)
    step = -look.residual * free / square
    return step * min(1.0, LONGEST / float(np.max(np.abs(step))))


def _shortened(land: Landscape, look: Look, step: Vector) -> tuple[Look | None, Look | None]:
    """Return the first point nearer to the target on halving `step`, and the last one refused before it."""
    refused: Look | None = None
    if not step.any():
        return None, None
    for halving in range(HALVINGS):
        share = 0.5**halving
        trial = land.look(land.space.clip(look.u + share * step))
        if trial.distance < look.distance * (1 - 1e-4 * share) and (look.fault or not trial.fault):
            return trial, refused
        refused = trial
    return None, refused


def _least(one: Vector, other: Vector) -> Vector:
    """Return the shortest vector between two gradients."""
    between = other - one
    square = float(between @ between)
    share = 0.0 if square == 0 else min(1.0, max(0.0, -float(one @ between) / square))
    return one + share * between


@dataclass(frozen=True)
class Found:
    """What a scan found: the nearest point that can be had, and what stood between it and the target.

    Attributes:
        nearest: the nearest point.
        jump: two neighbours across which the value jumps over the target, and the knob moved.
        forbidden: a point at the target that can't be had.
    """

    nearest: Look
    jump: tuple[Look, Look, str] | None
    forbidden: Look | None


def scan(land: Landscape, bases: list[Look]) -> Found:
    """Look along each knob's whole range, from each base and from the nearest point found so far."""
    nearest = min(bases, key=_rank)
    jump, forbidden = None, None
    for base in (*bases, None, None):
        for index, knob in enumerate(land.space.coordinates):
            line = _line(land, base or nearest, index)
            nearest = min(nearest, *line, key=_rank)
            for one, other in pairwise(line):
                if not one.residual * other.residual < 0 or not math.isfinite(one.residual * other.residual):
                    continue
                sides = _bisected(land, one, other)
                hit = min(sides, key=lambda look: look.distance)
                if hit.distance > REACHED:
                    jump = jump or (*sides, knob)
                elif hit.fault:
                    forbidden = forbidden or hit
                else:
                    return Found(hit, None, None)
    return Found(nearest, jump, forbidden)


def _rank(look: Look) -> tuple[bool, float]:
    return bool(look.fault), round(look.distance, 9)  # The first of equals, so that no plateau is walked for rounding.


def _line(land: Landscape, base: Look, index: int) -> list[Look]:
    places = np.linspace(land.space.low[index], land.space.high[index], SCANNED)
    return [land.look(_at(base.u, index, place)) for place in np.sort(np.append(places, base.u[index]))]


def _at(u: Vector, index: int, place: float) -> Vector:
    moved = u.copy()
    moved[index] = place
    return moved


def _bisected(land: Landscape, one: Look, other: Look) -> tuple[Look, Look]:
    """Return the closest two looks found on either side of the target, between two that are."""
    for _ in range(BISECTIONS):
        if min(one.distance, other.distance) <= CLOSE:
            break
        middle = land.look((one.u + other.u) / 2)
        one, other = (middle, other) if middle.residual * one.residual > 0 else (one, middle)
    return one, other
