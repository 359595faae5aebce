"""Lanes: lengths are the graph's, passes end with their longest lane, and parts add up to the whole."""

import math

import pytest

from model.evaluate import evaluate
from model.lanes import (
    Timeline,
    decode_timeline,
    prefill_timeline,
    serving_memory,
    training_memory,
    training_timeline,
)
from model.point import resolve

POINTS = [
    pytest.param(None, "llama-3-70b", {}, id="compute-bound"),
    pytest.param(None, "llama-3-70b", {"data_shards": 140, "tensor_shards": 64}, id="TP-bound forward"),
    pytest.param("h100", "llama-3-8b", {"data_shards": 32, "batch_tokens": "256k", "recompute": "full"}, id="one wire"),
    pytest.param(None, "mixtral-8x7b", {"head_flops": "none", "data_shards": 64}, id="experts"),
]


def ends(timeline: Timeline) -> float:
    return max(span.stop for lane in timeline.lanes for span in lane.spans)


@pytest.mark.parametrize(("chip", "model", "settings"), POINTS)
def test_training_lanes_end_with_the_step(chip, model, settings) -> None:
    here = evaluate(resolve(chip, model, settings), gate=False)
    timeline = training_timeline(here)
    assert timeline.reason == ""
    assert timeline.total == here.values["step_time"]
    assert ends(timeline) == pytest.approx(timeline.total, rel=1e-12)
    start = 0.0
    for stop, stage in zip(timeline.stops, ("forward", "backward", "head"), strict=False):
        spans = [span for lane in timeline.lanes for span in lane.spans if span.stage == stage]
        assert min(span.start for span in spans) == pytest.approx(start, rel=1e-12, abs=1e-15)
        assert max(span.stop for span in spans) == pytest.approx(stop, rel=1e-12)
        start = stop


@pytest.mark.parametrize(("chip", "model", "settings"), POINTS)
def test_parts_of_math_add_up_to_the_graphs_math(chip, model, settings) -> None:
    here = evaluate(resolve(chip, model, settings), gate=False)
    bounds = here.bounds
    parts = [bounds[f"forward_{name}_time"] for name in ("mlp", "projection", "attention")]
    assert math.fsum(parts) == pytest.approx(bounds["forward_math_time"], rel=1e-12)
    assert parts[2] / (parts[0] + parts[1]) == pytest.approx(bounds["attention_flops_share"], rel=1e-12)
    layers = float(here.point.values["n_layers"])
    math_lane = training_timeline(here).lanes[0]
    whole = layers * (bounds["forward_math_time"] + bounds["backward_math_time"]) + bounds["head_time"]
    assert math_lane.busy == pytest.approx(whole, rel=1e-12)


def test_time_of_the_parts_by_hand() -> None:
    """LLaMA-3 70B on 8,960 v5p at 41 %: 6 x 4.19e6 x 80 layers x 3DF FLOPs of MLP over 8,960 x 4.59e14 x .41."""
    here = evaluate(resolve(settings={"matmul_efficiency": 0.41}))
    lane = training_timeline(here).lanes[0]
    mlp = 6 * 4194304 * 80 * 3 * 8192 * 28672 / (8960 * 4.59e14 * 0.41)
    assert lane.totals()["MLP"] == pytest.approx(mlp, rel=1e-12)
    assert lane.totals()["MLP"] == pytest.approx(0.841, rel=1e-3)
    assert lane.binding == ("forward", "backward")


def test_one_wire_takes_its_collectives_in_turn() -> None:
    here = evaluate(resolve("h100", "llama-3-8b", {"data_shards": 32, "batch_tokens": "256k"}))
    _, tensor, fsdp = training_timeline(here).lanes
    for late, early in zip(tensor.spans, fsdp.spans, strict=True):
        assert late.start == early.stop
    assert tensor.slack == fsdp.slack


def test_a_lane_that_binds_in_one_pass_says_which() -> None:
    here = evaluate(resolve(settings={"data_shards": 560, "tensor_shards": 16}), gate=False)
    compute, tensor, _ = training_timeline(here).lanes
    assert tensor.binding == ("forward",)
    assert compute.binding == ("backward",)


@pytest.mark.parametrize("kv", ["inside", "outside"])
def test_serving_lanes_end_with_the_step(kv) -> None:
    here = evaluate(resolve(settings={"kv_in_max": kv, "decode_batch": 128}))
    for timeline, name in ((decode_timeline(here), "decode_step_time"), (prefill_timeline(here), "prefill_time")):
        assert timeline.total == here.values[name]
        assert ends(timeline) == pytest.approx(timeline.total, rel=1e-12)


def test_parts_of_memory_are_the_graphs_total() -> None:
    here = evaluate(resolve())
    for memory, name in (
        (training_memory(here), "memory_per_chip"),
        (serving_memory(here), "decode_memory_per_chip"),
    ):
        assert memory.used == pytest.approx(here.values[name], rel=1e-12)
        assert memory.fits
    full = evaluate(resolve(settings={"decode_batch": 4096}))
    assert not serving_memory(full).fits
    assert "does not fit" in decode_timeline(full).reason
    assert decode_timeline(full).lanes == ()
