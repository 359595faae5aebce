"""Schedules against optax and their definitions; the size rule; the seed's preset."""

import jax
import numpy as np
import optax
import pytest

from model.lab.recipe import SEED_RECIPE
from model.lab.schedule import Schedule, SizeRule


def factors(schedule: Schedule, horizon: int) -> np.ndarray:
    return np.asarray(jax.vmap(lambda step: schedule.factor(step, float(horizon)))(np.arange(horizon, dtype=float)))


def test_cosine_is_optaxs_over_its_own_horizon():
    for horizon in (200, 1000):
        found = factors(Schedule("cosine", warmup=0.1, floor=0.1), horizon)
        expected = optax.warmup_cosine_decay_schedule(0.0, 1.0, horizon // 10, horizon, 0.1)
        after = np.arange(horizon // 10, horizon)
        assert found[after] == pytest.approx(np.asarray(expected(after)), abs=1e-5)
        assert found[: horizon // 10] == pytest.approx(np.asarray(expected(np.arange(1, horizon // 10 + 1))), abs=1e-5)


def test_wsd_warms_up_stays_and_cools_down_as_one_minus_the_square_root():
    found = factors(Schedule("wsd", warmup=0.1, cooldown=0.2), 1000)
    assert found[99:800] == pytest.approx(1.0)
    assert found[850] == pytest.approx(1 - np.sqrt(0.25), abs=1e-6)
    assert found[999] == pytest.approx(0.0, abs=0.01)


def test_the_rate_falls_with_size_up_to_its_cap():
    rule = SizeRule(0.02, 0.25, 0.03)
    assert rule.peak(10_000) == pytest.approx(0.02)
    assert rule.peak(160_000) == pytest.approx(0.01)
    assert rule.peak(10) == 0.03


def test_the_seeds_preset_is_what_it_printed():
    assert (SEED_RECIPE.batch, SEED_RECIPE.weight_decay) == (512, 0.1)
    assert SEED_RECIPE.schedule.kind == "cosine"
    assert SEED_RECIPE.schedule.warmup > 0
    assert {SEED_RECIPE.size_rule.peak(size) for size in (3500, 10_000_000)} == {3e-4}


@pytest.mark.parametrize("bad", [{"kind": "step"}, {"kind": "wsd", "warmup": 0.9, "cooldown": 0.2}])
def test_impossible_schedules_are_refused(bad):
    with pytest.raises(ValueError, match=r"choose|do not fit"):
        Schedule(**bad)
