"""Everything the lab says about one table of runs, as plain data for the CLI and the page."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from model.laws.isoflop import Isoflop, PowerLaw, envelope_law, isoflops, vertex_law
from model.laws.parametric import Fit, bootstrap, fit, intervals
from model.laws.robustness import CUTS, LossChoice, Window, exponent_by_loss, exponent_by_window
from model.laws.runs import Runs, drop_highest_losses, require_enough
from model.laws.surface import Law
from presets.laws import printed_laws


@dataclass(frozen=True)
class Study:
    """One table of runs, studied: its law, the laws of its resamples, its isoflop curves, and the whole report."""

    runs: Runs
    law: Law
    resampled: Law
    curves: tuple[Isoflop, ...]
    report: dict[str, Any]


def fit_report(runs: Runs, drop_highest: int = 0, resamples: int = 200, seed: int = 0) -> dict[str, Any]:
    """The report of `study` alone."""
    return study(runs, drop_highest, resamples, seed).report


def study(runs: Runs, drop_highest: int = 0, resamples: int = 200, seed: int = 0) -> Study:
    """Approaches 1, 2 and 3 side by side, with intervals, brackets, bounds, residuals, windows and loss functions.

    `drop_highest` leaves out that many runs of highest loss, and the report says so. Values that cannot be had are None
    with a reason beside them. Raises `RunsError` on a table that no law can be fitted to.
    """
    kept = drop_highest_losses(runs, drop_highest)
    require_enough(kept)
    fitted = fit(kept)
    resampled = bootstrap(kept, fitted, resamples, seed)
    curves = isoflops(kept)
    warnings = [resampled.warning] if resampled.warning else []
    if fitted.bounds:
        warnings.append(
            f"{', '.join(fitted.bounds)} on a bound: not identified by these runs; do not quote the exponents"
        )
    if not curves:
        warnings.append("no budget has runs of five or more sizes: approaches 1 and 2 need isoflop groups")
    report = {
        "runs": len(kept),
        "dropped_highest_losses": drop_highest,
        "parametric": {name: interval.as_dict() for name, interval in intervals(fitted, resampled).items()},
        "fit": _fit_row(fitted, resampled.bound_share),
        "isoflops": [_curve_row(kept, curve) for curve in curves],
        "approaches": [
            _approach("1 envelope", envelope_law(kept, curves, resamples, seed)),
            _approach("2 parabola vertices", vertex_law(kept, curves, resamples, seed)),
            {"approach": "3 parametric", "a": intervals(fitted, resampled)["a"].as_dict(), "reason": None},
        ],
        "losses": [_loss_row(row) for row in exponent_by_loss(kept, fitted)],
        "windows": [_window_row(row) for cut in CUTS for row in exponent_by_window(kept, fitted, cut, seed=seed)],
        "published": [asdict(row) for row in printed_laws().exponents],
        "warnings": warnings,
    }
    return Study(kept, fitted.law, resampled.laws, tuple(curves), report)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _fit_row(fitted: Fit, bound_share: float) -> dict[str, Any]:
    return {
        "objective": fitted.objective,
        "r_squared": fitted.r_squared,
        "bounds": list(fitted.bounds),
        "bootstrap_bound_share": bound_share,
        "residuals": fitted.residuals.tolist(),
        "start_objectives": fitted.start_objectives.tolist(),
    }


def _curve_row(runs: Runs, curve: Isoflop) -> dict[str, Any]:
    return {
        "flop": curve.flop,
        "params": runs.params[curve.rows].tolist(),
        "loss": runs.loss[curve.rows].tolist(),
        "vertex_params": _number(curve.params),
        "vertex_tokens": _number(curve.tokens),
        "vertex_loss": _number(curve.loss),
        "r_squared": _number(curve.r_squared),
        "bracketed": curve.bracketed,
        "problem": curve.problem,
    }


def _approach(name: str, law: PowerLaw) -> dict[str, Any]:
    a = law.exponent.as_dict() if law.exponent else None
    return {"approach": name, "a": a, "r_squared": _number(law.r_squared), "reason": law.reason}


def _loss_row(row: LossChoice) -> dict[str, Any]:
    return {"loss": row.name, "a": row.law.a, **row.law._asdict()}


def _window_row(row: Window) -> dict[str, Any]:
    return {
        "cut": row.cut,
        "threshold": row.threshold,
        "runs": row.runs,
        "a": row.a.as_dict(),
        "alpha": row.law.alpha,
        "beta": row.law.beta,
        "on_bound": row.bounds,
    }
