"""How the verifier's rows are told: a line of the table each, and one of them at length."""

from __future__ import annotations

import math
import re
from typing import Any

from dashboard import dial
from model.formula import formula, html, html_with_numbers, symbol_html
from model.graph import ancestors, quantities
from model.knobs import KNOBS
from model.numerals import MISSING, digits, parts, show
from model.recomputation import Recomputation, recompute
from model.verify import Row
from model.words import ZERO, capital
from presets import Setting

_BOOK = "https://jax-ml.github.io/scaling-book/"
_SLUGS = {
    "agrees": "agrees",
    "agrees with the book's rounded inputs": "rounded",
    "differs": "differs",
    "quoted": "quoted",
    "not derivable": "none",
}
_MOST_DIGITS = 12
_BEYOND = 2
"""Digits that a recomputed number shows beyond those stated."""
_LONG = 7
_RAISED = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def line(row: Row, number: int) -> dict[str, Any]:
    """Return one row of the table; `number` counts from 1."""
    statement = row.statement
    return {
        "id": statement.id,
        "number": number,
        "text": capital(statement.text),
        "symbol": _symbol(statement.quantity),
        "label": _label(statement.quantity),
        "stated": _stated(row),
        "found": _found(row.recomputed, row),
        "full": repr(row.recomputed) if row.point else "",
        "verdict": row.verdict,
        "sign": _SLUGS[row.verdict],
        "words": verdict_words(row),
        "chapter": statement.chapter,
        "lab": statement.lab,
        "via": [quantities()[name].symbol for name in row.via[:-1]],
    }


def verdict_words(row: Row) -> str:
    """Return the verdict in a few words, with the size of a difference."""
    words = {"agrees with the book's rounded inputs": "agrees, inputs rounded", "differs": _difference(row)}
    said = words.get(row.verdict, row.verdict)
    return f"{said}; on record: {row.statement.verdict}" if row.changed else said


def _difference(row: Row) -> str:
    if math.isnan(row.difference):
        return "differs"
    return f"differs by {digits(100 * abs(row.difference), 2)}\u2009%"


def _label(name: str) -> str:
    if not name:
        return ""
    return KNOBS[name].label if name in KNOBS else quantities()[name].label


def _symbol(name: str) -> str:
    if not name:
        return ""
    return KNOBS[name].symbol if name in KNOBS else quantities()[name].symbol


def _stated(row: Row) -> tuple[str, str]:
    return _number(row.statement.stated, row.statement.unit, max(1, row.statement.digits))


def _found(value: float, row: Row) -> tuple[str, str]:
    return _number(value, row.statement.unit, min(_MOST_DIGITS, row.statement.digits + _BEYOND))


def _number(value: float | None, unit: str, significant: int) -> tuple[str, str]:
    """Return number and unit; a long exact number without its trailing zeros, a large one as a power of ten."""
    number, name = parts(value, unit, significant)
    if significant > _LONG and "." in number and "e" not in number:
        number = number.rstrip("0").removesuffix(".")
    mantissa, _, exponent = number.partition("e")
    return (f"{mantissa}×10{exponent.lstrip('+0').translate(_RAISED)}" if exponent else number), name


def home(quantity: str) -> str:
    """Return the page that shows a quantity or knob best: inference where the sizes of a serving setup enter."""
    sizes = (KNOBS[name] for name in ancestors(quantity) if name in KNOBS)
    serving = any(knob.group == "Serving" or (knob.group == "Inference" and knob.integer) for knob in sizes)
    return "inference" if serving else "training"


def section_link(row: Row) -> str:
    """Return the address of the section that states the number: the book's headings are anchors by their words."""
    source = row.statement.source
    if not source.startswith(_BOOK):
        return source
    heading = row.statement.section.rpartition(" / ")[2]
    words = re.sub(r"[^A-Za-z0-9 -]", "", re.sub(r"^[^A-Za-z]+", "", heading))
    return f"{source}#{words.replace(' ', '-').lower()}"


def told(row: Row, number: int) -> dict[str, Any]:
    """Return one row at length: what is said, how it is recomputed, from which inputs, and what moves it there."""
    statement = row.statement
    shown: dict[str, Any] = {
        **line(row, number),
        "reason": capital(statement.reason),
        "note": capital(statement.note),
        "printed": statement.printed,
        "section": statement.section,
        "edition": statement.edition,
        "link": section_link(row),
        "derived": row.point is not None,
    }
    return {**shown, **_derivation(row, recompute(row))} if row.point else shown


def _derivation(row: Row, found: Recomputation) -> dict[str, Any]:
    statement = row.statement
    quantity, rounded = statement.quantity, statement.rounded
    described = formula(quantity) if quantity not in KNOBS else None
    return {
        "formula": html(described) if described else "",
        "numbers": html_with_numbers(described, found.evaluation) if described else "",
        "steps": [_step(name, found) for name in row.via[:-1]],
        "rounded": _found(row.from_rounded, row) if rounded else None,
        "roundings": [_setting(name, value) for name, value in rounded.items()],
        "inputs": [_input(name, row, found) for name in found.inputs],
        "bars": _bars(found),
        "page": home(quantity),
        "given": [_label(name) for name in found.inputs if name not in KNOBS],
    }


def _named(name: str) -> dict[str, Any]:
    return {"name": name, "label": _label(name), "html": symbol_html(name)}


def _step(name: str, found: Recomputation) -> dict[str, Any]:
    return {**_named(name), "value": show(found.value(name), quantities()[name].unit), "full": repr(found.value(name))}


def _setting(name: str, value: Setting) -> dict[str, Any]:
    if name in KNOBS:
        words = " ".join(dial.words(KNOBS[name], value))
        return {**_named(name), "value": words.strip() or MISSING}
    number, unit = _number(float(value), quantities()[name].unit, _MOST_DIGITS)
    return {**_named(name), "value": f"{number}\u2009{unit}".strip()}


def _input(name: str, row: Row, found: Recomputation) -> dict[str, Any]:
    is_set = name in row.statement.settings or name == row.statement.quantity
    value = found.evaluation.point.values[name] if name in KNOBS else found.value(name)
    return {
        **(_setting(name, value) if value is not None else {**_named(name), "value": MISSING}),
        "origin": "stated" if is_set else "",
        "quiet": not is_set and abs(found.elasticities.get(name, 0.0)) <= ZERO,
    }


def _bars(found: Recomputation) -> list[dict[str, Any]]:
    moving = {name: e for name, e in found.elasticities.items() if abs(e) > ZERO}
    return [
        {
            **_named(name),
            "e": round(moving[name], 6),
            "text": f"{moving[name]:+.2f}".replace("-", "−"),
            "full": repr(moving[name]),
        }
        for name in sorted(moving, key=lambda name: -abs(moving[name]))
    ]
