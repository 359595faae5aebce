"""Training: a step on a mesh of data and tensor shards."""

from __future__ import annotations

from dashboard.components.gradient import GradientBars
from dashboard.components.inspector import InspectorView
from dashboard.components.tiles import TileStrip
from dashboard.layout import Board
from dashboard.session import Session
from dashboard.view import View
from dashboard.views.memory_bars import MemoryBars
from dashboard.views.time_bars import TimeBars
from dashboard.views.training_map import TrainingMap


def page(session: Session) -> View:
    """Build the page: headlines, the map beside the gradient, where time and memory go beside the inspector."""
    return Board(
        {
            "tiles": TileStrip(session, "training"),
            "map": TrainingMap(session),
            "gradient": GradientBars(session),
            "time": TimeBars(session, "training"),
            "memory": MemoryBars(session, "training"),
            "inspector": InspectorView(session),
        },
        areas=("tiles tiles", "map gradient", "time inspector", "memory inspector"),
        columns="minmax(0, 600fr) minmax(0, 416fr)",
    )
