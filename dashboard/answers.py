"""The answer of a search, as the page shows it: the verdict, and now, the continuous and the rounded answer abreast."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard import dial
from dashboard.headlines import HEADLINES
from dashboard.names import knob_row, label_of
from dashboard.questions import shown_value
from model.evaluate import Evaluation, evaluate
from model.graph import ancestors, quantities
from model.knobs import KNOBS
from model.numerals import MISSING, digits, show
from model.point import Point
from model.seek import Minimum, SeekResult
from model.ties import moved
from model.words import capital

_OTHERS = 4
"""Headline values told beside the one asked for."""
_SAME = 1e-12


@dataclass(frozen=True)
class Answer:
    """What was found, ready for the page, and the point to go to."""

    verdict: str
    words: str
    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    point: Point | None

    def shown(self) -> dict[str, Any]:
        """Return it as the page's component takes it: JSON, no NaN."""
        able = self.point is not None
        return {"verdict": self.verdict, "words": self.words, "columns": self.columns, "rows": self.rows, "able": able}


def of_seek(start: Evaluation, found: SeekResult) -> Answer:
    """Tell a goal-seek: the continuous answer solves the equation, the rounded one can be built."""
    continuous = evaluate(moved(start.point, dict(found.knobs)), gate=False)
    sides: list[Evaluation | None] = [start, continuous, evaluate(found.rounded) if found.rounded else None]
    wanted = shown_value(found.of, found.target)
    steps = f"{found.iterations} step{'' if found.iterations == 1 else 's'}"
    if found.reached:
        words = f"{label_of(found.of)} is {wanted} after {steps}" if found.iterations else capital(found.reason)
    else:
        words = capital(found.reason)
    if found.rounded is None:
        words = f"{words}. Whole counts: {found.rounded_reason}"
    return Answer(
        "Reached." if found.reached else "Not reached.",
        f"{words}.",
        ("Now", "Continuous", "Rounded"),
        _rows(found.of, tuple(found.knobs), sides),
        found.rounded,
    )


def of_minimum(start: Evaluation, found: Minimum) -> Answer:
    """Tell a minimum: every point searched is whole and fits."""
    sides: list[Evaluation | None] = [start, evaluate(found.point)]
    told = [
        f"{label_of(limit.name)} {shown_value(limit.name, limit.value)} of {shown_value(limit.name, limit.limit)}"
        f"{', nothing to spare' if limit.tight else ''}"
        for limit in found.limits
    ]
    label, value = label_of(found.objective), shown_value(found.objective, found.value)
    if not found.found:
        words = capital(found.reason)
    elif _keeps(start, found) and found.value >= found.before * (1 - _SAME):
        words = f"Nothing less than {value} was found: the present point is as good"
    elif found.value < found.before * (1 - _SAME):
        words = f"{label} falls to {value}"
    else:
        words = f"{label} {value} is the least found that keeps every limit"
    return Answer(
        "Found." if found.found else "Not found.",
        f"{'; '.join([words, *told])}.",
        ("Now", "Least found"),
        _rows(found.objective, tuple(found.knobs), sides),
        found.point if found.found else None,
    )


def _keeps(start: Evaluation, found: Minimum) -> bool:
    """Whether the point from which the search started can be had and keeps every limit."""
    over = [start.bounds[limit.name] - limit.limit for limit in found.limits]
    return not start.reasons.get(found.objective) and all(excess <= 0 for excess in over)


def _rows(of: str, free: Sequence[str], sides: Sequence[Evaluation | None]) -> list[dict[str, Any]]:
    page = "inference" if "decode_step_time" in ancestors(of) or of.startswith("decode") else "training"
    others = [headline.of for headline in HEADLINES[page] if headline.of != of][:_OTHERS]
    asked = {"of": of, "label": label_of(of), "symbol": "", "asked": True, "cells": _values(of, sides)}
    knobs = [{**knob_row(name), "of": name, "asked": False, "cells": _knobs(name, sides)} for name in free]
    beside = [
        {"of": name, "label": label_of(name), "symbol": "", "asked": False, "cells": _values(name, sides)}
        for name in others
    ]
    return [asked, *knobs, *beside]


def _values(of: str, sides: Sequence[Evaluation | None]) -> list[dict[str, str]]:
    return [_value(of, side) for side in sides]


def _value(of: str, side: Evaluation | None) -> dict[str, str]:
    if side is None:
        return {"text": MISSING, "full": "none"}
    owner = of.partition(":")[0]
    reason = side.reasons.get(owner, "")
    if reason:
        return {"text": MISSING, "full": reason}
    return {"text": shown_value(of, side.bounds[of]), "full": f"{side.bounds[of]!r} {quantities()[owner].unit}"}


def _knobs(name: str, sides: Sequence[Evaluation | None]) -> list[dict[str, str]]:
    return [
        {"text": MISSING, "full": "none"} if side is None else _knob(name, side.point.numbers_by_name()[name])
        for side in sides
    ]


def _knob(name: str, value: float) -> dict[str, str]:
    knob = KNOBS[name]
    if knob.integer and value != round(value):
        return {"text": digits(value, 5) if value < 1e5 else show(value, knob.unit, 4), "full": repr(value)}
    number, unit = dial.words(knob, value)
    return {"text": f"{number} {unit}".strip(), "full": repr(value)}


def moves(knobs: Mapping[str, float], start: Mapping[str, float]) -> dict[str, float]:
    """Return how far each knob has moved, as log2 of its factor; 0 where it started from 0."""
    return {
        name: math.log2(value / start[name]) if value > 0 and start[name] > 0 else 0.0 for name, value in knobs.items()
    }
