"""Mixtures of experts, windows and latent attention through the graph, against published counts and bug reports."""

from collections.abc import Callable, Mapping

import pytest

import presets
from model.evaluate import evaluate
from model.point import resolve

Left = Callable[[Mapping[str, float]], float]


def _rms(knobs: Mapping[str, float], per_layer: float) -> float:
    return knobs["n_layers"] * per_layer + knobs["d_model"]


def _deepseek(k: Mapping[str, float]) -> float:
    return _rms(k, 2 * k["d_model"] + k["q_rank"] + k["kv_rank"])


def _gpt_oss(k: Mapping[str, float]) -> float:
    q, kv = k["n_heads"] * k["d_head"], k["n_kv_heads"] * k["d_head"]
    attention = q + 2 * kv + k["d_model"] + k["n_heads"]  # biases, and a sink a head
    experts = k["n_experts"] * (1 + 2 * k["d_expert"] + k["d_model"])  # biases of router, gate-up and down
    return _rms(k, 2 * k["d_model"] + attention + experts)


LEFT_OUT: dict[str, Left] = {
    "mixtral-8x7b": lambda k: _rms(k, 2 * k["d_model"]),
    "olmoe-1b-7b": lambda k: _rms(k, 2 * k["d_model"] + k["d_head"] * (k["n_heads"] + k["n_kv_heads"])),
    "qwen3-30b-a3b": lambda k: _rms(k, 2 * k["d_model"] + 2 * k["d_head"]),
    "qwen3-235b-a22b": lambda k: _rms(k, 2 * k["d_model"] + 2 * k["d_head"]),
    "qwen3-coder-480b-a35b": lambda k: _rms(k, 2 * k["d_model"] + 2 * k["d_head"]),
    "gpt-oss-20b": _gpt_oss,
    "gpt-oss-120b": _gpt_oss,
    "llama-4-maverick": lambda k: _rms(k, 2 * k["d_model"]),
    "deepseek-v3": _deepseek,
    "kimi-k2": _deepseek,
    "gemma-3-27b": lambda k: _rms(k, 4 * k["d_model"] + 2 * k["d_head"]),
}
"""Norms and biases, which the graph leaves out, by family."""

ACTIVE = {
    "mixtral-8x7b": 12_879_925_248,
    "olmoe-1b-7b": 1_282_017_280,
    "qwen3-30b-a3b": 3_353_032_704,
    "qwen3-235b-a22b": 22_190_763_520,
    "qwen3-coder-480b-a35b": 35_474_765_312,
    "llama-4-maverick": 17_184_691_200,
    "deepseek-v3": 37_552_282_624,
    "kimi-k2": 32_861_477_888,
}
"""Active parameters with both embeddings, counted on the transformers classes."""


def _knobs(slug: str) -> dict[str, float]:
    point = resolve(None, slug)
    return {name: value for name, value in point.values.items() if isinstance(value, float)}


@pytest.mark.parametrize("slug", LEFT_OUT)
def test_total_and_active_parameters_are_the_published_ones(slug):
    values = evaluate(resolve(None, slug), gate=False).values
    left_out = LEFT_OUT[slug](_knobs(slug))
    published = presets.model(slug).published_params
    assert values["total_params"] + left_out == published
    assert left_out < 2e-3 * published
    if slug in ACTIVE:
        assert values["active_params"] + left_out == ACTIVE[slug]


def test_mixtral_8x22b_rounds_to_what_mistral_announced():
    values = evaluate(resolve(None, "mixtral-8x22b"), gate=False).values
    assert values["total_params"] == pytest.approx(141e9, abs=0.5e9)
    assert values["active_params"] == pytest.approx(39e9, abs=0.5e9)


@pytest.mark.parametrize(
    ("slug", "inside", "beyond"),
    [
        ("mixtral-8x7b", 131_072, 131_072),
        ("deepseek-v3", 70_272, 70_272),
        ("kimi-k2", 70_272, 70_272),
        ("gpt-oss-120b", 73_728, 36_864),
        ("gemma-3-27b", 507_904, 81_920),
        ("gemma-2-27b", 376_832, 188_416),
        ("llama-4-maverick", 196_608, 49_152),
    ],
)
def test_cache_bytes_a_token(slug, inside, beyond):
    values = evaluate(resolve(None, slug), gate=False).values
    assert values["kv_bytes_per_token"] == inside
    assert values["kv_bytes_per_token_beyond_window"] == beyond


@pytest.mark.parametrize(
    ("slug", "settings", "expected"),
    [
        # Public bug reports: a windowed layer never holds more than its window, nor more than the context.
        ("gpt-oss-120b", {"context_len": 65536, "kv_bytes": 1}, 1_210_318_848),
        ("gpt-oss-20b", {"context_len": 8192}, 6.094 * 2**30 / 32),
        ("gemma-3-27b", {"context_len": 128_000}, 10.17 * 2**30),
        ("gemma-3-27b", {"context_len": 128}, 507_904 * 128),
        ("deepseek-v3", {"context_len": 65536}, 4.289 * 2**30),
    ],
)
def test_cache_of_one_sequence(slug, settings, expected):
    values = evaluate(resolve(None, slug, settings), gate=False).values
    assert values["kv_bytes_per_sequence"] == pytest.approx(expected, rel=5e-4)


def test_decode_reads_only_the_experts_that_are_hit():
    """N = 8, k = 2, B = 3: neither 8 nor 6 experts but 8 (1 - (6/8)^3) = 4.625."""
    values = evaluate(resolve(None, "mixtral-8x7b", {"decode_batch": 3}), gate=False).values
    assert values["decode_experts_hit"] == 4.625
    one = evaluate(resolve(None, "mixtral-8x7b", {"decode_batch": 1}), gate=False).values
    assert one["decode_weight_read_bytes"] == pytest.approx(2 * one["active_params"], rel=1e-12)
    assert one["decode_flops"] == pytest.approx(2 * one["active_params"], rel=1e-12)
    assert one["weight_store_bytes"] == 2 * one["total_params"]
    assert one["prefill_experts_hit"] == pytest.approx(8)


def test_qwen3_mixture_trains_at_its_active_parameters():
    """A 30B-A3B counted as dense is 9.1 times too dear: its FLOPs follow the active parameters."""
    values = evaluate(resolve(None, "qwen3-30b-a3b", {"seq_len": 4096}), gate=False).values
    per_token = 6 * (3_353_032_704 - 2048 * 151936) + 6 * 48 * 32 * 128 * 4096
    norms = 6 * (48 * (2 * 2048 + 2 * 128) + 2048)
    assert values["training_flops_per_token"] == pytest.approx(per_token - norms, rel=1e-12)


def test_a_window_shorter_than_the_sequence_is_almost_full():
    """Causal keys within a window of 1,024 at 8,192 tokens: 1024 (1 - 1024/16384), not half of it."""
    settings = {"window_layers": 80, "window": 1024, "seq_len": 8192}
    values = evaluate(resolve(None, "llama-3-70b", settings), gate=False).values
    assert values["attended_tokens"] == 1024 * (1 - 1024 / 16384)
    full = evaluate(resolve(None, "llama-3-70b", {**settings, "window": 8192}), gate=False).values
    assert full["attended_tokens"] == 4096


def test_total_parameters_price_memory_and_gathers_active_ones_flops():
    dense = evaluate(resolve(None, "mixtral-8x7b"), gate=False).values
    more = evaluate(resolve(None, "mixtral-8x7b", {"n_experts": 16}), gate=False).values
    assert more["forward_fsdp_time"] > 1.8 * dense["forward_fsdp_time"]
    assert more["state_bytes"] > 1.8 * dense["state_bytes"]
    assert more["forward_math_time"] == pytest.approx(dense["forward_math_time"], rel=1e-3)
    assert more["data_parallel_threshold"] > 1.8 * dense["data_parallel_threshold"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_experts": 4, "active_experts": 8}, "active_experts=8 is more than n_experts=4"),
        ({"dense_layers": 81}, "dense_layers=81 is more than n_layers=80"),
        ({"window_layers": 81}, "window_layers=81 is more than n_layers=80"),
    ],
)
def test_contradictory_architectures_are_refused(settings, words):
    evaluation = evaluate(resolve(None, "llama-3-70b", settings))
    assert words in evaluation.reasons["step_time"]
    assert words in evaluation.reasons["decode_step_time"]
