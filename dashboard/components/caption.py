"""Lines of words under a plot."""

from __future__ import annotations

from dashboard.component import Component


class Caption(Component):
    """`data`: `lines`."""
