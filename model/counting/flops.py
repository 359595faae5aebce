"""FLOPs a token, by stated convention.

Matrices cost 2 FLOPs an element and token; the head always counts, tied or not; an embedding lookup counts nothing;
norms, softmax and activations are left out. Training is 3 times the forward pass (no recompute).
"""

from __future__ import annotations

from typing import Literal, assert_never

from model.counting.architecture import (
    Architecture,
    Attention,
    Block,
    DeltaNet,
    KimiDelta,
    LatentAttention,
    ShortConvolution,
)
from model.counting.weights import PARTS, Part, weights

AttentionConvention = Literal["causal", "full", "none"]
ATTENTION_CONVENTIONS: tuple[AttentionConvention, ...] = ("none", "causal", "full")
TRAINING_PASSES = 3


def weight_flops_per_token(arch: Architecture) -> int:
    """Forward FLOPs of one token in the matrices: 2 for each element it multiplies."""
    return sum(2 * w.active_elements for w in weights(arch))


def flops_by_part(arch: Architecture) -> dict[Part, int]:
    """The same by part of the picture (attention: its projections, without the scores)."""
    parts: dict[Part, int] = dict.fromkeys(PARTS, 0)
    for w in weights(arch):
        parts[w.part] += 2 * w.active_elements
    return parts


def mean_context(tokens: int, window: int | None, attention: AttentionConvention) -> float:
    """Keys that a query meets, averaged over a sequence of S tokens.

    full: S, or the window if shorter. causal: S/2, and W (1 - W/(2S)) under a window W < S, which is nearly W when the
    sequence is long. none: 0 (the convention of tables that leave attention out).
    """
    if attention == "none":
        return 0.0
    width = float(tokens if window is None else min(window, tokens))
    return width if attention == "full" else width * (1.0 - width / (2.0 * tokens))


def score_flops_per_token(arch: Architecture, tokens: int, *, attention: AttentionConvention = "causal") -> float:
    """Forward FLOPs of one token in scores and weighted values, averaged over a sequence of `tokens`.

    Softmax attention: 2 (d_qk + d_v) a head and key. Latent attention likewise, its heads decompressed. A sparse
    layer scores every key with its indexer and then meets `top_k` keys at most. Linear attention: 6 d_k d_v a head for
    its state (read by key, write, read by query; decay aside), whatever the length.
    """
    return sum(group.count * _block_scores(group.block, tokens, attention) for group in arch.groups)


def _block_scores(block: Block, tokens: int, attention: AttentionConvention) -> float:
    mixer = block.mixer
    match mixer:
        case Attention():
            keys = mean_context(tokens, mixer.window, attention)
            return 2.0 * mixer.heads * (mixer.qk_dim + mixer.v_dim) * keys
        case LatentAttention():
            per_key = 2.0 * mixer.copies * mixer.heads * (mixer.nope_dim + mixer.rope_dim + mixer.v_dim)
            if mixer.indexer is None:
                return per_key * mean_context(tokens, mixer.window, attention)
            picking = 2.0 * mixer.indexer.heads * mixer.indexer.head_dim * mean_context(tokens, None, attention)
            return picking + per_key * mean_context(tokens, mixer.indexer.top_k, attention)
        case DeltaNet():
            return 6.0 * mixer.value_heads * mixer.key_dim * mixer.value_dim if attention != "none" else 0.0
        case KimiDelta():
            return 6.0 * mixer.heads * mixer.head_dim**2 if attention != "none" else 0.0
        case ShortConvolution():
            return 0.0
        case _:
            assert_never(mixer)


def forward_flops_per_token(arch: Architecture, tokens: int, *, attention: AttentionConvention = "causal") -> float:
    """Forward FLOPs of one token of a sequence of `tokens`: matrices and scores."""
    return weight_flops_per_token(arch) + score_flops_per_token(arch, tokens, attention=attention)


def training_flops_per_token(arch: Architecture, tokens: int, *, attention: AttentionConvention = "causal") -> float:
    """FLOPs of one token of training: forward, and twice as much backward."""
    return TRAINING_PASSES * forward_flops_per_token(arch, tokens, attention=attention)
