"""Goal-seek: which values of the freed knobs give a quantity a wanted value."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass

from model.evaluate import evaluate
from model.point import Point
from model.seek.descent import CLOSE, REACHED, Found, Landscape, Look, descend, scan
from model.seek.rounding import rounded
from model.seek.shortfall import shortfall
from model.seek.space import read_target, space


@dataclass(frozen=True)
class SeekStep:
    """One point on the path: the freed knobs, the value there, and log(y/y*) (its signed relative distance)."""

    iteration: int
    knobs: Mapping[str, float]
    value: float
    residual: float


@dataclass(frozen=True)
class SeekResult:
    """What was found.

    Attributes:
        of: the quantity or branch.
        target: the value wanted.
        before: the value at the start, its bound where it does not fit there.
        reached: whether the continuous answer has the target and can be had.
        reason: how far it came and what stops it, or that it was there from the start; empty where simply reached.
        knobs: the continuous answer, or the nearest point: the freed knobs, counts not whole.
        value: the value there.
        rounded: the nearest point with whole counts and shards that divide that can be had, or None.
        rounded_value: the value there, NaN where there is none.
        rounded_reason: why there is none, or the empty string.
        path: the points on the way, the start first and the answer last.
        iterations: steps taken.
    """

    of: str
    target: float
    before: float
    reached: bool
    reason: str
    knobs: Mapping[str, float]
    value: float
    rounded: Point | None
    rounded_value: float
    rounded_reason: str
    path: tuple[SeekStep, ...]
    iterations: int


def seek(point: Point, of: str, target: float | str, free: Iterable[str], *, hold_chips: bool = False) -> SeekResult:
    """Move the freed knobs until `of` has the value `target`; the arguments and errors are those of `seek_steps`."""
    steps = seek_steps(point, of, target, free, hold_chips=hold_chips)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def seek_steps(
    point: Point, of: str, target: float | str, free: Iterable[str], *, hold_chips: bool = False
) -> Generator[SeekStep, None, SeekResult]:
    """Yield each point on the way and return the result; stop asking to cancel.

    Args:
        point: the start; `of` may be refused there (a run that does not fit), if it has a bound.
        of: a quantity or `quantity:branch`.
        target: the value wanted, in the SI unit of `of`; text as a person types it, `0.5` or `4M`.
        free: numeric knobs that may move within their bounds.
        hold_chips: whether data times tensor shards stays what it is.

    Raises:
        BadInput: an unknown quantity or knob, a choice or an empty knob freed, or a target that is no number or has a
            sign that `of` never has.
    """
    evaluation = evaluate(point)
    wanted = read_target(evaluation, of, target)
    where = space(point, free, hold_chips)
    land = Landscape(where, of, wanted)
    start = land.look(where.start())
    path = [_recorded(0, land, start)]
    yield path[0]
    end = start
    for end in descend(land, start):
        path.append(_recorded(len(path), land, end))
        yield path[-1]
    found = Found(end, None, None)
    if end.distance > CLOSE or end.fault:
        found = scan(land, [end, start])
        end = found.nearest
        if end is not start:
            path.append(_recorded(len(path), land, end))
            yield path[-1]
    reached = end.distance <= REACHED and not end.fault
    reason = shortfall(land, found) if not reached else "it has that value already" if len(path) == 1 else ""
    whole, value, fault = rounded(land, end)
    return SeekResult(
        of=of,
        target=wanted,
        before=start.value,
        reached=reached,
        reason=reason,
        knobs=where.knobs(end.u),
        value=end.value,
        rounded=whole,
        rounded_value=value,
        rounded_reason=fault,
        path=tuple(path),
        iterations=len(path) - 1,
    )


def _recorded(iteration: int, land: Landscape, look: Look) -> SeekStep:
    knobs = {name: float(value) for name, value in land.space.knobs(look.u).items()}
    return SeekStep(iteration, knobs, look.value, look.residual)
