"""The planner against what others printed: a table of what compiled, and measured speed-ups on a TPU v5e."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from model.kernels.planner import evaluate
from model.kernels.tiles import MXU_ROWS, Problem, choose_tiles
from model.knobs.kernel import PIPELINE_BUFFERS, VMEM_LIMIT
from presets.load import chip

_FLOAT32_BYTES = 4


@cache
def _printed() -> Mapping[str, Any]:
    return tomllib.loads(resources.files("presets").joinpath("kernels.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class FitsTable:
    """A printed table of which whole-weight kernels compiled: `fits[i][j]` at `d_model[i]`, `d_ff[j]`."""

    d_model: tuple[int, ...]
    d_ff: tuple[int, ...]
    fits: tuple[tuple[bool, ...], ...]
    source: str


def printed_fits() -> FitsTable:
    """Return the printed 25-cell table."""
    table = _printed()["whole_weight_fits"]
    return FitsTable(
        d_model=tuple(row["d_model"] for row in table["rows"]),
        d_ff=tuple(table["d_ff"]),
        fits=tuple(tuple(row["fits"]) for row in table["rows"]),
        source=table["source"],
    )


def whole_weight_need(block_m: int, d_model: int, d_ff: int) -> int:
    """Return the bytes of VMEM by the rule behind the printed table, in float32.

    One copy of an expert's three matrices and two of a token tile and of an output tile. `fused_vmem_need` counts more:
    the pipeline buffers the matrices as well, and the accumulator and the hidden tile take room.
    """
    return _FLOAT32_BYTES * (3 * d_model * d_ff + 2 * 2 * block_m * d_model)


def block_m_interval(table: FitsTable, budget: int) -> tuple[int, int]:
    """Return the least and the largest `block_m` with which the rule gives every cell of the table.

    Args:
        table: what compiled and what did not.
        budget: B; what needs more does not fit.

    Raises:
        ValueError: no `block_m` gives the whole table.
    """
    least, largest = 1, None
    for d_model, row in zip(table.d_model, table.fits, strict=True):
        for d_ff, fits in zip(table.d_ff, row, strict=True):
            room = (budget - whole_weight_need(0, d_model, d_ff)) // whole_weight_need(1, d_model, 0)
            if fits:
                largest = room if largest is None else min(largest, room)
            else:
                least = max(least, room + 1)
    if largest is None or least > largest:
        raise ValueError(f"no block_m gives the table of {table.source} with a budget of {budget:,} B")
    return least, largest


@dataclass(frozen=True)
class PublishedSpeedup:
    """One measured speed-up; `shape` is absent where it was not reported, `assumed` names what the base row lends."""

    id: str
    speedup: float
    shape: Mapping[str, int] | None
    assumed: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class Comparison:
    """A published row beside the prediction, or the reason why it is left out; `error` is relative and signed."""

    row: PublishedSpeedup
    predicted: float | None
    error: float | None
    fitted: bool
    skipped: str | None


def published_speedups() -> tuple[PublishedSpeedup, ...]:
    """Return the published rows; the first one gives its whole shape."""
    return tuple(
        PublishedSpeedup(
            id=row["id"],
            speedup=row["speedup"],
            shape=row.get("shape"),
            assumed=tuple(row.get("assumed", ())),
            note=row.get("note", ""),
        )
        for row in _printed()["speedups"]["rows"]
    )


def _point(shape: Mapping[str, int], vmem_limit: int) -> dict[str, float]:
    """Every knob of the planner at a published shape, with the tiles that the chooser takes there."""
    table = _printed()["speedups"]
    hardware = chip(table["chip"])
    peak = hardware.peak_flops["bf16"].value
    bandwidth = hardware.figures["hbm_bandwidth"].value
    problem = Problem(
        shape["routed_rows"], shape["d_model"], shape["d_expert"], shape["n_experts"], table["element_bytes"]
    )
    tiles = choose_tiles(problem, vmem_limit=vmem_limit, flops_per_byte=peak / bandwidth)
    return problem.knobs() | {
        "block_m": float(tiles.block_m),
        "block_f": float(tiles.block_f),
        "pipeline_buffers": float(PIPELINE_BUFFERS),
        "mxu_width": float(MXU_ROWS),
        "peak_flops": peak,
        "hbm_bandwidth": bandwidth,
        "matmul_efficiency": 1.0,
    }


def speedups_source() -> str:
    """Return where the published rows are from."""
    return _printed()["speedups"]["source"]


def published_point(row: PublishedSpeedup, vmem_limit: int = VMEM_LIMIT) -> tuple[str, dict[str, object]]:
    """Return the chip and the knobs of a published row, with the tiles that the chooser takes there.

    The routed rows are set as tokens with one expert each: the row does not say how many experts a token has.

    Raises:
        ValueError: the row has no shape.
    """
    if row.shape is None:
        raise ValueError(f"{row.id}: {row.note}, so it stands at no point")
    point = _point(row.shape, vmem_limit)
    return _printed()["speedups"]["chip"], {
        "moe_tokens": point["routed_rows"],
        "active_experts": 1.0,
        "n_experts": point["local_experts"],
        "d_model": point["d_model"],
        "d_expert": point["expert_width"],
        "vmem_limit": float(vmem_limit),
        **{name: point[name] for name in ("element_bytes", "block_m", "block_f", "pipeline_buffers", "mxu_width")},
    }


def fit_ragged_dot_efficiency(row: PublishedSpeedup, vmem_limit: int = VMEM_LIMIT) -> float:
    """Return the one efficiency of `ragged_dot` with which the planner gives this row exactly.

    Raises:
        ValueError: the row has no shape, or no efficiency gives its speed-up (traffic would have to explain it).
    """
    if row.shape is None:
        raise ValueError(f"{row.id}: {row.note}, so nothing can be fitted to it")
    point = _point(row.shape, vmem_limit)
    at_full_rate = evaluate(
        "fused_moe_time", "gating_time", "ragged_dot_time", "ragged_dot_traffic", **point, ragged_dot_efficiency=1.0
    )
    time_of_one = (row.speedup * at_full_rate["fused_moe_time"] - at_full_rate["gating_time"]) / 3
    if time_of_one <= at_full_rate["ragged_dot_time"]:
        raise ValueError(f"{row.id}: a speed-up of {row.speedup} is below what ragged_dot at full rate gives")
    compute = 2 * point["routed_rows"] * point["d_model"] * point["expert_width"] / point["peak_flops"]
    return float(compute / time_of_one)


def compare_speedups(
    rows: Sequence[PublishedSpeedup], efficiency: float, vmem_limit: int = VMEM_LIMIT
) -> list[Comparison]:
    """Predict every row that gives a shape; the first row is the one that was fitted."""
    compared = []
    for row in rows:
        if row.shape is None:
            compared.append(Comparison(row, None, None, fitted=False, skipped=row.note))
            continue
        knobs = _point(row.shape, vmem_limit) | {"ragged_dot_efficiency": efficiency}
        predicted = float(evaluate("fused_moe_speedup", **knobs)["fused_moe_speedup"])
        compared.append(Comparison(row, predicted, predicted / row.speedup - 1, fitted=row is rows[0], skipped=None))
    return compared
