"""Maps: cells are the graph's values, borders lie where its branches flip, moves lead to points that can be had."""

import dataclasses
import math
import random

import numpy as np
import pytest

from model.evaluate import Evaluation, evaluate
from model.maps import moves
from model.maps.inference import inference_map
from model.maps.plane import NOWHERE, Line, Map, kept_or_centred
from model.maps.training import training_map
from model.point import Point, resolve

REACH = 3e-3
"""Octaves, an eighth of a pixel, within which a border must have both regimes."""

TORUS = {"matmul_efficiency": 0.41}
WIRE = {"data_shards": 32, "batch_tokens": "1M"}
TRAINING = [
    pytest.param(None, "llama-3-70b", TORUS, id="torus of three axes"),
    pytest.param("tpu-v5e", "llama-3-70b", {"data_shards": 512, "tensor_shards": 1}, id="torus of two axes"),
    pytest.param("h100", "llama-3-8b", WIRE, id="one wire"),
    pytest.param(None, "llama-3-70b", {**TORUS, "seq_len": 131072, "attention_flops": "full"}, id="attention"),
    pytest.param(None, "mixtral-8x7b", {"recompute": "full"}, id="experts"),
    pytest.param("tpu-v5e", "llama-3-8b", {"data_shards": 8, "tensor_shards": 8, "batch_tokens": "64k"}, id="64 chips"),
]


def moved(point: Point, **values: float) -> Evaluation:
    """Evaluate with knobs set past the reading of counts: cells of a map hold fractions of shards."""
    return evaluate(dataclasses.replace(point, values={**point.values, **values}), gate=False)


def at_training(point: Point, across: float, up: float) -> Evaluation:
    mesh = float(point.values["data_shards"]) * float(point.values["tensor_shards"])
    ways = 2**up
    return moved(point, tensor_shards=ways, data_shards=mesh / ways, batch_tokens=2**across * mesh)


def at_inference(point: Point, across: float, up: float) -> Evaluation:
    return moved(point, decode_batch=2**across, decode_chips=2**up)


def inner_places(line: Line, drawn: Map) -> list[tuple[float, float, float, float]]:
    """Return places inside each straight piece that is in sight, and the unit vector across it."""
    places = []
    for (x0, y0), (x1, y1) in zip(np.c_[line.across, line.up], np.c_[line.across, line.up][1:], strict=False):
        length = math.hypot(x1 - x0, y1 - y0)
        middle = (x0 + x1) / 2, (y0 + y1) / 2
        window = drawn.window
        if length > 0 and window.left < middle[0] < window.right and window.bottom < middle[1] < window.top:
            places.append((*middle, -(y1 - y0) / length, (x1 - x0) / length))
    return places


@pytest.mark.parametrize(("chip", "model", "settings"), TRAINING)
def test_training_cells_are_the_graphs_values(chip, model, settings) -> None:
    point = resolve(chip, model, settings)
    drawn = training_map(evaluate(point))
    across, up = drawn.window.across(), drawn.window.up()
    seen = 0
    for row in (0, 3, 12, 28):
        for column in (1, 12, 24, 36, 48):
            if drawn.regimes[row, column] == NOWHERE:
                continue
            seen += 1
            there = at_training(point, across[column], up[row])
            assert drawn.shade[row, column] == pytest.approx(there.bounds["mfu"], rel=1e-9)
            assert (
                drawn.names[drawn.regimes[row, column]]
                .lower()
                .startswith(
                    {"math": "compute", "fsdp": "fsdp", "tp": "tp", "wire": "comms"}[
                        there.branches["forward_time"][0].name
                    ]
                )
            )
    assert seen >= 5


@pytest.mark.parametrize(("chip", "model", "settings"), TRAINING)
def test_training_borders_lie_where_the_forward_branch_flips(chip, model, settings) -> None:
    point = resolve(chip, model, settings)
    drawn = training_map(evaluate(point))
    without = dataclasses.replace(point, values={**point.values, "attention_flops": "none"})
    checked = 0
    for lines, at in ((drawn.borders, without), (drawn.exact, point)):
        for line in lines:
            for x, y, across, up in inner_places(line, drawn):
                below, above = y - REACH * up, y + REACH * up
                # The rows of one shard, and of one data shard, are whole cells: their edges are steps.
                row = drawn.window.row_height
                if abs(across) < 1e-9 and y == pytest.approx(drawn.window.bottom + row):
                    below = 0.0
                elif y > math.log2(evaluate(point).bounds["chips"]) - row:
                    above = math.log2(evaluate(point).bounds["chips"])
                elif y < drawn.window.bottom + row:
                    below = above = 0.0
                sides = (x - REACH * across, below), (x + REACH * across, above)
                first, second = (at_training(at, *side).branches["forward_time"][0].name for side in sides)
                assert first != second, (x, y, first)
                checked += 1
    assert checked >= 3


def test_thresholds_of_the_book_lie_on_the_borders() -> None:
    """The whole LLaMA-3 70B layer on v5p: TP hides below 10.24 shards; the regimes meet at 124.5 tokens a chip."""
    drawn = training_map(evaluate(resolve(settings={"attention_flops": "none"})))
    level = next(line for line in drawn.borders if line.up[0] == line.up[-1] and line.up[0] > 1)
    assert 2 ** level.up[0] == pytest.approx(10.24, rel=1e-3)
    assert 2 ** level.across[0] == pytest.approx(124.5, rel=1e-3)
    first = drawn.borders[0]
    assert 2**first.across == pytest.approx([850, 850], rel=1e-3)


@pytest.mark.parametrize(("chip", "model", "settings"), TRAINING)
def test_memory_edge_is_where_the_headroom_ends(chip, model, settings) -> None:
    point = resolve(chip, model, settings)
    drawn = training_map(evaluate(point))
    edge = next(region for region in drawn.forbidden if region.words == "does not fit").across.min()
    headroom = [at_training(point, edge + side, 2.0).bounds["memory_headroom"] for side in (-1e-6, 1e-6)]
    assert headroom[0] > 0 > headroom[1]


def test_few_chips_leave_rows_that_have_none() -> None:
    drawn = training_map(
        evaluate(resolve(None, "llama-3-8b", {"data_shards": 12, "tensor_shards": 1, "batch_tokens": 16384}))
    )
    region = next(region for region in drawn.forbidden if region.words == "more shards than chips")
    assert region.up.min() - 2 * drawn.window.row_height < math.log2(12) < region.up.min()
    assert (drawn.regimes[drawn.window.up() > region.up.min()] == NOWHERE).all()


def test_no_capacity_forbids_nothing_and_no_bandwidth_draws_nothing() -> None:
    point = resolve()
    unknown = dataclasses.replace(point, values={**point.values, "hbm_capacity": None})
    assert "does not fit" not in [region.words for region in training_map(evaluate(unknown)).forbidden]
    assert inference_map(evaluate(unknown)).forbidden == ()
    silent = dataclasses.replace(point, values={**point.values, "ici_bandwidth": None})
    drawn = training_map(evaluate(silent))
    assert np.isnan(drawn.shade).all()
    assert drawn.borders == ()
    assert drawn.regime == ""


INFERENCE = [
    pytest.param(None, "llama-3-70b", {"weight_bytes": 1, "kv_bytes": 1, "context_len": 2048}, id="three regimes"),
    pytest.param(None, "llama-3-70b", {"context_len": 2048, "kv_replication": "replicated"}, id="copies"),
    pytest.param("tpu-v5e", "llama-3-8b", {"kv_in_max": "outside"}, id="cache outside"),
    pytest.param(None, "mixtral-8x7b", {"context_len": 512}, id="experts"),
]


@pytest.mark.parametrize(("chip", "model", "settings"), INFERENCE)
def test_inference_cells_and_borders_are_the_graphs(chip, model, settings) -> None:
    point = resolve(chip, model, settings)
    drawn = inference_map(evaluate(point))
    across, up = drawn.window.across(), drawn.window.up()
    for row, column in ((0, 3), (12, 20), (20, 30), (32, 41)):
        if drawn.regimes[row, column] != NOWHERE:
            expected = at_inference(point, across[column], up[row]).bounds["useful_flops_fraction"]
            assert drawn.shade[row, column] == pytest.approx(expected, rel=1e-9)

    def regime(x: float, y: float) -> str:
        there = at_inference(point, x, y)
        if there.bounds["decode_comms_time"] > there.bounds["decode_roofline_time"]:
            return "comms"
        return there.branches["decode_roofline_time"][0].name

    checked = 0
    for line in drawn.borders:
        for x, y in zip(line.across, line.up, strict=True):
            if drawn.window.left < x < drawn.window.right and drawn.window.bottom + 0.3 < y < drawn.window.top:
                near = {regime(x + dx, y + dy) for dx in (-REACH, REACH) for dy in (-REACH, REACH)}
                assert len(near) > 1, (x, y, near)
                checked += 1
    assert checked > 10


def test_critical_batch_is_the_wall_between_memory_and_compute() -> None:
    point = resolve(settings={"weight_bytes": 1, "kv_bytes": 1, "context_len": 2048})
    here = evaluate(point)
    wall = inference_map(here).borders[1]
    assert 2**wall.across == pytest.approx(here.values["step_critical_batch"], rel=1e-6)


def test_edge_of_the_cache_is_the_batch_limit() -> None:
    point = resolve()
    here = evaluate(point)
    region = inference_map(here).forbidden[0]
    order = np.argsort(region.up[: len(region.up) // 2])
    edge = np.interp(3.0, region.up[order], region.across[order])
    assert 2**edge == pytest.approx(here.values["decode_batch_limit"], rel=0.01)


def test_marks_are_the_best_cells_that_fit() -> None:
    point = resolve()
    cheap, fast = inference_map(evaluate(point)).marks
    assert (cheap.words, fast.words) == ("cheap tokens", "low latency")
    for mark in (cheap, fast):
        there = at_inference(point, mark.across, mark.up)
        assert there.bounds["decode_memory_headroom"] >= 0
    assert fast.across == 0.0
    assert cheap.value > evaluate(point).values["useful_flops_fraction"]


def test_window_moves_only_when_the_ring_would_leave() -> None:
    assert kept_or_centred(2, 16, 8.9) == (2, 16)
    assert kept_or_centred(2, 16, 15.8) == (2, 16)
    assert kept_or_centred(2, 16, 20) == (14, 28)
    assert kept_or_centred(2, 16, -3.5) == (-10, 4)
    first = training_map(evaluate(resolve())).window
    far = evaluate(resolve(settings={"batch_tokens": 8960}))
    left = training_map(far, first).window
    assert left != first
    assert left.left < 0 < left.right
    assert training_map(evaluate(resolve()), first).window == first


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("llama-3-70b", {}),
        ("llama-3-8b", {"data_shards": 7, "tensor_shards": 3, "seq_len": 1000}),
        ("mixtral-8x7b", {"data_shards": 96, "tensor_shards": 4}),
        ("gpt2", {"data_shards": 1, "tensor_shards": 1, "batch_tokens": 1024, "seq_len": 1024}),
    ],
)
def test_any_move_leads_to_a_point_that_divides(model, settings) -> None:
    dice = random.Random(7)
    here = evaluate(resolve(None, model, settings))
    chips = here.bounds["chips"]
    for _ in range(60):
        across, up = dice.uniform(-8, 24), dice.uniform(-1, 18)
        steps = dice.choice([-1, 0, 1]), dice.choice([-1, 0, 1])
        for found in (
            {**moves.training_place(here, across, up), **moves.inference_place(here, across, up)},
            {**moves.training_step(here, *steps), **moves.inference_step(here, *steps)},
        ):
            there = evaluate(here.point.with_settings(found))
            assert there.bounds["chips"] == chips
            faults = [reason for reason in there.reasons.values() if " divide " in reason or "shorter than" in reason]
            assert not faults
            here = there


def test_a_click_lands_nearest_in_octaves() -> None:
    here = evaluate(resolve())
    assert moves.mesh_ways(here) == [n for n in range(1, 8961) if 8960 % n == 0 and 28672 % n == 0]
    assert moves.training_place(here, 9.0, math.log2(10.5))["tensor_shards"] == 8
    assert moves.training_place(here, 9.0, math.log2(10.7))["tensor_shards"] == 14
    place = moves.training_place(here, 9.0, 3.0)
    assert place == {"tensor_shards": 8, "data_shards": 1120, "batch_tokens": 1120 * 4096}
    assert moves.inference_place(here, 5.1, 4.1) == {"decode_batch": 34, "decode_chips": 16}


def test_arrow_keys_move_one_step_and_back() -> None:
    here = evaluate(resolve())
    right = evaluate(here.point.with_settings(moves.training_step(here, 1, 0)))
    assert right.point.values["batch_tokens"] == 1218 * 4096
    assert moves.training_step(here, 0, 1) == {"tensor_shards": 14, "data_shards": 640}
    assert moves.training_step(here, 0, -1) == {"tensor_shards": 7, "data_shards": 1280}
    assert moves.inference_step(here, -1, 1) == {"decode_batch": 27, "decode_chips": 14}
    single = evaluate(resolve(settings={"decode_batch": 1, "decode_chips": 1}))
    assert moves.inference_step(single, -1, -1) == {"decode_batch": 1, "decode_chips": 1}
