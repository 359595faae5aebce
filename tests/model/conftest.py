"""Points of the graph: random over every knob's bounds, and hostile ones on purpose."""

import math

import numpy as np
import pytest

from model.knobs import KNOBS
from model.point import resolve

PARTS = {"dense_layers": "n_layers", "window_layers": "n_layers", "active_experts": "n_experts"}
"""Knobs that count a part of what another counts."""


def _random_numbers(random: np.random.Generator) -> list[float]:
    numbers: list[float] = []
    for knob in KNOBS.values():
        low, high = knob.bounds
        if knob.kind == "choice":
            numbers.append(float(random.choice(list(knob.numbers.values()))))
        else:
            log = knob.scale == "log"
            value = math.exp(random.uniform(math.log(low), math.log(high))) if log else random.uniform(low, high)
            numbers.append(float(round(value)) if knob.integer else value)
    order = list(KNOBS)
    for part, whole in PARTS.items():
        below = max(numbers[order.index(whole)] - 1, KNOBS[part].bounds[0])
        numbers[order.index(part)] = min(numbers[order.index(part)], below)
    return numbers


def _hostile_numbers() -> list[list[float]]:
    corners = []
    base = dict(zip(KNOBS, resolve().numbers(), strict=True))
    for name, knob in KNOBS.items():
        ends = list(knob.numbers.values()) if knob.kind == "choice" else list(knob.bounds)
        empty = [math.nan] if knob.optional else []
        corners.extend({**base, name: value} for value in ends + empty)
    chips = ("h100", "v100", "tpu-v2", "gb200-nvl72")
    corners.extend(dict(zip(KNOBS, resolve(chip).numbers(), strict=True)) for chip in chips)
    one = {"data_shards": 1.0, "tensor_shards": 1.0, "decode_chips": 1.0}
    corners.append({**base, **one})
    corners.append({**base, **one, "ici_bandwidth": math.nan})
    corners.append({**base, "ici_axes": 1.0})
    corners.append({name: knob.bounds[0] for name, knob in KNOBS.items()})
    corners.append({name: knob.bounds[1] for name, knob in KNOBS.items()})
    return [[corner[name] for name in KNOBS] for corner in corners]


@pytest.fixture(scope="session")
def graph_points() -> np.ndarray:
    """1,000 random and about 180 hostile points, shape (points, knobs): bounds, empty knobs, one shard, one wire."""
    random = np.random.default_rng(20261201)
    return np.array([_random_numbers(random) for _ in range(1000)] + _hostile_numbers())
