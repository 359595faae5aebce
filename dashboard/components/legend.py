"""Which shade of a bar stands for what."""

from __future__ import annotations

from dashboard.component import Component


class Legend(Component):
    """`data`: `entries`, each a token of the palette and the words for it."""
