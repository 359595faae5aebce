"""What the bars show: a step laid out in time, lane by lane, and a chip's memory part by part.

In each pass a lane starts where the pass starts, and the pass ends with its longest lane. On one shared wire the
tensor-parallel collectives start where the FSDP ones end, since they add up. Every length is a quantity of the graph.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from model.evaluate import Evaluation

Part = Literal["first", "second", "third", "fourth"]
"""Order of a part within its lane."""


@dataclass(frozen=True)
class Span:
    """One piece of a lane, in seconds or bytes.

    Attributes:
        label: what it is.
        quantity: the quantity of the graph that it shows.
        stage: the pass that it belongs to.
        part: its order within the lane's pass.
        start: where it begins.
        stop: where it ends.
    """

    label: str
    quantity: str
    stage: str
    part: Part
    start: float
    stop: float

    @property
    def length(self) -> float:
        """How long it is."""
        return self.stop - self.start


@dataclass(frozen=True)
class Lane:
    """One resource over a step.

    Attributes:
        name: the resource.
        spans: its pieces, in order.
        binding: the passes in which it is the longest lane.
        slack: how many times slower it could get before it binds in some pass; 1 where it binds, infinite if empty.
    """

    name: str
    spans: tuple[Span, ...]
    binding: tuple[str, ...]
    slack: float

    @property
    def busy(self) -> float:
        """How long the resource works in the whole step."""
        return math.fsum(span.length for span in self.spans)

    def totals(self) -> dict[str, float]:
        """Return the time of each kind of piece over all passes."""
        labels = dict.fromkeys(span.label for span in self.spans)
        return {label: math.fsum(span.length for span in self.spans if span.label == label) for label in labels}


@dataclass(frozen=True)
class Timeline:
    """Lanes of one step, the stops of its passes, and how long it takes; `reason` says why it can't be had."""

    lanes: tuple[Lane, ...]
    stops: tuple[float, ...]
    total: float
    reason: str = ""


@dataclass(frozen=True)
class Memory:
    """A chip's memory: its parts and the capacity, NaN where none is known; `reason` says why it can't be had."""

    spans: tuple[Span, ...]
    capacity: float
    reason: str = ""

    @property
    def used(self) -> float:
        """Bytes that the parts take."""
        return math.fsum(span.length for span in self.spans)

    @property
    def fits(self) -> bool:
        """Whether the parts fit; without a known capacity nothing says that they don't."""
        return not self.used > self.capacity


_PARTS: tuple[Part, ...] = ("first", "second", "third", "fourth")


def _in_a_row(stage: str, start: float, pieces: Iterable[tuple[str, str, float]]) -> list[Span]:
    """Return `(label, quantity, length)` pieces one after the other; pieces of no length are left out."""
    spans: list[Span] = []
    for part, (label, quantity, length) in zip(_PARTS, pieces, strict=False):
        if length > 0:
            spans.append(Span(label, quantity, stage, part, start, start + length))
            start += length
    return spans


def training_timeline(evaluation: Evaluation) -> Timeline:
    """Return one training step: every layer's forward pass, then every layer's backward pass, then the head."""
    reason = evaluation.reasons.get("step_time", "")
    if reason:
        return Timeline((), (), math.nan, reason)
    bounds = evaluation.bounds
    layers = evaluation.point.numbers_by_name()["n_layers"]
    one_wire = bounds["shared_wire"] > 0.5
    math_spans: list[Span] = []
    fsdp_spans: list[Span] = []
    tensor_spans: list[Span] = []
    start, stops = 0.0, []
    for name in ("forward", "backward"):
        repeats = bounds[f"{name}_math_time"] / bounds["forward_math_time"]
        parts = [
            ("MLP", "forward_mlp_time", layers * repeats * bounds["forward_mlp_time"]),
            ("projections", "forward_projection_time", layers * repeats * bounds["forward_projection_time"]),
            ("attention", "forward_attention_time", layers * repeats * bounds["forward_attention_time"]),
        ]
        math_spans += _in_a_row(name, start, parts)
        gathers = _in_a_row(name, start, [("FSDP comms", f"{name}_fsdp_time", layers * bounds[f"{name}_fsdp_time"])])
        fsdp_spans += gathers
        after = gathers[-1].stop if one_wire and gathers else start
        tensor_spans += _in_a_row(
            name, after, [("TP comms", f"{name}_tensor_time", layers * bounds[f"{name}_tensor_time"])]
        )
        start += layers * bounds[f"{name}_time"]
        stops.append(start)
    if bounds["head_time"] > 0:
        math_spans.append(Span("head", "head_time", "head", "fourth", start, start + bounds["head_time"]))
        stops.append(start + bounds["head_time"])
    lanes = (
        _training_lane(evaluation, "Math", "math", math_spans),
        _training_lane(evaluation, "TP comms", "wire" if one_wire else "tp", tensor_spans),
        _training_lane(evaluation, "FSDP comms", "wire" if one_wire else "fsdp", fsdp_spans),
    )
    return Timeline(lanes, tuple(stops), bounds["step_time"])


def _training_lane(evaluation: Evaluation, name: str, branch: str, spans: list[Span]) -> Lane:
    found = {
        which: next(item.margin for item in evaluation.branches[f"{which}_time"] if item.name == branch)
        for which in ("forward", "backward")
    }
    binding = tuple(which for which, margin in found.items() if margin == 1.0) if spans else ()
    return Lane(name, tuple(spans), binding, min(found.values()) if spans else math.inf)


def decode_timeline(evaluation: Evaluation) -> Timeline:
    """Return one decode step: the HBM's reads beside the FLOPs, then the collectives."""
    reason = evaluation.reasons.get("decode_step_time", "")
    if reason:
        return Timeline((), (), math.nan, reason)
    bounds = evaluation.bounds
    weights = ("weights", "decode_weights_time", bounds["decode_weights_time"])
    cache = ("KV", "decode_kv_time", bounds["decode_kv_time"])
    inside = evaluation.point.numbers_by_name()["kv_in_max"] > 0.5
    hbm = _in_a_row("step", 0.0, [weights, cache] if inside else [cache, weights])
    ready = 0.0 if inside else bounds["decode_kv_time"]
    flops = _in_a_row("step", ready, [("FLOPs", "decode_flops_time", bounds["decode_flops_time"])])
    end = bounds["decode_roofline_time"]
    comms = _in_a_row("step", end, [("comms", "decode_comms_time", bounds["decode_comms_time"])])
    margins = {branch.name: branch.margin for branch in evaluation.branches["decode_roofline_time"]}
    lanes = (
        _serving_lane("HBM", hbm, margins["memory"]),
        _serving_lane("FLOPs", flops, margins["flops"]),
        _serving_lane("ICI comms", comms, 1.0),
    )
    return Timeline(lanes, (end, *((comms[-1].stop,) if comms else ())), bounds["decode_step_time"])


def prefill_timeline(evaluation: Evaluation) -> Timeline:
    """Return the prefill of the whole batch: one read of the weights beside the FLOPs, then the collectives."""
    reason = evaluation.reasons.get("prefill_time", "")
    if reason:
        return Timeline((), (), math.nan, reason)
    bounds = evaluation.bounds
    end = bounds["prefill_roofline_time"]
    flops = _in_a_row("step", 0.0, [("FLOPs", "prefill_flops_time", bounds["prefill_flops_time"])])
    weights = _in_a_row("step", 0.0, [("weights", "prefill_weights_time", bounds["prefill_weights_time"])])
    comms = _in_a_row("step", end, [("comms", "prefill_comms_time", bounds["prefill_comms_time"])])
    margins = {branch.name: branch.margin for branch in evaluation.branches["prefill_roofline_time"]}
    lanes = (
        _serving_lane("FLOPs", flops, margins["flops"]),
        _serving_lane("weights", weights, margins["weights"]),
        _serving_lane("ICI comms", comms, 1.0),
    )
    return Timeline(lanes, (end, *((comms[-1].stop,) if comms else ())), bounds["prefill_time"])


def _serving_lane(name: str, spans: list[Span], margin: float) -> Lane:
    return Lane(name, tuple(spans), ("step",) if spans and margin == 1.0 else (), margin if spans else math.inf)


def training_memory(evaluation: Evaluation) -> Memory:
    """Return what fills a training chip: saved activations, then weights and optimizer state."""
    bounds, chips = evaluation.bounds, evaluation.bounds["chips"]
    parts = [
        ("checkpoints", "checkpoint_bytes", bounds["checkpoint_bytes"] / chips),
        ("weights and optimizer", "state_bytes", bounds["state_bytes"] / chips),
    ]
    return _memory(evaluation, parts)


def serving_memory(evaluation: Evaluation) -> Memory:
    """Return what fills a serving chip: weights, then KV caches."""
    bounds, chips = evaluation.bounds, evaluation.point.numbers_by_name()["decode_chips"]
    parts = [
        ("weights", "weight_store_bytes", bounds["weight_store_bytes"] / chips),
        ("KV", "kv_cache_bytes", bounds["kv_cache_bytes"] / chips),
    ]
    return _memory(evaluation, parts)


def _memory(evaluation: Evaluation, parts: list[tuple[str, str, float]]) -> Memory:
    capacity = evaluation.point.numbers_by_name()["hbm_capacity"]
    reason = next((evaluation.reasons[name] for _, name, size in parts if not math.isfinite(size)), "")
    return Memory(() if reason else tuple(_in_a_row("memory", 0.0, parts)), capacity, reason)
