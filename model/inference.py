"""Chapter 7, inference: prefill and decode on Y tensor-parallel chips.

Each decode step streams the weights and the KV cache; prefill runs the whole prompt at once. All times are roofline
lower bounds; the only overhead is a latency floor for each AllReduce.
"""

import jax.numpy as jnp

from model.binding import binding_max
from model.graph import Scalar, quantity


@quantity(label="Weights", symbol="M_w", unit="B")
def weight_store_bytes(weight_bytes: Scalar, total_params: Scalar) -> Scalar:
    """Bytes of all weights as stored."""
    return weight_bytes * total_params


@quantity(label="KV copies", symbol="n_kv", unit="1")
def kv_copies(decode_chips: Scalar, n_kv_heads: Scalar, kv_replication: Scalar, attention_kind: Scalar) -> Scalar:
    """How often the cache is held: Y/N_kv where chips outnumber KV heads and the cache is replicated, else 1.

    A latent cache has no heads to split: replicated, every chip holds it.
    """
    copies = decode_chips / jnp.where(attention_kind > 0.5, 1.0, n_kv_heads)
    return jnp.where((kv_replication > 0.5) & (copies > 1), copies, 1.0)


@quantity(label="KV cache", symbol="M_kv", unit="B")
def kv_cache_bytes(kv_bytes_per_sequence: Scalar, decode_batch: Scalar, kv_copies: Scalar) -> Scalar:
    """Bytes of the whole batch's cache over all chips, copies included."""
    return kv_bytes_per_sequence * decode_batch * kv_copies


@quantity(label="Serving memory a chip", symbol="M_serve", unit="B", standing="estimate")
def decode_memory_per_chip(weight_store_bytes: Scalar, kv_cache_bytes: Scalar, decode_chips: Scalar) -> Scalar:
    """Weights and cache of each chip; activations are left out."""
    return (weight_store_bytes + kv_cache_bytes) / decode_chips


@quantity(label="Serving headroom", symbol="M_serve,free", unit="B", standing="estimate")
def decode_memory_headroom(hbm_capacity: Scalar, decode_memory_per_chip: Scalar) -> Scalar:
    """Capacity left on each chip; negative where the batch does not fit."""
    return hbm_capacity - decode_memory_per_chip


@quantity(label="Largest batch that fits", symbol="B_max", unit="sequences", standing="threshold")
def decode_batch_limit(
    hbm_capacity: Scalar,
    decode_chips: Scalar,
    weight_store_bytes: Scalar,
    kv_bytes_per_sequence: Scalar,
    kv_copies: Scalar,
) -> Scalar:
    """Caches that fit beside the weights; negative where not even the weights fit."""
    return (hbm_capacity * decode_chips - weight_store_bytes) / (kv_bytes_per_sequence * kv_copies)


@quantity(label="Decode FLOPs", symbol="F_decode", unit="FLOP")
def decode_flops(
    decode_batch: Scalar,
    active_params: Scalar,
    cached_tokens: Scalar,
    n_heads: Scalar,
    score_value_width: Scalar,
    n_layers: Scalar,
    decode_attention: Scalar,
) -> Scalar:
    """FLOPs of one step: 2BN (active), and 4 B S N_q H L for the dot products where the convention counts them."""
    dot_products = 2 * cached_tokens * n_heads * score_value_width * n_layers
    return decode_batch * (2 * active_params + decode_attention * dot_products)


@quantity(label="Decode compute", symbol="T_flops", unit="s", standing="lower bound")
def decode_flops_time(decode_flops: Scalar, decode_chips: Scalar, reachable_flops: Scalar) -> Scalar:
    """Time of the step's FLOPs over all chips."""
    return decode_flops / (decode_chips * reachable_flops)


def _idle_expert_bytes(layers: Scalar, experts: Scalar, hit: Scalar, params: Scalar, weight_bytes: Scalar) -> Scalar:
    return weight_bytes * layers * (experts - hit) * params


@quantity(label="Weights read", symbol="M_read", unit="B", standing="estimate")
def decode_weight_read_bytes(
    weight_store_bytes: Scalar,
    sparse_layers: Scalar,
    n_experts: Scalar,
    decode_experts_hit: Scalar,
    expert_params: Scalar,
    weight_bytes: Scalar,
) -> Scalar:
    """Weights that a step streams: all of them, but only the experts that the batch's tokens hit."""
    return weight_store_bytes - _idle_expert_bytes(
        sparse_layers, n_experts, decode_experts_hit, expert_params, weight_bytes
    )


@quantity(label="Weight streaming", symbol="T_weights", unit="s", standing="lower bound")
def decode_weights_time(decode_weight_read_bytes: Scalar, decode_chips: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """Time to read the step's weights once."""
    return decode_weight_read_bytes / (decode_chips * hbm_bandwidth)


@quantity(label="KV streaming", symbol="T_kv", unit="s", standing="lower bound")
def decode_kv_time(kv_cache_bytes: Scalar, decode_chips: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """Time to read the whole cache once."""
    return kv_cache_bytes / (decode_chips * hbm_bandwidth)


@quantity(label="Decode AllReduce", symbol="T_ar,d", unit="s", standing="lower bound")
def decode_allreduce_time(
    activation_bytes: Scalar,
    decode_batch: Scalar,
    d_model: Scalar,
    ici_bandwidth: Scalar,
    collective_axes: Scalar,
    collective_latency: Scalar,
) -> Scalar:
    """One AllReduce of the batch's activations: 2 V/(W M) with V = 2BD, never below the latency floor."""
    volume = 2 * activation_bytes * decode_batch * d_model
    return binding_max(bandwidth=volume / (ici_bandwidth * collective_axes), latency=collective_latency)


@quantity(label="Decode comms", symbol="T_comms,d", unit="s", standing="lower bound")
def decode_comms_time(
    decode_allreduce_time: Scalar,
    collective_blocks: Scalar,
    n_layers: Scalar,
    decode_chips: Scalar,
    inference_comms: Scalar,
) -> Scalar:
    """One AllReduce for each block of every layer; exactly 0 on one chip or where the convention leaves comms out."""
    used = (decode_chips > 1) & (inference_comms > 0.5)
    return jnp.where(used, collective_blocks * n_layers * jnp.where(used, decode_allreduce_time, 0.0), 0.0)


@quantity(label="Decode step, without comms", symbol="T_mem|flops", unit="s", standing="lower bound")
def decode_roofline_time(
    decode_flops_time: Scalar, decode_weights_time: Scalar, decode_kv_time: Scalar, kv_in_max: Scalar
) -> Scalar:
    """max(FLOPs, weights + KV), or KV + max(FLOPs, weights) where the cache's time is outside the maximum."""
    inside = decode_kv_time * kv_in_max
    outside = decode_kv_time * (1 - kv_in_max)
    return outside + binding_max(flops=decode_flops_time, memory=decode_weights_time + inside)


@quantity(label="Decode step", symbol="T_decode", unit="s", standing="lower bound")
def decode_step_time(decode_roofline_time: Scalar, decode_comms_time: Scalar) -> Scalar:
    """One token for every sequence of the batch."""
    return decode_roofline_time + decode_comms_time


@quantity(label="Decode throughput", symbol="R_decode", unit="tokens/s", standing="estimate")
def decode_tokens_per_second(decode_batch: Scalar, decode_step_time: Scalar) -> Scalar:
    """Tokens a second of the whole batch: an upper bound, since the step time is a lower one."""
    return decode_batch / decode_step_time


@quantity(label="Throughput a chip", symbol="R_decode/Y", unit="tokens/s", standing="estimate")
def tokens_per_second_per_chip(decode_tokens_per_second: Scalar, decode_chips: Scalar) -> Scalar:
    """Decode tokens a second for each chip."""
    return decode_tokens_per_second / decode_chips


@quantity(label="Speed a user sees", symbol="R_user", unit="tokens/s", standing="estimate")
def tokens_per_second_per_user(decode_step_time: Scalar) -> Scalar:
    """Tokens a second of one sequence."""
    return 1 / decode_step_time


@quantity(label="Useful FLOPs", symbol="u", unit="1", standing="estimate")
def useful_flops_fraction(
    decode_batch: Scalar, active_params: Scalar, decode_chips: Scalar, peak_flops: Scalar, decode_step_time: Scalar
) -> Scalar:
    """Share of the chips' unscaled peak that a decode step uses: 2BN/(Y C T_step), N the active parameters."""
    return 2 * decode_batch * active_params / (decode_chips * peak_flops * decode_step_time)


@quantity(label="Step critical batch", symbol="B_step", unit="sequences", standing="threshold")
def step_critical_batch(
    weight_store_bytes: Scalar,
    active_params: Scalar,
    cached_tokens: Scalar,
    n_heads: Scalar,
    score_value_width: Scalar,
    n_layers: Scalar,
    decode_attention: Scalar,
    hbm_critical_intensity: Scalar,
    kv_bytes_per_sequence: Scalar,
    kv_copies: Scalar,
    kv_in_max: Scalar,
) -> Scalar:
    """Batch at which FLOPs take as long as what they overlap with, every expert hit; NaN where none is.

    Both sides grow with the batch, so there is none when one sequence's cache takes longer to read than its FLOPs.
    """
    dot_products = 2 * cached_tokens * n_heads * score_value_width * n_layers
    flops = 2 * active_params + decode_attention * dot_products
    cache = kv_in_max * kv_bytes_per_sequence * kv_copies * hbm_critical_intensity
    spare = flops - cache
    exists = spare > 0
    return jnp.where(exists, weight_store_bytes * hbm_critical_intensity / jnp.where(exists, spare, 1.0), jnp.nan)


@quantity(label="Prompt tokens", symbol="B S", unit="tokens")
def prefill_tokens(decode_batch: Scalar, prompt_len: Scalar) -> Scalar:
    """Prompt tokens of the whole batch."""
    return decode_batch * prompt_len


@quantity(label="Prefill FLOPs", symbol="F_prefill", unit="FLOP")
def prefill_flops(
    prefill_tokens: Scalar,
    active_params: Scalar,
    prefill_attended_tokens: Scalar,
    n_heads: Scalar,
    score_value_width: Scalar,
    n_layers: Scalar,
) -> Scalar:
    """FLOPs of all prompts: 2N (active) a token, and the dot products that the mask leaves."""
    dot_products = 2 * prefill_attended_tokens * n_heads * score_value_width * n_layers
    return prefill_tokens * (2 * active_params + dot_products)


@quantity(label="Prefill compute", symbol="T_flops,p", unit="s", standing="lower bound")
def prefill_flops_time(prefill_flops: Scalar, decode_chips: Scalar, reachable_flops: Scalar) -> Scalar:
    """Time of the prefill's FLOPs over all chips."""
    return prefill_flops / (decode_chips * reachable_flops)


@quantity(label="Prefill AllReduce", symbol="T_ar,p", unit="s", standing="lower bound")
def prefill_allreduce_time(
    activation_bytes: Scalar,
    prefill_tokens: Scalar,
    d_model: Scalar,
    ici_bandwidth: Scalar,
    collective_axes: Scalar,
    collective_latency: Scalar,
) -> Scalar:
    """One AllReduce of all prompt tokens' activations, never below the latency floor."""
    volume = 2 * activation_bytes * prefill_tokens * d_model
    return binding_max(bandwidth=volume / (ici_bandwidth * collective_axes), latency=collective_latency)


@quantity(label="Prefill comms", symbol="T_comms,p", unit="s", standing="lower bound")
def prefill_comms_time(
    prefill_allreduce_time: Scalar,
    collective_blocks: Scalar,
    n_layers: Scalar,
    decode_chips: Scalar,
    inference_comms: Scalar,
) -> Scalar:
    """One AllReduce for each block of every layer; exactly 0 on one chip or where the convention leaves comms out."""
    used = (decode_chips > 1) & (inference_comms > 0.5)
    return jnp.where(used, collective_blocks * n_layers * jnp.where(used, prefill_allreduce_time, 0.0), 0.0)


@quantity(label="Prefill weight streaming", symbol="T_weights,p", unit="s", standing="lower bound")
def prefill_weights_time(
    weight_store_bytes: Scalar,
    sparse_layers: Scalar,
    n_experts: Scalar,
    prefill_experts_hit: Scalar,
    expert_params: Scalar,
    weight_bytes: Scalar,
    decode_chips: Scalar,
    hbm_bandwidth: Scalar,
) -> Scalar:
    """Time to read the weights once, of the experts those that the prompts hit."""
    idle = _idle_expert_bytes(sparse_layers, n_experts, prefill_experts_hit, expert_params, weight_bytes)
    return (weight_store_bytes - idle) / (decode_chips * hbm_bandwidth)


@quantity(label="Prefill, without comms", symbol="T_mem|flops,p", unit="s", standing="lower bound")
def prefill_roofline_time(prefill_flops_time: Scalar, prefill_weights_time: Scalar) -> Scalar:
    """The slower of the prompts' FLOPs and one read of the weights."""
    return binding_max(flops=prefill_flops_time, weights=prefill_weights_time)


@quantity(label="Prefill", symbol="T_prefill", unit="s", standing="lower bound")
def prefill_time(prefill_roofline_time: Scalar, prefill_comms_time: Scalar) -> Scalar:
    """Time to the first token of the whole batch."""
    return prefill_roofline_time + prefill_comms_time


@quantity(label="Prefill throughput", symbol="R_prefill", unit="tokens/s", standing="estimate")
def prefill_tokens_per_second(prefill_tokens: Scalar, prefill_time: Scalar) -> Scalar:
    """Prompt tokens a second of the whole batch."""
    return prefill_tokens / prefill_time


@quantity(label="Request time", symbol="T_request", unit="s", standing="lower bound")
def request_time(prefill_time: Scalar, output_len: Scalar, decode_step_time: Scalar) -> Scalar:
    """Prefill and one decode step for each output token, at the stated context."""
    return prefill_time + output_len * decode_step_time
