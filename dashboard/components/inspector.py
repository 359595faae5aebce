"""The inspector: what the value in focus is, its formula, what binds, how far knobs can move, what +10 % is worth.

A short form stands on the page, the full one opens in a drawer. What takes a search is found once the point rests.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dashboard.book import chapter_link
from dashboard.component import Component
from dashboard.findings import Findings, find
from dashboard.headlines import number_and_unit
from dashboard.names import label_of
from dashboard.rest import Rest
from dashboard.session import Session, State
from model.evaluate import Branch, Evaluation
from model.formula import formula, html, html_with_numbers
from model.formula.symbols import raw_symbol
from model.graph import quantities
from model.influence import live_maxima
from model.knobs import KNOBS
from model.numerals import parts, show
from model.words import binding_sentence, branch_words, capital, times


class Inspector(Component):
    """Both forms; see `InspectorView`."""


class InspectorView:
    """A view of the value in focus; its inputs are buttons, so that a person walks down the graph."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.rest = Rest()
        self._open = False
        self._walking = False
        self._trail: list[str] = []
        self._painted: State | None = None
        self._found: dict[str, Any] = {}
        self.body = Inspector(self._hear)

    def paint(self, state: State) -> None:
        """Show what is known at once, and ask for the rest."""
        before, self._painted = self._painted, state
        if before is not None and before.focus != state.focus and not self._walking:
            self._trail = []
        if before is None or (before.point, before.focus) != (state.point, state.focus):
            self._found = {}
            self.rest.ask(lambda: find(state), self._show)
        self._write(state)

    def _show(self, found: Findings) -> None:
        self._found = found.rows()
        if self._painted is not None:
            self._write(self._painted)

    def _write(self, state: State) -> None:
        data = _facts(state, [*self._trail, state.focus])
        self.body.data = {**data, **(_details(state) if self._open else {}), "found": self._found}

    def _hear(self, message: Mapping[str, Any]) -> None:
        kind, focus = message["kind"], self._session.state.focus
        if kind == "look" and message["of"] != focus:
            self._walk(message["of"], [*self._trail, focus])
        elif kind == "back":
            self._walk(self._trail[message["at"]], self._trail[: message["at"]])
        elif kind in ("open", "close"):
            self._open = kind == "open"
            self._write(self._session.state)

    def _walk(self, of: str, trail: list[str]) -> None:
        self._trail, self._walking = trail, True
        self._session.look_at(of)
        self._walking = False


def _facts(state: State, trail: list[str]) -> dict[str, Any]:
    """Return what is known at once and stands in both forms."""
    of, evaluation = state.focus, state.evaluation
    quantity = quantities()[of.partition(":")[0]]
    reason = evaluation.reasons.get(quantity.name, "") or ("absent here" if math.isinf(evaluation.bounds[of]) else "")
    value = math.nan if reason else evaluation.bounds[of]
    number, unit = parts(value, quantity.unit) if ":" in of else number_and_unit(of, state)
    words, address = chapter_link(quantity.chapter)
    return {
        "of": of,
        "label": label_of(of),
        "number": number,
        "unit": unit,
        "full": "" if reason else f"{value!r} {quantity.unit}".removesuffix(" 1"),
        "standing": quantity.standing,
        "reason": capital(reason),
        "doc": quantity.doc.partition("\n")[0],
        "book": {"words": words, "address": address},
        "formula": html(formula(of), evaluation),
        "numbers": "" if reason else html_with_numbers(formula(of), evaluation),
        "inputs": [_input(name, evaluation) for name in formula(of).inputs],
        "trail": [label_of(name) for name in trail],
    }


def _details(state: State) -> dict[str, Any]:
    """Return what only the full form shows."""
    if state.gradient.reason:
        return {"sentence": "", "maxima": []}
    evaluation, maxima = state.evaluation, live_maxima(state.evaluation, state.focus)
    return {
        "sentence": binding_sentence(evaluation, state.focus),
        "maxima": [_maximum(name, evaluation) for name in maxima],
    }


def _input(name: str, evaluation: Evaluation) -> dict[str, Any]:
    row: dict[str, Any] = {"of": name, "symbol": raw_symbol(name), "knob": name in KNOBS}
    if name in KNOBS:
        knob, raw = KNOBS[name], evaluation.point.values[name]
        choice = knob.kind == "choice"
        number, unit = (str(raw), "") if choice else parts(knob.number(raw), knob.unit)
        return {**row, "label": knob.label, "number": number, "unit": unit, "full": f"{raw} {knob.unit}".strip()}
    quantity, value = quantities()[name], evaluation.bounds[name]
    number, unit = parts(value, quantity.unit)
    return {**row, "label": quantity.label, "number": number, "unit": unit, "full": f"{value!r} {quantity.unit}"}


def _maximum(name: str, evaluation: Evaluation) -> dict[str, Any]:
    branches, unit = evaluation.branches[name], quantities()[name].unit
    largest = max(branch.value for branch in branches)
    return {
        "of": name,
        "label": quantities()[name].label,
        "branches": [_branch(name, branch, largest, unit) for branch in branches],
    }


def _branch(owner: str, branch: Branch, largest: float, unit: str) -> dict[str, Any]:
    return {
        "of": f"{owner}:{branch.name}",
        "label": capital(branch_words(branch.name).label),
        "share": branch.value / largest if largest else 0.0,
        "text": show(branch.value, unit),
        "note": "binds" if branch.binds else f"{times(branch.margin)} slack" if math.isfinite(branch.margin) else "0",
        "binds": branch.binds,
    }
