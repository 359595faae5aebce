"""From a place on a map to knobs: a click or an arrow key becomes settings that divide and can be had."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from model.evaluate import Evaluation
from model.feasibility import gates_of
from model.knobs import KNOBS

OCTAVES_A_STEP = 0.25
"""How far an arrow key moves the batch."""


def mesh_ways(evaluation: Evaluation) -> list[int]:
    """Return the tensor shards that divide the mesh and what must divide by them, ascending; at least 1."""
    mesh = _mesh(evaluation)
    ways = np.arange(1, min(_most("tensor_shards"), mesh) + 1)
    ways = ways[(np.fmod(mesh, ways) == 0) & (mesh / ways <= _most("data_shards"))]
    return _whole(evaluation, "tensor_shards", "step_time", ways)


def serving_ways(evaluation: Evaluation) -> list[int]:
    """Return the serving chips that divide what must divide by them, ascending; at least 1."""
    return _whole(evaluation, "decode_chips", "decode_step_time", np.arange(1, _most("decode_chips") + 1))


def _whole(evaluation: Evaluation, knob: str, target: str, ways: np.ndarray) -> list[int]:
    """Return the ways that no gate of the target refuses for a remainder."""
    knobs = {**evaluation.point.numbers_by_name(), knob: ways.astype(float)}
    fine = np.ones(ways.shape, dtype=bool)
    for gate in gates_of(target):
        if gate.whole and knob in gate.reads():
            fine &= gate.excess(knobs, evaluation.bounds) == 0
    return [int(way) for way in ways[fine]] or [1]


def training_place(evaluation: Evaluation, across: float, up: float) -> dict[str, object]:
    """Return the settings nearest to a place on the training map; the number of chips is kept.

    Args:
        evaluation: the present point and its values.
        across: log2 of tokens a chip.
        up: log2 of tensor shards.
    """
    ways = _nearest(mesh_ways(evaluation), up)
    return _settings(evaluation, ways, 2**across * evaluation.bounds["chips"])


def training_step(evaluation: Evaluation, right: int, up: int) -> dict[str, object]:
    """Return the settings that arrow keys lead to: `up` divisors higher, the batch `right` quarter octaves larger.

    The batch stays as it is where the key is not for it, unless the data shards outgrow it.
    """
    knobs = evaluation.point.numbers_by_name()
    ways = _neighbour(mesh_ways(evaluation), knobs["tensor_shards"], up)
    tokens, length = knobs["batch_tokens"], knobs["seq_len"]
    if right:
        moved = tokens * 2 ** (right * OCTAVES_A_STEP)
        tokens = max(moved, tokens + right * length) if right > 0 else min(moved, tokens + right * length)
        return _settings(evaluation, ways, tokens)
    shards = _mesh(evaluation) / ways
    if tokens >= max(shards, length):
        return {"tensor_shards": float(ways), "data_shards": float(round(shards))}
    return _settings(evaluation, ways, tokens)


def inference_place(evaluation: Evaluation, across: float, up: float) -> dict[str, object]:
    """Return the settings nearest to a place on the inference map: log2 of the batch across, of chips upwards."""
    batch = min(max(round(2**across), 1), _most("decode_batch"))
    return {"decode_batch": float(batch), "decode_chips": float(_nearest(serving_ways(evaluation), up))}


def inference_step(evaluation: Evaluation, right: int, up: int) -> dict[str, object]:
    """Return the settings that arrow keys lead to: `up` divisors more chips, the batch `right` steps larger."""
    knobs = evaluation.point.numbers_by_name()
    batch = knobs["decode_batch"]
    if right:
        moved = round(batch * 2 ** (right * OCTAVES_A_STEP))
        batch = max(moved, batch + 1) if right > 0 else min(moved, batch - 1)
    chips = _neighbour(serving_ways(evaluation), knobs["decode_chips"], up) if up else knobs["decode_chips"]
    return {"decode_batch": float(min(max(batch, 1), _most("decode_batch"))), "decode_chips": float(chips)}


def _settings(evaluation: Evaluation, ways: int, tokens: float) -> dict[str, object]:
    """Return the mesh of `ways` tensor shards, and a batch of whole sequences that covers its data shards."""
    shards = round(_mesh(evaluation) / ways)
    length = evaluation.point.numbers_by_name()["seq_len"]
    fewest, most = math.ceil(shards / length), math.floor(_most("batch_tokens") / length)
    sequences = min(max(round(tokens / length), fewest, 1), most)
    return {
        "tensor_shards": float(ways),
        "data_shards": float(shards),
        "batch_tokens": float(sequences * length),
    }


def _mesh(evaluation: Evaluation) -> float:
    knobs = evaluation.point.numbers_by_name()
    return knobs["data_shards"] * knobs["tensor_shards"]


def _most(knob: str) -> float:
    return KNOBS[knob].bounds[1]


def _nearest(ways: Sequence[int], up: float) -> int:
    return min(ways, key=lambda n: abs(math.log2(n) - up))


def _neighbour(ways: Sequence[int], present: float, moves: int) -> int:
    """Return the way `moves` places above or below the present one, which need not be among them."""
    if moves > 0:
        higher = [n for n in ways if n > present]
        return higher[min(moves, len(higher)) - 1] if higher else ways[-1]
    if moves < 0:
        lower = [n for n in ways if n < present]
        return lower[max(moves, -len(lower))] if lower else ways[0]
    return _nearest(ways, math.log2(present))
