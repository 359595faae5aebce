"""Where to write on a map: inside the right part, clear of what is written already, and still while that holds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]
"""Row, from the bottom, and column."""

LETTER = 6.6
"""px that a letter of 12 px takes on average."""

LINE = 16
"""px from line to line."""

GAP = 14
"""px from a ring's middle to the words beside it."""


@dataclass(frozen=True)
class Box:
    """Cells that a text covers."""

    rows: slice
    columns: slice


class Sheet:
    """The cells of one map, and which of them are written on."""

    def __init__(self, allowed: NDArray[np.bool_], width: float, height: float) -> None:
        """Start with nothing written.

        Args:
            allowed: cells that can be had, shape (rows, columns); no text may lie across their edge.
            width: px of the whole frame.
            height: px of the whole frame.
        """
        self._allowed = allowed
        self._taken = np.zeros(allowed.shape, dtype=bool)
        self._cell_width, self._cell_height = width / len(allowed.T), height / len(allowed)

    def beside(self, cell: Cell, text: str, lines: int, *, to_left: bool, lift: float = 0.0) -> Box | None:
        """Return the box of a text beside a cell, lifted by px, if it lies within the frame and is free; else None."""
        row, column = cell
        row += round(lift / self._cell_height)
        reach = math.ceil((GAP + len(text) * LETTER) / self._cell_width)
        left, right = (column - reach, column + 1) if to_left else (column, column + reach + 1)
        half = self._half_rows(lines)
        if left < 0 or right > len(self._taken.T):
            return None
        box = Box(slice(max(row - half, 0), row + half + 1), slice(left, right))
        same_ground = self._allowed[box.rows, box.columns] == self._allowed[cell]
        return box if same_ground.all() and not self._taken[box.rows, box.columns].any() else None

    def inside(self, part: NDArray[np.bool_], text: str, lines: int, before: Cell | None) -> Cell | None:
        """Return the cell at whose middle to centre a text so that it lies inside a part.

        Args:
            part: the cells of the part, shape (rows, columns).
            text: the longest line.
            lines: how many lines there are.
            before: where the text was; kept while it fits there.

        Returns:
            The cell nearest to the part's middle, or None where the text fits nowhere.
        """
        width, height = math.ceil((len(text) * LETTER + 8) / self._cell_width), 2 * self._half_rows(lines) + 1
        fits = _boxes(part & ~self._taken, width, height)
        if not fits.any():
            return None
        if before is not None and fits[before]:
            return before
        cells = np.argwhere(fits)
        row, column = cells[((cells - np.argwhere(part).mean(axis=0)) ** 2).sum(axis=1).argmin()]
        return int(row), int(column)

    def take(self, box: Box) -> None:
        """Keep other texts out of a box."""
        self._taken[box.rows, box.columns] = True

    def centred(self, cell: Cell, text: str, lines: int) -> Box:
        """Return the box of a text centred on a cell."""
        row, column = cell
        half, reach = self._half_rows(lines), math.ceil(len(text) * LETTER / 2 / self._cell_width)
        return Box(slice(max(row - half, 0), row + half + 1), slice(max(column - reach, 0), column + reach + 1))

    def _half_rows(self, lines: int) -> int:
        return max(math.ceil((lines * LINE / self._cell_height - 1) / 2), 0)


def _boxes(free: NDArray[np.bool_], width: int, height: int) -> NDArray[np.bool_]:
    """Return the cells around which a box of cells is free."""
    fits = np.zeros(free.shape, dtype=bool)
    if height > free.shape[0] or width > free.shape[1]:
        return fits
    sums = np.zeros((free.shape[0] + 1, free.shape[1] + 1), dtype=int)
    sums[1:, 1:] = free.cumsum(axis=0).cumsum(axis=1)
    full = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    row, column = height // 2, width // 2
    fits[row : row + full.shape[0], column : column + full.shape[1]] = full == width * height
    return fits
