"""Intervals of anything computed from resampled runs."""

from dataclasses import dataclass

import numpy as np

LEVEL = 0.95
MIN_CLUSTERS = 8
"""Fewer clusters than this cannot be resampled to any purpose."""


@dataclass(frozen=True)
class Interval:
    """A value with the central 95 % of its bootstrap distribution, and that distribution's standard deviation."""

    value: float
    lo: float
    hi: float
    se: float

    def as_dict(self) -> dict[str, float]:
        """The fields that the CLI prints."""
        return {"value": self.value, "lo": self.lo, "hi": self.hi}


def percentile_interval(value: float, draws: np.ndarray) -> Interval:
    """The interval of `value` from bootstrap draws (r,); draws that could not be had are NaN and left out."""
    kept = draws[np.isfinite(draws)]
    if len(kept) < 2:
        return Interval(float(value), float("nan"), float("nan"), float("nan"))
    tail = 100 * (1 - LEVEL) / 2
    lo, hi = np.percentile(kept, [tail, 100 - tail])
    return Interval(float(value), float(lo), float(hi), float(np.std(kept, ddof=1)))


def resample_weights(cluster: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """How often each run is drawn in each resample, (resamples, n): whole clusters drawn with replacement."""
    labels, index = np.unique(cluster, return_inverse=True)
    draws = np.random.default_rng(seed).multinomial(len(labels), np.full(len(labels), 1 / len(labels)), resamples)
    return draws[:, index].astype(float)


def resampling_units(cluster: np.ndarray) -> tuple[np.ndarray, str | None]:
    """The labels to resample by, and a warning where clusters are too few so that single runs are drawn instead."""
    count = len(np.unique(cluster))
    if count >= MIN_CLUSTERS:
        return cluster, None
    return np.arange(len(cluster)), f"{count} clusters are too few to resample: intervals draw single runs instead"
