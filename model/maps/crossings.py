"""Where a quantity on a grid crosses 0: found between two cells, then sharpened by the quantity itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from model.maps.plane import Column

SHARPENINGS = 3
"""Secant steps from the cells' crossing; the first takes the slope between the cells."""


def log_ratio(above: float, below: float) -> float:
    """Return log2(above/below); minus infinity for 0 above, NaN where a refused shape makes one of them negative."""
    if above < 0 or below <= 0:
        return math.nan
    return math.log2(above / below) if above > 0 else -math.inf


def crossings(
    lines: Column, positions: Column, places: Column, extra: Column, exact: Callable[[float, float], float]
) -> tuple[Column, Column]:
    """Return where lines of a grid cross 0 upwards: the places of the lines, and the position on each.

    Args:
        lines: values, shape (places, positions); each line crosses at most once.
        positions: where the values of a line lie, ascending.
        places: where the lines lie, ascending.
        extra: more places at which to find the crossing, within half a line of those that have one.
        exact: the quantity by place and position.

    Returns:
        Two columns of equal length, without the lines that do not cross.
    """
    guesses: dict[float, tuple[float, float]] = {}
    for place, values in zip(places, lines, strict=True):
        above = np.flatnonzero(values > 0)
        # From minus infinity (one chip has no comms) no straight line crosses.
        if len(above) and above[0] > 0 and np.isfinite(values[above[0] - 1]):
            low, high = above[0] - 1, above[0]
            slope = float((values[high] - values[low]) / (positions[high] - positions[low]))
            guesses[float(place)] = float(positions[low] - values[low] / slope), slope
    if not guesses:
        return np.array([]), np.array([])
    known, half = np.array(list(guesses)), (places[1] - places[0]) / 2
    crossed, slopes = np.array(list(guesses.values())).T
    near = extra[(extra >= known[0] - 1.001 * half) & (extra <= known[-1] + 1.001 * half)]
    wanted = np.unique(np.concatenate([known, near]))
    starts = zip(np.interp(wanted, known, crossed), np.interp(wanted, known, slopes), wanted, strict=True)
    along = [_sharpened(guess, slope, place, exact) for guess, slope, place in starts]
    return wanted, np.array(along)


def _sharpened(guess: float, slope: float, place: float, exact: Callable[[float, float], float]) -> float:
    value = exact(place, guess)
    for _ in range(SHARPENINGS):
        if value == 0:
            break
        better = guess - value / slope
        found = exact(place, better)
        if found != value and better != guess:
            slope = (found - value) / (better - guess)
        guess, value = better, found
    return guess
