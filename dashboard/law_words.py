"""What the page of laws says about a table of runs: rows of exponents, of the plan, and of what contradicts itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from model.evaluate import Evaluation
from model.graph import quantities
from model.laws import Comparison, Law, Study, compute_multiplier, contradictions, law_multiplier, plan_intervals
from model.laws.contradictions import disagreement
from model.laws.moe import Clark
from model.numerals import MISSING, digits, show
from model.words import listed
from presets.laws import LabTable, printed_laws

Row = dict[str, Any]

PLANNED = ("law_optimal_params", "law_optimal_tokens", "law_optimal_loss", "law_served_params", "law_served_tokens")
"""Quantities that the plan's table shows."""

FARTHEST = 1e4
"""Times the FLOPs of the largest run up to which its law plans; beyond, a number would only look like one."""


def exponent_groups(title: str, study: Study | None, table: LabTable | None) -> list[Row]:
    """Return the groups of the scale of exponents: these runs first, then what others print."""
    laws, groups = printed_laws(), []
    if study:
        rows = [_measured(f"{row['approach']}", row["a"], row["reason"]) for row in study.report["approaches"]]
        groups.append({"title": title, "rows": rows})
        by_loss = [
            _measured(row["loss"], {"value": row["a"], "lo": None, "hi": None}, None) for row in study.report["losses"]
        ]
        groups.append({"title": "The same runs, by loss function", "rows": by_loss})
    found = contradictions()["exponents"]
    for slug, printed in laws.tables.items():
        rows = [_measured(name, {"value": value, "lo": None, "hi": None}, None) for name, value in found[slug].items()]
        group = {"title": printed.source, "rows": rows}
        groups.insert(0, group) if printed is table else groups.append(group)
    published = [
        _measured(_brief(row.source), {"value": row.a, "lo": row.lo, "hi": row.hi}, None) for row in laws.exponents
    ]
    groups.insert(2 if study else 1, {"title": "As published", "rows": published})
    return groups


def _brief(cited: str) -> str:
    return cited.replace(" et al.", "").replace(", and ", ", ")


def _measured(label: str, a: Mapping[str, Any] | None, reason: str | None) -> Row:
    value, lo, hi = (_finite(a[name]) if a else None for name in ("value", "lo", "hi"))
    if value is None:
        return {"label": label, "value": None, "note": reason or "cannot be had"}
    return {
        "label": label,
        "value": value,
        "lo": lo,
        "hi": hi,
        "text": f"{value:.3f}".replace("-", "−"),
        "range": "" if lo is None or hi is None else f"{lo:.2f} to {hi:.2f}".replace("-", "−"),
        "full": f"{label}: {value!r}",
    }


def _finite(number: float | None) -> float | None:
    return float(number) if number is not None and np.isfinite(number) else None


def plan_table(study: Study | None, evaluation: Evaluation, title: str) -> Row:
    """Return the plan at the knobs' compute by the knobs' law and, with intervals, by the runs' law."""
    flop, serve = evaluation.values["law_training_flops"], evaluation.point.values["law_serve_tokens"]
    if not np.isfinite(flop) or not isinstance(serve, float):
        return {"remark": evaluation.reasons.get("law_training_flops", ""), "rows": [], "notes": [], "action": None}
    beyond = float(flop) / study.runs.flop.max() if study else 1.0
    fitted = plan_intervals(study.law, study.resampled, float(flop), serve) if study and beyond <= FARTHEST else {}
    rows = []
    for name in PLANNED:
        unit, found = quantities()[name].unit, fitted.get(name)
        own = [show(found.value, unit), _range(found.lo, found.hi, unit)] if found else [MISSING, MISSING]
        rows.append([quantities()[name].label, show(evaluation.values[name], unit), *own])
    notes = []
    if study and not fitted:
        largest = show(float(study.runs.flop.max()), "FLOP")
        notes.append(
            f"{title}: its largest run had {largest}. This plan's compute is 10^{math.log10(beyond):.0f} times that: "
            "too far for any law of these runs."
        )
    action = "Plan with the law of these runs" if fitted else None
    return {"remark": f"for {show(flop, 'FLOP')}", "rows": rows, "notes": notes, "action": action}


def _range(lo: float, hi: float, unit: str) -> str:
    return f"{show(lo, unit)} to {show(hi, unit)}" if np.isfinite([lo, hi]).all() else MISSING


def seed_rows() -> tuple[Row, Row]:
    """Return what the small lab's tables and grids say against themselves, as two tables."""
    laws, found = printed_laws(), contradictions()
    rows, notes = [], []
    for slug, table in laws.tables.items():
        exponents = found["exponents"][slug]
        stated = [digits(value) for name, value in exponents.items() if name.startswith("stated")]
        of_surface, of_vertices = (
            next(v for n, v in exponents.items() if word in n) for word in ("surface", "vertices")
        )
        rows.append([table.source, listed(stated), digits(of_surface), digits(of_vertices)])
        notes.append(f"{table.source}: exponents of one data set lie {digits(disagreement(table), 2)} apart.")
        if found["bounds"][slug]:
            notes[-1] += f" {listed(found['bounds'][slug])} sits on its bound, so that fit identifies no exponent."
    grids = []
    for slug, grid in laws.grids.items():
        counted = found["grids"][slug]
        low, high = counted["product"]
        product = f"{low}" if low == high else f"{low} to {high}"
        grids.append([grid.source, f"{counted['stated']}", product, f"{counted['listed'] or MISSING}"])
    wrong = sum(not counted["agrees"] for counted in found["grids"].values())
    said = f"{wrong} of {len(grids)} grids do not add up: sizes × seeds × budgets is not the count of runs."
    return {"rows": rows, "notes": notes}, {"rows": grids, "notes": [said]}


def multiplier_rows(comparisons: Sequence[tuple[Comparison, float]]) -> list[list[str]]:
    """Return the preferred law of each comparison, and what MoE is worth by it where N counts what is computed."""
    rows = []
    for comparison, flop in comparisons:
        chosen, counted = comparison.preferred, comparison.size.removesuffix("_params")
        if counted == "active":
            worth = compute_multiplier(chosen, flop)
            said, ends = f"{digits(worth.value)}×", f"{digits(worth.lo)} to {digits(worth.hi)}"
            rows.append([f"sweep here, at {show(flop, 'FLOP')}, active N", said, ends])
        rows.append(
            [
                f"sweep here, preferred law on {counted} N",
                chosen.name,
                f"error {digits(100 * chosen.out_of_bag, 2)}\u2009%",
            ]
        )
    return rows


def moe_rows(measured: Sequence[list[str]]) -> Row:
    """Return what mixtures of experts are worth: measured here, by a small lab's surfaces, by published laws."""
    laws = printed_laws()
    dense, moe = (Law(s.E, s.A, s.B, s.alpha, s.beta) for s in (laws.surfaces["lab-dense"], laws.surfaces["lab-moe"]))
    rows = list(measured)
    for flop in (1e12, 1e13):
        multiplier = float(law_multiplier(dense, moe, flop))
        said = f"{digits(multiplier)}×" if np.isfinite(multiplier) else "below dense's floor"
        rows.append([f"arithmetic lab, MoE v2, at {show(flop, 'FLOP')}", said, "E on its bound"])
    for parameters in laws.clark.values():
        law = Clark(**parameters)
        worth = float(law.effective_params(1e8, 8.0)) / 1e8
        rows.append([f"{_clark_name(parameters)}, 8 experts on 100 M", f"{digits(worth)}× the size", "printed law"])
    notes = [
        "A multiplier is dense FLOPs over MoE FLOPs at equal loss, on active parameters: above 1, MoE is worth it."
    ]
    if not measured:
        notes.append("Run the sweep of dense and MoE models to measure it here, with an interval.")
    return {"rows": rows, "notes": notes}


def _clark_name(parameters: Mapping[str, float]) -> str:
    slug = next(slug for slug, entry in printed_laws().clark.items() if entry is parameters)
    return f"Clark 2022, {slug.upper() if '-' in slug else slug.capitalize()}"
