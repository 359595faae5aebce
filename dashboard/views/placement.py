"""Where to write the name of each part of a map: inside its part, clear of the ring, and still while it can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]

WIDTH, HEIGHT = 15, 3
"""Cells that a name needs: the longest at 12 px on a page of 390 px."""


def place(part: NDArray[np.bool_], taken: NDArray[np.bool_], before: Cell | None) -> Cell | None:
    """Return the `(row, column)` at whose centre to write a part's name.

    Args:
        part: the cells of the part, shape (rows, columns).
        taken: cells that must stay clear.
        before: where the name was; kept while it still fits.

    Returns:
        The cell, or None where no box of `HEIGHT` by `WIDTH` cells fits.
    """
    fits = _boxes(part & ~taken)
    if not fits.any():
        return None
    if before is not None and fits[before]:
        return before
    rows, columns = np.nonzero(fits)
    wanted = np.argwhere(part).mean(axis=0)
    nearest = ((rows - wanted[0]) ** 2 + (columns - wanted[1]) ** 2).argmin()
    return int(rows[nearest]), int(columns[nearest])


def around(shape: tuple[int, int], cell: Cell, left: int, right: int, half_height: int = 2) -> NDArray[np.bool_]:
    """Return the cells of a box about a cell, `left` and `right` cells wide on its sides."""
    box = np.zeros(shape, dtype=bool)
    row, column = cell
    box[max(row - half_height, 0) : row + half_height + 1, max(column - left, 0) : column + right + 1] = True
    return box


def _boxes(free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells around which a whole box is free."""
    sums = np.zeros((free.shape[0] + 1, free.shape[1] + 1), dtype=int)
    sums[1:, 1:] = free.cumsum(axis=0).cumsum(axis=1)
    full = sums[HEIGHT:, WIDTH:] - sums[:-HEIGHT, WIDTH:] - sums[HEIGHT:, :-WIDTH] + sums[:-HEIGHT, :-WIDTH]
    fits = np.zeros(free.shape, dtype=bool)
    row, column = HEIGHT // 2, WIDTH // 2
    fits[row : row + full.shape[0], column : column + full.shape[1]] = full == HEIGHT * WIDTH
    return fits
