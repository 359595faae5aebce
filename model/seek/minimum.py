"""The least of a quantity over the freed knobs, under constraints: whole points only, every one of them feasible.

The search draws points in the box of all bounds, keeps the best, and draws again in boxes that shrink around them,
with steps of every size along each knob besides. Points that break a constraint rank behind those that keep it, the
least broken first. Nothing is assumed of the shape, so kinks, jumps and lattices of shards do no harm; it is a search,
not a proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from model.errors import BadInput
from model.evaluate import evaluate
from model.graph import quantities
from model.knobs import KNOBS
from model.numerals import show
from model.point import Point
from model.probe import Probe
from model.programs import batched
from model.seek.space import SHARDS, Space, read_target, space

Constraint = tuple[str, Literal["<=", ">="], float | str]
Columns = dict[str, NDArray[Any]]

DRAWN = 4096
"""Points in one round; one compiled program serves all rounds."""
ROUNDS = 40
ELITE = 8
LOOKED = 256
"""Best points of a pool among which the elite is picked."""
POLLED = 3
"""Best points around which steps of every size are tried along each knob."""
SIZES = np.logspace(-11, 0.5, 24)
SHRINK = 0.6
SEED = 0
ROUNDING = 1e-12
"""Relative excess that is rounding, not a broken constraint."""


@dataclass(frozen=True)
class Limit:
    """One constraint at the answer: the value there, and whether it is kept with nothing to spare."""

    name: str
    relation: str
    limit: float
    value: float
    kept: bool
    tight: bool


@dataclass(frozen=True)
class Minimum:
    """What was found.

    Attributes:
        objective: the quantity made small.
        found: whether a point that can be had keeps every constraint.
        reason: what is broken, at the point where least is, or the empty string.
        point: the best point, counts whole; the start where nothing can be had.
        knobs: its freed knobs.
        value: the objective there; before: the objective at the start, its bound where it does not fit there.
        limits: the constraints there.
        looks: points evaluated.
    """

    objective: str
    found: bool
    reason: str
    point: Point
    knobs: dict[str, float]
    value: float
    before: float
    limits: tuple[Limit, ...]
    looks: int


def minimise(
    point: Point,
    objective: str,
    free: Iterable[str],
    constraints: Iterable[Constraint] = (),
    *,
    hold_chips: bool = False,
) -> Minimum:
    """Find the freed knobs that make `objective` least, at points that fit and divide and keep the constraints.

    Args:
        point: the start; the other knobs stay there.
        objective: a quantity or `quantity:branch`.
        free: numeric knobs that may move within their bounds.
        constraints: `(quantity, "<=" or ">=", limit)`, the limit in the quantity's SI unit or as a person types it.
        hold_chips: whether data times tensor shards stays what it is.

    Raises:
        BadInput: an unknown quantity or knob, a choice or an empty knob freed, a quantity that hangs on an empty knob,
            or a limit that is no number or that the quantity can never have.
    """
    evaluation = evaluate(point)
    read_target(evaluation, objective, 1.0)
    asked = tuple((name, relation, read_target(evaluation, name, limit)) for name, relation, limit in constraints)
    for name, relation, _ in asked:
        if relation not in ("<=", ">="):
            raise BadInput([f"{name} {relation}: not a constraint; write <= or >="])
    search = _Search(space(point, free, hold_chips), objective, asked)
    knobs = search.run()
    best = search.where.moved(knobs)
    row = search.probe.at(knobs)
    limits = tuple(_limit(row[name], name, relation, limit) for name, relation, limit in asked)
    reason = search.probe.fault(row, whole=True) or _broken(limits)
    return Minimum(
        objective, not reason, reason, best, knobs, row[objective], evaluation.bounds[objective], limits, search.looks
    )


def _limit(value: float, name: str, relation: str, limit: float) -> Limit:
    over = (value - limit if relation == "<=" else limit - value) / max(abs(limit), abs(value), 1e-300)
    return Limit(name, relation, limit, value, over <= ROUNDING, abs(over) <= 1e-3)


def _broken(limits: Sequence[Limit]) -> str:
    """Return which constraints are broken and by what, or the empty string."""
    told = []
    for limit in limits:
        if not limit.kept:
            node = quantities()[limit.name.partition(":")[0]]
            sign = "≤" if limit.relation == "<=" else "≥"
            wanted, least = show(limit.limit, node.unit), show(limit.value, node.unit)
            told.append(f"{node.label} {sign} {wanted} can't be kept: {least} is the nearest found")
    return "; ".join(told)


def _coarse(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to thirteen digits, so that rounding does not rank points."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 10.0 ** np.floor(np.log10(np.abs(values)))
        return np.where(values == 0, 0.0, np.round(values / scale, 12) * scale)


class _Search:
    """One search: draws, evaluates, ranks."""

    def __init__(self, where: Space, objective: str, asked: Sequence[tuple[str, str, float]]) -> None:
        self.where, self.objective, self.asked = where, objective, asked
        self.probe = Probe(where.point, [objective, *(name for name, _, _ in asked)])
        self.evaluate = batched(*self.probe.targets)
        self.random = np.random.default_rng(SEED)
        self.looks = 0
        self.lattices = {name: found for name in where.coordinates if (found := self._lattice(name)) is not None}

    def run(self) -> dict[str, float]:
        """Return the freed knobs at the best point found."""
        start = self.where.start()
        best = self._elite(np.vstack([start, self._anywhere(DRAWN - 1)]), 1.0)
        for number in range(1, ROUNDS):
            size = SHRINK**number
            drawn = self._around(best, (self.where.high - self.where.low) * size)
            best = self._elite(np.vstack([best, drawn])[:DRAWN], size)
        return {name: float(column[0]) for name, column in self._whole(best[:1]).items()}

    def _anywhere(self, count: int) -> NDArray[np.float64]:
        return self.random.uniform(self.where.low, self.where.high, (count, len(self.where.low)))

    def _elite(self, pool: NDArray[np.float64], size: float) -> NDArray[np.float64]:
        """Return the best points of a pool, the best first, no two closer than a share of `size`.

        Among equals the nearest to the start comes first: what does not matter stays where it is.
        """
        broken, values = self._ranked(pool)
        order = np.lexsort((np.abs(pool - self.where.start()).sum(axis=1), _coarse(values), broken))
        kept = [order[0]]
        for index in order[1:LOOKED]:
            if len(kept) == ELITE:
                break
            if np.max(np.abs(pool[index] - pool[kept]), axis=1).min() > 0.05 * size:
                kept.append(index)
        return pool[kept]

    def _around(self, best: NDArray[np.float64], width: NDArray[np.float64]) -> NDArray[np.float64]:
        """Draw a round's points: steps of every size along each knob, along random directions, and in boxes."""
        size = len(width)
        steps = [self._steps(u) for u in best[:POLLED]]
        left = DRAWN - len(best) - sum(map(len, steps))
        centres = best[self.random.integers(len(best), size=left)]
        boxes = self.random.uniform(-0.5, 0.5, (left, size)) * width
        rays = self.random.normal(size=(left, size)) * 10 ** self.random.uniform(-8, 0, (left, 1))
        drawn = centres + np.where(self.random.random((left, 1)) < 0.5, boxes, rays)
        return np.clip(np.vstack([*steps, drawn]), self.where.low, self.where.high)

    def _steps(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        found = []
        for index, name in enumerate(self.where.coordinates):
            places = u[index] + np.concatenate([-SIZES, SIZES])
            if KNOBS[name].integer:
                x = float(self.where.knobs(u)[name])
                members = self.lattices.get(name)
                if members is None:
                    near = np.array([math.floor(x) - 1.0, math.floor(x), math.ceil(x), math.ceil(x) + 1.0])
                else:
                    at = int(np.searchsorted(members, x))
                    near = members[max(at - 2, 0) : at + 3]
                places = np.append(places, Space.inward(name, np.clip(near, *KNOBS[name].bounds)))
            moved = np.tile(u, (len(places), 1))
            moved[:, index] = places
            found.append(moved)
        return np.vstack(found)

    def _ranked(self, pool: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how badly each point breaks constraints (0: not at all, infinite: no value), and the objective."""
        knobs = self._whole(pool)
        columns = self.evaluate(knobs, self.where.point.numbers())
        self.looks += len(pool)
        known: dict[str, Any] = {**self.where.point.numbers_by_name(), **columns, **knobs}
        broken = np.zeros(len(pool))
        for gate in self.probe.gates:
            excess = np.broadcast_to(np.asarray(gate.excess(known, known), dtype=float), broken.shape)
            broken += np.where(excess > 0, 10 + np.log1p(np.maximum(excess, 0.0)) / 100, 0.0)
        for name, relation, limit in self.asked:
            over = columns[name] - limit if relation == "<=" else limit - columns[name]
            over = over / np.maximum(np.maximum(np.abs(columns[name]), abs(limit)), 1e-300)
            broken += np.where(over > ROUNDING, over, 0.0)
        values = columns[self.objective]
        return np.where(np.isfinite(values), np.nan_to_num(broken, nan=math.inf), math.inf), values

    def _whole(self, pool: NDArray[np.float64]) -> Columns:
        """Return the freed knobs of each point, counts whole and shards at what divides."""
        knobs = self.where.knobs(pool.T)
        for name in self.where.coordinates:
            members = self.lattices.get(name)
            if members is not None:
                middles = np.sqrt(members[1:] * members[:-1])
                knobs[name] = members[np.searchsorted(middles, knobs[name])]
            elif KNOBS[name].integer:
                knobs[name] = np.round(knobs[name])
        if self.where.chips is not None:
            knobs["data_shards"] = self.where.chips / knobs["tensor_shards"]
        return knobs

    def _lattice(self, name: str) -> NDArray[np.float64] | None:
        """Return the whole numbers of a count that divide what they have to, or None where they need not."""
        gates = [gate for gate in self.probe.gates if gate.whole and name in gate.reads()]
        chips = self.where.chips if name in SHARDS else None
        if not gates and chips is None:
            return None
        low, high = KNOBS[name].bounds
        members = np.arange(math.ceil(low), math.floor(min(high, chips or high)) + 1, dtype=float)
        known: dict[str, Any] = {**self.probe.at({}), name: members}
        allowed = np.ones(len(members), dtype=bool)
        for gate in gates:
            allowed &= ~(np.asarray(gate.excess(known, known)) > 0)
        if chips is not None:
            allowed &= np.fmod(chips, members) == 0
        return members[allowed]
