"""What to look at before believing a sweep, as plain columns: gaps, histograms, flags, expert load, learning rates."""

from collections import defaultdict
from typing import Any

import numpy as np

from model.lab.measure import HISTOGRAM_EDGES

Row = dict[str, Any]


def gaps(rows: list[Row]) -> list[Row]:
    """Training and held-out loss of every run, and their gap: held-out minus training, negative while dropout is on.

    The training loss is that of the last stretch before the end, on fresh batches, so it is a test loss too; a large
    positive gap says that held-out pairs differ, a negative one that dropout or the averaging over the stretch shows.
    """
    return [
        {
            "id": row["id"],
            "kind": row["kind"],
            "params": row["active_params"],
            "budget": row["budget"],
            "train_loss": row["train_loss"],
            "loss": row["loss"],
            "gap": _difference(row["loss"], row["train_loss"]),
        }
        for row in rows
    ]


def gap_by_size(rows: list[Row]) -> list[Row]:
    """Mean and extremes of the gap for every kind and size."""
    groups: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in gaps(rows):
        if row["gap"] is not None:
            groups[row["kind"], row["params"]].append(row["gap"])
    return [
        {
            "kind": kind,
            "params": params,
            "runs": len(found),
            "mean": float(np.mean(found)),
            "least": min(found),
            "most": max(found),
        }
        for (kind, params), found in sorted(groups.items())
    ]


def flags(rows: list[Row]) -> list[Row]:
    """Runs that solved the task, diverged, or missed their budget by more than a twentieth (too few steps)."""
    found = []
    for row in rows:
        reasons = []
        if row["solved"]:
            reasons.append("solved: its loss says little about a law")
        if row["diverged"]:
            reasons.append("diverged: left out of fits")
        if abs(row["flop"] / row["budget"] - 1) > 0.05:
            reasons.append(f"{row['steps']} steps are {row['flop'] / row['budget'] - 1:+.0%} off its budget")
        if reasons:
            found.append(
                {"id": row["id"], "kind": row["kind"], "params": row["active_params"], "why": "; ".join(reasons)}
            )
    return found


def loss_histogram(rows: list[Row]) -> dict[str, list[float]]:
    """Held-out examples of all given runs by their own loss: `left`, `right` (the last without end) and `count`."""
    total = np.sum([row["histogram"] for row in rows], axis=0) if rows else np.zeros(len(HISTOGRAM_EDGES) - 1)
    return {"left": list(HISTOGRAM_EDGES[:-1]), "right": list(HISTOGRAM_EDGES[1:]), "count": total.tolist()}


def expert_load(rows: list[Row]) -> list[Row]:
    """Of every MoE run and layer: the busiest and idlest expert's share over an even one (1 is perfect balance)."""
    found = []
    for row in rows:
        for layer, copies in enumerate(row["expert_load"]):
            load = np.array(copies, float)
            if load.sum() > 0:
                share = load * len(load) / load.sum()
                busiest, idlest = float(share.max()), float(share.min())
                found.append(
                    {"id": row["id"], "layer": layer, "busiest": busiest, "idlest": idlest, "shares": share.tolist()}
                )
    return found


def rate_sensitivity(rows: list[Row]) -> list[Row]:
    """Of every kind, budget and size that was run at several learning rates: the best rate, its bracket, and the curve.

    `bracketed` is False where the best rate is the lowest or highest that was tried.
    """
    groups: dict[tuple[str, float, int], dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["loss"] is not None:
            groups[row["kind"], row["budget"], row["active_params"]][row["peak_rate"]].append(row["loss"])
    found = []
    for (kind, budget, params), by_rate in sorted(groups.items()):
        if len(by_rate) < 2:
            continue
        rates = sorted(by_rate)
        losses = [float(np.mean(by_rate[rate])) for rate in rates]
        best = int(np.argmin(losses))
        bracketed = 0 < best < len(rates) - 1
        where = {"kind": kind, "budget": budget, "params": params}
        found.append(where | {"best_rate": rates[best], "bracketed": bracketed, "rates": rates, "losses": losses})
    return found


def _difference(mine: float | None, other: float | None) -> float | None:
    return None if mine is None or other is None else mine - other
