"""Approaches 1 and 2: the best run of each budget, and the vertex of a parabola in log N through each budget's runs."""

from dataclasses import dataclass

import numpy as np

from model.laws.intervals import Interval, percentile_interval, resample_weights, resampling_units
from model.laws.runs import Runs

BUDGET_TOLERANCE = 0.08
"""Runs whose log C differ by less than this from a budget belong to it."""

MIN_SIZES = 5
MIN_VERTICES = 3


@dataclass(frozen=True)
class Isoflop:
    """One budget: the rows of its runs, and what a parabola of loss in log N says of its minimum.

    `params`, `tokens` and `loss` are the vertex's (NaN where the parabola has no minimum); `problem` says why that
    vertex may not be used, and is None where runs on both sides bracket it.
    """

    flop: float
    rows: np.ndarray
    coefficients: np.ndarray
    params: float
    tokens: float
    loss: float
    r_squared: float
    best_row: int
    problem: str | None

    @property
    def bracketed(self) -> bool:
        """Whether runs on both sides hold the minimum."""
        return self.problem is None


@dataclass(frozen=True)
class PowerLaw:
    """N_opt = factor * C^exponent through the usable budgets; `reason` says why there is none, else it is None."""

    exponent: Interval | None
    factor: float
    budgets: tuple[float, ...]
    r_squared: float
    reason: str | None
    warning: str | None


def budgets(runs: Runs) -> list[np.ndarray]:
    """Rows of the runs of each budget, by rising C: the densest spot of log C first, until too few runs are left."""
    log_c = np.log(runs.flop)
    left = np.ones(len(runs), bool)
    groups: list[np.ndarray] = []
    while left.any():
        near = np.abs(log_c[:, None] - log_c[None, left]) < BUDGET_TOLERANCE
        centre = np.argmax(near.sum(axis=1))
        centre_c = np.median(log_c[left][near[centre]])
        rows = np.flatnonzero(left & (np.abs(log_c - centre_c) < BUDGET_TOLERANCE))
        if len(np.unique(np.round(np.log(runs.params[rows]), 6))) < MIN_SIZES:
            break
        groups.append(rows)
        left &= np.abs(log_c - centre_c) >= BUDGET_TOLERANCE
    return sorted(groups, key=lambda rows: runs.flop[rows].mean())


def isoflop(runs: Runs, rows: np.ndarray) -> Isoflop:
    """The parabola through one budget's runs, and whether they bracket its minimum."""
    x, y = np.log(runs.params[rows]), runs.loss[rows]
    flop = float(np.exp(np.log(runs.flop[rows]).mean()))
    curve, slope, level = coefficients = _parabolas(x, y, np.ones((1, len(rows))))[0]
    vertex = -slope / (2 * curve) if curve > 0 else np.nan
    fitted = np.polyval(coefficients, x - x.mean())
    spread = np.sum((y - y.mean()) ** 2)
    tokens_at = np.polyfit(x, np.log(runs.tokens[rows]), 1)
    params = float(np.exp(vertex + x.mean()))
    return Isoflop(
        flop=flop,
        rows=rows,
        coefficients=coefficients,
        params=params,
        tokens=float(np.exp(np.polyval(tokens_at, np.log(params)))) if curve > 0 else float("nan"),
        loss=float(level - slope**2 / (4 * curve)) if curve > 0 else float("nan"),
        r_squared=float(1 - np.sum((y - fitted) ** 2) / spread) if spread > 0 else float("nan"),
        best_row=int(rows[np.argmin(y)]),
        problem=_problem(x, y, curve, vertex + x.mean()),
    )


def parabola(runs: Runs, curve: Isoflop, count: int = 48) -> tuple[np.ndarray, np.ndarray]:
    """N and loss along one budget's parabola, (count,) each, from its smallest to its largest size."""
    x = np.log(runs.params[curve.rows])
    along = np.linspace(x.min(), x.max(), count)
    return np.exp(along), np.polyval(curve.coefficients, along - x.mean())


def isoflops(runs: Runs) -> list[Isoflop]:
    """Every budget's parabola, by rising C."""
    return [isoflop(runs, rows) for rows in budgets(runs)]


def _parabolas(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted least-squares parabolas (m, 3) in x - mean(x), highest power first, for weights (m, n)."""
    basis = np.vander(x - x.mean(), 3)
    gram = np.einsum("mi,ij,ik->mjk", weights, basis, basis)
    moment = np.einsum("mi,ij,i->mj", weights, basis, y)
    sizes = np.array([len(np.unique(x[row > 0])) for row in weights])
    gram[sizes < 3] = np.eye(3)
    moment[sizes < 3] = np.nan
    return np.linalg.solve(gram, moment[..., None])[..., 0]


def _problem(x: np.ndarray, y: np.ndarray, curve: float, vertex: float) -> str | None:
    sizes = np.unique(x)
    mean_loss = np.array([y[x == size].mean() for size in sizes])
    best = int(np.argmin(mean_loss))
    if curve <= 0:
        return "the parabola opens downward: no minimum"
    if best == 0:
        return "lowest loss at the smallest size: not bracketed from below"
    if best == len(sizes) - 1:
        return "lowest loss at the largest size: not bracketed from above"
    if not sizes[0] < vertex < sizes[-1]:
        return "the vertex lies outside the sizes that were run"
    return None


def _slopes(log_c: np.ndarray, log_n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slopes and intercepts (m,) of lines through (m, k) points, NaN entries left out, NaN for under three points."""
    use = np.isfinite(log_n)
    count = use.sum(axis=1)
    enough = count >= MIN_VERTICES
    safe = np.maximum(count, 1)
    x, y = np.where(use, log_c, 0.0), np.where(use, log_n, 0.0)
    mean_x, mean_y = x.sum(axis=1) / safe, y.sum(axis=1) / safe
    dx, dy = np.where(use, log_c - mean_x[:, None], 0.0), np.where(use, y - mean_y[:, None], 0.0)
    square = np.sum(dx**2, axis=1)
    slope = np.where(enough, np.sum(dx * dy, axis=1) / np.where(square > 0, square, np.nan), np.nan)
    return slope, mean_y - slope * mean_x


def log_log_line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Exponent and factor of y = factor * x^exponent through (k,) points, NaN for under three of them."""
    slope, intercept = _slopes(np.log(x)[None], np.log(y)[None])
    return float(slope[0]), float(np.exp(intercept[0]))


def _power_law(log_c: np.ndarray, full: np.ndarray, draws: np.ndarray, unit: str, warning: str | None) -> PowerLaw:
    """The line through the full data's points (k,), with the interval that the draws' points (m, k) give its slope."""
    use = np.isfinite(full)
    used = tuple(float(c) for c in np.exp(log_c[use]))
    if len(used) < MIN_VERTICES:
        reason = f"{len(used)} of {len(full)} budgets have a bracketed {unit}; an exponent needs {MIN_VERTICES}"
        return PowerLaw(None, float("nan"), used, float("nan"), reason, warning)
    slope, intercept = _slopes(log_c[None], full[None])
    fitted = slope[0] * log_c[use] + intercept[0]
    spread = np.sum((full[use] - full[use].mean()) ** 2)
    r_squared = float(1 - np.sum((full[use] - fitted) ** 2) / spread) if spread > 0 else float("nan")
    draws_used = np.where(use, draws, np.nan)
    interval = percentile_interval(float(slope[0]), _slopes(np.broadcast_to(log_c, draws.shape), draws_used)[0])
    return PowerLaw(interval, float(np.exp(intercept[0])), used, r_squared, None, warning)


def vertex_law(runs: Runs, curves: list[Isoflop], resamples: int = 200, seed: int = 0) -> PowerLaw:
    """Approach 2: N_opt against C through the bracketed vertices; a resample's vertex must stay inside."""
    units, warning = resampling_units(runs.cluster)
    weights = resample_weights(units, resamples, seed)
    draws = np.full((resamples, len(curves)), np.nan)
    for column, curve in enumerate(curves):
        x = np.log(runs.params[curve.rows])
        coefficients = _parabolas(x, runs.loss[curve.rows], weights[:, curve.rows])
        convex = coefficients[:, 0] > 0
        vertex = -coefficients[:, 1] / (2 * np.where(convex, coefficients[:, 0], np.nan)) + x.mean()
        draws[:, column] = np.where((vertex > x.min()) & (vertex < x.max()), vertex, np.nan)
    full = np.log([curve.params if curve.bracketed else np.nan for curve in curves])
    return _power_law(np.log([curve.flop for curve in curves]), full, draws, "vertex", warning)


def envelope_law(runs: Runs, curves: list[Isoflop], resamples: int = 200, seed: int = 0) -> PowerLaw:
    """Approach 1: N of the run of lowest loss at each budget against C, where that run is not at the grid's edge."""
    units, warning = resampling_units(runs.cluster)
    weights = resample_weights(units, resamples, seed)
    draws = np.full((resamples, len(curves)), np.nan)
    for column, curve in enumerate(curves):
        drawn = weights[:, curve.rows] > 0
        losses = np.where(drawn, runs.loss[curve.rows], np.inf)
        lowest = np.log(runs.params[curve.rows])[np.argmin(losses, axis=1)]
        draws[:, column] = np.where(drawn.any(axis=1), lowest, np.nan)
    sizes = [
        (runs.params[curve.rows].min(), runs.params[curve.best_row], runs.params[curve.rows].max()) for curve in curves
    ]
    full = np.log([best if low < best < high else np.nan for low, best, high in sizes])
    return _power_law(np.log([curve.flop for curve in curves]), full, draws, "lowest run", warning)
