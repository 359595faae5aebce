"""What a map is: a window on a plane of two log2 axes, shaded cells, border lines and forbidden regions.

All coordinates are log2 of the quantity on the axis, since shards, chips and batches go by doublings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.floating]

NOWHERE = -1
"""Regime of a cell that is forbidden or can't be had."""


@dataclass(frozen=True)
class Window:
    """The part of the plane that a map shows: edges in log2, and how many cells lie between them."""

    left: float
    right: float
    bottom: float
    top: float
    columns: int
    rows: int

    def across(self) -> Column:
        """Return the cells' centres across, shape (columns,)."""
        step = (self.right - self.left) / self.columns
        return self.left + step * (np.arange(self.columns) + 0.5)

    def up(self) -> Column:
        """Return the cells' centres upwards, shape (rows,)."""
        return self.bottom + self.row_height * (np.arange(self.rows) + 0.5)

    @property
    def row_height(self) -> float:
        """Height of a cell."""
        return (self.top - self.bottom) / self.rows

    def cell(self, across: float, up: float) -> tuple[int, int]:
        """Return the `(row, column)` of the cell that holds a position; a position outside gets the nearest cell."""
        column = int((across - self.left) / (self.right - self.left) * self.columns)
        row = int((up - self.bottom) / self.row_height)
        return min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1)


@dataclass(frozen=True)
class Line:
    """A border: the positions it runs through."""

    across: Column
    up: Column


@dataclass(frozen=True)
class Region:
    """A closed part of the plane that can't be had, with the words for it and the limit that it breaks."""

    words: str
    limit: str
    across: Column
    up: Column


@dataclass(frozen=True)
class Mark:
    """A place on the map worth a word, and the value there."""

    words: str
    across: float
    up: float
    value: float


@dataclass(frozen=True)
class Map:
    """One map.

    Attributes:
        window: the part of the plane that is shown.
        shade: the quantity in each cell, shape (rows, columns), bottom row first; NaN where it can't be had
            or lies well inside a forbidden region.
        highest: the top of the colour scale, which starts at 0.
        regimes: index into `names` of what binds in each cell; `NOWHERE` where forbidden.
        names: the regimes.
        borders: where a regime ends.
        exact: the same borders with everything counted, where those of `borders` leave something out; else empty.
        forbidden: what does not fit or can't exist.
        marks: places worth a word.
        ring: where the operating point is.
        regime: what binds at the operating point; the empty string where that can't be said.
        diverging: whether the middle of the colour scale is where it makes no difference.
    """

    window: Window
    shade: Column
    highest: float
    regimes: NDArray[np.int8]
    names: tuple[str, ...]
    borders: tuple[Line, ...]
    exact: tuple[Line, ...]
    forbidden: tuple[Region, ...]
    marks: tuple[Mark, ...]
    ring: tuple[float, float]
    regime: str
    diverging: bool = False


def line(points: Sequence[tuple[float, float]]) -> Line:
    """Return the line through `(across, up)` positions."""
    across, up = zip(*points, strict=True)
    return Line(np.array(across), np.array(up))


def box(words: str, limit: str, left: float, right: float, bottom: float, top: float) -> Region:
    """Return a rectangular region."""
    return Region(words, limit, np.array([left, right, right, left]), np.array([bottom, bottom, top, top]))


def kept_or_centred(low: float, high: float, value: float, *, margin: float = 0.1) -> tuple[float, float]:
    """Return the edges that hold `value`: the same ones, or moved by a whole even number of octaves to centre it."""
    if not math.isfinite(value) or low + margin <= value <= high - margin:
        return low, high
    shift = 2 * round((value - (low + high) / 2) / 2)
    return low + shift, high + shift


def whole_where_close(counts: Column) -> Column:
    """Return counts with rounding errors of 2**log2(n) taken away: an axis of exactly one chip costs nothing."""
    nearest = np.round(counts)
    return np.where(np.abs(counts - nearest) < 1e-9 * counts, nearest, counts)


def largest_branch(branches: Sequence[Column]) -> NDArray[np.int8]:
    """Return the index of the largest branch in each cell, the first at a tie; `NOWHERE` where one is NaN."""
    stack = np.stack(branches)
    lost = np.isnan(stack).any(axis=0)
    return np.where(lost, NOWHERE, np.where(np.isnan(stack), -np.inf, stack).argmax(axis=0)).astype(np.int8)


def with_neighbours(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells of `mask` and those that touch one: painted too, so that no gap opens beside a region."""
    wider = mask.copy()
    wider[:, 1:] |= mask[:, :-1]
    wider[:, :-1] |= mask[:, 1:]
    taller = wider.copy()
    taller[1:] |= wider[:-1]
    taller[:-1] |= wider[1:]
    return taller
