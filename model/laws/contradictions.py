"""What printed tables say against themselves, computed by the functions that fit everyone's runs."""

from typing import Any

import numpy as np

from model.laws.isoflop import log_log_line
from model.laws.surface import Law
from presets.laws import LabGrid, LabTable, printed_laws


def exponents_of(table: LabTable) -> dict[str, float]:
    """Every exponent a that one table claims or implies: as stated, by its own surface, and by its own vertices."""
    surface = printed_laws().surfaces[table.surface]
    law = Law(surface.E, surface.A, surface.B, surface.alpha, surface.beta)
    slope, _ = log_log_line(
        np.array([row["flop"] for row in table.rows]), np.array([row["params"] for row in table.rows])
    )
    stated = {f"stated, {name}": value for name, value in table.stated_exponents.items()}
    return {**stated, "of its surface, beta/(alpha+beta)": float(law.a), "of its vertices": slope}


def surface_bounds(table: LabTable) -> list[str]:
    """Coefficients of the printed surface that sit on a bound, and so are not identified."""
    return ["E"] if printed_laws().surfaces[table.surface].E <= 0 else []


def disagreement(table: LabTable) -> float:
    """How far apart the exponents of one data set are, largest less smallest."""
    values = exponents_of(table).values()
    return max(values) - min(values)


def grid_counts(grid: LabGrid) -> dict[str, Any]:
    """Runs as stated, as the stated factors multiply (a range), and as the lists multiply; `agrees` if all are one."""
    low, high = grid.stated["sizes"]
    rest = grid.stated["seeds"] * grid.stated["budgets"]
    listed = len(grid.budgets) * grid.stated["seeds"] * len(grid.sizes) if grid.sizes else None
    stated = grid.stated["runs"]
    return {
        "stated": stated,
        "product": (low * rest, high * rest),
        "listed": listed,
        "agrees": low * rest <= stated <= high * rest and listed in (None, stated),
    }


def contradictions() -> dict[str, Any]:
    """All of it as plain data, for the page and the docs."""
    laws = printed_laws()
    return {
        "exponents": {slug: exponents_of(table) for slug, table in laws.tables.items()},
        "bounds": {slug: surface_bounds(table) for slug, table in laws.tables.items()},
        "grids": {slug: grid_counts(grid) for slug, grid in laws.grids.items()},
    }
