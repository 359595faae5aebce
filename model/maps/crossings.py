"""Where a quantity on a grid crosses 0: found between two cells, then sharpened by the quantity itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from model.maps.plane import Column

SHARPENINGS = 2
"""Newton steps from the cells' crossing, with the slope between the cells."""


def log_ratio(above: float, below: float) -> float:
    """Return log2(above/below), minus infinity for 0 above."""
    return math.log2(above / below) if above > 0 else -math.inf


def crossings(
    lines: Column, positions: Column, places: Column, edges: tuple[float, float], exact: Callable[[float, float], float]
) -> tuple[Column, Column]:
    """Return where lines of a grid cross 0 upwards: the places of the lines, and the position on each.

    Args:
        lines: values, shape (places, positions); each line crosses at most once.
        positions: where the values of a line lie, ascending.
        places: where the lines lie, ascending.
        edges: the places at which the crossing is carried on to, if the first or the last line has one.
        exact: the quantity by place and position.

    Returns:
        Two columns of equal length, without the lines that do not cross.
    """
    found: list[tuple[float, float]] = []
    slope = 1.0
    for place, values in zip(places, lines, strict=True):
        above = np.flatnonzero(values > 0)
        # From minus infinity (one chip has no comms) no straight line crosses.
        if not len(above) or above[0] == 0 or not np.isfinite(values[above[0] - 1]):
            continue
        low, high = above[0] - 1, above[0]
        slope = float((values[high] - values[low]) / (positions[high] - positions[low]))
        guess = float(positions[low] - values[low] / slope)
        found.append((float(place), _sharpened(guess, slope, float(place), exact)))
    if found and found[0][0] == places[0]:
        found.insert(0, (edges[0], _sharpened(found[0][1], slope, edges[0], exact)))
    if found and found[-1][0] == places[-1]:
        found.append((edges[1], _sharpened(found[-1][1], slope, edges[1], exact)))
    across, along = zip(*found, strict=True) if found else ((), ())
    return np.array(across), np.array(along)


def _sharpened(guess: float, slope: float, place: float, exact: Callable[[float, float], float]) -> float:
    for _ in range(SHARPENINGS):
        guess -= exact(place, guess) / slope
    return guess
