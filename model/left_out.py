"""What the graph has no place for in a counted model: norms, biases, towers of images, and the like.

Read from the ledger: of every weight, the elements of the matrices that the graph prices are taken off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from model.counting import Architecture
from model.counting.weights import Weight, weights

TOWER = "tower of images"

_BLOCKS = ("mlp", "mlp.experts", "mlp.shared_experts")
_HELD = frozenset(
    (
        *("embed_tokens", "lm_head", "mlp.gate"),
        *(f"self_attn.{name}_proj" for name in ("q", "k", "v", "o", "q_a", "q_b", "kv_b")),
        "self_attn.kv_a_proj_with_mqa",
        *(f"{block}.{name}_proj" for block in _BLOCKS for name in ("gate", "up", "down")),
    )
)
"""Matrices of the ledger that the graph has a place for."""

_WORDS = {
    "lm_head.bias": "biases",
    "embed_positions": "learned positions",
    "self_attn.sinks": "attention sinks",
    "self_attn.gate_proj": "output gates of attention",
    "self_attn.g_proj": "output gates of attention",
    "mlp.gate.vectors": "vectors of the router",
    "mlp.shared_expert_gate": "gates of the shared experts",
}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the graph has no place for.

    Attributes:
        words: what it is.
        params: how many parameters of the total.
        active_params: how many of them one text token uses.
        matrix_elements: how many of those a token multiplies.
    """

    words: str
    params: int
    active_params: int
    matrix_elements: int


def parts_left_out(arch: Architecture) -> Iterator[LeftOut]:
    """What the graph has no place for, the largest first."""
    found: dict[str, tuple[int, int, int]] = {}
    for weight in weights(arch):
        each = weight.each - weight.inputs * weight.outputs * (weight.path in _HELD)
        multiplied = weight.active_elements * (weight.path not in _HELD)
        part = (weight.copies * each, weight.active * each, multiplied)
        before = found.get(_words(weight), (0, 0, 0))
        found[_words(weight)] = (before[0] + part[0], before[1] + part[1], before[2] + part[2])
    for words, parts in sorted(found.items(), key=lambda item: -item[1][0]):
        if parts[0]:
            yield LeftOut(words, *parts)


def _words(weight: Weight) -> str:
    if weight.path in _HELD:
        return "biases"
    if weight.part in ("norms", "vision"):
        return "norms" if weight.part == "norms" else TOWER
    return _WORDS.get(weight.path, weight.path)
