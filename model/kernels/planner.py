"""What the fused expert MLP needs and saves, one function a quantity: on-chip memory, HBM traffic, time, speed-up.

Each function is a node: its name is the quantity, its parameters are other quantities or these knobs.

| knob | unit | meaning |
|---|---|---|
| `moe_tokens` | token | tokens that enter the layer on this chip |
| `active_experts` | 1 | experts that each token is routed to (top-k) |
| `n_experts` | 1 | experts whose weights this chip holds |
| `d_model`, `d_expert` | 1 | width of the model and of one expert's hidden layer |
| `element_bytes` | B | bytes of an activation or weight: 2 for bf16, 4 for float32 |
| `block_m`, `block_f` | 1 | rows and hidden columns of a tile; `block_f = d_expert` is the whole-weight strategy |
| `mxu_rows` | 1 | side of a matrix unit: 128, on a TPU v6e 256 |
| `pipeline_buffers` | 1 | copies that the pipeline keeps of each block in VMEM (2: one computes, one loads) |
| `vmem_limit` | B | VMEM that the compiler may use |
| `peak_flops`, `hbm_bandwidth` | FLOP/s, B/s | of the chip |
| `matmul_efficiency` | 1 | share of the peak that the fused kernel's matmuls reach |
| `ragged_dot_efficiency` | 1 | rate of `ragged_dot`'s matmuls over the fused kernel's |

Tile counts are continuous here, so that they can be differentiated: they are exact where `block_m` divides the rows.
The sizes in VMEM are exact for blocks of whole (8, 128) registers; `model.kernels.tiles` rounds up before it asks.
Only scalar arithmetic is used, so arrays broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from types import MappingProxyType
from typing import Any

import dags
import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from model.binding import binding_max

Scalar = Any
"""A float, an array or a tracer; float64 in the graph."""

FLOAT32_BYTES = 4
INT32_BYTES = 4


def routed_rows(moe_tokens: Scalar, active_experts: Scalar) -> Scalar:
    """Rows of the sorted activations, m: every token once an expert it is routed to. Unit: 1."""
    return moe_tokens * active_experts


def rows_per_expert(routed_rows: Scalar, n_experts: Scalar) -> Scalar:
    """Mean size of a group, m/E. Unit: 1."""
    return routed_rows / n_experts


def occupied_experts(routed_rows: Scalar, n_experts: Scalar) -> Scalar:
    """Most experts that can own a row: all of them, or one a row. Unit: 1."""
    return jnp.minimum(n_experts, routed_rows)


def row_tile_visits(routed_rows: Scalar, occupied_experts: Scalar, block_m: Scalar) -> Scalar:
    """Visits of row tiles, at most: each tile once, and once more for each border between experts. Unit: 1.

    Sizes that are multiples of `block_m` save the visits of the borders.
    """
    return jnp.maximum(routed_rows / block_m, 1.0) + occupied_experts - 1.0


def padded_rows(row_tile_visits: Scalar, block_m: Scalar, mxu_rows: Scalar) -> Scalar:
    """Rows for which the matrix units are busy: a visit costs a whole tile, however few rows it owns. Unit: 1.

    A unit takes as many cycles to load a square of weights as it has rows, so a tile of fewer rows costs as much.
    """
    return row_tile_visits * jnp.maximum(block_m, mxu_rows)


def expert_weight_bytes(d_model: Scalar, d_expert: Scalar, element_bytes: Scalar) -> Scalar:
    """Gate, up and down matrices of one expert, 3 d f elements. Unit: B."""
    return 3 * d_model * d_expert * element_bytes


def fused_token_tile_bytes(block_m: Scalar, d_model: Scalar, element_bytes: Scalar) -> Scalar:
    """One row tile of the input, or of the output. Unit: B."""
    return block_m * d_model * element_bytes


def fused_weight_tile_bytes(d_model: Scalar, block_f: Scalar, element_bytes: Scalar) -> Scalar:
    """Tiles of an expert's gate, up and down matrices of one step, 3 d block_f elements. Unit: B."""
    return 3 * d_model * block_f * element_bytes


def fused_accumulator_bytes(block_m: Scalar, d_model: Scalar) -> Scalar:
    """The float32 sum over hidden columns of a row tile. Unit: B."""
    return block_m * d_model * FLOAT32_BYTES


def fused_hidden_tile_bytes(block_m: Scalar, block_f: Scalar, element_bytes: Scalar) -> Scalar:
    """Gate and up of a step in float32 and their product as the down projection reads it. Unit: B."""
    return block_m * block_f * (2 * FLOAT32_BYTES + element_bytes)


def fused_vmem_need(
    fused_token_tile_bytes: Scalar,
    fused_weight_tile_bytes: Scalar,
    fused_accumulator_bytes: Scalar,
    fused_hidden_tile_bytes: Scalar,
    pipeline_buffers: Scalar,
) -> Scalar:
    """VMEM of the fused kernel: buffered blocks, accumulator and the hidden tile. Unit: B."""
    blocks = 2 * fused_token_tile_bytes + fused_weight_tile_bytes
    return pipeline_buffers * blocks + fused_accumulator_bytes + fused_hidden_tile_bytes


def fused_vmem_headroom(fused_vmem_need: Scalar, vmem_limit: Scalar) -> Scalar:
    """VMEM left of the limit; negative is the shortfall. Unit: B."""
    return vmem_limit - fused_vmem_need


def fused_smem_need(row_tile_visits: Scalar, n_experts: Scalar) -> Scalar:
    """SMEM of the prefetched scalars: expert and tile of each visit, and the groups' borders. Unit: B."""
    return INT32_BYTES * (2 * row_tile_visits + n_experts + 3)


def ragged_dot_traffic(
    routed_rows: Scalar, d_model: Scalar, d_expert: Scalar, element_bytes: Scalar, occupied_experts: Scalar
) -> Scalar:
    """HBM traffic of one `ragged_dot`, gate, up or down: its rows in and out and each matrix once. Unit: B.

    The least that it can be, so the comparison is kind to `ragged_dot`.
    """
    return (routed_rows * (d_model + d_expert) + occupied_experts * d_model * d_expert) * element_bytes


def gating_traffic(routed_rows: Scalar, d_expert: Scalar, element_bytes: Scalar) -> Scalar:
    """HBM traffic of the activation between `ragged_dot`s: gate and up in, hidden out, 3 m f elements. Unit: B."""
    return 3 * routed_rows * d_expert * element_bytes


def unfused_moe_traffic(ragged_dot_traffic: Scalar, gating_traffic: Scalar) -> Scalar:
    """HBM traffic of three `ragged_dot`s and the activation between them. Unit: B."""
    return 3 * ragged_dot_traffic + gating_traffic


def weight_passes(row_tile_visits: Scalar, occupied_experts: Scalar, block_f: Scalar, d_expert: Scalar) -> Scalar:
    """Readings of an expert's weights: one an expert if they stay in VMEM whole, else one a visit. Unit: 1."""
    return jnp.where(block_f >= d_expert, occupied_experts, row_tile_visits)


def fused_moe_traffic(
    routed_rows: Scalar, d_model: Scalar, element_bytes: Scalar, weight_passes: Scalar, expert_weight_bytes: Scalar
) -> Scalar:
    """HBM traffic of the fused kernel: rows in, rows out, and the weights as often as they are read. Unit: B."""
    return 2 * routed_rows * d_model * element_bytes + weight_passes * expert_weight_bytes


def fusion_saved_traffic(routed_rows: Scalar, d_model: Scalar, d_expert: Scalar, element_bytes: Scalar) -> Scalar:
    """Traffic that fusion removes: 6 m f elements of gate, up and hidden, and one reading of the rows. Unit: B."""
    return routed_rows * (6 * d_expert + d_model) * element_bytes


def fusion_reread_traffic(weight_passes: Scalar, occupied_experts: Scalar, expert_weight_bytes: Scalar) -> Scalar:
    """Traffic that fusion adds: weights read again for every further row tile. Unit: B."""
    return (weight_passes - occupied_experts) * expert_weight_bytes


def fused_moe_time(
    padded_rows: Scalar,
    d_model: Scalar,
    d_expert: Scalar,
    fused_moe_traffic: Scalar,
    peak_flops: Scalar,
    matmul_efficiency: Scalar,
    hbm_bandwidth: Scalar,
) -> Scalar:
    """Roofline of the fused kernel, forward. Unit: s."""
    return binding_max(
        compute=6 * padded_rows * d_model * d_expert / (peak_flops * matmul_efficiency),
        traffic=fused_moe_traffic / hbm_bandwidth,
    )


def ragged_dot_time(
    routed_rows: Scalar,
    d_model: Scalar,
    d_expert: Scalar,
    ragged_dot_traffic: Scalar,
    peak_flops: Scalar,
    matmul_efficiency: Scalar,
    ragged_dot_efficiency: Scalar,
    hbm_bandwidth: Scalar,
) -> Scalar:
    """Roofline of one `ragged_dot` over its useful rows; what its own tiles cost is in its efficiency. Unit: s."""
    return binding_max(
        compute=2 * routed_rows * d_model * d_expert / (peak_flops * matmul_efficiency * ragged_dot_efficiency),
        traffic=ragged_dot_traffic / hbm_bandwidth,
    )


def gating_time(gating_traffic: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """The activation as an operation of its own: a few FLOPs an element, so traffic is all of it. Unit: s."""
    return gating_traffic / hbm_bandwidth


def unfused_moe_time(ragged_dot_time: Scalar, gating_time: Scalar) -> Scalar:
    """Three `ragged_dot`s and the activation, one after the other, forward. Unit: s."""
    return 3 * ragged_dot_time + gating_time


def fused_moe_speedup(unfused_moe_time: Scalar, fused_moe_time: Scalar) -> Scalar:
    """How much faster the fused forward pass is than three `ragged_dot`s; below 1 it is slower. Unit: 1."""
    return unfused_moe_time / fused_moe_time


QUANTITIES: Mapping[str, Callable[..., Scalar]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            routed_rows,
            rows_per_expert,
            occupied_experts,
            row_tile_visits,
            padded_rows,
            expert_weight_bytes,
            fused_token_tile_bytes,
            fused_weight_tile_bytes,
            fused_accumulator_bytes,
            fused_hidden_tile_bytes,
            fused_vmem_need,
            fused_vmem_headroom,
            fused_smem_need,
            ragged_dot_traffic,
            gating_traffic,
            unfused_moe_traffic,
            weight_passes,
            fused_moe_traffic,
            fusion_saved_traffic,
            fusion_reread_traffic,
            fused_moe_time,
            ragged_dot_time,
            gating_time,
            unfused_moe_time,
            fused_moe_speedup,
        )
    }
)
"""Every quantity of this module by name, in the order of the text."""


@cache
def _inputs(targets: tuple[str, ...], given: frozenset[str]) -> frozenset[str]:
    """Names that the targets depend on and that no function here computes."""
    inputs: frozenset[str] = frozenset()
    for name in targets:
        if name in given or name not in QUANTITIES:
            inputs |= {name}
        else:
            inputs |= _inputs(tuple(signature(QUANTITIES[name]).parameters), given)
    return inputs


@cache
def _assembled(targets: tuple[str, ...], given: frozenset[str]) -> Callable[..., dict[str, Scalar]]:
    functions = {name: function for name, function in QUANTITIES.items() if name not in given}
    return dags.concatenate_functions(
        functions=functions, targets=list(targets), return_type="dict", enforce_signature=False
    )


def evaluate(*targets: str, **knobs: ArrayLike) -> dict[str, Scalar]:
    """Return the target quantities by name.

    Args:
        targets: names of `QUANTITIES`.
        knobs: every knob that a target depends on; arrays broadcast. A quantity may be given in place of its knobs.

    Raises:
        ValueError: a knob is missing.
    """
    given = frozenset(knobs)
    missing = _inputs(targets, given) - given
    if missing:
        raise ValueError(f"{', '.join(targets)}: missing {', '.join(sorted(missing))}")
    return _assembled(targets, given)(**knobs)


def elasticities(target: str, **knobs: float) -> dict[str, float]:
    """Return d log(target) / d log(knob) at a point, by automatic differentiation; `knobs` as in `evaluate`."""

    def value(point: dict[str, float]) -> Scalar:
        return evaluate(target, **point)[target]

    at, slopes = jax.value_and_grad(value)({name: float(knob) for name, knob in knobs.items()})
    return {name: float(slope * knobs[name] / at) for name, slope in slopes.items()}
