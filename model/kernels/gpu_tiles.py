"""Tiles of the GPU kernel, or a refusal: powers of two, the output tile in registers, operands in shared memory.

The limits are estimates on the safe side of Ampere and later; nothing here has been timed.
"""

from model.kernels.tiles import DoesNotFit, Problem, Tiles

ACCUMULATOR_LIMIT = 128 * 2**10
"""B; half of a multiprocessor's 65,536 registers of 4 bytes, the other half is for gate, up and operands."""
SHARED_LIMIT = 99 * 2**10
"""B of shared memory that one block may use on the smallest chips of Ampere and Ada (compute capability 8.6, 8.9)."""

_STEP = 16  # the least extent of a matmul's operand in Triton
_MAX_BLOCK = 64


def is_power_of_two(value: int) -> bool:
    """Return whether the value is 1, 2, 4, ..."""
    return value > 0 and value & (value - 1) == 0


def _powers(largest: int) -> list[int]:
    return [_STEP * 2**k for k in range(8) if _STEP * 2**k <= largest]


def choose_gpu_tiles(problem: Problem, *, block_m: int | None = None, block_f: int | None = None) -> Tiles:
    """Return the largest tiles that fit, rows first; what is given is kept.

    Raises:
        DoesNotFit: the output tile overflows the registers or the operands overflow shared memory.
        ValueError: an extent that must be a power of two isn't one.
    """
    extents = {"d_model": problem.d_model, "block_m": block_m, "block_f": block_f}
    for name, extent in extents.items():
        if extent is not None and (extent < _STEP or not is_power_of_two(extent)):
            raise ValueError(
                f"{name}={extent}: the Triton kernel needs a power of two from {_STEP} on; take backend='xla'"
            )
    columns = [b for b in ([block_f] if block_f else _powers(_MAX_BLOCK)) if problem.d_expert % b == 0]
    if not columns:
        raise ValueError(
            f"d_ff={problem.d_expert} is no multiple of block_f={block_f or _STEP}; pad it or take backend='xla'"
        )
    rows = [block_m] if block_m else _powers(_MAX_BLOCK)
    best = min(((m, f) for m in rows for f in columns), key=lambda tile: (_short(problem, *tile), -tile[0], -tile[1]))
    registers, shared = _needs(problem, *best)
    if short := _short(problem, *best):
        raise DoesNotFit(
            f"no tiles of the Triton kernel fit: with block_m={best[0]}, block_f={best[1]} at "
            f"d_model={problem.d_model} the output tile needs {registers:,} B of registers (limit "
            f"{ACCUMULATOR_LIMIT:,}) and the operands {shared:,} B of shared memory (limit {SHARED_LIMIT:,}), "
            f"{short:,} B too much; shard d_model or take backend='xla'",
            short,
        )
    return Tiles(*best, "whole" if best[1] == problem.d_expert else "tiled", registers + shared)


def _needs(problem: Problem, block_m: int, block_f: int) -> tuple[int, int]:
    """Registers of the output tile and shared memory of the operands, in B."""
    operands = (block_m + 3 * block_f) * problem.d_model * problem.element_bytes
    return 4 * block_m * problem.d_model, operands


def _short(problem: Problem, block_m: int, block_f: int) -> int:
    registers, shared = _needs(problem, block_m, block_f)
    return max(registers - ACCUMULATOR_LIMIT, 0) + max(shared - SHARED_LIMIT, 0)
