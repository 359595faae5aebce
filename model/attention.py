"""Chapter 4, attention: projections, what a token attends to, and the cache; grouped, windowed or latent.

A windowed layer attends to and caches the last W_s tokens. Latent attention (MLA) caches one compressed vector and
its rotary part for each token. Layers are averaged where a model mixes windowed and full ones.
"""

import jax.numpy as jnp

from model.graph import Scalar, quantity


@quantity(label="Grouped attention parameters, a layer", symbol="P_gqa", unit="params")
def grouped_attention_params(d_model: Scalar, n_heads: Scalar, n_kv_heads: Scalar, d_head: Scalar) -> Scalar:
    """Q, K, V and output projections of grouped-query attention: 2DH(N_q + N_kv)."""
    return 2 * d_model * d_head * (n_heads + n_kv_heads)


@quantity(label="Latent attention parameters, a layer", symbol="P_mla", unit="params")
def latent_attention_params(
    d_model: Scalar,
    n_heads: Scalar,
    d_head: Scalar,
    rope_dim: Scalar,
    d_value: Scalar,
    kv_rank: Scalar,
    q_rank: Scalar,
) -> Scalar:
    """Projections of latent attention (DeepSeek-V2, section 2.1): queries, compressed KV, keys and values, output."""
    head = d_head + rope_dim
    query = jnp.where(q_rank > 0, q_rank * (d_model + n_heads * head), d_model * n_heads * head)
    compressed = d_model * (kv_rank + rope_dim) + kv_rank * n_heads * (d_head + d_value)
    return query + compressed + n_heads * d_value * d_model


@quantity(label="Attention parameters, a layer", symbol="P_attn", unit="params")
def attention_params(
    grouped_attention_params: Scalar, latent_attention_params: Scalar, attention_kind: Scalar
) -> Scalar:
    """Weights of one layer's attention projections."""
    return jnp.where(attention_kind > 0.5, latent_attention_params, grouped_attention_params)


@quantity(label="Score and value width", symbol="H_qk+H_v", unit="elements")
def score_value_width(d_head: Scalar, rope_dim: Scalar, d_value: Scalar, attention_kind: Scalar) -> Scalar:
    """Width of a key and a value head together: 2H, or H + H_r + H_v in latent attention."""
    return jnp.where(attention_kind > 0.5, d_head + rope_dim + d_value, 2 * d_head)


def _attended(length: Scalar, share: Scalar, window: Scalar, windowed: Scalar, layers: Scalar) -> Scalar:
    """Mean keys a query of a sequence meets, over layers; `share` 1/2 is a causal mask, 1 none, 0 counts nothing."""
    reach = jnp.where(window < length, window, length)
    causal = reach * (1 - reach / (2 * length))
    in_window = jnp.where(share > 0, 2 * (1 - share) * causal + (2 * share - 1) * reach, 0.0)
    return share * length + windowed / layers * (in_window - share * length)


@quantity(label="Keys a training token meets", symbol="S_att", unit="tokens")
def attended_tokens(
    seq_len: Scalar, attention_flops: Scalar, window: Scalar, window_layers: Scalar, n_layers: Scalar
) -> Scalar:
    """Keys that a token's query meets, mean over positions and layers: S/2 under a causal mask, fewer in a window."""
    return _attended(seq_len, attention_flops, window, window_layers, n_layers)


@quantity(label="Keys a prompt token meets", symbol="S_att,p", unit="tokens")
def prefill_attended_tokens(
    prompt_len: Scalar, prefill_attention: Scalar, window: Scalar, window_layers: Scalar, n_layers: Scalar
) -> Scalar:
    """The same for a prompt."""
    return _attended(prompt_len, prefill_attention, window, window_layers, n_layers)


@quantity(label="Cached tokens a layer", symbol="S_cached", unit="tokens")
def cached_tokens(context_len: Scalar, window: Scalar, window_layers: Scalar, n_layers: Scalar) -> Scalar:
    """Tokens that a layer caches for one sequence, mean over layers; a windowed one holds at most its window."""
    reach = jnp.where(window < context_len, window, context_len)
    return context_len + window_layers / n_layers * (reach - context_len)


@quantity(label="Attention FLOPs, a layer", symbol="F_attn", unit="FLOP/token")
def attention_flops_per_token(attended_tokens: Scalar, n_heads: Scalar, score_value_width: Scalar) -> Scalar:
    """Forward dot products of one layer for one token: 4 S N_q H with every key met, half under a causal mask."""
    return 2 * attended_tokens * n_heads * score_value_width


@quantity(label="KV cache a token and layer", symbol="kv_layer", unit="B/token")
def kv_layer_bytes(
    n_kv_heads: Scalar, d_head: Scalar, kv_bytes: Scalar, attention_kind: Scalar, kv_rank: Scalar, rope_dim: Scalar
) -> Scalar:
    """Bytes that one token adds in one layer: 2 kv_bytes N_kv H, or the latent vector and its rotary part."""
    return kv_bytes * jnp.where(attention_kind > 0.5, kv_rank + rope_dim, 2 * n_kv_heads * d_head)


@quantity(label="KV cache a token", symbol="kv", unit="B/token")
def kv_bytes_per_token(n_layers: Scalar, kv_layer_bytes: Scalar) -> Scalar:
    """Bytes of keys and values that one token adds inside the window: 2 kv_bytes L N_kv H."""
    return n_layers * kv_layer_bytes


@quantity(label="KV cache a token beyond the window", symbol="kv_beyond", unit="B/token")
def kv_bytes_per_token_beyond_window(n_layers: Scalar, window_layers: Scalar, kv_layer_bytes: Scalar) -> Scalar:
    """Bytes that one token adds once windowed layers hold no more."""
    return (n_layers - window_layers) * kv_layer_bytes


@quantity(label="KV cache a sequence", symbol="kv_seq", unit="B")
def kv_bytes_per_sequence(kv_bytes_per_token: Scalar, cached_tokens: Scalar) -> Scalar:
    """Bytes of one sequence's cache at the stated context: the architecture's minimum, without an engine's pages."""
    return kv_bytes_per_token * cached_tokens
