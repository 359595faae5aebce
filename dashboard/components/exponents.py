"""Exponents on one scale: a dot for each value, a bar for its interval, grouped by where they come from."""

from __future__ import annotations

from dashboard.component import Component


class Exponents(Component):
    """`spec`: `title`, `remark`, `low` and `high` of the scale, `ticks`. `data`: `groups`, each a title and its rows.

    A row has `label`, `value` (None: `note` says why), `lo` and `hi` (None where no interval is known), `text`, `full`.
    """
