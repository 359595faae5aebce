"""Kernel: the fused expert MLP against three ragged_dots, planned for the layer that the knobs describe."""

from __future__ import annotations

import panel as pn

from dashboard.components.advice import PlannerAdvice
from dashboard.components.gradient import GradientBars
from dashboard.components.kernel_evidence import EvidenceTables
from dashboard.components.tiles import TileStrip
from dashboard.layout import Board
from dashboard.session import Session, State
from dashboard.view import View
from dashboard.views.fusion_map import FusionMap


class Head:
    """The headline values, and below them what the planner would do."""

    def __init__(self, session: Session) -> None:
        self._parts = (TileStrip(session, "kernel"), PlannerAdvice(session))
        self.body = pn.Column(*(part.body for part in self._parts), sizing_mode="stretch_width", margin=0)

    def paint(self, state: State) -> None:
        """Paint both."""
        for part in self._parts:
            part.paint(state)


def page(session: Session) -> View:
    """Build the page: headlines, the map beside the gradient, and the published figures."""
    return Board(
        {
            "tiles": Head(session),
            "map": FusionMap(session),
            "gradient": GradientBars(session),
            "evidence": EvidenceTables(session),
        },
        areas=("tiles tiles", "map gradient", "evidence evidence"),
        columns="minmax(0, 600fr) minmax(0, 416fr)",
    )
