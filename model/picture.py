"""A model as a picture: parameters, FLOPs and bytes by part, and its key counts, from a file or from the knobs.

Both sources give the same record, so that a counted file and a point of the graph can stand side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from model.counting import ATTENTION_CONVENTIONS, Count, kv_replication, training_flops_per_token
from model.evaluate import Evaluation, evaluate
from model.point import Point

TENSOR_SHARDS = (1, 2, 4, 8, 16, 32, 64)
"""Sizes of a tensor-parallel group whose copies of keys and values are told."""

BF16_BYTES = 2

PARTS = {
    "embedding": "embedding",
    "attention": "attention",
    "mlp": "MLP",
    "experts": "experts",
    "shared_experts": "shared experts",
    "router": "router",
    "norms": "norms",
    "head": "head",
    "vision": "image tower",
}
"""What each part is called, in the order of the picture."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part: parameters, forward FLOPs of one token in its matrices, and bytes of its weights."""

    params: float
    flops: float
    bytes: float


@dataclass(frozen=True, slots=True)
class Picture:
    """What one model comes to.

    Attributes:
        parts: by name, embedding first; a part that the model lacks is left out.
        total_params: all parameters, tower of images included.
        active_params: those on the path of one text token, input embedding included.
        active_without_embedding: the same without the input embedding, unless it is also the head.
        kv_bytes: bytes of cache that a token adds inside every window, in the cache's element type.
        kv_bytes_beyond: bytes that it adds once every window is full.
        state_bytes: fixed bytes a sequence, of linear attention.
        kv_copies: bytes of cache on all chips of a tensor-parallel group over one copy's, by its size; empty without
            a cache.
        matrix_flops: forward FLOPs of one token in all matrices.
        training_flops: FLOPs of one training token by how attention is counted, over `seq_len` tokens.
        seq_len: tokens of a sequence.
        weight_bytes: bytes of the weights.
        stored: whether `weight_bytes` are those of the file; else they are two a parameter.
    """

    parts: Mapping[str, Part]
    total_params: float
    active_params: float
    active_without_embedding: float
    kv_bytes: float
    kv_bytes_beyond: float
    state_bytes: float
    kv_copies: Mapping[int, float]
    matrix_flops: float
    training_flops: Mapping[str, float]
    seq_len: int
    weight_bytes: float
    stored: bool


def picture_of_count(count: Count, seq_len: int) -> Picture:
    """Return the picture of a counted file; attention's FLOPs are averaged over `seq_len` tokens."""
    arch = count.architecture
    parts = {
        name: Part(
            part.params,
            part.flops_per_token,
            BF16_BYTES * part.params if part.weight_bytes is None else part.weight_bytes,
        )
        for name, part in count.parts.items()
        if part.params or part.flops_per_token
    }
    return Picture(
        parts=parts,
        total_params=count.total_params,
        active_params=count.active_params,
        active_without_embedding=count.active_params_without_input_embedding,
        kv_bytes=count.kv_bytes_per_token,
        kv_bytes_beyond=count.kv_bytes_per_token_beyond_window,
        state_bytes=count.state_bytes,
        kv_copies={s: kv_replication(arch, s) for s in TENSOR_SHARDS} if count.kv_bytes_per_token else {},
        matrix_flops=count.flops_per_token,
        training_flops={
            kind: training_flops_per_token(arch, seq_len, attention=kind) for kind in ATTENTION_CONVENTIONS
        },
        seq_len=seq_len,
        weight_bytes=count.weight_bytes_bf16 if count.weight_bytes is None else count.weight_bytes,
        stored=count.weight_bytes is not None,
    )


def picture_of_point(point: Point) -> Picture:
    """Return the picture of the model on the knobs: the graph's own quantities, weights at two bytes each.

    Head and attention follow the counts' conventions, whatever the knobs say: the head is a matmul, the embedding a
    lookup, and the cache is in bf16.
    """
    by_convention = {
        kind: evaluate(
            point.with_settings({"attention_flops": kind, "head_flops": "matmul", "kv_bytes": BF16_BYTES}), gate=False
        )
        for kind in ATTENTION_CONVENTIONS
    }
    evaluation = by_convention["none"]
    values, knobs = evaluation.bounds, point.numbers_by_name()
    embedding, tied = values["embedding_params"], knobs["tied_embeddings"] > 0
    training = {kind: found.bounds["training_flops_per_token"] for kind, found in by_convention.items()}
    pieces = 1 if knobs["attention_kind"] > 0 else int(knobs["n_kv_heads"])
    return Picture(
        parts=_parts(evaluation),
        total_params=values["total_params"],
        active_params=values["active_params"],
        active_without_embedding=values["active_params"] - (0 if tied else embedding),
        kv_bytes=values["kv_bytes_per_token"],
        kv_bytes_beyond=values["kv_bytes_per_token_beyond_window"],
        state_bytes=0,
        kv_copies={shards: shards * -(-pieces // shards) / pieces for shards in TENSOR_SHARDS},
        matrix_flops=training["none"] / 3,
        training_flops=training,
        seq_len=int(knobs["seq_len"]),
        weight_bytes=BF16_BYTES * values["total_params"],
        stored=False,
    )


def _parts(evaluation: Evaluation) -> dict[str, Part]:
    values, knobs = evaluation.bounds, evaluation.point.numbers_by_name()
    sparse, expert = values["sparse_layers"], values["expert_params"]
    embedding, tied = values["embedding_params"], knobs["tied_embeddings"] > 0
    routed, shared = sparse * expert, sparse * knobs["shared_experts"] * expert
    router = sparse * knobs["d_model"] * knobs["n_experts"]
    dense = (knobs["n_layers"] - sparse) * values["dense_mlp_params"]
    found = {
        "embedding": (embedding, 0.0),
        "attention": (values["all_attention_params"], values["all_attention_params"]),
        "mlp": (dense, dense),
        "experts": (knobs["n_experts"] * routed, knobs["active_experts"] * routed),
        "shared_experts": (shared, shared),
        "router": (router, router),
        "head": (0.0 if tied else embedding, embedding),
    }
    return {name: Part(held, 2 * used, BF16_BYTES * held) for name, (held, used) in found.items() if held or used}
