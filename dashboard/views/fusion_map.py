"""The fusion map of the page: speed-up over the widths of model and expert."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.session import State
from dashboard.views.heatmap import HeatMap
from model.evaluate import Evaluation
from model.maps.fusion import EVEN, fusion_map, fusion_place, fusion_step
from model.maps.plane import Map, Window
from model.numerals import digits
from model.words import times


class FusionMap(HeatMap):
    """The speed-up with the planner's tiles in each cell; the ring's is that of the tiles that are set."""

    title = "Where fusion pays"
    quantity = "speed-up"
    axes = (("model width", "D", "model width"), ("expert width", "F_k", "expert width"))
    diverging = True
    shown_as = "{0.00}×"

    def draw(self, evaluation: Evaluation, previous: Window | None) -> Map:
        """Return the fusion map around a point."""
        return fusion_map(evaluation, previous)

    def place(self, evaluation: Evaluation, across: float, up: float) -> Mapping[str, object]:
        """Return the widths nearest to a place, with the planner's tiles there."""
        return fusion_place(evaluation, across, up)

    def step(self, evaluation: Evaluation, right: int, up: int) -> Mapping[str, object]:
        """Return the widths that arrow keys lead to."""
        return fusion_step(evaluation, right, up)

    def words(self, state: State, drawn: Map) -> dict[str, str]:
        """Return what is written beside the map, and all that it says at the point."""
        bounds, knobs = state.evaluation.bounds, state.point.numbers_by_name()
        reason = state.evaluation.reasons.get("fused_moe_speedup", "")
        speedup = times(state.evaluation.values["fused_moe_speedup"]) if not reason else ""
        rows = f"{digits(bounds['rows_per_expert'])} rows an expert"
        at = f"model width {knobs['d_model']:,.0f} and expert width {bounds['expert_width']:,.0f}"
        decides = f"; what decides: {drawn.regime}" if drawn.regime and not reason else ""
        return {
            "remark": f"{rows}, best tiles; white is 1×",
            "highest": f"{EVEN:.0f}×",
            "here": speedup or reason.partition(":")[0],
            "sentence": f"{self.title}, {rows}. At {at}: {reason or speedup}{decides}.",
        }
