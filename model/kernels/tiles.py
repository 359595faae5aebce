"""The largest legal tiles, or a refusal that says how much memory is short.

On a TPU the last two dimensions of a block are whole registers, (8, 128) words of 32 bits, or the array's own. A 16-bit
dtype packs two rows in a word, so its register holds 16 rows; an 8-bit dtype's holds 32.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np

from model.kernels.planner import evaluate
from model.knobs.kernel import PIPELINE_BUFFERS, SMEM_LIMIT, VMEM_LIMIT

Strategy = Literal["whole", "tiled"]
"""Whether an expert's matrices lie in VMEM whole (read once an expert) or pass through it in F tiles (once a visit)."""

LANES = 128
SUBLANES = 8
MXU_ROWS = 128
"""Side of the matrix unit of every TPU before v6e, whose is 256."""
FLOPS_PER_BYTE = 1.97e14 / 8.2e11
"""Peak over HBM bandwidth of a TPU v5e in bf16 as the book prints them; ranks tiles where no chip is given."""
_MAX_BLOCK_M = 1024


class DoesNotFit(ValueError):
    """No legal tiles exist; the message is one line with the shortfall and the mend. `shortfall` is in bytes."""

    def __init__(self, message: str, shortfall: int) -> None:
        super().__init__(message)
        self.shortfall = shortfall


@dataclass(frozen=True)
class Problem:
    """Shape of one call: sorted rows, widths of model and expert, experts, bytes of an element."""

    rows: int
    d_model: int
    d_expert: int
    n_experts: int
    element_bytes: int

    def knobs(self) -> dict[str, float]:
        """Return the shape by the names of the planner's quantities and knobs."""
        return {
            "routed_rows": float(self.rows),
            "d_model": float(self.d_model),
            "expert_width": float(self.d_expert),
            "local_experts": float(self.n_experts),
            "element_bytes": float(self.element_bytes),
        }


@dataclass(frozen=True)
class Tiles:
    """Tiles of one call, and the bytes of VMEM that they need (on a GPU, of registers and shared memory)."""

    block_m: int
    block_f: int
    strategy: Strategy
    memory_need: int


def sublane_packing(element_bytes: int) -> int:
    """Return the rows of one register: 8 of 4 bytes, 16 of 2, 32 of 1."""
    return SUBLANES * 4 // element_bytes


def round_up(value: int, multiple: int) -> int:
    """Return the least multiple that is not below the value."""
    return -(-value // multiple) * multiple


def row_tiles(problem: Problem) -> tuple[int, ...]:
    """Return the legal `block_m`, ascending: doublings of a register's rows, up to what holds every row."""
    sublanes = sublane_packing(problem.element_bytes)
    largest = min(round_up(problem.rows, sublanes), _MAX_BLOCK_M)
    doublings = (sublanes * 2**k for k in range(16))
    return tuple(sorted({largest, *(block for block in doublings if block <= largest)}))


@cache
def column_tiles(d_expert: int, strategy: Strategy | None = None) -> tuple[int, ...]:
    """Return the legal `block_f`, ascending: whole lanes that divide the hidden columns, or all of them at once."""
    tiled = () if strategy == "whole" else tuple(b for b in range(LANES, d_expert, LANES) if d_expert % b == 0)
    return tiled if strategy == "tiled" else (*tiled, d_expert)


def check_tiles(problem: Problem, block_m: int | None, block_f: int | None, strategy: Strategy | None) -> None:
    """Refuse blocks that a TPU can't address.

    Raises:
        ValueError: what is wrong, with the legal values.
    """
    sublanes = sublane_packing(problem.element_bytes)
    if block_m is not None and (block_m <= 0 or block_m % sublanes):
        raise ValueError(f"block_m={block_m} is not a multiple of {sublanes}, the rows of a register at this dtype")
    legal = column_tiles(problem.d_expert, strategy)
    if not legal:
        raise ValueError(
            f"strategy='tiled' needs an F tile below d_ff={problem.d_expert} that is a multiple of {LANES} and "
            "divides it; there is none: use 'whole' or pad d_ff"
        )
    if block_f is not None and block_f not in legal:
        raise ValueError(f"block_f={block_f} is not one of the legal F tiles {', '.join(map(str, legal))}")


@dataclass(frozen=True)
class Choices:
    """The best legal tiles of several problems, each an array of shape (problems,).

    `shortfall` is what the tiles need more than there is, in bytes of VMEM and SMEM; 0 where they fit.
    """

    block_m: np.ndarray
    block_f: np.ndarray
    vmem: np.ndarray
    smem: np.ndarray
    shortfall: np.ndarray


@jax.jit
def _score(
    shape: dict[str, jax.Array], block_m: jax.Array, block_f: jax.Array, chip: dict[str, float]
) -> dict[str, jax.Array]:
    """VMEM, SMEM, traffic and time of each candidate; blocks are rounded up to whole lanes where they take memory."""
    needs = evaluate(
        "fused_vmem_need",
        "fused_smem_need",
        d_model=jnp.ceil(shape["d_model"] / LANES) * LANES,
        block_m=block_m,
        block_f=jnp.ceil(block_f / LANES) * LANES,
        element_bytes=shape["element_bytes"],
        pipeline_buffers=chip["pipeline_buffers"],
        row_tile_visits=jnp.ceil(shape["routed_rows"] / block_m) + shape["local_experts"],
        local_experts=shape["local_experts"],
    )
    costs = evaluate("fused_moe_traffic", "fused_moe_time", **shape, **chip, block_m=block_m, block_f=block_f)
    return needs | costs


def rank_tiles(
    problems: Sequence[Problem],
    blocks: Sequence[tuple[tuple[int, ...], tuple[int, ...]]],
    *,
    vmem_limit: float,
    smem_limit: float,
    flops_per_byte: float,
    mxu_rows: float,
    pipeline_buffers: float,
) -> Choices:
    """Return the blocks of the least predicted time of each problem, or those that miss the memory by least.

    Equal times are ranked by traffic, then by grid steps, then by memory.

    Args:
        problems: shapes of the calls.
        blocks: the candidates of each problem, ascending: its row tiles and its column tiles.
        vmem_limit: B that the kernel may use.
        smem_limit: B of scalar memory.
        flops_per_byte: peak over HBM bandwidth of the chip.
        mxu_rows: side of its matrix unit.
        pipeline_buffers: copies of each block in VMEM.
    """
    cell = np.repeat(np.arange(len(blocks)), [len(rows) * len(columns) for rows, columns in blocks])
    block_m = np.concatenate([np.repeat(np.asarray(rows, float), len(columns)) for rows, columns in blocks])
    block_f = np.concatenate([np.asarray(columns * len(rows), float) for rows, columns in blocks])
    # The last candidate is repeated up to a power of two, so that few shapes are compiled.
    rest = (0, (1 << (len(cell) - 1).bit_length()) - len(cell))
    cell, block_m, block_f = (np.pad(each, rest, mode="edge") for each in (cell, block_m, block_f))
    knobs = [problem.knobs() for problem in problems]
    shape = {name: np.array([each[name] for each in knobs])[cell] for name in knobs[0]}
    chip = {"peak_flops": flops_per_byte, "hbm_bandwidth": 1.0, "matmul_efficiency": 1.0}
    chip |= {"mxu_width": float(mxu_rows), "pipeline_buffers": float(pipeline_buffers)}
    with jax.ensure_compile_time_eval():
        score = {name: np.asarray(each) for name, each in _score(shape, block_m, block_f, chip).items()}
    vmem, smem = score["fused_vmem_need"], score["fused_smem_need"]
    short = np.maximum(vmem - vmem_limit, 0) + np.maximum(smem - smem_limit, 0)
    steps = (shape["routed_rows"] / block_m + shape["local_experts"]) * (shape["expert_width"] / block_f)
    order = np.lexsort((vmem, steps, score["fused_moe_traffic"], score["fused_moe_time"], short, cell))
    best = order[np.unique(cell[order], return_index=True)[1]]
    return Choices(block_m[best].astype(int), block_f[best].astype(int), vmem[best], smem[best], short[best])


@cache
def choose_tiles(
    problem: Problem,
    *,
    block_m: int | None = None,
    block_f: int | None = None,
    strategy: Strategy | None = None,
    vmem_limit: int = VMEM_LIMIT,
    smem_limit: int = SMEM_LIMIT,
    flops_per_byte: float = FLOPS_PER_BYTE,
    mxu_rows: int = MXU_ROWS,
) -> Tiles:
    """Return the legal tiles of the least predicted time (see `rank_tiles`); what is given is kept.

    Args:
        problem: shape of the call.
        block_m: rows of a tile, to override the choice.
        block_f: hidden columns of a tile, to override the choice.
        strategy: `whole` or `tiled`, to override the choice.
        vmem_limit: B that the kernel may use.
        smem_limit: B of scalar memory.
        flops_per_byte: peak over HBM bandwidth of the chip.
        mxu_rows: side of its matrix unit.

    Raises:
        DoesNotFit: no legal tiles fit; says by how much.
        ValueError: a given block is not legal.
    """
    check_tiles(problem, block_m, block_f, strategy)
    rows = (block_m,) if block_m else row_tiles(problem)
    columns = (block_f,) if block_f else column_tiles(problem.d_expert, strategy)
    best = rank_tiles(
        [problem],
        [(rows, columns)],
        vmem_limit=vmem_limit,
        smem_limit=smem_limit,
        flops_per_byte=flops_per_byte,
        mxu_rows=mxu_rows,
        pipeline_buffers=PIPELINE_BUFFERS,
    )
    chosen, short = (int(best.block_m[0]), int(best.block_f[0])), int(best.shortfall[0])
    if short:
        raise DoesNotFit(
            f"no legal tiles of the fused kernel fit: with block_m={chosen[0]}, block_f={chosen[1]} at "
            f"d_model={problem.d_model} it needs {best.vmem[0]:,.0f} B of VMEM (limit {vmem_limit:,}) and "
            f"{best.smem[0]:,.0f} B of SMEM (limit {smem_limit:,}), {short:,.0f} B too much; "
            "raise vmem_limit_bytes, shard d_model or the rows, or take backend='xla'",
            short,
        )
    return Tiles(*chosen, "whole" if chosen[1] == problem.d_expert else "tiled", int(best.vmem[0]))
