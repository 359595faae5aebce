"""The training map of the page: MFU over the mesh."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dashboard.session import State
from dashboard.views.heatmap import HeatMap
from dashboard.views.placement import Sheet
from dashboard.views.writing import Text, ink
from model.evaluate import Evaluation
from model.maps import moves
from model.maps.plane import NOWHERE, Map, Window
from model.maps.training import training_map
from model.numerals import digits


class TrainingMap(HeatMap):
    """MFU over tokens a chip and tensor shards, the number of chips held."""

    title = "MFU over the mesh"
    quantity = "MFU"
    axes = (("tokens per chip", "B/XY", "tokens per chip"), ("tensor shards", "Y", "tensor shards"))

    def draw(self, evaluation: Evaluation, previous: Window | None) -> Map:
        """Return the training map around a point."""
        return training_map(evaluation, previous)

    def place(self, evaluation: Evaluation, across: float, up: float) -> Mapping[str, object]:
        """Return the mesh and the batch nearest to a place."""
        return moves.training_place(evaluation, across, up)

    def step(self, evaluation: Evaluation, right: int, up: int) -> Mapping[str, object]:
        """Return the mesh and the batch that arrow keys lead to."""
        return moves.training_step(evaluation, right, up)

    def words(self, state: State, drawn: Map) -> dict[str, str]:
        """Return what is written beside the map, and all that it says at the point."""
        bounds, knobs = state.evaluation.bounds, state.point.numbers_by_name()
        reason = state.evaluation.reasons.get("mfu", "")
        chips = f"{bounds['chips']:,.0f} chips"
        value = f"MFU {digits(100 * state.evaluation.values['mfu'])}\N{THIN SPACE}%" if not reason else _short(reason)
        at = f"{knobs['tensor_shards']:,.0f} tensor shards and {digits(bounds['tokens_per_chip'])} tokens per chip"
        binds = f", {drawn.regime} in the forward pass" if drawn.regime else ""
        return {
            "remark": f"{chips}; {'dashed: attention counted' if drawn.exact else 'click to move'}",
            "highest": f"{digits(100 * drawn.highest)}\N{THIN SPACE}%",
            "here": value,
            "sentence": f"{self.title} on {chips}. At {at}: {reason or value}{binds}.",
        }

    def extra_texts(self, state: State, drawn: Map, sheet: Sheet) -> list[Text]:
        """Return the words on the step of the border at Y = 1, right of it, where they fit."""
        axes = state.point.numbers_by_name()["ici_axes"]
        words = f"Y = 1: {axes:.0f} axes for FSDP"
        allowed = np.flatnonzero(drawn.regimes[0] != NOWHERE)
        if axes < 2 or not len(allowed):
            return []
        last = int(allowed[-1])
        box = sheet.beside((0, last), words, 1, to_left=True)
        if box is None or (drawn.regimes[0, box.columns] != drawn.regimes[0, last]).any():
            return []
        edge = float(drawn.window.across()[last])
        at = {"x": edge, "y": 0.0, "dx": -6, "align": "right", "size": "11px"}
        return [{**at, "text": words, "color": ink(drawn, box)}]


def _short(reason: str) -> str:
    return reason.partition(":")[0] if reason.startswith("does not fit") else "no MFU here"
