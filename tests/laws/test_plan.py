"""The plan against brute force, finite differences, and a published result."""

import jax
import numpy as np
import pytest
import scipy.optimize

from model.laws import bootstrap, evaluate_plan, fit, law_knobs, plan_intervals
from model.laws.surface import Law
from presets.laws import printed_laws

CHINCHILLA = Law(1.69, 406.4, 410.7, 0.336, 0.283)
"""Hoffmann et al. 2022 as Sardana et al. 2023 use it."""

RUN = {"chips": 1024.0, "peak_flops": 4.59e14, "mfu": 0.4, "law_days": 30.0, "law_serve_tokens": 1e12}


def test_optimum_is_the_lowest_point_of_the_surface_at_equal_compute():
    found = evaluate_plan({**RUN, **law_knobs(CHINCHILLA)})
    flop = found["law_training_flops"]
    assert flop == pytest.approx(1024 * 4.59e14 * 0.4 * 30 * 86400)
    lowest = scipy.optimize.minimize_scalar(
        lambda x: CHINCHILLA.loss(np.exp(x), flop / 6 / np.exp(x)), (18, 28), tol=1e-12
    )
    assert found["law_optimal_params"] == pytest.approx(np.exp(lowest.x), rel=1e-4)
    assert found["law_optimal_loss"] == pytest.approx(lowest.fun, rel=1e-10)
    assert 6 * found["law_optimal_params"] * found["law_optimal_tokens"] == pytest.approx(flop)


@pytest.mark.parametrize("knob", ["chips", "peak_flops", "mfu", "law_days"])
def test_the_elasticity_is_the_same_for_each_hardware_knob_and_equals_autodiff(knob):
    def loss(value):
        return evaluate_plan({**RUN, **law_knobs(CHINCHILLA), knob: value})["law_optimal_loss"]

    found = evaluate_plan({**RUN, **law_knobs(CHINCHILLA)})
    slope = jax.grad(loss)(RUN[knob]) * RUN[knob] / found["law_optimal_loss"]
    assert float(slope) == pytest.approx(found["law_loss_elasticity"], rel=1e-9)
    numeric = np.log(loss(RUN[knob] * 1.001) / loss(RUN[knob] / 1.001)) / (2 * np.log(1.001))
    assert numeric == pytest.approx(found["law_loss_elasticity"], rel=1e-5)


def test_sardana_2023_13b_quality_for_2t_tokens_is_7b_and_saves_17_percent():
    """Beyond Chinchilla-Optimal, section 1: 1.7e22 FLOPs (17 %) saved by training a 7B model longer."""
    knobs = law_knobs(CHINCHILLA)
    unit = evaluate_plan({**knobs, "law_training_flops": 6.0})["law_optimal_params"]
    flop = 6 * (13e9 / unit) ** (1 / CHINCHILLA.a)
    found = evaluate_plan({**knobs, "law_training_flops": flop, "law_serve_tokens": 2e12})
    assert found["law_optimal_params"] == pytest.approx(13e9)
    assert found["law_served_params"] == pytest.approx(7e9, rel=0.01)
    assert found["law_lifetime_cost"] == pytest.approx(0.83, abs=0.005)
    life = found["law_optimal_params"] * (6 * found["law_optimal_tokens"] + 2 * 2e12)
    assert (1 - found["law_lifetime_cost"]) * life == pytest.approx(1.7e22, rel=0.01)
    assert CHINCHILLA.loss(found["law_served_params"], found["law_served_tokens"]) == pytest.approx(
        found["law_optimal_loss"]
    )


@pytest.mark.parametrize("serve", [0.0, 1e9, 1e12, 1e15, 1e19])
def test_serving_optimum_is_the_cheapest_life_at_equal_loss(serve):
    found = evaluate_plan({**RUN, **law_knobs(CHINCHILLA), "law_serve_tokens": serve})
    target = found["law_optimal_loss"]

    def life(log_tokens):
        tokens = np.exp(log_tokens)
        left = target - CHINCHILLA.E - CHINCHILLA.B / tokens**CHINCHILLA.beta
        params = (CHINCHILLA.A / left) ** (1 / CHINCHILLA.alpha) if left > 0 else np.inf
        return params * (6 * tokens + 2 * serve)

    base = np.log(found["law_served_tokens"])
    cheapest = min(life(base + offset) for offset in np.linspace(-0.5, 0.5, 2001))
    assert life(base) <= cheapest * (1 + 1e-9)
    if serve == 0:
        assert found["law_served_tokens"] == pytest.approx(found["law_optimal_tokens"])
        assert found["law_lifetime_cost"] == pytest.approx(1, abs=1e-12)


def test_plan_intervals_hold_the_truth_of_a_known_law(known, sweep):
    runs = sweep(noise=0.01, seed=5)
    found = fit(runs)
    rows = plan_intervals(found.law, bootstrap(runs, found, 100).laws, 1e22, 1e12)
    truth = evaluate_plan({**law_knobs(known), "law_training_flops": 1e22, "law_serve_tokens": 1e12})
    for name in ("law_optimal_params", "law_optimal_tokens", "law_optimal_loss", "law_served_params"):
        assert rows[name].lo <= truth[name] <= rows[name].hi, name


def test_printed_surfaces_plan_chinchilla_itself():
    """Hoffmann's own surface puts the optimum of 5.76e23 FLOPs near 40B (Hoffmann et al. 2022, approach 3)."""
    surface = printed_laws().surfaces["hoffmann"]
    law = Law(surface.E, surface.A, surface.B, surface.alpha, surface.beta)
    assert evaluate_plan({**law_knobs(law), "law_training_flops": 5.76e23})["law_optimal_params"] == pytest.approx(
        40e9, rel=0.1
    )
