"""What is found out about the value in focus once the point rests: reach, worth, zeros, and both sides of a tie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.headlines import shown_quantities
from dashboard.names import knob_row
from dashboard.session import State
from model.graph import ancestors, knobs_of, quantities
from model.knobs import KNOBS
from model.numerals import MISSING, digits, show
from model.programs import DIFFERENTIATED
from model.regime import Reach, regime
from model.ties import one_sided, ties
from model.words import zero_reasons
from model.worth import SERVING, TRAINING, Effect, Worth, worth

NEAREST = 4
"""Reaches shown in the compact form."""

_KINDS = ("binds", "does not fit", "fits", "jump", "switch")
_FIRST_GROUPS = ("Hardware", "Training", "Inference")
_FAR = 1e4
_MONEY_AND_TIME = {
    "training": (TRAINING, ("train_days", "train_cost")),
    "inference": (SERVING, ("decode_step_time", "cost_per_mtok")),
}


@dataclass(frozen=True)
class Findings:
    """Everything found, ready for the page: JSON, no NaN."""

    nearest: list[dict[str, Any]]
    reaches: list[dict[str, Any]]
    unmoved: list[dict[str, Any]]
    worth: dict[str, Any]
    zeros: list[dict[str, Any]]
    sides: list[dict[str, Any]]

    def rows(self) -> dict[str, Any]:
        """Return them by name, as the page's component takes them."""
        return dict(vars(self))


def find(state: State) -> Findings:
    """Work out the findings at a state: some tenths of a second, mostly the walk of every knob to its ends."""
    page_knobs = knobs_of(shown_quantities(state.page))
    found = [reach for reach in regime(state.evaluation, state.focus) if math.isfinite(reach.value)]
    moving = [reach for reach in found if reach.kind != "knob ends" and reach.knob in page_knobs]
    changed = list(dict.fromkeys(reach.knob for reach in sorted(moving, key=_near)))
    unmoved = [name for name in page_knobs if name in {reach.knob for reach in found} and name not in changed]
    zeros = zero_reasons(state.evaluation, state.gradient)
    return Findings(
        nearest=_nearest(moving),
        reaches=[_both_ways(name, state, found) for name in changed],
        unmoved=[knob_row(name) for name in unmoved],
        worth=_worth(state),
        zeros=[{**knob_row(name), "why": zeros[name]} for name in page_knobs if name in zeros],
        sides=_one_sided(state),
    )


def _near(reach: Reach) -> tuple[int, bool, float]:
    """Sort key: what binds first, then what a person can move (no format of numbers), then the nearest."""
    away = abs(math.log(reach.factor)) if 0 < reach.factor < math.inf else math.inf
    knob = KNOBS[reach.knob]
    return _KINDS.index(reach.kind), knob.group not in _FIRST_GROUPS or bool(knob.names), away


def _nearest(moving: Sequence[Reach]) -> list[dict[str, Any]]:
    first: dict[str, Reach] = {}
    for reach in sorted(moving, key=_near):
        first.setdefault(reach.knob, reach)
    return [{**knob_row(reach.knob), **_told(reach)} for reach in list(first.values())[:NEAREST]]


def _both_ways(name: str, state: State, found: Sequence[Reach]) -> dict[str, Any]:
    row: dict[str, Any] = {**knob_row(name), "down": None, "up": None}
    now = KNOBS[name].number(state.point.values[name])
    for reach in found:
        if reach.knob == name:
            is_down = reach.value < now or reach.value == KNOBS[name].bounds[0]
            row["down" if is_down else "up"] = _told(reach)
    return row


def _told(reach: Reach) -> dict[str, Any]:
    shown = 0 < reach.factor < math.inf
    return {
        "move": _move(reach.factor) if shown else "",
        "at": math.log10(reach.factor) if shown else None,
        "words": reach.words,
        "kind": reach.kind,
        "before": reach.before,
        "after": reach.after,
        "full": repr(reach.value),
    }


def _move(factor: float) -> str:
    """Return a move as `× 4.87` or `÷ 7.44`."""
    sign, size = ("×", factor) if factor >= 1 else ("÷", 1 / factor)
    return f"{sign} {digits(size)}" if size < _FAR else f"{sign} over 10,000"


def _worth(state: State) -> dict[str, Any]:
    told, brief = _MONEY_AND_TIME["inference" if state.page == "inference" else "training"]
    inside = frozenset().union(*(ancestors(name) for name in told))
    rows = [row for row in worth(state.evaluation, told) if row.knob in inside]
    return {
        "heads": [quantities()[name].label for name in told],
        "rows": [_worth_row(row, told) for row in rows if not row.nothing],
        "nothing": [knob_row(row.knob) for row in rows if row.nothing and row.factor != 1],
        "ended": [knob_row(row.knob) for row in rows if row.factor == 1],
        "brief": _brief(rows, brief),
    }


def _worth_row(row: Worth, told: Sequence[str]) -> dict[str, Any]:
    effects = [_effect(name, row.effects[name]) for name in told]
    return {**knob_row(row.knob), "note": row.note, "effects": effects}


def _effect(name: str, effect: Effect) -> dict[str, str]:
    if math.isnan(effect.change):
        return {"text": MISSING, "full": effect.reason}
    if effect.change == 0:
        return {"text": "nothing", "full": "exactly nothing"}
    unit = quantities()[name].unit
    return {"text": f"{'+' if effect.change > 0 else ''}{show(effect.change, unit)}", "full": repr(effect.change)}


def _brief(rows: Sequence[Worth], told: Sequence[str]) -> list[dict[str, Any]]:
    """Return one clause for each different gain, the largest first: which knobs, and what they save or add."""
    clauses: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        words = _clause(row, told)
        if words:
            clauses.setdefault(words, []).append(knob_row(row.knob))
    return [{"knobs": knobs, "words": words} for words, knobs in clauses.items()]


def _clause(row: Worth, told: Sequence[str]) -> str:
    saved, added = [], []
    for name in told:
        change = row.effects[name].change
        if change and not math.isnan(change):
            (saved if change < 0 else added).append(show(abs(change), quantities()[name].unit))
    parts = [f"{verb} {' and '.join(items)}" for verb, items in (("saves", saved), ("adds", added)) if items]
    return ", ".join(parts)


def _one_sided(state: State) -> list[dict[str, Any]]:
    """Return the elasticities that differ on either side of a tie."""
    if not ties(state.evaluation, state.focus):
        return []
    inside, rows = ancestors(state.focus.partition(":")[0]), []
    for name in DIFFERENTIATED:
        if name not in inside or not state.point.values[name]:
            continue
        below, above = one_sided(state.point, state.focus, name)
        if abs(below - above) > 1e-6:
            rows.append({**knob_row(name), "below": _signed(below), "above": _signed(above)})
    return rows


def _signed(elasticity: float) -> str:
    return MISSING if math.isnan(elasticity) else f"{elasticity:+.2f}".replace("-", "−")
