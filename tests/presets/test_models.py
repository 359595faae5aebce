"""Dimensions of models: the graph's N plus what it leaves out (norms, biases, positions) is the published count."""

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import presets

Dimensions = Mapping[str, Any]


def graph_params(d: Dimensions) -> float:
    """N = L (m D F + 2 D H (N_q + N_kv)) + V D, twice V D for untied embeddings: matrices only."""
    layer = d["mlp_matrices"] * d["d_model"] * d["d_ff"]
    layer += 2 * d["d_model"] * d["d_head"] * (d["n_heads"] + d["n_kv_heads"])
    return d["n_layers"] * layer + d["vocab_size"] * d["d_model"] * (1 if d["tied_embeddings"] else 2)


# What N leaves out, (per layer, once), in parameters. A layer norm has a gain and an offset of D each, an RMS norm
# only a gain. Sizes of projections: q = N_q H, k and v = N_kv H, all with a bias where a line names one.
def rms_norms(d: Dimensions, per_layer: int = 2) -> tuple[float, float]:
    return per_layer * d["d_model"], d["d_model"]


def qkv_bias(d: Dimensions) -> float:
    return d["d_head"] * (d["n_heads"] + 2 * d["n_kv_heads"])


def llama(d: Dimensions) -> tuple[float, float]:
    return rms_norms(d)


def gemma_2(d: Dimensions) -> tuple[float, float]:
    return rms_norms(d, per_layer=4)  # before and after attention and MLP


def qwen_2(d: Dimensions) -> tuple[float, float]:
    layer, once = rms_norms(d)
    return layer + qkv_bias(d), once


def qwen_3(d: Dimensions) -> tuple[float, float]:
    layer, once = rms_norms(d)
    return layer + 2 * d["d_head"], once  # q and k norms of one head, shared by all heads


def olmo_2(d: Dimensions) -> tuple[float, float]:
    layer, once = rms_norms(d)
    return layer + d["d_head"] * (d["n_heads"] + d["n_kv_heads"]), once  # q and k norms over the full width


def one_norm(d: Dimensions) -> tuple[float, float]:
    return rms_norms(d, per_layer=1)  # feeds both halves of the parallel block, without offset


def falcon(d: Dimensions) -> tuple[float, float]:
    return 2 * d["d_model"], 2 * d["d_model"]  # one layer norm feeds the parallel block, no biases


def gpt_j(d: Dimensions) -> tuple[float, float]:
    layer = 2 * d["d_model"] + (d["d_ff"] + d["d_model"])  # one layer norm, biases in the MLP only
    return layer, 2 * d["d_model"] + d["vocab_size"]  # and in the head


def biases_everywhere(d: Dimensions, norms: int) -> float:
    return norms * 2 * d["d_model"] + qkv_bias(d) + d["d_model"] + d["d_ff"] + d["d_model"]


def phi_2(d: Dimensions) -> tuple[float, float]:
    return biases_everywhere(d, norms=1), 2 * d["d_model"] + d["vocab_size"]


def starcoder_2(d: Dimensions) -> tuple[float, float]:
    return biases_everywhere(d, norms=2), 2 * d["d_model"]


def bloom(d: Dimensions) -> tuple[float, float]:
    return biases_everywhere(d, norms=2), 4 * d["d_model"]  # a norm of the embeddings too


def learned_positions(count: int) -> Callable[[Dimensions], tuple[float, float]]:
    def rest(d: Dimensions) -> tuple[float, float]:
        return biases_everywhere(d, norms=2), (2 + count) * d["d_model"]

    return rest


# Each model's remainder, and the share of the published count that it may be: below 1e-4 for RMS norms alone, more
# where the width is small against nothing but norms, or biases and learned positions come on top.
REST: dict[str, tuple[Callable[[Dimensions], tuple[float, float]], float]] = {
    "llama-2-7b": (llama, 1e-4),
    "llama-2-13b": (llama, 1e-4),
    "llama-2-70b": (llama, 1e-4),
    "codellama-34b": (llama, 1e-4),
    "llama-3-8b": (llama, 1e-4),
    "llama-3-70b": (llama, 1e-4),
    "llama-3.1-8b": (llama, 1e-4),
    "llama-3.1-70b": (llama, 1e-4),
    "llama-3.1-405b": (llama, 1e-4),
    "llama-3.2-1b": (llama, 1e-4),
    "mistral-7b-v0.3": (llama, 1e-4),
    "gemma-7b": (llama, 1e-4),
    "gemma-2-2b": (gemma_2, 1e-4),
    "gemma-2-27b": (gemma_2, 1e-4),
    "qwen2-0.5b": (qwen_2, 1.5e-4),  # 896 wide: norms and biases fall with D, matrices with D squared
    "qwen2.5-3b": (qwen_2, 1e-4),
    "qwen2.5-7b": (qwen_2, 1e-4),
    "qwen2.5-32b": (qwen_2, 1e-4),
    "qwen2.5-72b": (qwen_2, 1e-4),
    "qwen3-0.6b": (qwen_3, 1.5e-4),  # 1024 wide
    "qwen3-4b": (qwen_3, 1e-4),
    "qwen3-8b": (qwen_3, 1e-4),
    "qwen3-32b": (qwen_3, 1e-4),
    "phi-2": (phi_2, 4e-4),  # biases everywhere
    "phi-3-mini": (llama, 1e-4),
    "phi-3-medium": (llama, 1e-4),
    "olmo-2-7b": (olmo_2, 1e-4),
    "smollm-135m": (llama, 3e-4),  # 576 wide
    "smollm2-360m": (llama, 2e-4),  # 960 wide
    "smollm-1.7b": (llama, 1e-4),
    "starcoder2-7b": (starcoder_2, 3e-4),  # biases everywhere
    "aya-23-8b": (one_norm, 1e-4),
    "falcon-7b": (falcon, 1e-4),
    "gpt-j-6b": (gpt_j, 2e-4),  # biases in MLP and head
    "gpt2": (learned_positions(1024), 8e-3),  # 768 wide, and 1024 positions
    "opt-13b": (learned_positions(2048 + 2), 2e-3),  # two positions kept for padding
    "bloom-176b": (bloom, 1e-4),
    "gpt-3-175b": (learned_positions(2048), 3e-4),
    "mt-nlg-530b": (learned_positions(2048), 2e-4),
    "palm-540b": (one_norm, 1e-4),
}
# Papers print a rounded count: how far it may lie from the exact one.
ROUNDING = {
    "gpt-3-175b": 0.5e8,
    "mt-nlg-530b": 0.5e8,
    "palm-540b": 1e7,  # 540.35e9 is cut off, or leaves out the norms: with them it is 540.356e9
}


@pytest.mark.parametrize("slug", REST)
def test_parameters_are_the_published_ones(slug: str) -> None:
    model = presets.model(slug)
    rest, share = REST[slug]
    per_layer, once = rest(model.dimensions)
    left_out = model.dimensions["n_layers"] * per_layer + once
    assert model.published_params is not None
    assert abs(graph_params(model.dimensions) + left_out - model.published_params) <= ROUNDING.get(slug, 0)
    assert 0 < left_out <= share * model.published_params


def test_the_kinds_of_block_are_all_there() -> None:
    """Gated and ungated, serial and parallel, tied and untied, MHA, GQA and MQA: each knob has a preset either way."""
    all_dimensions = [model.dimensions for model in presets.models().values()]
    for choice in ("mlp_matrices", "tied_embeddings", "parallel_block"):
        assert len({dimensions[choice] for dimensions in all_dimensions}) == 2
    assert any(dimensions["n_kv_heads"] == 1 for dimensions in all_dimensions)
    assert {dimensions["n_heads"] / dimensions["n_kv_heads"] for dimensions in all_dimensions} >= {1, 8}


# A config's spellings of a dimension, and what the class assumes where the config is silent.
SPELLINGS = {
    "n_layers": ("num_hidden_layers", "n_layer"),
    "d_model": ("hidden_size", "n_embd", "n_embed"),
    "d_ff": ("intermediate_size", "ffn_dim", "n_inner"),
    "n_heads": ("num_attention_heads", "n_head"),
    "n_kv_heads": ("num_key_value_heads", "n_head_kv"),
    "d_head": ("head_dim",),
    "vocab_size": ("vocab_size",),
}
CONFIGS = {
    "llama-3.1-8b": "llama-3-8b",
    "olmo-2-7b": "olmo2-7b",
    "phi-2": "phi-2-msft",
    "phi-3-mini": "phi-3-mini-4k",
    "qwen2.5-7b": "qwen2-7b",
    "qwen2.5-72b": "qwen2-72b",
    "qwen3-8b": "qwen3-vl-8b",
}


def stated_dimensions(config: dict[str, Any]) -> dict[str, int]:
    config = config.get("text_config", config)
    stated = {}
    for name, spellings in SPELLINGS.items():
        found = [config[spelling] for spelling in spellings if config.get(spelling) is not None]
        if found:
            stated[name] = found[0]
    stated.setdefault("d_ff", 4 * stated["d_model"])
    stated.setdefault("n_kv_heads", 1 if config.get("multi_query") else stated["n_heads"])
    stated.setdefault("d_head", stated["d_model"] // stated["n_heads"])
    return stated


@pytest.mark.shared
@pytest.mark.parametrize("slug", [slug for slug in REST if slug not in ROUNDING])
def test_dimensions_and_count_are_those_of_the_config(shared: Path, slug: str) -> None:
    model, config_slug = presets.model(slug), CONFIGS.get(slug, slug)
    config = json.loads((shared / "models" / "configs" / f"{config_slug}.json").read_text(encoding="utf-8"))
    stated = stated_dimensions(config)
    assert {name: model.dimensions[name] for name in stated} == stated
    with (shared / "models" / "truth.csv").open(encoding="utf-8", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["slug"] == config_slug)
    assert model.published_params == int(row["text_only_params"] or row["total_params_exact"])
    assert str(model.dimensions["tied_embeddings"]) == row["tied_embeddings"]
