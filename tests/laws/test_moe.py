"""MoE laws in their printed forms, the nested comparison on made runs, and what the seed's tables contradict."""

import numpy as np
import pytest

from model.laws import Law, compare, compute_multiplier, contradictions, make_runs
from model.laws.compare import frontier_flop, frontier_loss
from model.laws.moe import Abnar, Clark, Krajewski
from presets.laws import printed_laws

LAWS = printed_laws()


@pytest.mark.parametrize("slug", LAWS.clark)
def test_clark_saturates_between_its_two_printed_ends_and_experts_help_small_models_more(slug):
    law = Clark(**LAWS.clark[slug])
    assert float(law.effective_experts(1.0)) == pytest.approx(law.experts_start)
    assert float(law.effective_experts(1e12)) == pytest.approx(law.experts_max, rel=1e-6)
    losses = np.array([[float(law.loss(n, e)) for e in (1.0, 8.0, 64.0, 512.0)] for n in (1.5e7, 1e9)])
    assert np.all(np.diff(losses, axis=1) < 0)
    assert np.all(np.diff(losses, axis=0) < 0)
    gain = losses[:, 0] / losses[:, 3]
    assert gain[0] > gain[1] > 1
    worth = law.effective_params(1e8, 64.0)
    assert float(law.loss(worth, 1.0)) == pytest.approx(float(law.loss(1e8, 64.0)), rel=1e-9)


def test_krajewskis_n_is_the_total_count_or_moe_would_lose_to_dense():
    moe, dense = Krajewski(**LAWS.krajewski["moe"]), Krajewski(**LAWS.krajewski["dense"])
    tokens = 2e10
    assert moe.loss(1e9, tokens, 16.0) > dense.loss(1e9, tokens)
    assert moe.loss(40e9, tokens, 1.0) < dense.loss(1e9, tokens), "64 experts: about 40 times the parameters, as active"
    assert np.all(np.diff([moe.loss(1e10, tokens, g) for g in (1.0, 2.0, 4.0, 8.0)]) < 0), "finer experts are better"


def test_abnars_best_sparsity_rises_with_size():
    law = Abnar(**LAWS.abnar["moe"])
    sparsity = np.linspace(0, 0.98, 99)
    best = [sparsity[np.argmin(law.loss(n, 20 * n, sparsity))] for n in (1e9, 1e10, 1e11, 1e12)]
    assert best[0] == 0
    assert np.all(np.diff(best) >= 0)
    assert best[-1] > 0.8


def made(kind_law: Law, seed: int, noise: float = 0.003):
    rng = np.random.default_rng(seed)
    flop = np.repeat(np.logspace(17, 20, 6), 7)
    params = np.asarray(kind_law.optimum(flop)[0]) * np.exp(np.tile(np.linspace(-2, 2, 7), 6))
    tokens = flop / 6 / params
    return make_runs(
        params, tokens, np.asarray(kind_law.loss(params, tokens)) * np.exp(rng.normal(0, noise, len(flop)))
    )


DENSE = Law(1.7, 420.0, 900.0, 0.36, 0.31)


def test_the_nested_comparison_finds_that_only_a_differs_and_the_multiplier():
    better = DENSE._replace(A=280.0)
    comparison = compare(made(DENSE, 1), made(better, 2), "active", resamples=100)
    assert comparison.preferred.name == "other A"
    assert comparison.fits[1].wins > 0.95
    assert comparison.fits[1].gain.lo > 0
    assert comparison.fits[2].wins < 0.95
    assert pytest.approx(280 / 420, rel=0.05) == comparison.fits[1].moe.A / comparison.fits[1].dense.A
    assert np.all(np.diff([fit.objective for fit in comparison.fits]) <= 1e-9), (
        "a larger law fits its own runs no worse"
    )
    assert all(fit.dense.E == fit.moe.E for fit in comparison.fits)
    truth = float(frontier_flop(DENSE, frontier_loss(better, 1e20)) / 1e20)
    found = compute_multiplier(comparison.preferred, 1e20)
    assert found.lo <= truth <= found.hi
    assert truth > 1.3


def test_equal_kinds_are_called_equal():
    comparison = compare(made(DENSE, 3), made(DENSE, 4), "active", resamples=100)
    assert comparison.preferred.name == "one law"
    assert compute_multiplier(comparison.preferred, 1e20).value == pytest.approx(1.0)


def test_frontier_and_its_inverse_agree():
    assert float(frontier_flop(DENSE, frontier_loss(DENSE, 3e19))) == pytest.approx(3e19, rel=1e-9)
    assert np.isnan(frontier_flop(DENSE, DENSE.E))


def test_the_seeds_contradictions_are_found_by_our_own_fit():
    found = contradictions()
    dense, moe = found["exponents"]["dense"], found["exponents"]["moe"]
    assert sorted(dense.values()) == pytest.approx([0.173, 0.304, 0.304, 0.434], abs=0.001)
    assert sorted(moe.values()) == pytest.approx([0.182, 0.852, 0.853], abs=0.001)
    assert found["bounds"] == {"dense": [], "moe": ["E"]}
    grids = found["grids"]
    assert grids["dense-v1"] == {"stated": 126, "product": (135, 135), "listed": 84, "agrees": False}
    assert grids["dense-v2"]["product"] == (144, 180)
    assert not any(grid["agrees"] for grid in grids.values())
