"""The inference map: the useful share of FLOPs over decode batch (across) and chips (up).

Memory ends where the weights and caches of the batch no longer fit; FLOPs overtake the HBM's time at the step
critical batch (earlier where experts stay idle); above the comms border the AllReduces, which more chips do not
shorten, take longer than both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from model.evaluate import Evaluation
from model.maps.crossings import crossings, log_ratio
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
    whole_where_close,
    with_neighbours,
)
from model.numerals import show
from model.programs import batched, values_program
from model.words import branch_words

COLUMNS, ROWS = 42, 33
"""Cells: quarters of an octave, batch 1 to about 1,300 across and 1 to 256 chips upwards."""

REGIMES = (branch_words("flops").state, branch_words("memory").state, "comms-bound")

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
        borders=_borders(evaluation, window, grid),
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
    return branch_words(evaluation.branches["decode_roofline_time"][0].name).state


def _borders(evaluation: Evaluation, window: Window, grid: Mapping[str, Column]) -> tuple[Line, ...]:
    """Return where comms take longer than the rest, and below that where FLOPs overtake memory.

    Every column crosses the first once, since more chips shorten the rest and not the comms; every row crosses the
    second once. The cells find a crossing, the graph then sharpens it.
    """
    program, knobs = values_program("decode_roofline_time", "decode_comms_time"), evaluation.point.numbers_by_name()

    def excess(across: float, up: float) -> tuple[float, float]:
        """Return log2 of comms over the rest, and of FLOPs over memory."""
        at = {**knobs, "decode_batch": 2**across, "decode_chips": 2**up}
        found = dict(zip(program.outputs, program.run(*at.values()), strict=True))
        flops, memory = found["decode_roofline_time:flops"], found["decode_roofline_time:memory"]
        return log_ratio(found["decode_comms_time"], found["decode_roofline_time"]), log_ratio(flops, memory)

    with np.errstate(divide="ignore", invalid="ignore"):
        comms = np.log2(grid["decode_comms_time"] / grid["decode_roofline_time"])
        flops = np.log2(grid["decode_roofline_time:flops"] / grid["decode_roofline_time:memory"])
    across, up = window.across(), window.up()
    wall = crossings(flops, across, up, np.array([window.bottom, window.top]), lambda y, x: excess(x, y)[1])
    corners = np.append(np.unique(wall[1].round(9)), [window.left, window.right])
    ceiling = crossings(comms.T, up, across, corners, lambda x, y: excess(x, y)[0])
    lines = []
    if len(ceiling[0]) > 1:
        lines.append(Line(ceiling[0], ceiling[1]))
    if len(wall[0]) > 1:
        heights = np.minimum(wall[0], np.interp(wall[1], *ceiling)) if lines else wall[0]
        lines.append(Line(wall[1], heights))
    return tuple(lines)


def _up_the_window(evaluation: Evaluation, window: Window, quantity: str) -> tuple[Column, Column]:
    """Return heights over the window and the quantity at the chips of each."""
    program, knobs = values_program(quantity), evaluation.point.numbers_by_name()
    heights = np.linspace(window.bottom, window.top, _SAMPLES)
    found = [program.run(*{**knobs, "decode_chips": float(2**up)}.values())[0] for up in heights]
    return heights, np.array(found)


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
