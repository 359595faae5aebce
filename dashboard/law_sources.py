"""The tables that the page of laws can be about: shipped runs, sweeps run here, a CSV of one's own, printed tables."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.sweeping import results_file
from dashboard.views.isoflop_plot import Curve
from model.laws import Comparison, Runs, RunsError, Study, compare, isoflops, parabola, parse_runs, study
from model.laws.isoflop import Isoflop
from model.laws.runs import require_enough
from presets.laws import LabTable, printed_laws, shipped_runs


@dataclass(frozen=True)
class Source:
    """What is shown: a table of runs, or of printed vertices."""

    title: str
    runs: Runs | None = None
    table: LabTable | None = None


def shipped() -> Mapping[str, str]:
    """Return the titles of the shipped tables, by key."""
    return {f"shipped:{slug}": _first_line(text) for slug, text in shipped_runs().items()}


def printed() -> Mapping[str, str]:
    """Return the titles of the printed tables, by key."""
    return {f"printed:{slug}": f"{table.source}, as printed" for slug, table in printed_laws().tables.items()}


def _first_line(text: str) -> str:
    words = text.partition("\n")[0].removeprefix("#").strip().partition(",")[0]
    return words[:1].upper() + words[1:]


@functools.cache
def source(key: str) -> Source:
    """Return a shipped or printed table by its key."""
    kind, _, slug = key.partition(":")
    if kind == "printed":
        return Source(printed()[key], table=printed_laws().tables[slug])
    return Source(shipped()[key], runs=parse_runs(shipped_runs()[slug]))


@functools.lru_cache(maxsize=8)
def shipped_study(key: str) -> Study:
    """Return the study of a shipped table, made once a process."""
    runs = source(key).runs
    if runs is None:
        raise RunsError(f"{key}: printed vertices are no runs; choose a table of runs")
    return study(runs)


def curves_of(shown: Source) -> list[Curve]:
    """Return the budgets of a source as they are drawn."""
    if shown.runs is not None:
        return [_curve(shown.runs, curve) for curve in isoflops(shown.runs)]
    rows = shown.table.rows if shown.table else ()
    return [Curve(row["flop"], [], [], [], [], (row["params"], row["loss"]), None) for row in rows]


def _curve(runs: Runs, curve: Isoflop) -> Curve:
    along, fitted = parabola(runs, curve)
    inside = np.isfinite(curve.params) and along[0] <= curve.params <= along[-1]
    vertex = (curve.params, curve.loss) if inside else None
    params, loss = runs.params[curve.rows].tolist(), runs.loss[curve.rows].tolist()
    return Curve(curve.flop, params, loss, along.tolist(), fitted.tolist(), vertex, curve.problem)


def sweep_runs(plan: str, size: str = "active_params") -> dict[str, Source]:
    """Return what a plan's results file holds now, by kind of model: N is the column `size`; empty without runs."""
    from model.lab.store import StoreError, read_rows, runs_of

    try:
        rows = read_rows(results_file(plan))
    except StoreError:
        return {}
    found: dict[str, Source] = {}
    for kind in ("dense", "moe"):
        with contextlib.suppress(RunsError):
            found[kind] = Source(f"Sweep {plan}, {kind}", runs=runs_of(rows, kind, size))
    return found


def sweep_comparisons(plan: str) -> list[tuple[Comparison, float]]:
    """Return dense against MoE on active and on total parameters, each with the largest C; empty without both kinds."""
    comparisons = []
    for size in ("active_params", "total_params"):
        tables = [shown.runs for shown in sweep_runs(plan, size).values() if shown.runs is not None]
        if len(tables) < 2:
            return []
        try:
            for runs in tables:
                require_enough(runs)
        except RunsError:
            return []
        comparisons.append((compare(tables[0], tables[1], size), float(tables[1].flop.max())))
    return comparisons
