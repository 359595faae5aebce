"""What moves the value in focus: signed, sorted elasticities, and the knobs whose effect is exactly zero."""

from __future__ import annotations

from typing import Any

from dashboard.component import Component
from dashboard.headlines import shown_quantities
from dashboard.names import label_of, symbol_of
from dashboard.session import Session, State
from model.graph import knobs_of
from model.knobs import KNOBS
from model.words import zero_reasons

MOST = 12
"""Bars shown; what is smaller follows in one line."""


class Gradient(Component):
    """The bars themselves; see `GradientBars`."""


class GradientBars:
    """A view of the gradient of the value in focus."""

    def __init__(self, session: Session) -> None:
        del session  # It only reads states.
        self.body = Gradient()

    def paint(self, state: State) -> None:
        """Show the elasticities at a state, the largest first."""
        self.body.data = _shown(state)


def _shown(state: State) -> dict[str, Any]:
    gradient, page = state.gradient, knobs_of(shown_quantities(state.page))
    reasons = zero_reasons(state.evaluation, gradient)
    moving = {} if gradient.reason else {name: e for name, e in gradient.elasticities.items() if name not in reasons}
    ranked = sorted(moving, key=lambda name: -abs(moving[name]))
    return {
        "label": label_of(state.focus),
        "symbol": symbol_of(state.focus),
        "reason": gradient.reason,
        "span": max([1.0, *(abs(elasticity) for elasticity in moving.values())]),
        "bars": [_bar(name, moving[name]) for name in ranked[:MOST]],
        "smaller": [_bar(name, moving[name]) for name in ranked[MOST:]],
        "zeros": [
            {**_knob(name), "why": reason} for name, reason in sorted(reasons.items(), key=_telling) if name in page
        ],
    }


def _telling(zero: tuple[str, str]) -> bool:
    """Sort key: a slack constraint says more than a knob that does not enter."""
    return "slack" not in zero[1]


def _knob(name: str) -> dict[str, Any]:
    return {"name": name, "label": KNOBS[name].label, "symbol": KNOBS[name].symbol}


def _bar(name: str, elasticity: float) -> dict[str, Any]:
    return {
        **_knob(name),
        "e": round(elasticity, 6),
        "text": f"{elasticity:+.2f}".replace("-", "−"),
        "full": repr(elasticity),
    }
