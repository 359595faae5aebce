"""The planner against the kernel's own blocks, a simulated pipeline and arithmetic by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.experimental.pallas import tpu as pltpu

from model.kernels import DoesNotFit, Problem, choose_tiles
from model.kernels.mosaic import mosaic_moe_mlp
from model.kernels.planner import evaluate
from model.kernels.tiles import column_tiles, row_tiles
from model.kernels.visits import row_tile_visits, weight_tile
from model.knobs.kernel import PIPELINE_BUFFERS, SMEM_LIMIT, VMEM_LIMIT

laid_out = jax.jit(row_tile_visits, static_argnums=(1, 2))

POINT = {
    "moe_tokens": 8192.0,
    "active_experts": 2.0,
    "local_experts": 8.0,
    "d_model": 1024.0,
    "expert_width": 4096.0,
    "element_bytes": 2.0,
    "block_m": 256.0,
    "block_f": 512.0,
    "pipeline_buffers": 2.0,
    "mxu_width": 128.0,
    "vmem_limit": 16.0 * 2**20,
    "peak_flops": 1.97e14,
    "hbm_bandwidth": 8.2e11,
    "matmul_efficiency": 1.0,
    "ragged_dot_efficiency": 0.8,
}


@pytest.mark.parametrize(("d_model", "d_ff", "block_m", "block_f", "dtype"), [
    (256, 512, 16, 128, "bfloat16"), (128, 384, 8, 384, "float32"), (1024, 1024, 128, 256, "bfloat16"),
])  # fmt: skip
def test_vmem_is_what_the_kernel_asks_for(d_model, d_ff, block_m, block_f, dtype):
    """Blocks and scratch are read off the kernel's own trace."""
    shapes = (300, d_model), (4, d_model, d_ff), (4, d_model, d_ff), (4, d_ff, d_model)
    arguments = [*(jax.ShapeDtypeStruct(shape, dtype) for shape in shapes), jax.ShapeDtypeStruct((4,), jnp.int32)]
    blocks = {"block_m": block_m, "block_f": block_f}
    trace = jax.make_jaxpr(lambda *a: mosaic_moe_mlp(*a, activation="silu", vmem_limit_bytes=VMEM_LIMIT, **blocks))
    call = next(e for e in trace(*arguments).jaxpr.eqns if e.primitive.name == "pallas_call")
    mapping = call.params["grid_mapping"]
    itemsize = jnp.dtype(dtype).itemsize
    buffered = sum(each.block_aval.inner_aval.size for each in mapping.block_mappings)
    scratch = sum(aval.inner_aval.size * aval.dtype.itemsize for aval in mapping.scratch_avals)
    need = evaluate("fused_vmem_need", d_model=d_model, element_bytes=itemsize, pipeline_buffers=2, **blocks)
    hidden = block_m * block_f * (4 + 4 + itemsize)
    assert need["fused_vmem_need"] == 2 * buffered * itemsize + scratch + hidden
    assert mapping.grid == (-(-300 // block_m) + 4, d_ff // block_f)


@pytest.mark.parametrize(("rows", "n_experts", "block_m"), [(300, 4, 16), (61, 5, 8), (4096, 128, 128)])
def test_scalar_memory_is_what_is_prefetched(rows, n_experts, block_m):
    prefetched = jax.eval_shape(lambda sizes: row_tile_visits(sizes, rows, block_m), jnp.zeros(n_experts, jnp.int32))
    visits = prefetched.groups.size
    need = evaluate("fused_smem_need", row_tile_visits=visits, local_experts=n_experts)
    assert need["fused_smem_need"] == sum(array.size * array.dtype.itemsize for array in prefetched)


def test_headroom_and_group_size():
    at = evaluate("rows_per_expert", "fused_vmem_need", "fused_vmem_headroom", **POINT)
    assert at["rows_per_expert"] == 8192 * 2 / 8
    assert at["fused_vmem_need"] + at["fused_vmem_headroom"] == 16 * 2**20


def moved(indices):
    """How often a pipeline that moves a block whenever its index changes moves one."""
    return sum(index != before for index, before in zip(indices, [None, *indices], strict=False))


def fetched_bytes(sizes, rows, d_model, d_ff, block_m, block_f, element_bytes):
    """What the pipeline moves over the whole grid, idle visits and all: a row tile in and out, three weight tiles."""
    visits = laid_out(jnp.array(sizes, jnp.int32), rows, block_m)
    f_tiles = d_ff // block_f
    visit, f_tile = (grid.ravel() for grid in np.mgrid[: visits.tiles.size, :f_tiles])
    experts, columns = weight_tile(visits, visit, f_tile, len(sizes), f_tiles)
    row_tiles_moved = moved(np.asarray(visits.tiles[visit]).tolist())
    weight_tiles_moved = moved(list(zip(np.asarray(experts).tolist(), np.asarray(columns).tolist(), strict=True)))
    return (2 * row_tiles_moved * block_m * d_model + weight_tiles_moved * 3 * d_model * block_f) * element_bytes


@pytest.mark.parametrize("block_f", [128, 512])
@pytest.mark.parametrize("rest", [0, 96])
@pytest.mark.parametrize("sizes", [[19, 26, 51], [33, 7, 56], [95, 1]])
def test_traffic_is_what_a_pipeline_moves_when_every_border_splits_a_tile(sizes, block_f, rest):
    """The rest of the rows moves through in its own tiles, without weights."""
    rows, shape = sum(sizes), {"d_model": 256, "block_m": 16, "block_f": block_f, "element_bytes": 2}
    sizes_and_experts = {"routed_rows": float(rows), "local_experts": float(len(sizes))}
    planned = evaluate("fused_moe_traffic", **sizes_and_experts, **shape, expert_width=512)["fused_moe_traffic"]
    assert planned + 2 * rest * 256 * 2 == fetched_bytes(sizes, rows + rest, d_ff=512, **shape)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 61), min_size=5, max_size=5), st.integers(0, 61), st.sampled_from([8, 16]))
def test_visits_cover_every_row_once_in_an_order_that_a_tpu_may_run(cuts, owned, block_m):
    rows = 61
    sizes = np.diff([0, *np.minimum(sorted(cuts), owned)])
    visits = laid_out(jnp.array(sizes, jnp.int32), rows, block_m)
    groups, tiles, offsets, (n_visits,) = (np.asarray(array) for array in visits)
    owner = np.full(-(-rows // block_m) * block_m, -1)
    for group, tile in zip(groups[:n_visits], tiles[:n_visits], strict=True):
        row = np.arange(tile * block_m, (tile + 1) * block_m)
        mine = row[(row >= offsets[group]) & (row < offsets[group + 1])]
        assert mine.size, "a visit that owns no row"
        assert (owner[mine] == -1).all(), "a row that is stored twice"
        owner[mine] = group
    expected = np.append(np.repeat(np.arange(len(sizes)), sizes), np.full(rows - sum(sizes), len(sizes)))
    np.testing.assert_array_equal(owner[:rows], expected)
    assert (np.diff(tiles) >= 0).all(), "visits of a tile must follow each other"
    assert n_visits <= len(tiles)
    assert (groups[n_visits:] == groups[n_visits - 1]).all()
    bound = evaluate("row_tile_visits", routed_rows=float(rows), local_experts=len(sizes) + 1.0, block_m=float(block_m))
    assert n_visits <= np.ceil(bound["row_tile_visits"])


def test_fusion_saves_and_costs_what_separates_the_two_traffics():
    at = evaluate("unfused_moe_traffic", "fused_moe_traffic", "fusion_saved_traffic", "fusion_reread_traffic", **POINT)
    assert (
        at["unfused_moe_traffic"] - at["fused_moe_traffic"] == at["fusion_saved_traffic"] - at["fusion_reread_traffic"]
    )
    assert at["fusion_saved_traffic"] == 2 * 16384 * (6 * 4096 + 1024)


def test_speed_up_by_hand():
    """One shape worked out on paper: 71 visits of 256 rows, both compute-bound on the matrix units."""
    visits = 16384 / 256 + 7
    fused = 6 * visits * 256 * 1024 * 4096 / 1.97e14
    one_dot = 2 * 16384 * 1024 * 4096 / (1.97e14 * 0.8)
    gating = 3 * 16384 * 4096 * 2 / 8.2e11
    at = evaluate("row_tile_visits", "fused_moe_time", "unfused_moe_time", "fused_moe_speedup", **POINT)
    assert at["row_tile_visits"] == visits == 71
    assert at["fused_moe_time"] == pytest.approx(fused, rel=1e-12)
    assert at["unfused_moe_time"] == pytest.approx(3 * one_dot + gating, rel=1e-12)
    assert at["fused_moe_speedup"] == pytest.approx((3 * one_dot + gating) / fused, rel=1e-12)


def test_a_missing_knob_is_named():
    with pytest.raises(ValueError, match="fused_moe_traffic: missing d_expert, d_ff, d_model, n_experts"):
        evaluate("fused_moe_traffic", routed_rows=1.0, local_experts=1.0, element_bytes=2, block_m=8, block_f=128)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 100_000),
    d_model=st.integers(1, 9000),
    d_expert=st.integers(1, 20_000),
    n_experts=st.integers(1, 256),
    element_bytes=st.sampled_from([2, 4]),
    megabytes=st.sampled_from([1, 16, 128]),
)
def test_chosen_tiles_are_legal_and_fit_or_the_shortfall_mends_it(
    rows, d_model, d_expert, n_experts, element_bytes, megabytes
):
    problem = Problem(rows, d_model, d_expert, n_experts, element_bytes)
    limit = megabytes * 2**20
    try:
        tiles = choose_tiles(problem, vmem_limit=limit)
    except DoesNotFit as refusal:
        enough = limit + refusal.shortfall
        # The shortfall is exact: with it the tiles fill the memory, with a byte less nothing fits.
        tiles = choose_tiles(problem, vmem_limit=enough)
        with pytest.raises(DoesNotFit):
            choose_tiles(problem, vmem_limit=enough - 1)
        filled, limit = tiles.memory_need, enough
    else:
        filled = limit
    assert tiles.memory_need <= limit == filled
    assert tiles.block_m in row_tiles(problem)
    assert tiles.block_m % (8 if element_bytes == 4 else 16) == 0
    assert tiles.block_f in column_tiles(d_expert)
    assert d_expert % tiles.block_f == 0
    assert tiles.block_f % 128 == 0 or tiles.block_f == d_expert
    assert (tiles.strategy == "whole") == (tiles.block_f == d_expert)


def test_more_memory_never_predicts_a_slower_kernel():
    problem = Problem(16384, 2048, 8192, 16, 2)
    times = []
    for limit in (16, 32, 64, 128, 256):
        tiles = choose_tiles(problem, vmem_limit=limit * 2**20)
        blocks = {"block_m": float(tiles.block_m), "block_f": float(tiles.block_f)}
        point = {k: v for k, v in POINT.items() if k not in ("moe_tokens", "active_experts", *problem.knobs(), *blocks)}
        times.append(float(evaluate("fused_moe_time", **point, **problem.knobs(), **blocks)["fused_moe_time"]))
    assert times == sorted(times, reverse=True)
    assert times[-1] < times[0]


def test_scalar_memory_is_counted_too():
    crowd = Problem(rows=1024, d_model=128, d_expert=128, n_experts=200_000, element_bytes=2)
    with pytest.raises(DoesNotFit, match="B of SMEM"):
        choose_tiles(crowd)


def test_limits_are_those_of_the_chips_that_jax_describes():
    infos = [pltpu.get_tpu_info_for_chip(version, 1) for version in pltpu.ChipVersion]
    assert min(info.vmem_capacity_bytes for info in infos) == VMEM_LIMIT
    assert min(info.smem_capacity_bytes for info in infos if info.generation >= 4) == SMEM_LIMIT
    assert {(info.num_lanes, info.num_sublanes) for info in infos} == {(128, 8)}
    assert PIPELINE_BUFFERS == 2
