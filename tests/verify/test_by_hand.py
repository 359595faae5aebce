"""Nodes whose statements print too few digits, or another number, to notice a change of 1 %: plain arithmetic instead.

`tests/verify/test_mutation.py` accepts exactly these nodes as unnoticed by every verdict.
"""

import math

import pytest

from model.evaluate import evaluate
from model.point import resolve

L, D, F, P = 80, 8192, 28672, 70_552_387_584
"""LLaMA-3 70B: layers, widths, parameters."""
SEQUENCE = 4 * 8192 * L * 1024
"""Bytes of its bf16 cache of 8,192 tokens: 8 heads of 128."""
MLP = 3 * D * F

BY_HAND: dict[str, tuple[str, dict[str, object], float]] = {
    "allreduce_matmul_max_shards": ("tpu-v5p", {"matmul_inner": 8192}, 8192 / (2 * 2550)),
    "attention_decode_intensity": ("tpu-v5e", {"context_len": 1000}, 1000 * 8 / (8 + 1000)),
    "batched_matmul_intensity": (
        "tpu-v5e",
        {"matmul_batch": 4, "matmul_inner": 100, "matmul_outer": 300},
        2 * 100 * 300 / (2 * 100 * 300 + 2 * 400),
    ),
    "bisection_collective_bandwidth": ("h100", {}, 900e9),
    "cache_over_weights": ("tpu-v5e", {"decode_batch": 4}, 4 * SEQUENCE / (2 * P)),
    "causal_share": ("tpu-v5e", {"seq_len": 9}, 10 / 18),
    "chip_mxu_flops": ("tpu-v5p", {}, 2 * 128 * 128 * 1.75e9 * 8),
    "chip_vector_register_bytes": ("tpu-v5p", {}, 2 * 64 * 1024 * 4),
    "core_flops": ("tpu-v5p", {}, 4.59e14 / 2),
    "data_parallel_max_pods": ("tpu-v5p", {"batch_tokens": 4e7, "tensor_shards": 1}, 4e7 / 850 / 8960),
    "decode_matmul_hbm_time": ("tpu-v5e", {"decode_chips": 32}, 2 * D * F / (32 * 8.2e11)),
    "decode_matmul_ici_time": ("tpu-v5e", {"decode_batch": 64}, 2 * 64 * D / 9e10),
    "decode_matmul_math_time": (
        "tpu-v5e",
        {"decode_batch": 64, "decode_chips": 32},
        2 * 64 * D * F / (32 * 1.97e14),
    ),
    "double_latency_flops_batch": ("tpu-v5e", {}, 2 * (SEQUENCE + 2 * P) / (SEQUENCE + 2 * P * 8.2e11 / 1.97e14)),
    "double_latency_gain": ("tpu-v5e", {}, 1 + P / SEQUENCE),
    "expected_destination_share": ("h100", {"expert_gpus": 4, "active_experts": 2}, (1 - 9 / 16) * 3 / 4),
    "hbm_over_ici": ("tpu-v5e", {}, 82 / 9),
    "hbm_over_link": ("tpu-v5p", {}, 280 / 9),
    "hbm_over_pcie": ("tpu-v4p", {}, 75),
    "hbm_over_reference": ("h200", {}, 141 / 96),
    "head_step_flops": ("tpu-v5p", {"batch_tokens": 1e6}, 6e6 * 128256 * D),
    "head_time": ("tpu-v5p", {"batch_tokens": 1e6, "chips": 8960}, 6e6 * 128256 * D / (8960 * 4.59e14)),
    "head_training_flops_per_token": ("tpu-v5p", {}, 6 * 128256 * D),
    "implied_clock": ("b200", {"sm_count": 148, "vector_peak": 8e13}, 8e13 / 37888),
    "kv_over_flops_context": ("tpu-v5e", {}, 2 * P * 8.2e11 / 1.97e14 / (SEQUENCE / 8192)),
    "l2_over_hbm": ("h100", {}, 5.5 / 3.35),
    "largest_replicated_params": ("tpu-v5p", {}, 9.6e9),
    "matmul_batch_excess": (
        "tpu-v5e",
        {"matmul_inner": 4096, "matmul_outer": 4096},
        1 / (1 - 2 * 197e12 / 820e9 / 4096),
    ),
    "matmul_vmem_critical_batch": (
        "tpu-v5e",
        {"matmul_inner": 4096, "matmul_outer": 4096},
        1 / (18 / 197 - 2 / 4096),
    ),
    "matrix_over_vector": ("tpu-v5p", {}, 4.59e14 / 2 / (1024 * 4 * 1.75e9)),
    "min_chips_years": (
        "tpu-v5p",
        {"matmul_efficiency": 0.4, "attention_flops": "none", "batch_tokens": 4e6, "checkpoint_rule": "four"},
        6 * (P - 128256 * D) * 15e12 / (4.59e14 * 0.4) / ((10 * P + 8 * D * 4e6 * L) / 96e9) / 86400 / 365,
    ),
    "mixed_gain": ("tpu-v5p", {"mlp_matrices": "2", "tensor_shards": 1}, 850 / (2550**2 / (2 * F))),
    "mixed_max_chips": ("tpu-v5p", {"mlp_matrices": "2", "batch_tokens": 2e6}, 2e6 * 2 * F / 2550**2),
    "mixed_min_batch": ("tpu-v5p", {"mlp_matrices": "2", "chips": 4096}, 4096 * 2550**2 / (2 * F)),
    "mlp_params_share": ("tpu-v5p", {}, L * MLP / P),
    "mlp_tensor_backward_traffic": ("tpu-v5p", {"batch_tokens": 1e6, "data_shards": 64}, 4e6 * D / 64),
    "multiply_adds_per_second": ("tpu-v5e", {}, 9.85e13),
    "mxu_flops": ("tpu-v5e", {"clock_rate": 1.5e9}, 128 * 128 * 3e9),
    "prefill_servers": (
        "tpu-v5e",
        {"decode_batch": 2, "output_len": 100, "inference_comms": "off", "prefill_attention": "none"},
        2 * P * 2 * 8192 / 1.97e14 / (100 * (2 * P + 2 * SEQUENCE) / 8.2e11),
    ),
    "prefill_time_per_sequence": (
        "tpu-v5e",
        {"decode_batch": 2, "inference_comms": "off", "prefill_attention": "none"},
        2 * P * 8192 / (8 * 1.97e14),
    ),
    "reducescatter_time": ("tpu-v4p", {"gather_bytes_total": 1e8, "gather_axis_1": 2}, 1e8 / 9e10),
    "shard_hop_time": ("tpu-v5e", {"array_rows": 256, "array_columns": 256, "array_shards": 4}, 32768 / 4.5e10),
    "six_nt_days": ("h100", {"data_shards": 512, "tensor_shards": 8}, 6 * P * 15e12 / (4096 * 9.89e14) / 86400),
    "slice_flops": ("tpu-v5e", {"decode_chips": 8}, 8 * 1.97e14),
    "tensor_min_width": ("tpu-v5p", {"tensor_shards": 8}, 20400),
    "tensor_over_cuda": ("h100", {"clock_rate": 1.98e9}, 9.89e14 / (132 * 128 * 1.98e9)),
    "token_time": ("tpu-v5p", {"attention_flops": "none", "head_flops": "book"}, 6 * P / 4.59e14),
    "train_seconds": (
        "tpu-v5p",
        {"matmul_efficiency": 0.4, "attention_flops": "none", "head_flops": "book", "chips": 8960},
        6 * P * 15e12 / (8960 * 4.59e14 * 0.4),
    ),
    "two_node_alltoall_slowdown": ("h100", {}, 4.5),
    "two_node_tensor_limit": ("h100-superpod", {"d_ff": 28000}, 28000 / 2475 + 8),
    "vector_critical_intensity": ("tpu-v5p", {}, 1024 * 4 * 1.75 / 2800),
    "vector_flops": ("tpu-v5p", {}, 1024 * 4 * 1.75e9),
    "vmem_critical_intensity": ("tpu-v5e", {}, 197 / 18),
    "vmem_over_l2": ("tpu-v5e", {}, 2**27 / 50e6),
}
"""Node: chip, settings on LLaMA-3 70B, and what the book's equation gives."""


@pytest.mark.parametrize("node", BY_HAND)
def test_the_node_is_the_books_arithmetic(node: str) -> None:
    chip, settings, expected = BY_HAND[node]
    found = evaluate(resolve(chip, "llama-3-70b", settings), gate=False).bounds[node]
    assert math.isclose(found, expected, rel_tol=1e-9), (found, expected)
