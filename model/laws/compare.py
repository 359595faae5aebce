"""Dense against mixture-of-experts: nested laws that share E, judged on runs they have not seen, and what MoE is worth.

The floor E belongs to the data, so both kinds share it. From there the laws grow: one law for both; other A; other A
and B; other exponents too. A larger law always fits its own runs better, so they are compared out of bag: fitted to a
bootstrap resample, judged on the runs that it left out.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from model.laws.intervals import Interval, percentile_interval, resample_weights
from model.laws.newton import Problem, Solution, minimise_all
from model.laws.parametric import HUBER_DELTA, LEAST_E, fit
from model.laws.runs import Runs
from model.laws.surface import Law
from model.laws.varpro import EXPONENT_RANGE

NESTED = {
    "one law": (),
    "other A": ("A",),
    "other A, B": ("A", "B"),
    "other A, B, alpha, beta": ("A", "B", "alpha", "beta"),
}
"""Nested laws, smallest first, by what MoE has of its own."""


@dataclass(frozen=True)
class NestedFit:
    """One nested law: both kinds' coefficients, the objective, and the out-of-bag error of log loss, mean |error|.

    `wins` is the share of resamples in which it predicts left-out runs better than the law before it (None for the
    first), and `gain` the fall of that error.
    """

    name: str
    dense: Law
    moe: Law
    objective: float
    out_of_bag: float
    gain: Interval | None
    wins: float | None
    moe_draws: Law
    dense_draws: Law


@dataclass(frozen=True)
class Comparison:
    """All nested laws on one count of parameters."""

    size: str
    fits: tuple[NestedFit, ...]

    @property
    def preferred(self) -> NestedFit:
        """The largest law up to which each wins more than 95 % of resamples over the one before."""
        chosen = self.fits[0]
        for candidate in self.fits[1:]:
            if candidate.wins is None or candidate.wins < 0.95:
                break
            chosen = candidate
        return chosen


class _Layout:
    """Which entry of theta holds which coefficient of which kind."""

    def __init__(self, own: tuple[str, ...]) -> None:
        self.own = own
        keys = [("A", 0), ("B", 0), ("E", 0), ("alpha", 0), ("beta", 0), *((name, 1) for name in own)]
        self.index = {key: place for place, key in enumerate(keys)}

    def __len__(self) -> int:
        return len(self.index)

    def at(self, name: str, kind: int) -> int:
        return self.index.get((name, kind), self.index[name, 0])

    def law(self, theta: np.ndarray, kind: int) -> Law:
        a, b, e, alpha, beta = (theta[..., self.at(name, kind)] for name in ("A", "B", "E", "alpha", "beta"))
        return Law(np.exp(e), np.exp(a), np.exp(b), alpha, beta)

    def pose(self, tables: tuple[Runs, Runs]) -> Problem:
        blocks = [self._features(runs, kind) for kind, runs in enumerate(tables)]
        loss = np.concatenate([runs.loss for runs in tables])
        low, high = EXPONENT_RANGE
        box = {"A": (-30.0, 150.0), "B": (-30.0, 150.0), "alpha": (low, high), "beta": (low, high)}
        box["E"] = (float(np.log(LEAST_E * loss.min())), float(np.log(loss.max())))
        lower, upper = np.array([box[name] for name, _ in self.index]).T
        return Problem(np.concatenate(blocks), np.log(loss), lower, upper)

    def _features(self, runs: Runs, kind: int) -> np.ndarray:
        features = np.zeros((len(runs), 3, len(self)))
        features[:, 0, self.at("A", kind)] = 1
        features[:, 0, self.at("alpha", kind)] = -np.log(runs.params)
        features[:, 1, self.at("B", kind)] = 1
        features[:, 1, self.at("beta", kind)] = -np.log(runs.tokens)
        features[:, 2, self.at("E", kind)] = 1
        return features

    def start(self, dense: Law, moe: Law) -> np.ndarray:
        """Theta from one law a kind; what is shared is the dense law's."""
        logs = [{**law._asdict(), **{name: np.log(getattr(law, name)) for name in "ABE"}} for law in (dense, moe)]
        return np.array([float(logs[kind][name]) for name, kind in self.index])


def compare(dense: Runs, moe: Runs, size: str, resamples: int = 200, seed: int = 0) -> Comparison:
    """Fit every nested law to dense and MoE runs at once; `size` only names the count of parameters that N is."""
    tables = (dense, moe)
    separate = (fit(dense).law, fit(moe).law)
    weights = np.concatenate(
        [resample_weights(runs.cluster, resamples, seed + kind) for kind, runs in enumerate(tables)], axis=1
    )
    fits: list[NestedFit] = []
    before: np.ndarray | None = None
    for name, own in NESTED.items():
        layout = _Layout(own)
        problem = layout.pose(tables)
        starts = np.array([layout.start(*pair) for pair in itertools.product(separate, repeat=2)])
        best = _best(minimise_all(problem, np.ones((4, weights.shape[1])), np.full(4, HUBER_DELTA), starts))
        lanes = np.repeat(best[0][None], resamples, axis=0)
        draws = np.asarray(minimise_all(problem, weights, np.full(resamples, HUBER_DELTA), lanes).theta)
        errors = _out_of_bag(problem, weights, draws)
        gain = None if before is None else percentile_interval(float(np.mean(before - errors)), before - errors)
        wins = None if before is None else float(np.mean(errors < before))
        laws = [layout.law(best[0], kind) for kind in (0, 1)]
        fits.append(
            NestedFit(
                name=name,
                dense=Law(*map(float, laws[0])),
                moe=Law(*map(float, laws[1])),
                objective=best[1],
                out_of_bag=float(errors.mean()),
                gain=gain,
                wins=wins,
                moe_draws=layout.law(draws, 1),
                dense_draws=layout.law(draws, 0),
            )
        )
        before = errors
    return Comparison(size, tuple(fits))


def _best(solution: Solution) -> tuple[np.ndarray, float]:
    lane = int(np.argmin(solution.objective))
    return np.asarray(solution.theta[lane]), float(solution.objective[lane])


def _out_of_bag(problem: Problem, weights: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Mean |log error| of each resample's law (r, k) over the runs that it did not draw, (r,)."""
    logits = np.einsum("ijk,rk->rij", np.asarray(problem.features), draws)
    errors = np.abs(np.log(np.sum(np.exp(logits), axis=-1)) - np.asarray(problem.target))
    left_out = weights == 0
    return np.sum(errors * left_out, axis=1) / np.maximum(left_out.sum(axis=1), 1)


def frontier_loss(law: Law, flop: float | np.ndarray) -> np.ndarray:
    """Least loss for C FLOPs, E + K C^(-alpha beta/(alpha+beta))."""
    return np.asarray(law.loss(*law.optimum(flop)))


def frontier_flop(law: Law, loss: float | np.ndarray) -> np.ndarray:
    """FLOPs whose least loss is `loss`; NaN at or below E."""
    power = law.alpha * law.beta / (law.alpha + law.beta)
    reducible = frontier_loss(law, 1.0) - law.E
    left = np.where(np.asarray(loss) > law.E, np.asarray(loss) - law.E, np.nan)
    return (reducible / left) ** (1 / power)


def compute_multiplier(nested: NestedFit, flop: float) -> Interval:
    """Dense FLOPs over MoE FLOPs of equal loss, at the loss that MoE reaches with C: above 1, MoE is worth it.

    Meaningful where N is the active count, since only then does 6ND count what either kind computes.
    """
    draws = law_multiplier(nested.dense_draws, nested.moe_draws, flop)
    return percentile_interval(float(law_multiplier(nested.dense, nested.moe, flop)), draws)


def law_multiplier(dense: Law, moe: Law, flop: float) -> np.ndarray:
    """Dense FLOPs over MoE FLOPs at the loss that the MoE law reaches with C; NaN where dense never reaches it."""
    return frontier_flop(dense, frontier_loss(moe, flop)) / flop
