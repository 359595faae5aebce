"""Diagnostics say what made rows contain."""

import pytest

from model.lab.diagnostics import expert_load, flags, gap_by_size, gaps, loss_histogram, rate_sensitivity
from model.lab.measure import HISTOGRAM_EDGES


def row(**changes):
    base = {"id": "a", "kind": "dense", "active_params": 100, "budget": 1e9, "flop": 1e9, "steps": 40, "loss": 1.5}
    more = {"train_loss": 1.6, "solved": 0, "diverged": 0, "peak_rate": 0.01, "expert_load": [[]]}
    return base | more | {"histogram": [0] * (len(HISTOGRAM_EDGES) - 1)} | changes


def test_gaps_are_held_out_minus_training_and_grouped_by_size():
    rows = [row(), row(loss=1.9), row(active_params=200, loss=1.6), row(loss=None)]
    assert [gap["gap"] for gap in gaps(rows)] == [pytest.approx(-0.1), pytest.approx(0.3), pytest.approx(0.0), None]
    small, large = gap_by_size(rows)
    assert (small["params"], small["runs"]) == (100, 2)
    assert (small["mean"], small["least"], small["most"]) == pytest.approx((0.1, -0.1, 0.3))
    assert large["mean"] == pytest.approx(0)


def test_flags_name_solved_diverged_and_off_budget_runs_only():
    rows = [row(), row(id="s", solved=1), row(id="d", diverged=1), row(id="b", flop=1.2e9, steps=3)]
    found = {flag["id"]: flag["why"] for flag in flags(rows)}
    assert set(found) == {"s", "d", "b"}
    assert found["s"].startswith("solved")
    assert found["d"].startswith("diverged")
    assert found["b"] == "3 steps are +20% off its budget"


def test_histograms_add_up_over_runs():
    counts = list(range(len(HISTOGRAM_EDGES) - 1))
    found = loss_histogram([row(histogram=counts), row(histogram=counts)])
    assert found["count"] == [2 * count for count in counts]
    assert found["left"][1:] == found["right"][:-1]
    assert sum(loss_histogram([])["count"]) == 0


def test_expert_load_is_relative_to_an_even_share():
    [layer] = expert_load([row(), row(kind="moe", expert_load=[[30, 10, 0, 0]])])
    assert (layer["busiest"], layer["idlest"], layer["shares"]) == (3.0, 0.0, [3.0, 1.0, 0.0, 0.0])


def test_rate_sensitivity_tells_a_bracketed_best_rate_from_one_at_the_edge():
    rates = (0.001, 0.01, 0.1)
    inside = [row(peak_rate=rate, loss=loss) for rate, loss in zip(rates, (2.0, 1.5, 1.8), strict=True)]
    edge = [
        row(active_params=200, peak_rate=rate, loss=loss) for rate, loss in zip(rates, (2.0, 1.5, 1.4), strict=True)
    ]
    first, second = rate_sensitivity([*inside, *edge, row(active_params=300)])
    assert (first["best_rate"], first["bracketed"]) == (0.01, True)
    assert (second["best_rate"], second["bracketed"]) == (0.1, False)
