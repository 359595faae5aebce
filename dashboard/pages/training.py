"""Training: a step on a mesh of data and tensor shards."""

from __future__ import annotations

from dashboard.components.gradient import GradientBars
from dashboard.components.tiles import TileStrip
from dashboard.layout import grid
from dashboard.session import Session, State


class TrainingPage:
    """Headlines, what binds, and what moves the value in focus."""

    def __init__(self, session: Session) -> None:
        self._views = {"tiles": TileStrip(session, "training"), "gradient": GradientBars(session)}
        self.body = grid(
            {area: view.body for area, view in self._views.items()},
            areas='"tiles tiles" "map gradient"',
            columns="minmax(0, 600fr) minmax(0, 416fr)",
        )

    def paint(self, state: State) -> None:
        """Paint every part."""
        for view in self._views.values():
            view.paint(state)


def page(session: Session) -> TrainingPage:
    """Build the page."""
    return TrainingPage(session)
