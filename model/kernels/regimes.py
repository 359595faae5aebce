"""Where fusion pays, over widths and rows per expert, and why: arrays for a map and words for each of its regimes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

import numpy as np
from jax.typing import ArrayLike

from model.kernels.planner import evaluate
from model.kernels.tiles import MXU_ROWS, Problem, column_tiles, rank_tiles, row_tiles
from model.knobs.kernel import PIPELINE_BUFFERS, SMEM_LIMIT, VMEM_LIMIT

Regime = Literal[
    "saved traffic", "slower ragged_dot", "one set of weights", "padded tiles", "weights read again", "does not fit"
]
"""What decides a cell; `WHY` says it in words."""

LITTLE = 0.1
"""Share of the fused kernel's traffic below which what fusion saves is called little."""

REGIMES: tuple[Regime, ...] = get_args(Regime)

WHY: dict[Regime, str] = {
    "saved traffic": "Fusion pays: gate, up and hidden activations stay on chip, which saves more than it costs.",
    "slower ragged_dot": "Fusion pays only because of the declared rate of ragged_dot; at equal rates it would not.",
    "one set of weights": "Both read every expert's weights once and little else, so there is little to save.",
    "padded tiles": "Fusion loses: groups fill their row tiles badly, and matrix units work on other experts' rows.",
    "weights read again": "Fusion loses: an expert's matrices do not fit in VMEM and are read again for each row tile.",
    "does not fit": "No legal tiles of the fused kernel fit in VMEM.",
}


@dataclass(frozen=True)
class RegimeMap:
    """The map; arrays have shape (rows per expert, d_model, d_expert) in the order of the axes.

    `speedup` is NaN where nothing fits and `shortfall` holds the missing bytes there, 0 elsewhere. `regime` indexes
    `REGIMES`. `block_m` and `block_f` are the chosen tiles; where nothing fits, those that miss the memory by least.
    """

    rows_per_expert: np.ndarray
    d_model: np.ndarray
    d_expert: np.ndarray
    speedup: np.ndarray
    regime: np.ndarray
    block_m: np.ndarray
    block_f: np.ndarray
    shortfall: np.ndarray

    def why(self, *cell: int) -> str:
        """Return the reason of one cell in words."""
        return WHY[REGIMES[self.regime[cell]]]


def regime_map(
    *,
    rows_per_expert: Sequence[float],
    d_model: Sequence[int],
    d_expert: Sequence[int],
    n_experts: int,
    element_bytes: int,
    peak_flops: float,
    hbm_bandwidth: float,
    ragged_dot_efficiency: float,
    matmul_efficiency: float = 1.0,
    vmem_limit: float = VMEM_LIMIT,
    mxu_rows: float = MXU_ROWS,
    pipeline_buffers: float = PIPELINE_BUFFERS,
) -> RegimeMap:
    """Predict the forward speed-up of fusion in every cell, each with the tiles that the chooser takes there.

    Args:
        rows_per_expert: mean sizes of a group; all experts together have a whole number of rows, one at least.
        d_model: widths of the model.
        d_expert: hidden widths of an expert.
        n_experts: experts on the chip.
        element_bytes: 2 for bf16, 4 for float32.
        peak_flops: FLOP/s of the chip.
        hbm_bandwidth: B/s of the chip.
        ragged_dot_efficiency: rate of `ragged_dot`'s matmuls over the fused kernel's.
        matmul_efficiency: share of the peak that the fused kernel's matmuls reach.
        vmem_limit: B of VMEM that the kernel may use.
        mxu_rows: side of a matrix unit.
        pipeline_buffers: copies of each block in VMEM.
    """
    axes = (np.array(rows_per_expert), np.array(d_model), np.array(d_expert))
    shape = tuple(axis.size for axis in axes)
    counts = [max(1, round(float(rows) * n_experts)) for rows in axes[0]]
    problems = [
        Problem(rows, int(width), int(hidden), n_experts, element_bytes)
        for rows, width, hidden in product(counts, axes[1], axes[2])
    ]
    row_blocks = {rows: row_tiles(problem) for rows, problem in {each.rows: each for each in problems}.items()}
    best = rank_tiles(
        problems,
        [(row_blocks[problem.rows], column_tiles(problem.d_expert)) for problem in problems],
        vmem_limit=vmem_limit,
        smem_limit=SMEM_LIMIT,
        flops_per_byte=peak_flops * matmul_efficiency / hbm_bandwidth,
        mxu_rows=mxu_rows,
        pipeline_buffers=pipeline_buffers,
    )
    block_m, block_f, shortfall = (each.reshape(shape) for each in (best.block_m, best.block_f, best.shortfall))
    fits = shortfall == 0
    rows, width, hidden = np.meshgrid(
        np.array(counts, float), *(axis.astype(float) for axis in axes[1:]), indexing="ij"
    )
    knobs = {
        "routed_rows": rows,
        "d_model": width,
        "expert_width": hidden,
        "local_experts": float(n_experts),
        "element_bytes": float(element_bytes),
        "block_m": block_m.astype(float),
        "block_f": block_f.astype(float),
        "mxu_width": float(mxu_rows),
        "peak_flops": peak_flops,
        "hbm_bandwidth": hbm_bandwidth,
        "matmul_efficiency": matmul_efficiency,
    }
    speedup = np.asarray(
        evaluate("fused_moe_speedup", **knobs, ragged_dot_efficiency=ragged_dot_efficiency)["fused_moe_speedup"]
    )
    regime = np.where(fits, _regimes(knobs, speedup), REGIMES.index("does not fit"))
    return RegimeMap(*axes, np.where(fits, speedup, np.nan), regime, block_m, block_f, shortfall)


def _regimes(knobs: Mapping[str, ArrayLike], speedup: np.ndarray) -> np.ndarray:
    """Index into `REGIMES` what decides each cell that fits; the first that holds."""
    names = (
        "fused_moe_traffic",
        "fused_moe_time",
        "fusion_saved_traffic",
        "fusion_reread_traffic",
        "fused_moe_speedup",
    )
    traffic, time, saved, reread, at_equal_rates = (
        np.asarray(value) for value in evaluate(*names, **knobs, ragged_dot_efficiency=1.0).values()
    )
    # NumPy and XLA may round the same quotient differently.
    traffic_bound = traffic / np.asarray(knobs["hbm_bandwidth"]) >= time * (1 - 1e-9)
    decided: dict[Regime, np.ndarray] = {
        "one set of weights": traffic_bound & (reread == 0) & (saved < LITTLE * traffic),
        "saved traffic": at_equal_rates > 1,
        "slower ragged_dot": speedup > 1,
        "weights read again": traffic_bound & (reread > 0),
    }
    return np.select(list(decided.values()), [REGIMES.index(name) for name in decided], REGIMES.index("padded tiles"))
