"""The training map: MFU over tokens a chip (across) and tensor shards (up), the number of chips held.

Borders are the threshold formulas of chapter 5 in this plane, for the whole layer's forward pass: with x = log2(B/N_c)
and y = log2(Y), FSDP hides right of x + y = log2(alpha/M_X), TP hides below y = log2(Y_max), and where neither hides
they tie on x + 2y = log2(alpha Y_max/M_X). At Y = 1 FSDP has every axis, hence the step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from model.evaluate import Evaluation
from model.maps.plane import (
    NOWHERE,
    Column,
    Line,
    Map,
    Region,
    Window,
    box,
    kept_or_centred,
    largest_branch,
    line,
    whole_where_close,
    with_neighbours,
)
from model.numerals import show
from model.programs import batched
from model.words import branch_words

COLUMNS, ROWS = 56, 29
"""Cells: quarters of an octave over 14 octaves across and, for 128 shards, over 7 upwards. One shape, one compile."""

BRANCHES = ("math", "fsdp", "tp", "wire")
REGIMES = tuple(branch_words(branch).state for branch in BRANCHES)

VISIBLE_SHIFT = 0.25
"""Octaves, one cell, by which attention must move a border before the exact one is drawn as well."""

_SAMPLES = 96


def training_window(evaluation: Evaluation, previous: Window | None = None) -> Window:
    """Return the window on the plane: the previous one, moved only if the operating point would leave it.

    Upwards it runs from one shard, whose row is a cell of its own, to 128, to all chips if fewer, or beyond the
    point's own shards.
    """
    chips, shards = evaluation.bounds["chips"], evaluation.point.numbers_by_name()["tensor_shards"]
    left, right = (2.0, 16.0) if previous is None else (previous.left, previous.right)
    left, right = kept_or_centred(left, right, math.log2(evaluation.bounds["tokens_per_chip"]))
    highest = min(max(7, math.ceil(math.log2(shards) + 0.5)), max(1, math.ceil(math.log2(chips))))
    half = highest / (ROWS - 1) / 2
    return Window(left, right, -half, highest + half, COLUMNS, ROWS)


def training_map(evaluation: Evaluation, previous: Window | None = None) -> Map:
    """Return the training map around a point.

    Args:
        evaluation: the point and its values.
        previous: the window shown before, kept while it holds the point.
    """
    window = training_window(evaluation, previous)
    bounds, knobs = evaluation.bounds, evaluation.point.numbers_by_name()
    chips = bounds["chips"]
    mesh = knobs["data_shards"] * knobs["tensor_shards"]
    ways = np.minimum(whole_where_close(2 ** window.up()), mesh)[:, None]
    tokens = 2 ** window.across()[None, :] * chips
    arrays = {"tensor_shards": ways, "data_shards": mesh / ways, "batch_tokens": tokens}
    grid = batched("mfu", "memory_headroom")(arrays, evaluation.point.numbers())
    forbidden = tuple(_forbidden(evaluation, window))
    regimes = largest_branch([grid[f"forward_time:{name}"] for name in BRANCHES])
    regimes[grid["memory_headroom"] < 0] = NOWHERE
    regimes[:, window.across() < math.log2(knobs["seq_len"] / chips)] = NOWHERE
    regimes[window.up() > _highest_row(window, chips)] = NOWHERE
    share = max(bounds["attention_flops_share"], 0.0)  # Negative only for a shape that the gate refuses.
    shifted = math.log2(1 + share) > VISIBLE_SHIFT
    return Map(
        window=window,
        shade=np.where(with_neighbours(regimes != NOWHERE), grid["mfu"], np.nan),
        highest=knobs["matmul_efficiency"],
        regimes=regimes,
        names=REGIMES,
        borders=_borders(evaluation, window, 0.0),
        exact=_borders(evaluation, window, share) if shifted else (),
        forbidden=forbidden,
        marks=(),
        ring=(math.log2(bounds["tokens_per_chip"]), math.log2(knobs["tensor_shards"])),
        regime=branch_words(evaluation.branches["forward_time"][0].name).state if math.isfinite(bounds["mfu"]) else "",
    )


def _most_tokens(evaluation: Evaluation) -> float:
    """Return log2 of the tokens a chip that fit beside the training state; infinite without a capacity."""
    bounds, capacity = evaluation.bounds, evaluation.point.numbers_by_name()["hbm_capacity"]
    if math.isnan(capacity):
        return math.inf
    free = capacity - bounds["state_bytes"] / bounds["chips"]
    tokens = free * evaluation.point.numbers_by_name()["batch_tokens"] / bounds["checkpoint_bytes"]
    return math.log2(tokens) if tokens > 0 else -math.inf


def _highest_row(window: Window, chips: float) -> float:
    """Return the upper edge of the first row that has every chip as a tensor shard; infinite when out of sight."""
    reached = np.flatnonzero(whole_where_close(2 ** window.up()) >= chips)
    return window.bottom + window.row_height * (int(reached[0]) + 1) if len(reached) else math.inf


def _forbidden(evaluation: Evaluation, window: Window) -> list[Region]:
    knobs, chips = evaluation.point.numbers_by_name(), evaluation.bounds["chips"]
    regions = []
    most, least = _most_tokens(evaluation), math.log2(knobs["seq_len"] / chips)
    ceiling = _highest_row(window, chips)
    if most < window.right:
        left = max(most, window.left)
        limit = f"over {show(knobs['hbm_capacity'], 'B')}"
        regions.append(box("does not fit", limit, left, window.right, window.bottom, window.top))
    if least > window.left:
        right = min(least, most, window.right)
        if right > window.left:
            limit = f"{knobs['seq_len']:,.0f} tokens"
            regions.append(box("under one sequence", limit, window.left, right, window.bottom, window.top))
    left, right = max(least, window.left), min(most, window.right)
    if ceiling < window.top and left < right:
        regions.append(box("more shards than chips", f"{chips:,.0f} chips", left, right, ceiling, window.top))
    return regions


@dataclass(frozen=True)
class _Band:
    """Regimes at one height: `left` binds up to `split`, `right` beyond it."""

    split: float
    left: str
    right: str

    def at(self, across: float) -> str:
        return self.left if across < self.split else self.right


def _borders(evaluation: Evaluation, window: Window, share: float) -> tuple[Line, ...]:
    """Return the borders of the forward pass, its math longer by `share` than the thresholds count (attention)."""
    bounds, knobs = evaluation.bounds, evaluation.point.numbers_by_name()
    chips = bounds["chips"]
    threshold = bounds["data_parallel_threshold"] * bounds["fsdp_axes"] / (1 + share)
    ways = bounds["tensor_threshold"] * (1 + share)
    if chips < 2 or not (math.isfinite(threshold) and math.isfinite(ways)):
        return ()
    on_wire = bounds["shared_wire"] > 0.5
    limit = math.log2(ways)
    split = math.log2(threshold / bounds["mixed_fsdp_axes"])
    first = _Band(math.log2(threshold / (1 if on_wire else knobs["ici_axes"])), "wire" if on_wire else "fsdp", "math")
    band = _wire_band(split, limit) if on_wire else _torus_band(split, limit)
    low, high = window.bottom + window.row_height, window.top
    last = _highest_row(window, chips) - window.row_height
    lines = [line([(first.split, window.bottom), (first.split, low)]), *_between(first, band(low), low, window)]
    if last < high:
        alone = _Band(-math.inf, "", ("wire" if on_wire else "tp") if math.log2(chips) > limit else "math")
        lines += _between(band(last), alone, last, window)
        high = last
    if high > low:
        lines += _rising(band, _heights(low, high, limit, on_wire), window)
    if low < limit < high and not on_wire:
        lines.append(line([(band(limit).split, limit), (window.right, limit)]))
    return tuple(lines)


def _torus_band(split: float, limit: float) -> Callable[[float], _Band]:
    """FSDP up to its threshold, or up to its tie with TP above the TP limit."""

    def band(up: float) -> _Band:
        return _Band(split - up - max(up - limit, 0.0), "fsdp", "tp" if up > limit else "math")

    return band


def _wire_band(split: float, limit: float) -> Callable[[float], _Band]:
    """On one wire FSDP and TP add up: alpha/(b Y) + Y/Y_max = 1; no batch hides them from Y_max on."""

    def band(up: float) -> _Band:
        spare = 1 - 2.0 ** (up - limit)
        return _Band(split - up - math.log2(spare) if spare > 0 else math.inf, "wire", "math")

    return band


def _heights(low: float, high: float, limit: float, on_wire: bool) -> Column:
    """Return the heights to draw through: the ends and the limit of a straight border, the bend of one on a wire."""
    if not on_wire:
        return np.unique(np.clip([low, high, limit], low, high))
    bend = np.concatenate([limit - np.geomspace(1e-4, 1.0, _SAMPLES // 2), np.linspace(low, limit, _SAMPLES // 2)])
    return np.unique(np.clip([low, high, *bend], low, high))


def _rising(band: Callable[[float], _Band], heights: Column, window: Window) -> list[Line]:
    seen = [(band(up).split, float(up)) for up in heights if band(up).split < window.right + 4]
    return [line(seen)] if len(seen) > 1 else []


def _between(below: _Band, above: _Band, up: float, window: Window) -> list[Line]:
    """Return the level pieces on which the regime changes from one row to the next."""
    stops = sorted({window.left, window.right, *np.clip([below.split, above.split], window.left, window.right)})
    pieces: list[Line] = []
    for start, stop in itertools.pairwise(stops):
        middle = (start + stop) / 2
        if below.at(middle) != above.at(middle):
            pieces.append(line([(start, up), (stop, up)]))
    return pieces
