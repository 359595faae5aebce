"""The knob column: chip, model, and every knob of the graph, in groups that follow the page."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import presets
from dashboard import dial
from dashboard.component import Component
from dashboard.sections import sections
from dashboard.session import KINDS, Kind, Session, State
from model.knobs import KNOBS, KnobValue
from model.point import Point

_TYPED_WORDS = {
    "chips": ("Chips", "N_c", "Chips of the mesh; typing them sets the data shards."),
    "batch_seqs": ("Sequences", "B/S", "Sequences in a batch; typing them sets the batch."),
}


class Knobs(Component):
    """The column itself; see `KnobColumn` for what it says and does."""


class KnobColumn:
    """A view that writes: sliders, entries and pickers go to the session, and show what became of them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._answered = 0
        self._opening = _rows(session.point)
        self._fault: dict[str, str] | None = None
        self.body = Knobs(self._hear, spec={**_spec(), "rows": self._opening})
        self.paint(session.state)

    def paint(self, state: State) -> None:
        """Show what differs from the opening rows, what from the presets, and the sections of the state's page."""
        point, changes = state.point, state.point.changes()
        rows = {name: row for name, row in _rows(point).items() if row != self._opening[name]}
        self.body.data = {
            "answered": self._answered,
            "fault": self._fault,
            "chip": point.chip,
            "model": point.model,
            "own": {kind: self._session.name_of(kind) if self._session.is_own(kind) else "" for kind in KINDS},
            "page": state.page,
            "sections": [asdict(section) for section in sections(state)],
            "rows": rows,
            "summary": _summary(state, changes, {kind: self._session.name_of(kind) for kind in KINDS}),
        }

    def _hear(self, message: Mapping[str, Any]) -> None:
        self._answered, self._fault = message["serial"], None
        before = self._session.state
        accepted = self._obey(message)
        if not accepted:
            self._fault = {"name": message["name"], "text": str(message.get("text", "")), "line": self._session.notice}
        if self._session.state is before:
            self.paint(before)

    def _obey(self, message: Mapping[str, Any]) -> bool:
        session, kind, name = self._session, message["kind"], message["name"]
        if kind == "pick":
            return session.pick(**{name: message["text"]})
        if kind == "reset":
            return session.reset(name)
        if kind == "type":
            entry = message["text"]
            return session.write({name: dial.typed(KNOBS[name], entry, message["unit"]) if name in KNOBS else entry})
        knob, value = KNOBS[name], session.point.values[name]
        if kind == "slide":
            value = dial.value_at(knob, message["place"], session.point.preset()[name])
        elif isinstance(value, float):
            value = dial.nudged(knob, value, message["steps"])
        return session.write({name: value}, drag=message["continues"])


def _rows(point: Point) -> dict[str, dict[str, Any]]:
    preset, changes = point.preset(), point.changes()
    rows = {name: _row(name, value, _preset(name, preset), name in changes) for name, value in point.values.items()}
    for name, value in point.typed().items():
        rows[name] = {"text": f"{value:,.12g}", "unit": "", "full": f"{value:,.12g}"}
    return rows


def _preset(name: str, preset: Mapping[str, KnobValue]) -> KnobValue:
    return KNOBS[name].default if name == "compute_dtype" else preset[name]


@functools.lru_cache(maxsize=4096)
def _row(name: str, value: KnobValue, preset: KnobValue, changed: bool) -> dict[str, Any]:
    knob = KNOBS[name]
    if knob.kind == "choice":
        return {"text": value, "unit": "", "full": value, "preset": preset if changed else None}
    number, unit = dial.words(knob, value)
    row: dict[str, Any] = {"text": number, "unit": unit, "full": dial.full(knob, value), "place": None, "preset": None}
    if isinstance(value, float):
        row["place"] = round(dial.position(knob, value), 5)
    if changed:
        before, before_unit = dial.words(knob, preset)
        row["preset"] = "empty" if preset is None else before if before_unit == unit else f"{before} {before_unit}"
        row["tick"] = round(dial.position(knob, preset), 5) if isinstance(preset, float) else None
    return row


def _summary(state: State, changes: Mapping[str, KnobValue], names: Mapping[Kind, str]) -> dict[str, str]:
    chips = state.point.values["decode_chips"] if state.page == "inference" else state.point.typed()["chips"]
    count = len(changes)
    changed = "as published" if not count else f"{count} knob{'s' if count > 1 else ''} changed"
    return {
        "model": names["model"],
        "rest": f"{chips:,.0f} {names['chip']}, {changed}",
    }


def _spec() -> dict[str, Any]:
    knobs = {
        name: {
            "label": knob.label,
            "symbol": knob.symbol,
            "doc": knob.doc,
            "options": list(knob.numbers),
            "hint": f"set {knob.label.lower()}" if name == "price_per_chip_hour" else "not printed",
        }
        for name, knob in KNOBS.items()
    }
    for name, (label, symbol, doc) in _TYPED_WORDS.items():
        knobs[name] = {"label": label, "symbol": symbol, "doc": doc, "options": [], "hint": "", "typed": True}
    return {
        "knobs": knobs,
        "chips": [[slug, chip.name] for slug, chip in presets.chips().items()],
        "models": [[slug, model.name] for slug, model in presets.models().items()],
    }
