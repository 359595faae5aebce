"""Knobs of a run as a budget, for the chapter on transformers (4)."""

import param

from model.knobs.declare import Number


class Budget(param.Parameterized):
    """A run as a number of chip-hours."""

    chip_hours = Number(
        2.79e6,
        bounds=(1, 1e12),
        unit="h",
        symbol="h_chip",
        label="Chip-hours",
        doc="Hours of all chips together.",
    )
