"""What moves the value in focus: signed, sorted elasticities, and the knobs whose effect is exactly zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.component import Component
from dashboard.headlines import shown_quantities
from dashboard.names import knob_row, label_of, symbol_of
from dashboard.session import Session, State
from model.graph import ancestors, knobs_of
from model.words import ZERO, zero_reasons

MOST = 12
"""Bars shown; what is smaller follows in one line."""


class Gradient(Component):
    """The bars themselves; see `GradientBars`."""


class GradientBars:
    """A view of the gradient of the value in focus. Why a zero is zero takes a search: it is done when someone asks."""

    def __init__(self, session: Session) -> None:
        self._session, self._asked = session, False
        self.body = Gradient(self._hear)

    def paint(self, state: State) -> None:
        """Show the elasticities at a state, the largest first."""
        self.body.data = _shown(state, explained=self._asked)

    def _hear(self, message: Mapping[str, Any]) -> None:
        self._asked = message["explain"]
        self.paint(self._session.state)


def _shown(state: State, *, explained: bool) -> dict[str, Any]:
    gradient, page = state.gradient, knobs_of(shown_quantities(state.page))
    found = {} if gradient.reason else gradient.elasticities
    moving = {name: elasticity for name, elasticity in found.items() if abs(elasticity) > ZERO}
    ranked = sorted(moving, key=lambda name: -abs(moving[name]))
    reasons = zero_reasons(state.evaluation, gradient) if explained else {}
    inside = ancestors(state.focus.partition(":")[0])
    zeros = sorted((name for name in found if name not in moving and name in page), key=lambda name: name not in inside)
    return {
        "label": label_of(state.focus),
        "symbol": symbol_of(state.focus),
        "reason": gradient.reason,
        "span": max([1.0, *(abs(elasticity) for elasticity in moving.values())]),
        "bars": [_bar(name, moving[name]) for name in ranked[:MOST]],
        "smaller": [_bar(name, moving[name]) for name in ranked[MOST:]],
        "zeros": [{**knob_row(name), "why": reasons.get(name, "")} for name in zeros],
    }


def _bar(name: str, elasticity: float) -> dict[str, Any]:
    return {
        **knob_row(name),
        "e": round(elasticity, 6),
        "text": f"{elasticity:+.2f}".replace("-", "−"),
        "full": repr(elasticity),
    }
