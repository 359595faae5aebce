"""The fused expert MLP on a GPU (Pallas, Triton): one program a visit of a row tile, the output tile in registers.

Programs run in any order, so each stores its own rows of a shared tile and nothing is accumulated between them. The
whole width of the model sits in a program's registers, which is what bounds it (`model.kernels.tiles`).
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from model.kernels.reference import ACTIVATIONS, Activation, matmul_precision
from model.kernels.visits import max_visits, row_tile_visits

Ref = Any
"""An array in global memory, as Pallas hands it to a kernel."""


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
    *,
    activation: Activation,
    block_m: int,
    block_f: int,
) -> None:
    visit = pl.program_id(0)
    n_experts, d_model, d_ff = w_gate.shape
    dot = partial(jnp.dot, precision=matmul_precision(x.dtype), preferred_element_type=jnp.float32)

    @pl.when(visit < n_visits[0])
    def _visit() -> None:
        group, first = groups[visit], tiles[visit] * block_m
        expert = jnp.minimum(group, n_experts - 1)
        row = first + jnp.arange(block_m, dtype=jnp.int32)
        owned = ((row >= offsets[group]) & (row < offsets[group + 1]))[:, None]
        window = row[:, None], jnp.arange(d_model, dtype=jnp.int32)[None, :]
        rows = plgpu.load(x.at[window], mask=owned, other=0)

        def add_tile(f_tile: jax.Array, total: jax.Array) -> jax.Array:
            columns, width = pl.ds(f_tile * block_f, block_f), pl.ds(jnp.int32(0), d_model)
            gate, up = (plgpu.load(weight.at[expert, width, columns]) for weight in (w_gate, w_up))
            hidden = ACTIVATIONS[activation](dot(rows, gate)) * dot(rows, up)
            return total + dot(hidden.astype(x.dtype), plgpu.load(w_down.at[expert, columns, width]))

        f_tiles = jnp.where(group < n_experts, d_ff // block_f, 0).astype(jnp.int32)
        total = jax.lax.fori_loop(jnp.int32(0), f_tiles, add_tile, jnp.zeros((block_m, d_model), jnp.float32))
        plgpu.store(out.at[window], total.astype(out.dtype), mask=owned)


def triton_moe_mlp(
    x_sorted: jax.Array,
    w_gate: jax.Array,
    w_up: jax.Array,
    w_down: jax.Array,
    group_sizes: jax.Array,
    *,
    activation: Activation,
    block_m: int,
    block_f: int,
    interpret: bool = False,
) -> jax.Array:
    """Run the kernel; arguments and result as `ragged_moe_mlp`, with at least one row and legal tiles.

    Args:
        x_sorted: (rows, d_model), d_model a power of two.
        w_gate: (n_experts, d_model, d_ff).
        w_up: as `w_gate`.
        w_down: (n_experts, d_ff, d_model).
        group_sizes: (n_experts,) integers.
        activation: the gate's nonlinearity.
        block_m: rows of a tile, a power of two.
        block_f: hidden columns of a step, a power of two that divides `d_ff`.
        interpret: run on any device, as semantics only.
    """
    rows = x_sorted.shape[0]
    call = pl.pallas_call(
        partial(_kernel, activation=activation, block_m=block_m, block_f=block_f),
        out_shape=jax.ShapeDtypeStruct(x_sorted.shape, x_sorted.dtype),
        grid=(max_visits(rows, block_m, group_sizes.size),),
        compiler_params=plgpu.CompilerParams(num_warps=4, num_stages=2),
        interpret=interpret,
        name="fused_moe_mlp",
    )
    return call(*row_tile_visits(group_sizes, rows, block_m), x_sorted, w_gate, w_up, w_down)
