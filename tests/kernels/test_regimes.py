"""The regime map against single evaluations and against what is known of its corners."""

import numpy as np
import pytest

from model.kernels import Problem, choose_tiles
from model.kernels.planner import evaluate
from model.kernels.regimes import REGIMES, WHY, regime_map

V5E = {"peak_flops": 1.97e14, "hbm_bandwidth": 8.2e11}
AXES = {"rows_per_expert": [1, 16, 128, 2048], "d_model": [256, 1024, 4096, 16384], "d_expert": [256, 4096, 16384]}


@pytest.fixture(scope="module")
def at_16_mib():
    return regime_map(**AXES, **V5E, n_experts=8, element_bytes=2, ragged_dot_efficiency=0.8)


def test_a_cell_is_the_quantity_at_its_point(at_16_mib):
    tiles = choose_tiles(Problem(2048 * 8, 1024, 4096, 8, 2), flops_per_byte=1.97e14 / 8.2e11)
    alone = evaluate(
        "fused_moe_speedup",
        routed_rows=2048.0 * 8,
        local_experts=8.0,
        d_model=1024.0,
        expert_width=4096.0,
        element_bytes=2.0,
        block_m=float(tiles.block_m),
        block_f=float(tiles.block_f),
        mxu_width=128.0,
        matmul_efficiency=1.0,
        ragged_dot_efficiency=0.8,
        **V5E,
    )
    assert at_16_mib.speedup[3, 1, 1] == pytest.approx(float(alone["fused_moe_speedup"]), rel=1e-12)
    assert (at_16_mib.block_m[3, 1, 1], at_16_mib.block_f[3, 1, 1]) == (tiles.block_m, tiles.block_f)


def regime(cells, *cell):
    return REGIMES[cells.regime[cell]]


def test_corners(at_16_mib):
    assert regime(at_16_mib, 3, 0, 2) == "saved traffic", "large groups, f = 64 d"
    assert regime(at_16_mib, 0, 1, 1) == "one set of weights", "one row an expert reads weights and nothing else"
    assert at_16_mib.speedup[0, 1, 1] == pytest.approx(1, abs=0.02)
    assert regime(at_16_mib, 2, 2, 1) == "weights read again", "128 rows an expert, 100 MB of weights, small tiles"
    assert at_16_mib.speedup[2, 2, 1] < 1
    assert "read again" in at_16_mib.why(2, 2, 1)
    assert regime(at_16_mib, 3, 3, 1) == "does not fit"
    assert np.isnan(at_16_mib.speedup[3, 3, 1])


def test_what_does_not_fit_says_by_how_much_and_fits_with_more(at_16_mib):
    short = int(at_16_mib.shortfall[3, 3, 1])
    assert short > 0
    axes = {"rows_per_expert": [2048], "d_model": [16384], "d_expert": [4096]}
    more = regime_map(
        **axes, **V5E, n_experts=8, element_bytes=2, ragged_dot_efficiency=0.8, vmem_limit=16 * 2**20 + short
    )
    assert np.isfinite(more.speedup).all()
    np.testing.assert_array_equal((at_16_mib.shortfall > 0), np.isnan(at_16_mib.speedup))


def test_a_gain_that_rests_on_the_declared_rate_is_called_so():
    options = {**V5E, "n_experts": 8, "element_bytes": 2, "vmem_limit": 128 * 2**20}
    axes = {"rows_per_expert": [512], "d_model": [4096], "d_expert": [4096]}
    slow, equal = (regime_map(**axes, **options, ragged_dot_efficiency=rate) for rate in (0.7, 1.0))
    assert slow.speedup[0, 0, 0] > 1 > equal.speedup[0, 0, 0]
    assert regime(slow, 0, 0, 0) == "slower ragged_dot"
    assert regime(equal, 0, 0, 0) in ("weights read again", "padded tiles")


def test_every_regime_has_its_words():
    assert set(WHY) == set(REGIMES)
