"""How far the exponent depends on choices: which runs are in the fit window, and which loss function fits them."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from model.laws.intervals import Interval, percentile_interval, resample_weights, resampling_units
from model.laws.newton import minimise_all
from model.laws.parametric import HUBER_DELTA, Fit, pose
from model.laws.runs import MIN_RUNS, Runs, RunsError
from model.laws.surface import Law
from model.laws.varpro import variable_projection

CUTS = ("min_flop", "max_loss", "min_loss")
LOSSES = {"Huber .001": 1e-3, "Huber .01": 1e-2, "Huber .1": 0.1, "squared error on log L": np.inf}


@dataclass(frozen=True)
class Window:
    """The exponent a = beta/(alpha+beta) of the runs inside one cut; `bounds` if a coefficient sits on its box."""

    cut: str
    threshold: float
    runs: int
    a: Interval
    law: Law
    bounds: bool


@dataclass(frozen=True)
class LossChoice:
    """The law under one loss function."""

    name: str
    law: Law


def inside(runs: Runs, cut: str, threshold: float) -> np.ndarray:
    """Mask (n,) of the runs that a cut keeps: C or L at least, or L at most, the threshold."""
    if cut == "min_flop":
        return runs.flop >= threshold
    if cut == "max_loss":
        return runs.loss <= threshold
    if cut == "min_loss":
        return runs.loss >= threshold
    raise RunsError(f"no cut {cut!r}: choose one of {', '.join(CUTS)}")


def exponent_by_window(
    runs: Runs, fitted: Fit, cut: str, steps: int = 7, most: float = 0.6, resamples: int = 60, seed: int = 0
) -> list[Window]:
    """a against the cut, from no cut to one that drops the share `most` of the runs, all fits in one vmapped call.

    Rows that would leave fewer than the fewest runs that a fit takes are left out.
    """
    column = runs.flop if cut == "min_flop" else runs.loss
    shares = np.linspace(0, most, steps)
    quantiles = np.quantile(column, 1 - shares if cut == "max_loss" else shares)
    masks = [(t, inside(runs, cut, t)) for t in quantiles]
    masks = [(t, mask) for t, mask in masks if mask.sum() >= MIN_RUNS]
    units, _ = resampling_units(runs.cluster)
    draws = np.vstack([np.ones(len(runs)), resample_weights(units, resamples, seed)])
    weights = np.concatenate([draws * mask for _, mask in masks])
    start = np.asarray(Law(*map(jnp.asarray, fitted.law)).theta())
    lanes = len(weights)
    solution = minimise_all(pose(runs), weights, np.full(lanes, HUBER_DELTA), np.repeat(start[None], lanes, axis=0))
    windows = []
    for row, (threshold, mask) in enumerate(masks):
        rows = slice(row * len(draws), (row + 1) * len(draws))
        laws = Law.from_theta(solution.theta[rows])
        first = Law(*(float(part[0]) for part in laws))
        interval = percentile_interval(first.a, np.asarray(laws.a[1:]))
        on_bound = bool(np.any(solution.on_bound[rows.start]))
        windows.append(Window(cut, float(threshold), int(mask.sum()), interval, first, on_bound))
    return windows


def exponent_by_loss(runs: Runs, fitted: Fit) -> list[LossChoice]:
    """The law under each loss function: four robust ones on log L, and squared error on L by variable projection."""
    start = np.asarray(Law(*map(jnp.asarray, fitted.law)).theta())
    deltas = np.array(list(LOSSES.values()))
    lanes = len(deltas)
    solution = minimise_all(pose(runs), np.ones((lanes, len(runs))), deltas, np.repeat(start[None], lanes, axis=0))
    rows = [
        LossChoice(name, Law(*map(float, Law.from_theta(theta))))
        for name, theta in zip(LOSSES, solution.theta, strict=True)
    ]
    projected = variable_projection(runs).law
    return [*rows, LossChoice("squared error on L", Law(*map(float, projected)))]
