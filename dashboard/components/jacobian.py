"""Every elasticity as a table: quantities down, knobs across; sorted, filtered and saved in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.component import Component
from dashboard.names import knob_row
from dashboard.rest import Rest
from dashboard.session import Session, State
from model.graph import quantities
from model.jacobian import jacobian_records
from model.numerals import parts
from model.programs import DIFFERENTIATED
from model.words import ZERO


class Jacobian(Component):
    """The table itself; see `JacobianTable`."""


class JacobianTable:
    """A view that is worked out only while it is open, beside the page."""

    def __init__(self, session: Session) -> None:
        self._session, self._open = session, False
        self.rest = Rest()
        spec = {"knobs": [knob_row(name) for name in DIFFERENTIATED]}
        self.body = Jacobian(self._hear, spec=spec)

    def paint(self, state: State) -> None:
        """Work the table out anew, if someone looks."""
        if self._open:
            self.rest.ask(lambda: _shown(state), self._show)

    def _show(self, data: dict[str, Any]) -> None:
        self.body.data = data

    def _hear(self, message: Mapping[str, Any]) -> None:
        self._open = message["kind"] == "open"
        if message["kind"] == "choose":
            self._session.look_at(message["of"])
        elif self._open:
            self.paint(self._session.state)
        else:
            self.rest.cancel()


def _shown(state: State) -> dict[str, Any]:
    rows = [_row(record) for record in jacobian_records(state.evaluation)]
    return {
        "rows": rows,
        "focus": state.focus,
        "chapter": quantities()[state.focus.partition(":")[0]].chapter,
        "empty": [name for name in DIFFERENTIATED if state.point.values[name] is None],
    }


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return one row; knobs without any effect are left out, and rounding counts as none."""
    quantity = quantities()[record["quantity"]]
    number, unit = parts(record["value"], quantity.unit)
    found = {} if record["reason"] else record["elasticities"]
    return {
        "of": quantity.name,
        "label": quantity.label,
        "symbol": quantity.symbol,
        "chapter": quantity.chapter,
        "value": record["value"],
        "unit": quantity.unit,
        "number": f"{number} {unit}".strip(),
        "reason": record["reason"],
        "elasticities": {name: slope for name, slope in found.items() if slope is not None and abs(slope) > ZERO},
    }
