"""The headline values of the page, each a button that puts it in focus, and the sentence on what binds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.component import Component
from dashboard.headlines import BINDING, HEADLINES, Headline, number_and_unit, short
from dashboard.session import Session, State
from model.graph import quantities
from model.words import binding_sentence


class Tiles(Component):
    """The strip itself; see `TileStrip`."""


class TileStrip:
    """A view of one page's headlines."""

    def __init__(self, session: Session, page: str) -> None:
        self._session, self._headlines, self._binding = session, HEADLINES[page], BINDING[page]
        self.body = Tiles(self._hear, spec={"shares": [headline.share for headline in self._headlines]})

    def paint(self, state: State) -> None:
        """Show every headline's value, or a dash and the reason."""
        tiles = [_tile(headline, state) for headline in self._headlines]
        self.body.data = {
            "tiles": tiles,
            "focus": state.focus,
            "sentence": binding_sentence(state.evaluation, self._binding),
        }

    def _hear(self, message: Mapping[str, Any]) -> None:
        self._session.look_at(message["of"])


def _tile(headline: Headline, state: State) -> dict[str, Any]:
    quantity, reason = quantities()[headline.of], state.evaluation.reasons.get(headline.of, "")
    number, unit = number_and_unit(headline.of, state)
    return {
        "of": headline.of,
        "label": headline.label,
        "number": number,
        "unit": unit,
        "below": short(reason) if reason else headline.below(state),
        "bound": quantity.standing == "lower bound",
        "title": f"{quantity.label}: {reason or f'{state.evaluation.values[headline.of]!r} {quantity.unit}'}",
    }
