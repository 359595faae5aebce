"""The line above a plot: its title, a remark, and the colour scale where it has one."""

from __future__ import annotations

from dashboard.component import Component


class PlotHead(Component):
    """`spec`: `title`, and `scale` (colours from 0 up) if any. `data`: `remark`, and `highest` of the scale."""
