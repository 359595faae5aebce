"""Chapters 7 and 8, serving: what a slice holds, how many chips a model needs, queries a second, and other layouts.

A slice is `decode_chips` that hold one copy of the model.
"""

import jax.numpy as jnp

from model.graph import Scalar, quantity


@quantity(label="HBM of the slice", symbol="M_slice", unit="B")
def slice_hbm(decode_chips: Scalar, hbm_capacity: Scalar) -> Scalar:
    """HBM of all serving chips."""
    return decode_chips * hbm_capacity


@quantity(label="HBM bandwidth of the slice", symbol="W_slice", unit="B/s")
def slice_hbm_bandwidth(decode_chips: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """HBM bytes a second of all serving chips."""
    return decode_chips * hbm_bandwidth


@quantity(label="Compute of the slice", symbol="C_slice", unit="FLOP/s")
def slice_flops(decode_chips: Scalar, reachable_flops: Scalar) -> Scalar:
    """FLOPs a second of all serving chips."""
    return decode_chips * reachable_flops


@quantity(label="Host memory over HBM", symbol="M_host/M_slice", unit="1")
def host_over_hbm(host_memory: Scalar, slice_hbm: Scalar) -> Scalar:
    """DRAM of the slice's hosts over its HBM: room for prefixes that wait."""
    return host_memory / slice_hbm


@quantity(label="Serving memory", symbol="M_serve,all", unit="B")
def serving_memory(weight_store_bytes: Scalar, kv_cache_bytes: Scalar) -> Scalar:
    """Weights and cache over all serving chips."""
    return weight_store_bytes + kv_cache_bytes


@quantity(label="Cache over weights", symbol="M_kv/M_w", unit="1")
def cache_over_weights(kv_cache_bytes: Scalar, weight_store_bytes: Scalar) -> Scalar:
    """Bytes of the batch's cache over those of the weights: above 1 the cache is what decode streams."""
    return kv_cache_bytes / weight_store_bytes


@quantity(label="HBM left for caches", symbol="M_free,slice", unit="B")
def slice_free_hbm(slice_hbm: Scalar, weight_store_bytes: Scalar) -> Scalar:
    """HBM of the slice beside the weights; negative where the weights do not fit."""
    return slice_hbm - weight_store_bytes


@quantity(label="Chips for weights", symbol="N_w", unit="chips", standing="threshold")
def weight_chips(weight_store_bytes: Scalar, hbm_capacity: Scalar) -> Scalar:
    """Chips whose HBM holds the weights, before rounding up."""
    return weight_store_bytes / hbm_capacity


@quantity(label="Smallest slice", symbol="N_slice", unit="chips", standing="threshold")
def smallest_slice(weight_chips: Scalar) -> Scalar:
    """Smallest power of two of chips that holds the weights."""
    return 2 ** jnp.ceil(jnp.log2(weight_chips))


@quantity(label="Chips for weights and cache", symbol="N_serve", unit="chips", standing="threshold")
def serving_chips(serving_memory: Scalar, hbm_capacity: Scalar) -> Scalar:
    """Chips whose HBM holds weights and cache, before rounding up."""
    return serving_memory / hbm_capacity


@quantity(label="Whole chips", symbol="N_serve,whole", unit="chips", standing="threshold")
def whole_serving_chips(serving_chips: Scalar) -> Scalar:
    """The same, rounded up."""
    return jnp.ceil(serving_chips)


@quantity(label="Chips for the latency limit", symbol="N_latency", unit="chips", standing="threshold")
def latency_chips(weight_store_bytes: Scalar, hbm_bandwidth: Scalar, latency_limit: Scalar) -> Scalar:
    """Chips from which one read of the weights keeps the limit, before rounding up."""
    return weight_store_bytes / (hbm_bandwidth * latency_limit)


@quantity(label="Full-HBM step", symbol="T_full", unit="s", standing="estimate")
def full_hbm_time(hbm_capacity: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """Step time of a chip whose HBM is full and read once: the longest memory-bound step."""
    return hbm_capacity / hbm_bandwidth


@quantity(label="Full-HBM generation", symbol="T_full,out", unit="s", standing="estimate")
def full_hbm_generation_time(output_len: Scalar, full_hbm_time: Scalar) -> Scalar:
    """Time to generate one output at full HBM."""
    return output_len * full_hbm_time


@quantity(label="Queries a second", symbol="QPS", unit="1/s", standing="estimate")
def full_hbm_queries(decode_batch: Scalar, full_hbm_generation_time: Scalar) -> Scalar:
    """Sequences a second that a slice finishes at full HBM, prefill apart."""
    return decode_batch / full_hbm_generation_time


@quantity(label="Queries a second and chip", symbol="QPS/Y", unit="1/s", standing="estimate")
def full_hbm_queries_per_chip(full_hbm_queries: Scalar, decode_chips: Scalar) -> Scalar:
    """The same for each chip."""
    return full_hbm_queries / decode_chips


@quantity(label="Sequences finished a step", symbol="B/S_out", unit="sequences")
def finished_per_step(decode_batch: Scalar, output_len: Scalar) -> Scalar:
    """Sequences that end in one decode step, lengths spread evenly."""
    return decode_batch / output_len


@quantity(label="Evicted tokens", symbol="n_evict", unit="tokens")
def evicted_tokens(finished_per_step: Scalar, prompt_len: Scalar, output_len: Scalar) -> Scalar:
    """Tokens of cache that one step frees, and that prefill must bring anew: B(P + G)/G."""
    return finished_per_step * (prompt_len + output_len)


@quantity(label="Prefill of one sequence", symbol="T_prefill/B", unit="s", standing="lower bound")
def prefill_time_per_sequence(prefill_time: Scalar, decode_batch: Scalar) -> Scalar:
    """Prefill time of the batch over its sequences."""
    return prefill_time / decode_batch


@quantity(label="Prefill servers", symbol="P/G", unit="1", standing="estimate")
def prefill_servers(
    prefill_time_per_sequence: Scalar, decode_batch: Scalar, decode_step_time: Scalar, output_len: Scalar
) -> Scalar:
    """Prefill servers that keep one decode server busy: t_prefill B/(t_decode S_out)."""
    return prefill_time_per_sequence * decode_batch / (decode_step_time * output_len)


@quantity(label="Prompt left to prefill", symbol="r_prefix", unit="1")
def uncached_prompt_share(prompt_len: Scalar, prefix_len: Scalar) -> Scalar:
    """Share of the prompt that no cached prefix covers."""
    return jnp.where(prefix_len < prompt_len, 1 - prefix_len / prompt_len, 0.0)


@quantity(label="Context of equal cache and FLOPs", symbol="S_kv=flops", unit="tokens", standing="threshold")
def kv_over_flops_context(
    forward_flops_per_token: Scalar, hbm_critical_intensity: Scalar, kv_bytes_per_token: Scalar
) -> Scalar:
    """Context above which reading one sequence's cache takes longer than its FLOPs."""
    return forward_flops_per_token / (hbm_critical_intensity * kv_bytes_per_token)


@quantity(label="Batch at twice the latency, memory", symbol="B_2T,mem", unit="sequences", standing="threshold")
def double_latency_memory_batch(kv_bytes_per_sequence: Scalar, weight_store_bytes: Scalar) -> Scalar:
    """Sequences whose caches and weights take twice as long to read as those of one sequence."""
    return 2 + weight_store_bytes / kv_bytes_per_sequence


@quantity(label="Batch at twice the latency, FLOPs", symbol="B_2T,flops", unit="sequences", standing="threshold")
def double_latency_flops_batch(
    kv_bytes_per_sequence: Scalar,
    weight_store_bytes: Scalar,
    forward_flops_per_token: Scalar,
    hbm_critical_intensity: Scalar,
) -> Scalar:
    """Sequences whose caches and FLOPs take twice as long as cache and weights of one sequence."""
    each = kv_bytes_per_sequence + forward_flops_per_token / hbm_critical_intensity
    return 2 * (kv_bytes_per_sequence + weight_store_bytes) / each


@quantity(label="Gain at twice the latency", symbol="g_2T", unit="1", standing="estimate")
def double_latency_gain(double_latency_memory_batch: Scalar, double_latency_flops_batch: Scalar) -> Scalar:
    """Throughput at twice the step time of one sequence over that of one, the cache's time outside the maximum."""
    by_memory = double_latency_memory_batch < double_latency_flops_batch
    return jnp.where(by_memory, double_latency_memory_batch, double_latency_flops_batch) / 2


@quantity(label="HBM over ICI", symbol="beta_ici", unit="1")
def hbm_over_ici(hbm_bandwidth: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """How many times faster HBM is than one ICI axis, both directions: about 8 or 9 on TPUs."""
    return hbm_bandwidth / ici_bandwidth


@quantity(label="TP limit of prefill", symbol="Y_max,p", unit="shards", standing="threshold")
def prefill_tensor_limit(
    collective_axes: Scalar, d_ff: Scalar, ici_critical_intensity: Scalar, activation_bytes: Scalar
) -> Scalar:
    """Tensor shards up to which compute-bound inference hides its comms: M F/alpha (book, ch. 7)."""
    return 2 / activation_bytes * collective_axes * d_ff / ici_critical_intensity


@quantity(label="TP limit of decode", symbol="Y_max,d", unit="shards", standing="threshold")
def decode_tensor_limit(
    d_ff: Scalar, decode_batch: Scalar, hbm_over_ici: Scalar, weight_bytes: Scalar, activation_bytes: Scalar
) -> Scalar:
    """Tensor shards up to which memory-bound decode hides its comms: F/(B beta) (book, ch. 7)."""
    return weight_bytes / activation_bytes * d_ff / (decode_batch * hbm_over_ici)


@quantity(label="Decode matmul, ICI", symbol="T_ici,d", unit="s", standing="lower bound")
def decode_matmul_ici_time(
    activation_bytes: Scalar, decode_batch: Scalar, d_model: Scalar, ici_bandwidth: Scalar
) -> Scalar:
    """Activations of one decode matmul over one axis: 2BD/W."""
    return activation_bytes * decode_batch * d_model / ici_bandwidth


@quantity(label="Decode matmul, HBM", symbol="T_hbm,d", unit="s", standing="lower bound")
def decode_matmul_hbm_time(weight_bytes: Scalar, d_model: Scalar, d_ff: Scalar, slice_hbm_bandwidth: Scalar) -> Scalar:
    """Weights of one D x F matmul read by all chips: 2DF/(Y W_hbm)."""
    return weight_bytes * d_model * d_ff / slice_hbm_bandwidth


@quantity(label="Decode matmul, compute", symbol="T_math,d", unit="s", standing="lower bound")
def decode_matmul_math_time(decode_batch: Scalar, d_model: Scalar, d_ff: Scalar, slice_flops: Scalar) -> Scalar:
    """FLOPs of one D x F matmul over all chips: 2BDF/(Y C)."""
    return 2 * decode_batch * d_model * d_ff / slice_flops


@quantity(label="MLP weights, HBM", symbol="T_hbm,mlp", unit="s", standing="lower bound")
def mlp_weights_time(weight_bytes: Scalar, mlp_params: Scalar, slice_hbm_bandwidth: Scalar) -> Scalar:
    """Time to read one layer's MLP weights once: the floor of its latency (book, ch. 7, appendix A)."""
    return weight_bytes * mlp_params / slice_hbm_bandwidth


@quantity(label="Latency-bound activations", symbol="V_lat,Y", unit="B", standing="threshold")
def latency_bound_activations(decode_chips: Scalar, latency_bound_bytes: Scalar) -> Scalar:
    """Bytes of activations below which a collective over all serving chips is a latency (book, ch. 7, appendix C)."""
    return decode_chips * latency_bound_bytes


@quantity(label="2D weight-stationary time", symbol="T_2D", unit="s", standing="lower bound")
def weight_stationary_time(
    activation_bytes: Scalar,
    decode_batch: Scalar,
    d_model: Scalar,
    d_ff: Scalar,
    decode_chips: Scalar,
    ici_bandwidth: Scalar,
) -> Scalar:
    """MLP comms with weights split both ways, 2BD/(X W) + 4BF/(Y Z W), at the best X = sqrt(Y_d D/(2F))."""
    both = 2 * d_model * d_ff / decode_chips
    return 2 * activation_bytes * decode_batch * jnp.sqrt(both) / ici_bandwidth


@quantity(label="2D layout pays from", symbol="N_2D", unit="chips", standing="threshold")
def weight_stationary_threshold(d_ff: Scalar, d_model: Scalar) -> Scalar:
    """Chips above which the 2D layout beats tensor parallelism over three axes: 32(F/D)(3/4)^2 (book, ch. 7)."""
    return 18 * d_ff / d_model
