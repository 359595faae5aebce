"""The fused expert MLP on a TPU (Pallas, Mosaic): one visit of a row tile at a time, the hidden activations on chip.

The grid is (visit, F tile). A TPU runs it in order and keeps an output block in VMEM only while consecutive steps
address it, so the reduction over F is the innermost axis, and visits of one row tile follow each other.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from model.kernels.reference import ACTIVATIONS, Activation, matmul_precision
from model.kernels.visits import RowTileVisits, max_visits, row_tile_visits, weight_tile

Interpret = bool | pltpu.InterpretParams
"""`False` compiles, `True` gives the kernel's meaning, `pltpu.InterpretParams(...)` checks its memory as well."""

Ref = Any
"""A block in VMEM or SMEM, as Pallas hands it to a kernel."""


def _kernel(
    groups: Ref,
    tiles: Ref,
    offsets: Ref,
    n_visits: Ref,
    x: Ref,
    w_gate: Ref,
    w_up: Ref,
    w_down: Ref,
    out: Ref,
    accumulator: Ref,
    *,
    activation: Activation,
    n_experts: int,
    block_m: int,
) -> None:
    visit, f_tile = pl.program_id(0), pl.program_id(1)
    group = groups[visit]
    live = visit < n_visits[0]

    @pl.when(live & (f_tile == 0))
    def _clear() -> None:
        accumulator[...] = jnp.zeros_like(accumulator)

    @pl.when(live & (group < n_experts))
    def _accumulate() -> None:
        dot = partial(jnp.dot, precision=matmul_precision(x.dtype), preferred_element_type=jnp.float32)
        rows = x[...]
        hidden = ACTIVATIONS[activation](dot(rows, w_gate[...])) * dot(rows, w_up[...])
        accumulator[...] += dot(hidden.astype(x.dtype), w_down[...])

    @pl.when(live & (f_tile == pl.num_programs(1) - 1))
    def _store() -> None:
        row = tiles[visit] * block_m + jax.lax.broadcasted_iota(jnp.int32, out.shape, 0)
        owned = (row >= offsets[group]) & (row < offsets[group + 1])
        # Chosen in float32: the mask has the layout of 32-bit rows, whatever the output packs.
        out[...] = jnp.where(owned, accumulator[...], out[...].astype(jnp.float32)).astype(out.dtype)


def mosaic_moe_mlp(
    x_sorted: jax.Array,
    w_gate: jax.Array,
    w_up: jax.Array,
    w_down: jax.Array,
    group_sizes: jax.Array,
    *,
    activation: Activation,
    block_m: int,
    block_f: int,
    vmem_limit_bytes: int,
    interpret: Interpret = False,
) -> jax.Array:
    """Run the kernel; arguments and result as `ragged_moe_mlp`, with at least one row and legal tiles.

    Args:
        x_sorted: (rows, d_model).
        w_gate: (n_experts, d_model, d_ff).
        w_up: as `w_gate`.
        w_down: (n_experts, d_ff, d_model).
        group_sizes: (n_experts,) integers.
        activation: the gate's nonlinearity.
        block_m: rows of a tile, a multiple of the sublanes that the dtype packs.
        block_f: hidden columns of a tile: `d_ff`, or a multiple of 128 that divides it.
        vmem_limit_bytes: what the compiler may use.
        interpret: `True`, or `pltpu.InterpretParams(...)` to check memory as well.
    """
    rows, d_model = x_sorted.shape
    n_experts, _, d_ff = w_gate.shape
    f_tiles = d_ff // block_f

    def row_tile(visit: jax.Array, _: jax.Array, *prefetched: Ref) -> tuple[jax.Array, ...]:
        return RowTileVisits(*prefetched).tiles[visit], jnp.int32(0)

    def column_tile(visit: jax.Array, f_tile: jax.Array, *prefetched: Ref) -> tuple[jax.Array, ...]:
        expert, f_tile = weight_tile(RowTileVisits(*prefetched), visit, f_tile, n_experts, f_tiles)
        return expert, jnp.int32(0), f_tile

    def down_tile(visit: jax.Array, f_tile: jax.Array, *prefetched: Ref) -> tuple[jax.Array, ...]:
        expert, f_tile = weight_tile(RowTileVisits(*prefetched), visit, f_tile, n_experts, f_tiles)
        return expert, f_tile, jnp.int32(0)

    columns = pl.BlockSpec((None, d_model, block_f), column_tile)
    call = pl.pallas_call(
        partial(_kernel, activation=activation, n_experts=n_experts, block_m=block_m),
        out_shape=jax.ShapeDtypeStruct((rows, d_model), x_sorted.dtype),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=4,
            grid=(max_visits(rows, block_m, n_experts), f_tiles),
            in_specs=[
                pl.BlockSpec((block_m, d_model), row_tile),
                columns,
                columns,
                pl.BlockSpec((None, block_f, d_model), down_tile),
            ],
            out_specs=pl.BlockSpec((block_m, d_model), row_tile),
            scratch_shapes=[pltpu.VMEM((block_m, d_model), jnp.float32)],
        ),
        compiler_params=pltpu.CompilerParams(
            dimension_semantics=("arbitrary", "arbitrary"), vmem_limit_bytes=vmem_limit_bytes
        ),
        interpret=interpret,
        name="fused_moe_mlp",
    )
    return call(*row_tile_visits(group_sizes, rows, block_m), x_sorted, w_gate, w_up, w_down)
