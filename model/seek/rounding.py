"""Whole numbers near a continuous answer: shards to what divides, other counts rounded, what is left sought anew."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

from model.feasibility import Gate
from model.knobs import KNOBS
from model.point import Point
from model.seek.descent import Landscape, Look, descend
from model.seek.space import SHARDS, space

NEIGHBOURS = 2
"""Candidates on each side for a count that has to divide something."""
TRIED = 1 << 16
"""Whole numbers looked at on each side for them."""
COMBINATIONS = 64

Knobs = dict[str, float]


def rounded(land: Landscape, end: Look) -> tuple[Point | None, float, str]:
    """Return a whole point near `end` that can be had, nearest to the target, with its value.

    Counts that have to divide something are set first, to the candidates on either side; the other freed knobs then
    seek the target anew, counts among them are rounded, and the continuous ones seek it once more.

    Returns:
        The point, its value and the empty string; or None, NaN and the reason that none can be had.
    """
    here = {name: float(value) for name, value in land.space.knobs(end.u).items()}
    best: tuple[float, Knobs, float] | None = None
    reason = ""
    for knobs in _whole(land, here):
        row = land.probe.at(knobs)
        fault = land.probe.fault(row, whole=True)
        distance = abs(land.residual(row[land.of]))
        if fault:
            reason = reason or fault
        elif best is None or distance < best[0]:
            best = (distance, knobs, row[land.of])
    if best is None:
        return None, math.nan, reason
    return land.space.moved(best[1]), best[2], ""


def _whole(land: Landscape, here: Knobs) -> Iterator[Knobs]:
    tests = {name: _test(land, name) for name in land.space.coordinates if KNOBS[name].integer}
    dividing = [name for name, test in tests.items() if test is not None]
    plain = [name for name in tests if name not in dividing]
    continuous = [name for name in land.space.coordinates if name not in tests]
    for shards in _combinations(here, {name: _near(name, here[name], tests[name]) for name in dividing}):
        chips = land.space.chips
        held = {"data_shards": chips / shards["tensor_shards"]} if chips is not None else {}
        set_anew = _sought(land, {**here, **shards, **held}, [*plain, *continuous] if dividing else [])
        for counts in _combinations(set_anew, {name: _near(name, set_anew[name], None) for name in plain}):
            yield _sought(land, {**set_anew, **counts}, continuous if tests else [])


def _combinations(here: Knobs, choices: dict[str, list[float]]) -> list[Knobs]:
    """Return every combination of the choices, the nearest to `here` first."""
    found = [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]

    def distance(one: Knobs) -> float:
        return sum(math.log((value + 1) / (here[name] + 1)) ** 2 for name, value in one.items())

    return sorted(found, key=distance)[:COMBINATIONS]


def _sought(land: Landscape, knobs: Knobs, rest: Sequence[str]) -> Knobs:
    """Return the knobs after those in `rest` have sought the target from there."""
    if not rest:
        return knobs
    inner = Landscape(space(land.space.moved(knobs), rest), land.of, land.target)
    looks = [inner.look(inner.space.start())]
    looks += descend(inner, looks[0])
    return {**knobs, **{name: float(value) for name, value in inner.space.knobs(looks[-1].u).items()}}


def _test(land: Landscape, name: str) -> Callable[[float], bool] | None:
    """Return the test that a whole number of this count divides what it has to, or None where it need not."""
    gates: list[Gate] = [gate for gate in land.probe.gates if gate.whole and name in gate.reads()]
    held = land.space.chips if name in SHARDS else None
    if not gates and held is None:
        return None

    def passes(number: float) -> bool:
        if held is not None and math.fmod(held, number):
            return False
        row = land.probe.at({name: number})
        return not any(gate.excess(row, row) > 0 for gate in gates)

    return passes


def _near(name: str, value: float, passes: Callable[[float], bool] | None) -> list[float]:
    """Return whole numbers on either side of `value`, those that pass where there is a test."""
    low, high = KNOBS[name].bounds
    down, up = math.floor(value), math.ceil(value)
    if passes is None:
        return [float(number) for number in dict.fromkeys((down, up)) if low <= number <= high]
    below = (float(number) for number in range(down, max(int(low), down - TRIED) - 1, -1) if passes(float(number)))
    above = (float(number) for number in range(up, min(int(high), up + TRIED) + 1) if passes(float(number)))
    return list(dict.fromkeys([*itertools.islice(below, NEIGHBOURS), *itertools.islice(above, NEIGHBOURS)]))
