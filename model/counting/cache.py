"""The key/value cache and the fixed states: bytes a token, bytes a sequence, copies under tensor parallelism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from model.counting.architecture import (
    Architecture,
    Attention,
    DeltaNet,
    KimiDelta,
    LatentAttention,
    Mixer,
    ShortConvolution,
)

BF16_BYTES = 2
STATE_BYTES = 4  # recurrent states are kept in float32, convolution states in the activations' type


@dataclass(frozen=True, slots=True)
class LayerCache:
    """What one layer keeps of a sequence.

    Attributes:
        token_elements: elements that every token adds, as long as it is inside the window.
        window: tokens after which the layer forgets, or None.
        pieces: into how many shares tensor parallelism can cut it (heads of keys; 1 for a latent).
        state_elements: elements of a recurrent state, whatever the length.
        conv_elements: elements of a convolution state, whatever the length.
    """

    token_elements: int = 0
    window: int | None = None
    pieces: int = 1
    state_elements: int = 0
    conv_elements: int = 0


def layer_cache(mixer: Mixer, d_model: int) -> LayerCache:
    """What one layer keeps: the architecture's minimum, without the page rounding of any engine."""
    match mixer:
        case Attention():
            if mixer.reuses_cache:
                return LayerCache(window=mixer.window)
            elements = mixer.kv_heads * (mixer.qk_dim + mixer.v_dim)
            return LayerCache(elements, mixer.window, pieces=mixer.kv_heads)
        case LatentAttention():
            return LayerCache(mixer.copies * (mixer.kv_rank + mixer.rope_dim), mixer.window)
        case DeltaNet():
            channels = 2 * mixer.key_heads * mixer.key_dim + mixer.value_heads * mixer.value_dim
            return LayerCache(
                pieces=mixer.key_heads,
                state_elements=mixer.value_heads * mixer.key_dim * mixer.value_dim,
                conv_elements=channels * (mixer.conv_kernel - 1),
            )
        case KimiDelta():
            return LayerCache(
                pieces=mixer.heads,
                state_elements=mixer.heads * mixer.head_dim**2,
                conv_elements=3 * mixer.heads * mixer.head_dim * (mixer.conv_kernel - 1),
            )
        case ShortConvolution():
            return LayerCache(pieces=d_model, conv_elements=d_model * (mixer.kernel - 1))
        case _:
            assert_never(mixer)


def layer_caches(arch: Architecture) -> tuple[tuple[int, LayerCache], ...]:
    """Each group's layer count and what one of its layers keeps."""
    return tuple((group.count, layer_cache(group.block.mixer, arch.d_model)) for group in arch.groups)


def kv_bytes_per_token(arch: Architecture, *, element_bytes: float = BF16_BYTES) -> float:
    """Bytes that a token adds while every window still holds it (tokens 1 to the smallest window)."""
    return element_bytes * sum(n * c.token_elements for n, c in layer_caches(arch))


def kv_bytes_per_token_beyond_window(arch: Architecture, *, element_bytes: float = BF16_BYTES) -> float:
    """Bytes that a token adds once every window is full: what the layers of full attention keep."""
    return element_bytes * sum(n * c.token_elements for n, c in layer_caches(arch) if c.window is None)


def kv_bytes(arch: Architecture, tokens: int, *, element_bytes: float = BF16_BYTES) -> float:
    """Bytes of one sequence of `tokens` tokens: min(window, tokens) in each windowed layer, no fixed state."""
    return element_bytes * sum(
        n * c.token_elements * (tokens if c.window is None else min(c.window, tokens)) for n, c in layer_caches(arch)
    )


def kv_bytes_unified_pages(arch: Architecture, tokens: int, *, element_bytes: float = BF16_BYTES) -> float:
    """The upper bound beside `kv_bytes`: an engine that reserves the same pages in every layer, windows ignored."""
    return tokens * kv_bytes_per_token(arch, element_bytes=element_bytes)


def kv_bytes_per_token_decompressed(arch: Architecture, *, element_bytes: float = BF16_BYTES) -> float:
    """Bytes a token if latents are stored as the keys and values of every head instead (what early engines did)."""
    elements = 0
    for group in arch.groups:
        mixer = group.block.mixer
        if isinstance(mixer, LatentAttention):
            per_head = mixer.nope_dim + mixer.rope_dim + mixer.v_dim
            elements += group.count * mixer.copies * mixer.heads * per_head
        else:
            elements += group.count * layer_cache(mixer, arch.d_model).token_elements
    return element_bytes * elements


def kv_bytes_per_token_per_chip(arch: Architecture, tensor_shards: int, *, element_bytes: float = BF16_BYTES) -> float:
    """Bytes a token on each chip of a tensor-parallel group.

    Heads are cut as far as they go and then copied: with more chips than key/value heads each chip keeps one whole
    head. A latent has no heads, so every chip keeps all of it.
    """
    return element_bytes * sum(
        n * c.token_elements // c.pieces * -(-c.pieces // tensor_shards) for n, c in layer_caches(arch)
    )


def kv_replication(arch: Architecture, tensor_shards: int) -> float:
    """Bytes on all chips of the group over the bytes of one copy: 1 while the heads suffice, NaN without a cache."""
    once = kv_bytes_per_token(arch)
    return tensor_shards * kv_bytes_per_token_per_chip(arch, tensor_shards) / once if once else float("nan")


def state_bytes(
    arch: Architecture, *, state_element_bytes: float = STATE_BYTES, conv_element_bytes: float = BF16_BYTES
) -> float:
    """Fixed bytes a sequence of linear-attention and convolution layers, whatever its length."""
    return sum(
        n * (c.state_elements * state_element_bytes + c.conv_elements * conv_element_bytes)
        for n, c in layer_caches(arch)
    )


def indexer_bytes_per_token(arch: Architecture, *, element_bytes: float = 1.0) -> float:
    """Bytes a token of the indexers' keys (fp8 in practice), which come on top of the latent."""
    return element_bytes * sum(
        group.count * group.block.mixer.indexer.head_dim
        for group in arch.groups
        if isinstance(group.block.mixer, LatentAttention) and group.block.mixer.indexer
    )
