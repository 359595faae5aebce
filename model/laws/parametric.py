"""Approach 3: the law fitted to all runs at once, by the sum of Huber on log loss, with bootstrap intervals."""

import itertools
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from model.laws.intervals import Interval, percentile_interval, resample_weights, resampling_units
from model.laws.newton import Problem, Solution, minimise_all, residuals
from model.laws.runs import Runs
from model.laws.surface import Law
from model.laws.varpro import EXPONENT_RANGE, variable_projection

HUBER_DELTA = 1e-3
"""Hoffmann et al. 2022, section 3.3: beyond .1 % of loss an error counts linearly."""

RESAMPLES = 200
LEAST_E = 1e-3
"""Below this part of the lowest loss E cannot be told from 0, and the fit says so."""

COEFFICIENTS = ("A", "B", "E", "alpha", "beta")


@dataclass(frozen=True)
class Fit:
    """One law fitted to n runs. `residuals` (n,) are in log loss; `bounds` names coefficients on their box."""

    law: Law
    objective: float
    residuals: np.ndarray
    r_squared: float
    bounds: tuple[str, ...]
    start_objectives: np.ndarray

    @property
    def identified(self) -> bool:
        """Whether no coefficient sits on a bound."""
        return not self.bounds


@dataclass(frozen=True)
class Bootstrap:
    """Laws of r resamples (each coefficient of shape (r,)), and the warning, if any, about how runs were drawn."""

    laws: Law
    bound_share: float
    warning: str | None


def pose(runs: Runs) -> Problem:
    """The fit as a log-sum-exp problem in theta = (log A, log B, log E, alpha, beta)."""
    x, y = np.log(runs.params), np.log(runs.tokens)
    one, zero = np.ones_like(x), np.zeros_like(x)
    model_term = np.stack([one, zero, zero, -x, zero], axis=-1)
    data_term = np.stack([zero, one, zero, zero, -y], axis=-1)
    floor_term = np.stack([zero, zero, one, zero, zero], axis=-1)
    features = np.stack([model_term, data_term, floor_term], axis=1)
    floor = np.log(LEAST_E * runs.loss.min())
    low, high = EXPONENT_RANGE
    lower, upper = np.array([-30, -30, floor, low, low]), np.array([150, 150, np.log(runs.loss.max()), high, high])
    return Problem(features, np.log(runs.loss), lower, upper)


def starting_points(runs: Runs) -> np.ndarray:
    """17 starts (17, 5): variable projection, and 16 that share the loss out among the terms at the median run."""
    first = variable_projection(runs).law
    floor = LEAST_E * runs.loss.min()
    start = Law(jnp.maximum(first.E, floor), jnp.maximum(first.A, 1e-9), jnp.maximum(first.B, 1e-9), *first[3:]).theta()
    x, y, z = (np.median(np.log(column)) for column in (runs.params, runs.tokens, runs.loss))
    low = np.log(runs.loss.min())
    grid = [
        [z + np.log(share) + alpha * x, z + np.log(1 - share) + beta * y, low + np.log(part), alpha, beta]
        for alpha, beta, share, part in itertools.product((0.25, 0.7), (0.25, 0.7), (0.3, 0.7), (0.1, 0.7))
    ]
    return np.vstack([np.asarray(start), grid])


def fit(runs: Runs, delta: float = HUBER_DELTA, starts: np.ndarray | None = None) -> Fit:
    """The best law of all `starts` (default: `starting_points`), by the sum of Huber(delta) on log loss."""
    problem = pose(runs)
    points = starting_points(runs) if starts is None else starts
    solution = minimise_all(problem, np.ones((len(points), len(runs))), np.full(len(points), delta), points)
    best = int(np.argmin(solution.objective))
    errors = np.asarray(residuals(problem, solution.theta[best]))
    spread = np.log(runs.loss) - np.log(runs.loss).mean()
    return Fit(
        law=Law(*map(float, Law.from_theta(solution.theta[best]))),
        objective=float(solution.objective[best]),
        residuals=errors,
        r_squared=float(1 - np.sum(errors**2) / np.sum(spread**2)),
        bounds=tuple(name for name, hit in zip(COEFFICIENTS, solution.on_bound[best], strict=True) if hit),
        start_objectives=np.sort(np.asarray(solution.objective)),
    )


def bootstrap(
    runs: Runs, fitted: Fit, resamples: int = RESAMPLES, seed: int = 0, delta: float = HUBER_DELTA
) -> Bootstrap:
    """Refit `resamples` draws of the runs' clusters, each from the full fit's optimum."""
    units, warning = resampling_units(runs.cluster)
    weights = resample_weights(units, resamples, seed)
    solution = refit(runs, weights, fitted.law, delta)
    return Bootstrap(Law.from_theta(solution.theta), float(np.mean(np.any(solution.on_bound, axis=1))), warning)


def refit(runs: Runs, weights: np.ndarray, law: Law, delta: float = HUBER_DELTA) -> Solution:
    """Fits with run weights (m, n), all from one law."""
    starts = np.repeat(np.asarray(Law(*map(jnp.asarray, law)).theta())[None], len(weights), axis=0)
    return minimise_all(pose(runs), weights, np.full(len(weights), delta), starts)


def intervals(fitted: Fit, resampled: Bootstrap) -> dict[str, Interval]:
    """Every coefficient, the exponents a and b of N_opt and D_opt, and N_opt's factor, each with its interval."""
    names = (*COEFFICIENTS, "a", "b", "factor")
    return {
        name: percentile_interval(getattr(fitted.law, name), np.asarray(getattr(resampled.laws, name)))
        for name in names
    }
