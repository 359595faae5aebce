"""The line below a map: what its axes are, the map in words for a reader, and arrow keys that move the ring."""

from __future__ import annotations

from dashboard.component import Component


class MapFoot(Component):
    """`spec`: `title`, and name and symbol of `across` and `up`. `data`: `sentence`.

    Messages: `{"right": -1..1, "up": -1..1}` for an arrow key.
    """
