"""The inference map of the page: useful FLOPs, batch against chips."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.session import State
from dashboard.views.heatmap import HeatMap
from model.evaluate import Evaluation
from model.maps import moves
from model.maps.inference import inference_map
from model.maps.plane import Map, Window
from model.numerals import digits


class InferenceMap(HeatMap):
    """The useful share of FLOPs over decode batch and serving chips."""

    title = "Useful FLOPs, batch × chips"
    quantity = "useful FLOPs"
    axes = (("batch, sequences", "B_d", "sequences"), ("chips", "Y_d", "chips"))

    def draw(self, evaluation: Evaluation, previous: Window | None) -> Map:
        """Return the inference map around a point."""
        return inference_map(evaluation, previous)

    def place(self, evaluation: Evaluation, across: float, up: float) -> Mapping[str, object]:
        """Return the batch and the chips nearest to a place."""
        return moves.inference_place(evaluation, across, up)

    def step(self, evaluation: Evaluation, right: int, up: int) -> Mapping[str, object]:
        """Return the batch and the chips that arrow keys lead to."""
        return moves.inference_step(evaluation, right, up)

    def words(self, state: State, drawn: Map) -> dict[str, str]:
        """Return what is written beside the map, and all that it says at the point."""
        knobs = state.point.numbers_by_name()
        reason = state.evaluation.reasons.get("useful_flops_fraction", "")
        useful = state.evaluation.values["useful_flops_fraction"]
        share = "" if reason else f"{digits(100 * useful)}\N{THIN SPACE}% useful"
        short = "does not fit" if reason.startswith("does not fit") else "no value here"
        at = f"batch {knobs['decode_batch']:,.0f} on {knobs['decode_chips']:,.0f} chips"
        binds = f", {drawn.regime}" if drawn.regime else ""
        return {
            "remark": "click to move",
            "highest": f"{digits(100 * drawn.highest)}\N{THIN SPACE}%",
            "here": short if reason else share,
            "sentence": f"{self.title}. At {at}: {reason or share}{binds}.",
        }
