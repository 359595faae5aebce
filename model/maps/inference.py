"""The inference map: the useful share of FLOPs over decode batch (across) and chips (up).

Memory ends where the weights and caches of the batch no longer fit; FLOPs overtake the HBM's time at the step
critical batch; above the comms border the AllReduces, which more chips do not shorten, take longer than both.
"""

from __future__ import annotations

import math

import numpy as np

from model.evaluate import Evaluation
from model.maps.plane import (
    NOWHERE,
    Column,
    Line,
    Map,
    Mark,
    Region,
    Window,
    kept_or_centred,
    largest_branch,
    line,
    whole_where_close,
    with_neighbours,
)
from model.numerals import show
from model.programs import batched, values_program

COLUMNS, ROWS = 42, 33
"""Cells: quarters of an octave, batch 1 to about 1,300 across and 1 to 256 chips upwards."""

REGIMES = ("compute-bound", "memory-bound", "comms-bound")

_SAMPLES = 65
_GRID = (
    "useful_flops_fraction",
    "decode_memory_headroom",
    "decode_step_time",
    "decode_roofline_time",
    "decode_comms_time",
)


def inference_window(evaluation: Evaluation, previous: Window | None = None) -> Window:
    """Return the window on the plane: the previous one, moved only if the operating point would leave it."""
    knobs = evaluation.point.numbers_by_name()
    left, right = (-0.125, 10.375) if previous is None else (previous.left, previous.right)
    bottom, top = (-0.125, 8.125) if previous is None else (previous.bottom, previous.top)
    left, right = kept_or_centred(left, right, math.log2(knobs["decode_batch"]))
    bottom, top = kept_or_centred(bottom, top, math.log2(knobs["decode_chips"]))
    lift, push = max(-0.125 - bottom, 0.0), max(-0.125 - left, 0.0)
    return Window(left + push, right + push, bottom + lift, top + lift, COLUMNS, ROWS)


def inference_map(evaluation: Evaluation, previous: Window | None = None) -> Map:
    """Return the inference map around a point.

    Args:
        evaluation: the point and its values.
        previous: the window shown before, kept while it holds the point.
    """
    window = inference_window(evaluation, previous)
    knobs = evaluation.point.numbers_by_name()
    arrays = {
        "decode_batch": whole_where_close(2 ** window.across())[None, :],
        "decode_chips": whole_where_close(2 ** window.up())[:, None],
    }
    grid = batched(*_GRID)(arrays, evaluation.point.numbers())
    flops, memory = (grid[f"decode_roofline_time:{name}"] for name in ("flops", "memory"))
    comms, roofline = grid["decode_comms_time"], grid["decode_roofline_time"]
    regimes = largest_branch([flops, memory])
    regimes[(comms > roofline) & (regimes != NOWHERE)] = REGIMES.index("comms-bound")
    fits = ~(grid["decode_memory_headroom"] < 0)  # An empty capacity is no proof that it does not fit.
    regimes[~fits] = NOWHERE
    shade = grid["useful_flops_fraction"]
    open_to_all = fits & np.isfinite(shade)
    return Map(
        window=window,
        shade=np.where(with_neighbours(open_to_all), shade, np.nan),
        highest=float(shade[open_to_all].max()) if open_to_all.any() else knobs["matmul_efficiency"],
        regimes=regimes,
        names=REGIMES,
        borders=(*_critical_batch(evaluation, window), *_comms_border(roofline, comms, window)),
        exact=(),
        forbidden=_forbidden(evaluation, window),
        marks=tuple(_marks(window, open_to_all, shade, grid["decode_step_time"])),
        ring=(math.log2(knobs["decode_batch"]), math.log2(knobs["decode_chips"])),
        regime=_regime(evaluation),
    )


def _regime(evaluation: Evaluation) -> str:
    bounds = evaluation.bounds
    if not math.isfinite(bounds["decode_step_time"]):
        return ""
    if bounds["decode_comms_time"] > bounds["decode_roofline_time"]:
        return "comms-bound"
    return {"flops": "compute-bound", "memory": "memory-bound"}[evaluation.branches["decode_roofline_time"][0].name]


def _up_the_window(evaluation: Evaluation, window: Window, quantity: str) -> tuple[Column, Column]:
    """Return heights over the window and the quantity at the chips of each."""
    program, knobs = values_program(quantity), evaluation.point.numbers_by_name()
    heights = np.linspace(window.bottom, window.top, _SAMPLES)
    found = [program.run(*{**knobs, "decode_chips": float(2**up)}.values())[0] for up in heights]
    return heights, np.array(found)


def _critical_batch(evaluation: Evaluation, window: Window) -> list[Line]:
    """Return the border where FLOPs take as long as what they overlap with."""
    heights, batch = _up_the_window(evaluation, window, "step_critical_batch")
    known = np.isfinite(batch)
    return [Line(np.log2(batch[known]), heights[known])] if known.sum() > 1 else []


def _forbidden(evaluation: Evaluation, window: Window) -> tuple[Region, ...]:
    heights, batch = _up_the_window(evaluation, window, "decode_batch_limit")
    if not np.isfinite(batch).all():
        return ()
    edge = np.clip(np.log2(np.maximum(batch, 1e-9)), window.left, window.right)
    inside = edge < window.right
    if not inside.any():
        return ()
    # One sample beyond the last that is cut off, so that the region ends on the window's own edge.
    keep = inside | np.roll(inside, 1) | np.roll(inside, -1)
    across = np.concatenate([edge[keep], np.full(keep.sum(), window.right)])
    up = np.concatenate([heights[keep], heights[keep][::-1]])
    limit = f"over {show(evaluation.point.numbers_by_name()['hbm_capacity'], 'B')}"
    return (Region("does not fit", limit, across, up),)


def _comms_border(roofline: Column, comms: Column, window: Window) -> list[Line]:
    """Return where comms take as long as the rest: in each column the height at which log2(comms/rest) crosses 0.

    More chips shorten the rest and not the comms, so a column crosses once. One chip has no comms at all.
    """
    with np.errstate(divide="ignore"):
        excess = np.log2(comms / roofline)
    heights = window.up()
    points = []
    for across, column in zip(window.across(), excess.T, strict=True):
        above = np.flatnonzero(column > 0)
        if len(above) and above[0] > 0 and np.isfinite(column[above[0] - 1]):
            low, high = above[0] - 1, above[0]
            share = column[low] / (column[low] - column[high])
            points.append((float(across), float(heights[low] + share * (heights[high] - heights[low]))))
    return [line(_to_the_edges(points, window))] if len(points) > 1 else []


def _to_the_edges(points: list[tuple[float, float]], window: Window) -> list[tuple[float, float]]:
    """Return the points with both ends carried on straight by half a cell, to the window's edge."""
    half = (window.right - window.left) / window.columns / 2

    def beyond(end: tuple[float, float], before: tuple[float, float]) -> tuple[float, float]:
        slope = (end[1] - before[1]) / (end[0] - before[0])
        reach = math.copysign(half, end[0] - before[0])
        return end[0] + reach, end[1] + slope * reach

    return [beyond(points[0], points[1]), *points, beyond(points[-1], points[-2])]


def _marks(window: Window, allowed: np.ndarray, useful: Column, step: Column) -> list[Mark]:
    """Return the cells of the most useful FLOPs (the cheapest tokens) and of the shortest step."""
    if not allowed.any():
        return []
    across, up = window.across(), window.up()
    marks = []
    for words, value, score in (("cheap tokens", useful, useful), ("low latency", step, -step)):
        row, column = np.unravel_index(np.where(allowed, score, -np.inf).argmax(), score.shape)
        marks.append(Mark(words, float(across[column]), float(up[row]), float(value[row, column])))
    return marks
