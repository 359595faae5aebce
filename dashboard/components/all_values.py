"""Every value of the graph in one list to search; choosing one puts it in focus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.component import Component
from dashboard.names import label_of
from dashboard.session import Session, State
from model.binding import ABSENT
from model.graph import quantities
from model.numerals import parts


class AllValues(Component):
    """The list itself; see `ValueList`."""


class ValueList:
    """A view that is painted only while it is open."""

    def __init__(self, session: Session) -> None:
        self._session, self._open = session, False
        self.body = AllValues(self._hear)

    def paint(self, state: State) -> None:
        """List every quantity and branch, chapter by chapter, if someone looks."""
        if self._open:
            self.body.data = {"focus": state.focus, "chapters": _chapters(state)}

    def _hear(self, message: Mapping[str, Any]) -> None:
        self._open = message["kind"] == "open"
        if message["kind"] == "choose":
            self._session.look_at(message["of"])
        self.paint(self._session.state)


def _chapters(state: State) -> list[dict[str, Any]]:
    chapters: dict[str, list[dict[str, Any]]] = {}
    evaluation = state.evaluation
    branches: dict[str, list[str]] = {}
    for of in evaluation.bounds:
        branches.setdefault(of.partition(":")[0], []).append(of)
    for name, quantity in quantities().items():
        for of in branches[name]:
            reason = evaluation.reasons.get(name, "")
            value = None if reason or evaluation.bounds[of] == ABSENT else evaluation.bounds[of]
            number, unit = parts(value, quantity.unit)
            row = {
                "of": of,
                "label": label_of(of),
                "symbol": "" if of != name else quantity.symbol,
                "number": number,
                "unit": unit,
                "note": reason or ("absent here" if value is None else quantity.standing),
                "title": quantity.doc.partition("\n")[0],
            }
            chapters.setdefault(quantity.chapter, []).append(row)
    return [{"title": title.capitalize(), "rows": rows} for title, rows in chapters.items()]
