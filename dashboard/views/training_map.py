"""The training map of the page: MFU over the mesh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dashboard.session import State
from dashboard.views.figures import on_colour, shade_colour
from dashboard.views.heatmap import HeatMap
from model.evaluate import Evaluation
from model.maps import moves
from model.maps.plane import NOWHERE, Map, Window
from model.maps.training import training_map
from model.numerals import digits
from model.point import Point

STEP_WORDS_CELLS = 26
"""Cells that the words on the step at Y = 1 need."""


class TrainingMap(HeatMap):
    """MFU over tokens a chip and tensor shards, the number of chips held."""

    title = "MFU over the mesh"
    quantity = "MFU"
    axes = (("tokens per chip", "B/XY", "tokens per chip"), ("tensor shards", "Y", "tensor shards"))

    def draw(self, evaluation: Evaluation, previous: Window | None) -> Map:
        """Return the training map around a point."""
        return training_map(evaluation, previous)

    def place(self, point: Point, across: float, up: float) -> Mapping[str, object]:
        """Return the mesh and the batch nearest to a place."""
        return moves.training_place(point, across, up)

    def step(self, point: Point, right: int, up: int) -> Mapping[str, object]:
        """Return the mesh and the batch that arrow keys lead to."""
        return moves.training_step(point, right, up)

    def words(self, state: State, drawn: Map) -> dict[str, str]:
        """Return what is written beside the map, and all that it says at the point."""
        bounds, knobs = state.evaluation.bounds, state.point.numbers_by_name()
        reason = state.evaluation.reasons.get("mfu", "")
        chips = f"{bounds['chips']:,.0f} chips"
        value = f"MFU {digits(100 * state.evaluation.values['mfu'])}\N{THIN SPACE}%" if not reason else _short(reason)
        at = f"{knobs['tensor_shards']:,.0f} tensor shards and {digits(bounds['tokens_per_chip'])} tokens per chip"
        binds = f", {drawn.regime} in the forward pass" if drawn.regime else ""
        return {
            "remark": f"{chips}; click to move" + ("; dashed: with attention counted" if drawn.exact else ""),
            "highest": f"{digits(100 * drawn.highest)}\N{THIN SPACE}%",
            "here": value,
            "sentence": f"{self.title} on {chips}. At {at}: {reason or value}{binds}.",
        }

    def extra_texts(self, state: State, drawn: Map) -> list[dict[str, Any]]:
        """Return the words on the step of the border at Y = 1."""
        axes = state.point.numbers_by_name()["ici_axes"]
        row = drawn.regimes[0]
        seen = np.flatnonzero(row != NOWHERE)
        if axes < 2 or not len(seen) or drawn.window.cell(*drawn.ring)[0] < 2:
            return []
        last = int(seen[-1])
        first = max(last - STEP_WORDS_CELLS, 0)
        if last - first < STEP_WORDS_CELLS or (row[first:last] != row[last]).any():
            return []
        edge = min([drawn.window.right, *(region.across.min() for region in drawn.forbidden)])
        color = on_colour(shade_colour(float(drawn.shade[0, last]), drawn.highest))
        words = f"Y = 1: FSDP has all {'three' if axes > 2 else 'two'} axes"
        return [{"x": edge, "y": 0.0, "text": words, "color": color, "align": "right", "dx": -6, "size": "11px"}]


def _short(reason: str) -> str:
    return reason.partition(":")[0] if reason.startswith("does not fit") else "no MFU here"
