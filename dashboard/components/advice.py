"""What the planner would do here: its tiles against those that are set, and why fusion pays or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.component import Component
from dashboard.session import Session, State
from model.maps.fusion import advice, tile_settings
from model.numerals import show
from model.words import times


class Advice(Component):
    """`data`: `why`, `tiles` (a sentence) and `use` (words of the button; empty where there is nothing to do)."""


class PlannerAdvice:
    """A view that compares the tiles that are set with the planner's, and sets those on request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.body = Advice(self._hear, data={"why": "", "tiles": "", "use": ""})

    def paint(self, state: State) -> None:
        """Say what the planner would do at a state."""
        best = advice(state.evaluation)
        if best is None:
            missing = state.evaluation.reasons.get("fused_moe_speedup", "")
            self.body.data = {"why": "", "tiles": f"No plan: {missing}.", "use": ""}
            return
        blocks = f"{best.block_m:,} rows × {best.block_f:,} columns"
        same = tile_settings(best).items() <= state.point.values.items()
        if best.shortfall:
            tiles = f"No legal tiles fit; the nearest, {blocks}, are {show(best.shortfall, 'B')} over."
        elif same:
            tiles = f"The tiles set, {blocks}, are the planner's."
        else:
            tiles = f"The planner would take {blocks}: {times(best.speedup)}."
        self.body.data = {"why": best.why, "tiles": tiles, "use": "" if same else "Use its tiles"}

    def _hear(self, message: Mapping[str, Any]) -> None:
        best = advice(self._session.state.evaluation)
        if best is not None and message["kind"] == "use":
            self._session.write(tile_settings(best))
