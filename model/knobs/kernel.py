"""Knobs of one call of the fused expert MLP: its rows, its tiles, and what the kernel may use."""

import param

from model.knobs.declare import Number

VMEM_LIMIT = 16 * 2**20
"""B; the whole VMEM of the smallest TPU core that JAX describes, so it is there on every generation."""
SMEM_LIMIT = 2**20
"""B; the scalar memory of a TPU core from v4 on, as JAX describes it."""
PIPELINE_BUFFERS = 2


class Kernel(param.Parameterized):
    """One mixture layer on one chip, forward, for the chapter on kernel fusion."""

    moe_tokens = Number(
        8192,
        bounds=(1, 1e9),
        unit="tokens",
        symbol="B_moe",
        integer=True,
        label="Tokens",
        doc="Tokens that enter the mixture layer on this chip.",
    )
    expert_shards = Number(
        1,
        bounds=(1, 8192),
        unit="shards",
        symbol="X_e",
        integer=True,
        label="Expert shards",
        doc="Chips that share the experts of a layer; each holds E/X_e of them.",
    )
    element_bytes = Number(
        2,
        bounds=(1, 4),
        unit="B",
        symbol="b_k",
        scale="linear",
        names={"bf16": 2.0, "fp32": 4.0},
        label="Element",
        doc="Bytes of one activation or weight of the kernel: 2 for bf16, 4 for float32.",
    )
    block_m = Number(
        32,
        bounds=(8, 65536),
        unit="rows",
        symbol="B_m",
        integer=True,
        label="Row tile",
        doc="Rows of one tile; a TPU wants whole registers: multiples of 16 in bf16, of 8 in float32.",
    )
    block_f = Number(
        128,
        bounds=(16, 4e6),
        unit="elements",
        symbol="B_f",
        integer=True,
        label="Column tile",
        doc="Hidden columns of one tile: a multiple of 128 that divides the expert's width, or all of it.",
    )
    pipeline_buffers = Number(
        PIPELINE_BUFFERS,
        bounds=(1, 4),
        unit="copies",
        symbol="n_buf",
        scale="linear",
        integer=True,
        label="Buffers",
        doc="Copies of each block in VMEM; 2: one computes while the next loads.",
    )
    vmem_limit = Number(
        VMEM_LIMIT,
        bounds=(1e5, 1e12),
        unit="B",
        symbol="M_lim",
        label="VMEM limit",
        doc="Bytes of VMEM that the compiler may give the kernel; 16 MiB is there on every TPU.",
    )
    ragged_dot_efficiency = Number(
        0.654,
        bounds=(0.01, 2.0),
        unit="1",
        symbol="eta_rd",
        scale="linear",
        label="ragged_dot rate",
        doc="Rate of ragged_dot's matmuls over the fused kernel's; the default is fitted to one published row.",
    )
