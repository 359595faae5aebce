"""The fusion map: each cell is the quantity at its point, places become knobs, and the planner's advice holds there."""

import math

import numpy as np
import pytest

from model.evaluate import Evaluation, evaluate
from model.kernels import DoesNotFit, Problem, choose_tiles
from model.knobs import KNOBS
from model.knobs.kernel import VMEM_LIMIT
from model.maps.fusion import Advice, advice, fusion_map, fusion_place, fusion_step, tile_settings, whole_lanes
from model.maps.plane import NOWHERE
from model.point import resolve

LAYER = {"d_model": 1024, "d_expert": 4096, "n_experts": 8, "active_experts": 2, "ragged_dot_efficiency": 0.8}


@pytest.fixture(scope="module")
def here() -> Evaluation:
    return evaluate(resolve("tpu-v5e", "mixtral-8x7b", LAYER))


def advised(evaluation: Evaluation) -> Advice:
    found = advice(evaluation)
    assert found is not None
    return found


def test_a_cell_is_the_graph_at_its_place(here) -> None:
    drawn = fusion_map(here, None)
    for row, column in ((5, 2), (16, 8), (27, 14)):
        across, up = drawn.window.across()[column], drawn.window.up()[row]
        there = evaluate(here.point.with_settings(fusion_place(here, across, up)))
        assert there.point.values["d_model"] == whole_lanes(across)
        assert there.values["fused_moe_speedup"] == pytest.approx(drawn.shade[row, column], rel=1e-12)


def test_what_does_not_fit_is_one_region_to_the_right(here) -> None:
    drawn = fusion_map(here, None)
    (region,) = drawn.forbidden
    refused = np.broadcast_to(drawn.window.across() > region.across.min(), drawn.shade.shape)
    np.testing.assert_array_equal(np.isnan(drawn.shade), refused)
    np.testing.assert_array_equal(drawn.regimes == NOWHERE, refused)
    with pytest.raises(DoesNotFit) as refusal:
        choose_tiles(Problem(16384, 16256, 4096, 8, 2), flops_per_byte=1.97e14 / 8.2e11)
    there = evaluate(here.point.with_settings(fusion_place(here, math.log2(16256), 12.0)))
    assert advised(there).shortfall == refusal.value.shortfall
    assert there.bounds["fused_vmem_headroom"] == -refusal.value.shortfall
    assert there.reasons["fused_moe_speedup"].startswith("does not fit: ")


def test_borders_part_different_regimes(here) -> None:
    drawn = fusion_map(here, None)
    assert drawn.borders
    for border in drawn.borders:
        across, up = float(border.across.mean()), float(border.up.mean())
        aside = (0.01, 0.0) if border.across[0] == border.across[1] else (0.0, 0.01)
        cells = [drawn.window.cell(across + sign * aside[0], up + sign * aside[1]) for sign in (-1, 1)]
        assert drawn.regimes[cells[0]] != drawn.regimes[cells[1]]


def test_the_advice_is_what_the_kernel_would_take(here) -> None:
    best = advised(here)
    tiles = choose_tiles(Problem(16384, 1024, 4096, 8, 2), flops_per_byte=1.97e14 / 8.2e11)
    assert (best.block_m, best.block_f) == (tiles.block_m, tiles.block_f)
    followed = evaluate(here.point.with_settings(tile_settings(best)))
    assert followed.values["fused_moe_speedup"] == pytest.approx(best.speedup, rel=1e-12)
    assert followed.values["fused_moe_speedup"] > here.values["fused_moe_speedup"]


def test_the_default_tiles_are_the_planners_at_the_opening_point() -> None:
    opening = evaluate(resolve())
    assert KNOBS["vmem_limit"].default == VMEM_LIMIT
    assert tile_settings(advised(opening)).items() <= opening.point.values.items()


def test_arrow_keys_move_every_width_and_stay_on_whole_lanes(here) -> None:
    moved = fusion_step(here, 1, 0)
    assert (moved["d_model"], moved["d_expert"]) == (1280, 4096)
    odd = evaluate(here.point.with_settings({"d_model": 1000, "d_expert": 130}))
    assert fusion_step(odd, -1, 1)["d_model"] == 896
    assert fusion_step(odd, 0, 1)["d_expert"] == 256
    dense = evaluate(resolve())
    assert {"d_model", "d_ff"} < set(fusion_step(dense, 0, -1))


def test_a_chip_without_a_printed_rate_has_no_map(here) -> None:
    empty = evaluate(here.point.with_settings({"peak_flops": None}))
    assert advice(empty) is None
    drawn = fusion_map(empty, None)
    assert np.isnan(drawn.shade).all()
    assert (drawn.regimes == NOWHERE).all()


def test_refusals_name_the_knob() -> None:
    for settings, words in (
        ({"expert_shards": 3}, "does not divide by expert_shards=3"),
        ({"block_f": 640}, "does not divide by block_f=640"),
        ({"block_m": 4096}, "of 16.8\u2009MB VMEM"),
        ({"moe_tokens": 1e9, "block_m": 16}, "of 1.05\u2009MB SMEM"),
    ):
        reasons = evaluate(resolve("tpu-v5e", "mixtral-8x7b", LAYER | settings)).reasons
        assert words in reasons["fused_moe_speedup"], settings
