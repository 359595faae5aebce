"""Exact parameter counts, all read from the ledger."""

from __future__ import annotations

from model.counting.architecture import Architecture, Experts
from model.counting.weights import PARTS, Part, block_weights, outer_weights, weights


def total_params(arch: Architecture) -> int:
    """Unique parameters, tower of images included; a tied table counts once."""
    return sum(w.params for w in weights(arch))


def text_only_params(arch: Architecture) -> int:
    """Unique parameters without the tower of images."""
    return sum(w.params for w in weights(arch) if w.part != "vision")


def active_params(arch: Architecture) -> int:
    """Parameters of the path of one text token, the input embedding included: experts that are not chosen left out."""
    tied_head = arch.embedding_width * arch.vocab_size if arch.tied else 0
    return sum(w.active_params for w in weights(arch)) - tied_head


def active_params_without_input_embedding(arch: Architecture) -> int:
    """Active parameters without the token table, unless that table is also the head and so still multiplied."""
    table = 0 if arch.tied else arch.embedding_width * arch.vocab_size
    return active_params(arch) - table


def routed_expert_params(arch: Architecture) -> int:
    """Parameters of all routed experts (no router, no shared experts)."""
    return sum(w.params for w in weights(arch) if w.part == "experts")


def params_by_part(arch: Architecture) -> dict[Part, int]:
    """Unique parameters of each part of the picture; the parts add up to the total."""
    parts: dict[Part, int] = dict.fromkeys(PARTS, 0)
    for w in weights(arch):
        parts[w.part] += w.params
    return parts


def params_per_chip(arch: Architecture, tensor_shards: int) -> int:
    """Parameters that each chip of a tensor-parallel group holds.

    Dense blocks and experts alike are cut `tensor_shards` ways; key and value projections only down to one head a
    chip; norms, routers and the compressing projections of latent attention are on every chip. Uneven cuts round up.
    The tower of images is replicated.
    """
    if tensor_shards < 1:
        raise ValueError(f"tensor_shards: {tensor_shards}; choose at least 1")
    return sum(w.copies * -(-w.each // _cut(w.part, w.shards, tensor_shards)) for w in weights(arch))


def _cut(part: Part, shards: int, tensor_shards: int) -> int:
    return 1 if part == "vision" else min(shards, tensor_shards)


def stage_params(arch: Architecture, stages: int) -> tuple[int, ...]:
    """Parameters held by each pipeline stage, layers dealt out as evenly as they go, earlier stages first.

    The first stage holds the embedding (and the tower), the last one the final norm and the head: with more than one
    stage a tied table has a copy on both, although the model's unique count does not change.
    """
    if not 1 <= stages <= arch.n_layers:
        raise ValueError(f"stages: {stages} for {arch.n_layers} layers; choose between 1 and the number of layers")
    per_layer = [sum(w.params for w in block_weights(block, arch.d_model)) for block in arch.blocks]
    share, extra = divmod(arch.n_layers, stages)
    held: list[int] = []
    first = 0
    for stage in range(stages):
        last = first + share + (stage < extra)
        held.append(sum(per_layer[first:last]))
        first = last
    for w in outer_weights(arch):
        held[-1 if w.part in ("head", "norms") else 0] += w.params
    if arch.tied and stages > 1:
        held[-1] += arch.embedding_width * arch.vocab_size
    return tuple(held)


def prediction_params(arch: Architecture) -> int:
    """Parameters of one multi-token-prediction layer of the DeepSeek kind, as a checkpoint holds it.

    One more layer like the last, a projection of two streams into one, three norms, and copies of embedding and head.
    """
    block = sum(w.params for w in block_weights(arch.blocks[-1], arch.d_model))
    return block + 2 * arch.d_model**2 + 3 * arch.d_model + 2 * arch.embedding_width * arch.vocab_size


def experts_hit(experts: int, active: int, tokens: int) -> float:
    """Expected number of different experts that a batch of tokens touches, routing uniform and independent.

    Each token leaves an expert untouched with probability (N - k)/N, so N (1 - ((N - k)/N)^B) are hit. min(N, kB) is
    only an upper bound.
    """
    return experts * (1.0 - ((experts - active) / experts) ** tokens)


def params_read_per_decode_step(arch: Architecture, batch: int) -> float:
    """Parameters that one decode step of `batch` sequences reads.

    The head is read even when tied; of the embedding tables only one row a sequence; of the routed experts those that
    are hit; of the tower of images nothing.
    """
    read = 0.0
    for w in outer_weights(arch):
        if w.kind == "table":
            read += batch * w.outputs
        elif w.part != "vision":
            read += w.active_params
    for group in arch.groups:
        mlp = group.block.mlp
        hit = experts_hit(mlp.count, mlp.active, batch) if isinstance(mlp, Experts) else 0.0
        for w in block_weights(group.block, arch.d_model):
            read += group.count * (hit * w.each if w.part == "experts" else w.active_params)
    return read
