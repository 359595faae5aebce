"""Approach 3 against published fits, SciPy, and laws known because we made the runs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

from model.laws import Law, Runs, bootstrap, drop_highest_losses, fit, intervals, parse_runs
from model.laws.newton import _expand
from model.laws.parametric import pose
from model.laws.varpro import variable_projection


@pytest.fixture(scope="module")
def chinchilla(shared) -> Runs:
    return parse_runs((shared / "laws" / "chinchilla-points.csv").read_text())


@pytest.mark.shared
def test_reference_optimum_on_the_240_digitised_points(chinchilla):
    found = fit(drop_highest_losses(chinchilla, 5))
    assert found.objective <= 0.00101828
    assert found.law.alpha == pytest.approx(0.34731, abs=5e-4)
    assert found.law.beta == pytest.approx(0.36717, abs=5e-4)
    assert np.array(found.law[:3]) == pytest.approx([1.81722, 477.83, 2143.42], rel=1e-3)
    assert found.identified


@pytest.mark.shared
def test_every_start_ends_in_the_reference_optimum(chinchilla):
    found = fit(drop_highest_losses(chinchilla, 5))
    assert len(found.start_objectives) == 17
    assert found.start_objectives == pytest.approx(0.0010182740, rel=1e-6)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("A", 110, 125),
        ("B", 1290, 1411),
        ("E", 0.026, 0.03),
        ("alpha", 0.014, 0.02),
        ("beta", 0.02, 0.02),
        ("a", 0.019, 0.02),
    ],
)
def test_bootstrap_errors_are_the_published_ones_within_a_fifth(chinchilla, name, low, high):
    runs = drop_highest_losses(chinchilla, 5)
    found = fit(runs)
    error = intervals(found, bootstrap(runs, found))[name].se
    assert 0.8 * low <= error <= 1.2 * high


@pytest.mark.shared
def test_other_published_rows(chinchilla):
    everything = fit(chinchilla)
    assert everything.objective == pytest.approx(0.0018260, rel=1e-4)
    assert everything.law.a == pytest.approx(0.5646, abs=5e-4)
    kept = drop_highest_losses(chinchilla, 5)
    squared = fit(kept, delta=float("inf"))
    assert (squared.law.alpha, squared.law.beta) == (pytest.approx(0.3603, abs=5e-4), pytest.approx(0.4059, abs=5e-4))
    projected = variable_projection(kept)
    assert float(projected.rss) == pytest.approx(0.08320, abs=1e-5)
    assert float(projected.law.a) == pytest.approx(0.5446, abs=5e-4)


def test_noise_free_law_is_recovered(known, sweep):
    found = fit(sweep())
    assert np.array(found.law) == pytest.approx(np.array(known), rel=1e-4)
    assert found.law.a == pytest.approx(known.beta / (known.alpha + known.beta), rel=1e-5)


def test_derivatives_of_the_objective_are_those_of_autodiff(sweep):
    runs = sweep(noise=0.01)
    weights, theta = np.linspace(0.5, 2, len(runs)), jnp.array([5.8, 6.9, 0.4, 0.33, 0.33])
    problem = pose(runs)

    def sum_of_huber(at):
        log_a, log_b, log_e, alpha, beta = at
        loss = jnp.exp(log_e) + jnp.exp(log_a) / runs.params**alpha + jnp.exp(log_b) / runs.tokens**beta
        error = jnp.log(loss) - jnp.log(runs.loss)
        size = jnp.abs(error)
        return jnp.sum(weights * jnp.where(size < 0.01, error**2 / 2, 0.01 * (size - 0.005)))

    local = jax.jit(_expand)(problem, jnp.asarray(weights), jnp.array(0.01), theta)
    assert float(local.objective) == pytest.approx(float(jax.jit(sum_of_huber)(theta)), rel=1e-12)
    assert local.gradient == pytest.approx(np.asarray(jax.jit(jax.grad(sum_of_huber))(theta)), rel=1e-9, abs=1e-12)
    assert local.hessian == pytest.approx(np.asarray(jax.jit(jax.hessian(sum_of_huber))(theta)), rel=1e-8, abs=1e-9)


def test_scipy_finds_no_lower_objective(sweep):
    runs = sweep(noise=0.02, seed=3)
    found = fit(runs)

    def objective(theta):
        loss = (
            np.exp(theta[2])
            + np.exp(theta[0] - theta[3] * np.log(runs.params))
            + np.exp(theta[1] - theta[4] * np.log(runs.tokens))
        )
        size = np.abs(np.log(loss) - np.log(runs.loss))
        return np.where(size < 1e-3, size**2 / 2, 1e-3 * (size - 5e-4)).sum()

    start = np.asarray(Law(*map(jnp.asarray, found.law)).theta())
    options = {"maxiter": 4000, "xatol": 1e-10, "fatol": 1e-14}
    polished = scipy.optimize.minimize(objective, start, method="Nelder-Mead", options=options)
    assert found.objective == pytest.approx(objective(start), rel=1e-10)
    assert found.objective <= polished.fun * (1 + 1e-9)


def test_intervals_cover_the_known_exponents_as_often_as_they_say(known, sweep):
    trials = 60
    covered = dict.fromkeys(("alpha", "beta", "a"), 0)
    for trial in range(trials):
        runs = sweep(noise=0.01, seed=100 + trial)
        found = fit(runs)
        rows = intervals(found, bootstrap(runs, found, resamples=120, seed=trial))
        for name in covered:
            covered[name] += rows[name].lo <= getattr(known, name) <= rows[name].hi
    assert all(count >= 0.85 * trials for count in covered.values()), covered
    assert sum(covered.values()) < 3 * trials, "intervals that never miss are too wide"


def test_a_law_without_a_floor_reports_that_e_is_on_its_bound(sweep):
    found = fit(sweep(Law(E=1e-9, A=420.0, B=900.0, alpha=0.36, beta=0.31)))
    assert found.bounds == ("E",)
    assert not found.identified


def test_clusters_are_drawn_whole_and_too_few_are_refused_aloud(sweep):
    runs = sweep(noise=0.01)
    by_budget = Runs(runs.params, runs.tokens, runs.flop, runs.loss, np.repeat(np.arange(9), 7))
    found = fit(by_budget)
    assert bootstrap(by_budget, found, 20).warning is None
    by_seed = Runs(runs.params, runs.tokens, runs.flop, runs.loss, np.arange(63) % 2)
    assert "2 clusters are too few" in (bootstrap(by_seed, found, 20).warning or "")
