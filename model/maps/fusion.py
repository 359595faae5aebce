"""The fusion map: the speed-up of the fused expert MLP over the widths of the model (across) and of an expert (up).

Rows, experts and the chip are those of the operating point; every cell has the tiles that the planner takes there.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model.evaluate import Evaluation
from model.kernels.regimes import REGIMES, RegimeMap, regime_map
from model.kernels.tiles import LANES
from model.knobs import KNOBS
from model.maps.plane import NOWHERE, Line, Map, Region, Window, box, kept_or_centred, line
from model.numerals import show

COLUMNS, ROWS = 24, 28
"""Cells: quarters of an octave, model widths 256 to 16,384 across and expert widths 256 to 32,768 upwards."""
OCTAVES_A_STEP = 0.25
EVEN = 2.0
"""Top of the colour scale, so that its middle is a speed-up of 1."""


_regime_map = functools.lru_cache(maxsize=64)(regime_map)
"""Tiles that are set do not enter, so moving them draws the same map."""


@dataclass(frozen=True)
class Advice:
    """What the planner would do at one shape.

    Attributes:
        block_m: rows of its tiles; those that miss the memory by least where none fit.
        block_f: hidden columns of its tiles.
        speedup: predicted with them; NaN where none fit.
        regime: what decides it.
        why: the same in a sentence.
        shortfall: B that are missing; 0 where they fit.
    """

    block_m: int
    block_f: int
    speedup: float
    regime: str
    why: str
    shortfall: float


def fusion_map(evaluation: Evaluation, previous: Window | None) -> Map:
    """Return the map around a point, in the window of the previous one while that holds the point."""
    ring = math.log2(evaluation.point.numbers_by_name()["d_model"]), math.log2(evaluation.bounds["expert_width"])
    edges = (previous.left, previous.right, previous.bottom, previous.top) if previous else (8.0, 14.0, 8.0, 15.0)
    left, right = kept_or_centred(*edges[:2], ring[0])
    bottom, top = kept_or_centred(*edges[2:], ring[1])
    window = Window(left, right, bottom, top, COLUMNS, ROWS)
    cells = _planned(evaluation, [whole_lanes(x) for x in window.across()], [whole_lanes(y) for y in window.up()])
    if cells is None:
        nowhere = np.full((ROWS, COLUMNS), NOWHERE, np.int8)
        return Map(
            window, np.full((ROWS, COLUMNS), np.nan), EVEN, nowhere, (), (), (), (), (), ring, "", diverging=True
        )
    speedup = cells.speedup[0].T
    fits = np.isfinite(speedup)
    regimes = np.where(fits, cells.regime[0].T, NOWHERE).astype(np.int8)
    here = advice(evaluation)
    return Map(
        window=window,
        shade=speedup,
        highest=EVEN,
        regimes=regimes,
        names=REGIMES[:-1],
        borders=_borders(window, regimes),
        exact=(),
        forbidden=_forbidden(evaluation, window, fits),
        marks=(),
        ring=ring,
        regime=here.regime if here else "",
        diverging=True,
    )


def advice(evaluation: Evaluation, d_model: float | None = None, width: float | None = None) -> Advice | None:
    """Return what the planner would do at the point, or at other widths there; None where a figure is missing."""
    knobs = evaluation.point.numbers_by_name()
    widths = [round(d_model or knobs["d_model"])], [round(width or evaluation.bounds["expert_width"])]
    cell = _planned(evaluation, *widths)
    if cell is None:
        return None
    first = (0, 0, 0)
    return Advice(
        block_m=int(cell.block_m[first]),
        block_f=int(cell.block_f[first]),
        speedup=float(cell.speedup[first]),
        regime=REGIMES[cell.regime[first]],
        why=cell.why(*first),
        shortfall=float(cell.shortfall[first]),
    )


def fusion_place(evaluation: Evaluation, across: float, up: float) -> dict[str, object]:
    """Return the widths nearest to a place on the map, with the planner's tiles there.

    Args:
        evaluation: the present point and its values.
        across: log2 of the model's width.
        up: log2 of an expert's width.
    """
    return _settings(evaluation, whole_lanes(across), whole_lanes(up))


def fusion_step(evaluation: Evaluation, right: int, up: int) -> dict[str, object]:
    """Return the widths that arrow keys lead to, each key a quarter of an octave, with the planner's tiles there."""
    d_model, width = evaluation.point.numbers_by_name()["d_model"], evaluation.bounds["expert_width"]
    return _settings(evaluation, _stepped(d_model, right), _stepped(width, up))


def whole_lanes(power: float) -> int:
    """Return the width nearest to 2**power that fills whole lanes; below one register, the nearest whole width."""
    width = 2**power
    return max(1, round(width)) if width < LANES else round(width / LANES) * LANES


def _stepped(width: float, way: int) -> int:
    if not way:
        return round(width)
    moved = whole_lanes(math.log2(width) + way * OCTAVES_A_STEP)
    unit = LANES if width + way > LANES else 1
    if way > 0:
        return max(moved, (math.floor(width / unit) + 1) * unit)
    return max(min(moved, (math.ceil(width / unit) - 1) * unit), 1)


def _settings(evaluation: Evaluation, d_model: float, width: float) -> dict[str, object]:
    hidden = "d_expert" if evaluation.point.numbers_by_name()["n_experts"] > 1 else "d_ff"
    settings: dict[str, object] = {"d_model": _within("d_model", d_model), hidden: _within(hidden, width)}
    tiles = advice(evaluation, d_model=_within("d_model", d_model), width=_within(hidden, width))
    return settings | (tile_settings(tiles) if tiles else {})


def tile_settings(tiles: Advice) -> dict[str, object]:
    """Return the knobs of the planner's tiles."""
    return {"block_m": _within("block_m", tiles.block_m), "block_f": _within("block_f", tiles.block_f)}


def _within(knob: str, value: float) -> float:
    low, high = KNOBS[knob].bounds
    return float(min(max(value, low), high))


def _planned(evaluation: Evaluation, d_model: list[int], width: list[int]) -> RegimeMap | None:
    knobs, values = evaluation.point.numbers_by_name(), evaluation.bounds
    chip = {name: knobs[name] for name in ("peak_flops", "hbm_bandwidth", "ragged_dot_efficiency", "matmul_efficiency")}
    if not all(map(math.isfinite, chip.values())):
        return None
    experts = max(1, round(values["local_experts"]))
    return _regime_map(
        rows_per_expert=(values["routed_rows"] / experts,),
        d_model=tuple(d_model),
        d_expert=tuple(width),
        n_experts=experts,
        element_bytes=round(knobs["element_bytes"]),
        vmem_limit=knobs["vmem_limit"],
        mxu_rows=knobs["mxu_width"],
        pipeline_buffers=knobs["pipeline_buffers"],
        **chip,
    )


def _forbidden(evaluation: Evaluation, window: Window, fits: NDArray[np.bool_]) -> tuple[Region, ...]:
    """Return the widths of the model at which no tiles fit: the narrowest column tile decides, whatever the expert."""
    columns = np.flatnonzero(~fits.any(axis=0))
    if not len(columns):
        return ()
    limit = f"over {show(evaluation.point.numbers_by_name()['vmem_limit'], 'B')} VMEM"
    left = window.left + (window.right - window.left) * int(columns[0]) / window.columns
    return (box("does not fit", limit, left, window.right, window.bottom, window.top),)


def _borders(window: Window, regimes: NDArray[np.int8]) -> tuple[Line, ...]:
    """Return the edges between cells of different regimes, edges in a row as one line."""
    across = np.linspace(window.left, window.right, window.columns + 1).tolist()
    up = np.linspace(window.bottom, window.top, window.rows + 1).tolist()
    upright = [
        line([(across[at + 1], up[start]), (across[at + 1], up[end])])
        for at in range(window.columns - 1)
        for start, end in _runs(_differ(regimes[:, at], regimes[:, at + 1]))
    ]
    level = [
        line([(across[start], up[at + 1]), (across[end], up[at + 1])])
        for at in range(window.rows - 1)
        for start, end in _runs(_differ(regimes[at], regimes[at + 1]))
    ]
    return (*upright, *level)


def _differ(one: NDArray[np.int8], other: NDArray[np.int8]) -> NDArray[np.bool_]:
    return (one != other) & (one != NOWHERE) & (other != NOWHERE)


def _runs(marked: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return from where to where each run of marks goes."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(int)))
    return [(int(start), int(end)) for start, end in steps.reshape(-1, 2)]
