"""Chips and models of a person's own, kept by the browser: save the present one under a name, and bring it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.component import Component
from dashboard.link import written
from dashboard.session import KINDS, OWN_KNOBS, Session, State

MOST = 50
"""Chips, and models, that a browser keeps."""

LONGEST = 40
"""Letters of a name."""


class Saved(Component):
    """The two lists themselves; see `SavedLists`."""


class SavedLists:
    """A view that gives the browser what to save, and loads what it has saved."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.body = Saved(self._hear, spec={"most": MOST, "longest": LONGEST})
        self.paint(session.state)

    def paint(self, state: State) -> None:
        """Give name and knobs of the present chip and model."""
        self.body.data = {
            kind: {
                "name": self._session.name_of(kind),
                "settings": {
                    knob: written(value) for knob, value in state.point.values.items() if knob in OWN_KNOBS[kind]
                },
            }
            for kind in KINDS
        }

    def _hear(self, message: Mapping[str, Any]) -> None:
        kind, name, settings = message["kind"], message["name"], message["settings"]
        if kind in KINDS and isinstance(settings, Mapping):
            self._session.load(kind, str(name)[:LONGEST], {str(knob): value for knob, value in settings.items()})
