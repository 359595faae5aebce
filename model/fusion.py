"""The fused expert MLP against three `ragged_dot`s: on-chip memory, HBM traffic, time and speed-up, forward, on a TPU.

Tile counts are continuous, so that they can be differentiated: exact where `block_m` divides the rows. Sizes in VMEM
are exact for blocks of whole (8, 128) registers; `model.kernels.tiles` rounds up before it asks. `ragged_dot` gets the
least traffic that it can have; all else that its tiles cost is in its declared efficiency. Arrays broadcast.
"""

import jax.numpy as jnp

from model.binding import binding_max
from model.graph import Scalar, quantity


@quantity(label="Local experts", symbol="E_loc", unit="experts")
def local_experts(n_experts: Scalar, expert_shards: Scalar) -> Scalar:
    """Experts whose weights this chip holds."""
    return n_experts / expert_shards


@quantity(label="Hidden width, an expert", symbol="F_k", unit="elements")
def expert_width(n_experts: Scalar, d_expert: Scalar, d_ff: Scalar) -> Scalar:
    """Hidden columns of one expert; a dense MLP is one expert of width F."""
    return jnp.where(n_experts > 1, d_expert, d_ff)


@quantity(label="Routed rows", symbol="m", unit="rows")
def routed_rows(moe_tokens: Scalar, active_experts: Scalar) -> Scalar:
    """Rows of the sorted activations: every token once an expert that it is routed to."""
    return moe_tokens * active_experts


@quantity(label="Rows an expert", symbol="m/E_loc", unit="rows")
def rows_per_expert(routed_rows: Scalar, local_experts: Scalar) -> Scalar:
    """Mean size of a group."""
    return routed_rows / local_experts


@quantity(label="Occupied experts", symbol="E_occ", unit="experts")
def occupied_experts(routed_rows: Scalar, local_experts: Scalar) -> Scalar:
    """Most experts that can own a row: all of them, or one a row."""
    return jnp.where(routed_rows < local_experts, routed_rows, local_experts)


@quantity(label="Row tiles", symbol="n_tiles", unit="tiles")
def row_tiles(routed_rows: Scalar, block_m: Scalar) -> Scalar:
    """Tiles that hold all rows, one at least."""
    return jnp.where(routed_rows > block_m, routed_rows / block_m, 1.0)


@quantity(label="Row tile visits", symbol="n_visits", unit="visits")
def row_tile_visits(row_tiles: Scalar, occupied_experts: Scalar) -> Scalar:
    """Visits at most: each tile once, and once more for each border between experts.

    Group sizes that are multiples of the tile save the visits of the borders.
    """
    return row_tiles + occupied_experts - 1


@quantity(label="Padded rows", symbol="m_pad", unit="rows")
def padded_rows(row_tile_visits: Scalar, block_m: Scalar, mxu_width: Scalar) -> Scalar:
    """Rows for which the matrix units are busy: a visit costs a whole tile, however few rows it owns.

    A unit takes as many cycles to load a square of weights as it has rows, so a tile of fewer rows costs as much.
    """
    return row_tile_visits * jnp.where(block_m < mxu_width, mxu_width, block_m)


@quantity(label="Expert weights", symbol="Q_expert", unit="B")
def expert_weight_bytes(d_model: Scalar, expert_width: Scalar, element_bytes: Scalar) -> Scalar:
    """Gate, up and down matrices of one expert: 3DF elements."""
    return 3 * d_model * expert_width * element_bytes


@quantity(label="Token tile", symbol="M_rows", unit="B")
def fused_token_tile_bytes(block_m: Scalar, d_model: Scalar, element_bytes: Scalar) -> Scalar:
    """One row tile of the input, or of the output."""
    return block_m * d_model * element_bytes


@quantity(label="Weight tiles", symbol="M_w", unit="B")
def fused_weight_tile_bytes(d_model: Scalar, block_f: Scalar, element_bytes: Scalar) -> Scalar:
    """Tiles of gate, up and down of one step."""
    return 3 * d_model * block_f * element_bytes


@quantity(label="Accumulator", symbol="M_acc", unit="B")
def fused_accumulator_bytes(block_m: Scalar, d_model: Scalar) -> Scalar:
    """Sum over hidden columns of a row tile, in float32."""
    return 4 * block_m * d_model


@quantity(label="Hidden tile", symbol="M_hidden", unit="B")
def fused_hidden_tile_bytes(block_m: Scalar, block_f: Scalar, element_bytes: Scalar) -> Scalar:
    """Gate and up of a step in float32, and their product as the down projection reads it."""
    return block_m * block_f * (2 * 4 + element_bytes)


@quantity(label="VMEM need", symbol="M_need", unit="B")
def fused_vmem_need(
    fused_token_tile_bytes: Scalar,
    fused_weight_tile_bytes: Scalar,
    fused_accumulator_bytes: Scalar,
    fused_hidden_tile_bytes: Scalar,
    pipeline_buffers: Scalar,
) -> Scalar:
    """VMEM of the fused kernel: buffered blocks, accumulator and hidden tile."""
    blocks = 2 * fused_token_tile_bytes + fused_weight_tile_bytes
    return pipeline_buffers * blocks + fused_accumulator_bytes + fused_hidden_tile_bytes


@quantity(label="VMEM headroom", symbol="M_left", unit="B")
def fused_vmem_headroom(fused_vmem_need: Scalar, vmem_limit: Scalar) -> Scalar:
    """VMEM left of the limit; negative is the shortfall."""
    return vmem_limit - fused_vmem_need


@quantity(label="SMEM need", symbol="M_smem", unit="B")
def fused_smem_need(row_tile_visits: Scalar, local_experts: Scalar) -> Scalar:
    """Scalar memory of the prefetched integers: expert and tile of each visit, and the groups' borders."""
    return 4 * (2 * row_tile_visits + local_experts + 3)


@quantity(label="ragged_dot traffic", symbol="Q_rd", unit="B", standing="lower bound")
def ragged_dot_traffic(
    routed_rows: Scalar, d_model: Scalar, expert_width: Scalar, element_bytes: Scalar, occupied_experts: Scalar
) -> Scalar:
    """HBM traffic of gate, up or down alone: its rows in and out, and each matrix once."""
    return (routed_rows * (d_model + expert_width) + occupied_experts * d_model * expert_width) * element_bytes


@quantity(label="Activation traffic", symbol="Q_act", unit="B")
def gating_traffic(routed_rows: Scalar, expert_width: Scalar, element_bytes: Scalar) -> Scalar:
    """HBM traffic between the matmuls: gate and up in, hidden out."""
    return 3 * routed_rows * expert_width * element_bytes


@quantity(label="Unfused traffic", symbol="Q_unfused", unit="B", standing="lower bound")
def unfused_moe_traffic(ragged_dot_traffic: Scalar, gating_traffic: Scalar) -> Scalar:
    """HBM traffic of three `ragged_dot`s and the activation between them."""
    return 3 * ragged_dot_traffic + gating_traffic


@quantity(label="Weight rereads", symbol="n_again", unit="readings")
def weight_rereads(row_tiles: Scalar, block_f: Scalar, expert_width: Scalar) -> Scalar:
    """Readings of an expert's weights beyond the first: none if they stay in VMEM whole, else one a further visit."""
    return jnp.where(block_f < expert_width, row_tiles - 1, 0.0)


@quantity(label="Weight passes", symbol="n_w", unit="readings")
def weight_passes(occupied_experts: Scalar, weight_rereads: Scalar) -> Scalar:
    """Readings of one expert's weights, over all experts."""
    return occupied_experts + weight_rereads


@quantity(label="Fused traffic", symbol="Q_fused", unit="B")
def fused_moe_traffic(
    routed_rows: Scalar, d_model: Scalar, element_bytes: Scalar, weight_passes: Scalar, expert_weight_bytes: Scalar
) -> Scalar:
    """HBM traffic of the fused kernel: rows in, rows out, and the weights as often as they are read."""
    return 2 * routed_rows * d_model * element_bytes + weight_passes * expert_weight_bytes


@quantity(label="Traffic saved", symbol="Q_saved", unit="B")
def fusion_saved_traffic(routed_rows: Scalar, d_model: Scalar, expert_width: Scalar, element_bytes: Scalar) -> Scalar:
    """Traffic that fusion removes: gate, up and hidden out and in again, and one reading of the rows."""
    return routed_rows * (6 * expert_width + d_model) * element_bytes


@quantity(label="Traffic of rereads", symbol="Q_again", unit="B")
def fusion_reread_traffic(weight_rereads: Scalar, expert_weight_bytes: Scalar) -> Scalar:
    """Traffic that fusion adds: weights read again for every further row tile."""
    return weight_rereads * expert_weight_bytes


@quantity(label="Fused kernel time", symbol="T_fused", unit="s", standing="lower bound")
def fused_moe_time(
    padded_rows: Scalar,
    d_model: Scalar,
    expert_width: Scalar,
    fused_moe_traffic: Scalar,
    peak_flops: Scalar,
    matmul_efficiency: Scalar,
    hbm_bandwidth: Scalar,
) -> Scalar:
    """Roofline of the fused kernel over its padded rows."""
    return binding_max(
        math=6 * padded_rows * d_model * expert_width / (peak_flops * matmul_efficiency),
        memory=fused_moe_traffic / hbm_bandwidth,
    )


@quantity(label="ragged_dot time", symbol="T_rd", unit="s", standing="estimate")
def ragged_dot_time(
    routed_rows: Scalar,
    d_model: Scalar,
    expert_width: Scalar,
    ragged_dot_traffic: Scalar,
    peak_flops: Scalar,
    matmul_efficiency: Scalar,
    ragged_dot_efficiency: Scalar,
    hbm_bandwidth: Scalar,
) -> Scalar:
    """Roofline of gate, up or down alone over its useful rows."""
    return binding_max(
        math=2 * routed_rows * d_model * expert_width / (peak_flops * matmul_efficiency * ragged_dot_efficiency),
        memory=ragged_dot_traffic / hbm_bandwidth,
    )


@quantity(label="Activation time", symbol="T_act", unit="s", standing="lower bound")
def gating_time(gating_traffic: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """The activation as an operation of its own: a few FLOPs an element, so traffic is all of it."""
    return gating_traffic / hbm_bandwidth


@quantity(label="Unfused time", symbol="T_unfused", unit="s", standing="estimate")
def unfused_moe_time(ragged_dot_time: Scalar, gating_time: Scalar) -> Scalar:
    """Three `ragged_dot`s and the activation, one after the other."""
    return 3 * ragged_dot_time + gating_time


@quantity(label="Speed-up of fusion", symbol="s_fused", unit="1", standing="estimate")
def fused_moe_speedup(unfused_moe_time: Scalar, fused_moe_time: Scalar) -> Scalar:
    """How much faster the fused forward pass is than three `ragged_dot`s; below 1 it is slower."""
    return unfused_moe_time / fused_moe_time
