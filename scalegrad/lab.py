"""The scaling-law lab as a program uses it: fit a table of runs, train a sweep. Loaded when it is asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.errors import BadInput, did_you_mean
from model.lab import missing_packages
from model.laws import RunsError, fit_report, parse_runs
from model.laws.runs import MAX_BYTES

if TYPE_CHECKING:
    from model.lab.sweep import Progress


def fit(runs: str | Path, *, drop_highest: int = 0, resamples: int = 200, seed: int = 0) -> dict[str, Any]:
    """Fit a law to a table; see `scalegrad.fit`."""
    name, text = (str(runs), _read(runs)) if isinstance(runs, Path) else ("runs", runs)
    try:
        return _plain(fit_report(parse_runs(text), drop_highest, resamples, seed))
    except RunsError as error:
        raise BadInput([f"{name}: {error}"]) from None


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInput([f"{path}: more than {MAX_BYTES:,} bytes; send fewer runs, for instance only final losses"])
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadInput([f"{path}: is not UTF-8 text; save the table as plain CSV"]) from None
    except OSError as error:
        raise BadInput([f"{path}: cannot be read ({error.strerror}); give the path of a CSV file"]) from None


def _plain(found: Any) -> Any:
    """Return the same data with None where a number is not finite: JSON has no word for it."""
    if isinstance(found, dict):
        return {key: _plain(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [_plain(value) for value in found]
    return None if isinstance(found, float) and not math.isfinite(found) else found


def sweep(
    plan: str = "default",
    *,
    db: str | Path,
    scheduler: str | None = None,
    workers: int = 2,
    on_progress: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train a plan's cells; see `scalegrad.sweep`."""
    missing = missing_packages()
    if missing:
        raise BadInput([f"sweep: {', '.join(missing)} not installed; pip install 'scalegrad[lab]'"])
    from model.lab.cells import plans
    from model.lab.store import StoreError, read_rows, runs_of
    from model.lab.sweep import run_sweep

    if plan not in plans():
        raise BadInput([f"plan {plan}: no such grid; {did_you_mean(plan, plans())} choose one of {', '.join(plans())}"])
    if scheduler and not re.fullmatch(r"[a-z]+://\S+", scheduler):
        raise BadInput([f"scheduler {scheduler}: write it as tcp://host:port"])
    if workers < 1:
        raise BadInput([f"workers {workers}: use 1 or more"])
    try:
        ended = run_sweep(plans()[plan], db, scheduler, workers, on_progress, should_stop)
        rows = read_rows(db)
    except StoreError as error:
        raise BadInput([str(error)]) from None
    except OSError as error:
        raise BadInput([f"scheduler {scheduler}: does not answer ({error}); start it or leave it out"]) from None
    laws: dict[str, Any] = {}
    for kind in sorted({cell.kind for cell in plans()[plan].cells}):
        try:
            laws[kind] = _plain(fit_report(runs_of(rows, kind)))
        except RunsError as error:
            laws[kind] = {"reason": str(error)}
    return {
        "plan": plan,
        "db": str(db),
        "state": ended.state,
        "finished": ended.finished,
        "failed": ended.failed,
        "total": ended.total,
        "seconds": ended.elapsed_seconds,
        "runs": [_plain({name: row[name] for name in _SHOWN}) for row in rows],
        "laws": laws,
    }


_SHOWN = ("kind", "active_params", "total_params", "tokens", "flop", "loss", "accuracy", "seed", "diverged", "seconds")
"""Columns of the results file that the answer repeats."""
