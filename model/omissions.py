"""What the graph leaves out, which way that errs, and what can be said of it at a point.

A sentence names the effect; `here` says more where the graph holds the numbers to say it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import presets
from model.evaluate import Evaluation
from model.numerals import digits, show
from model.words import listed, times

Error = Literal["optimistic", "pessimistic", "either way"]


@dataclass(frozen=True)
class Omission:
    """One thing that is not priced.

    Attributes:
        name: what.
        error: whether the shown times and costs are too good, too bad, or either.
        sentence: why.
        here: what it comes to at a point, or the empty string.
    """

    name: str
    error: Error
    sentence: str
    here: Callable[[Evaluation], str] = lambda _: ""


def _knob(evaluation: Evaluation, name: str) -> float:
    return evaluation.point.numbers_by_name()[name]


def _ring_share(evaluation: Evaluation) -> str:
    ways = {name: _knob(evaluation, name) for name in ("tensor_shards", "data_shards", "decode_chips")}
    labels = {"tensor_shards": "tensor shards", "data_shards": "data shards", "decode_chips": "serving chips"}
    shares = [
        f"{digits(100 / count)}\u2009% over {count:,.0f} {labels[name]}" for name, count in ways.items() if count > 1
    ]
    return f"Of the shown time, too much is {listed(shares)}." if shares else "No collective runs here."


def _switch(evaluation: Evaluation) -> str:
    if _knob(evaluation, "ici_axes") > 1:
        return "This torus has no such switch: nothing here."
    return f"An AllReduce inside a node could be {digits(100 * evaluation.bounds['sharp_gain'])}\u2009% faster."


def beyond_fabric(evaluation: Evaluation) -> list[str]:
    """Return the meshes with more chips than one fabric of the chip joins: `8,960 training chips`."""
    fabric = _knob(evaluation, "pod_chips")
    meshes = {"training": evaluation.bounds["chips"], "serving": _knob(evaluation, "decode_chips")}
    return [f"{count:,.0f} {name} chips" for name, count in meshes.items() if count > fabric]


def fabric_sentence(evaluation: Evaluation) -> str:
    """Return whether the meshes of a point lie on one fabric of its chip, and what to choose where they do not."""
    fabric, slug = _knob(evaluation, "pod_chips"), evaluation.point.chip
    if math.isnan(fabric):
        return "The size of this chip's fabric is not printed."
    name, beyond = presets.chip(slug).name, beyond_fabric(evaluation)
    if not beyond:
        return f"One fabric of {name} joins {fabric:,.0f} chips: every mesh here lies on one."
    wider = [chip.name for other, chip in presets.chips().items() if other == f"{slug}-superpod"]
    mend = f" Choose {wider[0]} to price the network between nodes." if wider else ""
    return f"One fabric of {name} joins {fabric:,.0f} chips; {listed(beyond)} are priced as if on one.{mend}"


def _between_pods(evaluation: Evaluation) -> str:
    slack, count = evaluation.bounds["dcn_slack"], evaluation.bounds["pods"]
    if math.isnan(slack) or math.isnan(count):
        return ""
    if evaluation.bounds["chips"] <= _knob(evaluation, "pod_chips"):
        return "The mesh lies in one pod: nothing here."
    state = f"hide with {times(slack)} to spare" if slack >= 1 else f"take {times(1 / slack)} the backward pass"
    return f"Over {digits(count)} pods, the gradients of the MLPs alone {state}."


def _overlap(evaluation: Evaluation) -> str:
    passes = [evaluation.branches[name] for name in ("forward_time", "backward_time") if name in evaluation.branches]
    slowest = sum(branches[0].value for branches in passes)
    together = sum(branch.value for branches in passes for branch in branches)
    if not slowest > 0 or together == slowest:
        return ""
    return f"One after the other, the parts of a layer would take {times(together / slowest)} as long."


def _experts(evaluation: Evaluation) -> str:
    if _knob(evaluation, "n_experts") <= 1:
        return "A dense model: nothing here."
    visited = _knob(evaluation, "active_experts")
    return f"In every sparse layer, each token would travel to {visited:,.0f} experts and back."


def _context(evaluation: Evaluation) -> str:
    sequences, shards = evaluation.bounds["batch_sequences"], _knob(evaluation, "data_shards")
    if sequences >= shards:
        return f"{digits(sequences / shards)} whole sequences lie on a data shard: nothing here."
    count = show(sequences, "sequences")
    return f"{count} over {shards:,.0f} data shards: some are split, and keys and values would travel."


def _optimizer(evaluation: Evaluation) -> str:
    state, chips = evaluation.bounds["state_bytes"], evaluation.bounds["chips"]
    bandwidth, step = _knob(evaluation, "hbm_bandwidth"), evaluation.bounds["step_time"]
    seconds = 2 * state / (chips * bandwidth)
    if not seconds > 0 or not step > 0:
        return ""
    share = digits(100 * seconds / step, 2)
    return f"Reading and writing the training state once takes {show(seconds, 's')}, {share}\u2009% of a step."


def _launches(evaluation: Evaluation) -> str:
    floor = _knob(evaluation, "collective_latency")
    return f"Only a decode collective has a floor, {show(floor, 's')}."


def _norms(evaluation: Evaluation) -> str:
    counted = evaluation.bounds["total_params"]
    extra = evaluation.bounds["total_params_with_norms"] - counted
    return f"Norms alone would add {extra:,.0f} parameters, {digits(100 * extra / counted, 2)}\u2009%."


def _training_memory_traffic(evaluation: Evaluation) -> str:
    critical = evaluation.bounds["matmul_critical_batch"]
    if math.isnan(critical):
        return ""
    tokens = _knob(evaluation, "batch_tokens") / _knob(evaluation, "data_shards")
    return f"{digits(tokens)} tokens lie on a data shard; HBM would bind below about {digits(critical)}."


def _copies(evaluation: Evaluation) -> str:
    heads, chips = _knob(evaluation, "n_kv_heads"), _knob(evaluation, "decode_chips")
    if evaluation.point.values["attention_kind"] == "latent":
        heads = 1.0
    if chips <= heads:
        return f"{heads:,.0f} KV heads over {chips:,.0f} chips: nothing to copy."
    here = f"{heads:,.0f} KV heads over {chips:,.0f} chips"
    if evaluation.point.values["kv_replication"] == "replicated":
        return f"{here}: {times(evaluation.bounds['kv_copies'])} the cache, priced by the present choice."
    return f"{here} would hold {times(chips / heads)} the cache; the present choice prices it once."


OMISSIONS: tuple[Omission, ...] = (
    Omission(
        "Perfect overlap",
        "optimistic",
        "A layer takes as long as the slowest of its compute and collectives; the others hide behind it entirely.",
        _overlap,
    ),
    Omission(
        "Bandwidth at specification",
        "optimistic",
        "Matmul efficiency scales compute only; HBM and links run at all of their printed bandwidth.",
    ),
    Omission(
        "HBM in training",
        "optimistic",
        "A training step is compute against collectives; reading weights and activations never binds.",
        _training_memory_traffic,
    ),
    Omission(
        "Launch overheads",
        "optimistic",
        "Kernel launches, host gaps and synchronisation take no time.",
        _launches,
    ),
    Omission(
        "Optimizer step and data loading",
        "optimistic",
        "A step ends with its backward pass; the update of the weights and the next batch cost nothing.",
        _optimizer,
    ),
    Omission(
        "Norms, rotary embeddings, biases",
        "optimistic",
        "Only matrices are counted, in parameters and in FLOPs; vector work rides along for free.",
        _norms,
    ),
    Omission(
        "Stragglers, failures, restarts",
        "optimistic",
        "Every chip is as fast as the next and none fails; no checkpoint is written or read.",
    ),
    Omission(
        "One fabric",
        "optimistic",
        "All chips of a mesh share one torus or switch at one bandwidth.",
        fabric_sentence,
    ),
    Omission(
        "Traffic between pods",
        "optimistic",
        "A step sends nothing over the data-centre network, however many pods its mesh would span.",
        _between_pods,
    ),
    Omission(
        "AllToAll of expert parallelism",
        "optimistic",
        "Experts are sharded like dense weights; tokens travel to them for free.",
        _experts,
    ),
    Omission(
        "Context parallelism",
        "optimistic",
        "Attention never leaves its data shard, so long sequences cost no collective.",
        _context,
    ),
    Omission(
        "Copies of KV heads",
        "optimistic",
        "With more chips than KV heads, heads are copied unless the cache is split some other way.",
        _copies,
    ),
    Omission(
        "The share (N−1)/N of a ring",
        "pessimistic",
        "A chip need not send itself its own shard; collectives are priced as if it did.",
        _ring_share,
    ),
    Omission(
        "Reductions in the switch (SHARP)",
        "pessimistic",
        "A switch that adds in flight carries each byte of an AllReduce once; here it is carried twice.",
        _switch,
    ),
    Omission(
        "Prefix caches",
        "pessimistic",
        "Every sequence stores and prefills its whole prompt, even where others share it.",
    ),
    Omission(
        "Paged caches",
        "either way",
        "A cache is one dense block of the stated length: no half-empty pages, no sequence still growing into its own.",
    ),
    Omission(
        "Pipeline parallelism",
        "either way",
        "Layers are never dealt out in stages: no bubbles, and no relief for meshes short of bandwidth.",
    ),
    Omission(
        "Whole numbers",
        "either way",
        "Shards, layers and chips are differentiated as if continuous: read their gradients as rates, then round.",
    ),
)
"""Everything left out, what makes the page too hopeful first."""
