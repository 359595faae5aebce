"""From a place on a map to knobs: a click or an arrow key becomes settings that divide and can be had."""

from __future__ import annotations

import math
from collections.abc import Sequence

from model.knobs import KNOBS
from model.point import Point

OCTAVES_A_STEP = 0.25
"""How far an arrow key moves the batch."""


def divisors(count: int) -> list[int]:
    """Return the divisors of `count`, ascending."""
    small = [n for n in range(1, math.isqrt(count) + 1) if count % n == 0]
    return sorted({*small, *(count // n for n in small)})


def mesh_ways(point: Point) -> list[int]:
    """Return the tensor shards that divide both the chips and the FFN width, and leave data shards within bounds."""
    knobs = point.numbers_by_name()
    chips = round(knobs["data_shards"] * knobs["tensor_shards"])
    shared = math.gcd(chips, round(knobs["d_ff"]))
    return [n for n in divisors(shared) if chips / n <= _most("data_shards") and n <= _most("tensor_shards")]


def serving_ways(point: Point) -> list[int]:
    """Return the serving chips that divide the FFN width."""
    width = round(point.numbers_by_name()["d_ff"])
    return [n for n in divisors(width) if n <= _most("decode_chips")]


def training_place(point: Point, across: float, up: float) -> dict[str, object]:
    """Return the settings nearest to a place on the training map.

    Args:
        point: the present point; its number of chips is kept.
        across: log2 of tokens a chip.
        up: log2 of tensor shards.
    """
    ways = _nearest(mesh_ways(point), up)
    chips = _chips(point)
    return _mesh(point, ways, 2**across * chips)


def training_step(point: Point, right: int, up: int) -> dict[str, object]:
    """Return the settings that arrow keys lead to: `up` divisors higher, the batch `right` quarter octaves larger."""
    knobs = point.numbers_by_name()
    ways = _neighbour(mesh_ways(point), knobs["tensor_shards"], up)
    tokens, length = knobs["batch_tokens"], knobs["seq_len"]
    if right:
        moved = tokens * 2 ** (right * OCTAVES_A_STEP)
        tokens = max(moved, tokens + right * length) if right > 0 else min(moved, tokens + right * length)
        return _mesh(point, ways, tokens)
    return {**_mesh(point, ways, tokens), "batch_tokens": max(tokens, _chips(point) / ways)}


def inference_place(point: Point, across: float, up: float) -> dict[str, object]:
    """Return the settings nearest to a place on the inference map: log2 of the batch across, of chips upwards."""
    batch = min(max(round(2**across), 1), _most("decode_batch"))
    return {"decode_batch": float(batch), "decode_chips": float(_nearest(serving_ways(point), up))}


def inference_step(point: Point, right: int, up: int) -> dict[str, object]:
    """Return the settings that arrow keys lead to: `up` divisors more chips, the batch `right` steps larger."""
    knobs = point.numbers_by_name()
    batch = knobs["decode_batch"]
    if right:
        moved = round(batch * 2 ** (right * OCTAVES_A_STEP))
        batch = max(moved, batch + 1) if right > 0 else min(moved, batch - 1)
    chips = _neighbour(serving_ways(point), knobs["decode_chips"], up)
    return {"decode_batch": float(min(max(batch, 1), _most("decode_batch"))), "decode_chips": float(chips)}


def _mesh(point: Point, ways: int, tokens: float) -> dict[str, object]:
    """Return the mesh of `ways` tensor shards, and a batch of whole sequences that covers its data shards."""
    shards = round(_chips(point) / ways)
    length = point.numbers_by_name()["seq_len"]
    fewest, most = math.ceil(shards / length), math.floor(_most("batch_tokens") / length)
    sequences = min(max(round(tokens / length), fewest, 1), most)
    return {
        "tensor_shards": float(ways),
        "data_shards": float(shards),
        "batch_tokens": float(sequences * length),
    }


def _chips(point: Point) -> float:
    knobs = point.numbers_by_name()
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
