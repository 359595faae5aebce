"""Mixtures of experts over softmax attention."""

from __future__ import annotations

from dataclasses import replace

from model.counting.architecture import Attention, Experts, Mlp
from model.counting.decoder import check_groups, experts, softmax_attention, window
from model.counting.errors import shown
from model.counting.family import Family, Mixture
from model.counting.layout import (
    Kind,
    after_dense,
    all_sparse,
    all_windowed,
    alternate,
    chunked,
    every_nth,
    interleaved,
    lettered,
    must_be_declared,
    patterned,
    ranged,
    stepped,
    switched_window,
)
from model.counting.section import Section

EVERY_LAYER = Mixture(sparse=all_sparse, width="intermediate_size")


def _sink_attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    attention = softmax_attention(section, family, kind)
    return replace(attention, sinks=attention.heads)


def _gated_attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    return softmax_attention(section, family, kind, gate=True)


def _heads_by_layer(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    """Laguna: every layer has a count of query heads of its own, and one output gate a head or a channel."""
    attention = softmax_attention(section, family, kind)
    by_layer = section.array("num_attention_heads_per_layer", length=section.layers())
    heads = attention.heads if by_layer is None else section.whole("num_attention_heads_per_layer", by_layer[layer])
    check_groups(section, max(heads, 1), attention.kv_heads)
    _, gating = section.raw("gating")
    if gating not in (None, True, "per-head", "per-element"):
        section.refuse("gating", f"is {shown(gating)}, a gate that is not known", "write true, per-head or per-element")
    return replace(attention, heads=heads, gate=heads * (attention.v_dim if gating == "per-element" else 1))


def _two_shapes(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    """MiMo-V2: windowed layers have head counts and head sizes of their own."""
    prefix = "swa_" if kind == "window" else ""
    heads = section.size(f"{prefix}num_attention_heads")
    kv_heads = section.size(f"{prefix}num_key_value_heads")
    if heads % kv_heads:
        section.refuse(
            f"{prefix}num_key_value_heads", f"is {kv_heads}, which does not divide {heads} heads", "make them agree"
        )
    sinks = section.flag("add_swa_attention_sink_bias" if kind == "window" else "add_full_attention_sink_bias")
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        qk_dim=section.size(f"{prefix}head_dim"),
        v_dim=section.size(f"{prefix}v_head_dim"),
        window=window(section, kind),
        qkv_bias=section.flag("attention_bias"),
        sinks=heads if sinks else 0,
    )


def _shared_beside(section: Section, family: Family, layer: int) -> Mlp | Experts:
    """Granite: experts of `intermediate_size` in every layer and a shared block of its own width."""
    routed = experts(section, family, EVERY_LAYER)
    shared = section.size("shared_expert_intermediate_size", low=0)
    return replace(routed, shared_width=shared)


MIXTRAL = Family(types=("mixtral",), classes=("MixtralForCausalLM",), kinds=all_windowed, mixture=EVERY_LAYER)
QWEN3_MOE = Family(
    types=("qwen3_moe", "qwen3_vl_moe_text"),
    classes=("Qwen3MoeForCausalLM",),
    flags={"decoder_sparse_step": 1},
    implied={"use_qk_norm": True, "qkv_bias": False, "shared_expert_intermediate_size": 0},
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    qk_norm="head",
    kinds=switched_window,
    mixture=Mixture(sparse=stepped),
)
GLM4_MOE = Family(
    types=("glm4_moe",),
    classes=("Glm4MoeForCausalLM",),
    qkv_bias="attention_bias",
    qk_norm="head",
    qk_norm_if="use_qk_norm",
    mixture=Mixture(sparse=after_dense, shared="count"),
)
OLMOE = Family(
    types=("olmoe",),
    classes=("OlmoeForCausalLM",),
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    qk_norm="full",
    mixture=EVERY_LAYER,
)
GRANITE_MOE = Family(
    types=("granitemoe",),
    classes=("GraniteMoeForCausalLM",),
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    mixture=EVERY_LAYER,
)

MIXTURES: tuple[Family, ...] = (
    MIXTRAL,
    replace(
        MIXTRAL,
        types=("mixtral",),
        classes=("Grok1ModelForCausalLM",),
        notes=(
            "architectures says Grok1ModelForCausalLM; counted as the MixtralForCausalLM that model_type names: "
            "grok-1 itself ties its head and has two more norms a layer",
        ),
    ),
    Family(
        types=("qwen2_moe",),
        classes=("Qwen2MoeForCausalLM",),
        flags={"decoder_sparse_step": 1, "qkv_bias": True},
        qkv_bias="qkv_bias",
        kinds=switched_window,
        mixture=Mixture(sparse=stepped, shared="width", shared_gate=True),
    ),
    QWEN3_MOE,
    GLM4_MOE,
    replace(
        GLM4_MOE,
        types=("glm4v_moe_text",),
        classes=(),
        flags={"attention_bias": True},
        qk_norm=None,
        implied={"use_qk_norm": False},
    ),
    replace(
        GLM4_MOE,
        types=("solar_open",),
        classes=("SolarOpenForCausalLM",),
        qk_norm=None,
        qkv_bias=False,
        mixture=Mixture(sparse=all_sparse, shared="count"),
        implied={"attention_bias": False, "use_qk_norm": False, "first_k_dense_replace": 0},
        ignored=("intermediate_size",),
    ),
    replace(
        GLM4_MOE,
        types=("dots1",),
        classes=("Dots1ForCausalLM",),
        kinds=switched_window,
        out_bias="attention_bias",
        qk_norm_if=True,
        flags={"moe_layer_freq": None},
    ),
    replace(
        GLM4_MOE,
        types=("hy_v3",),
        classes=("HYV3ForCausalLM",),
        out_bias="attention_bias",
        mlp_bias="mlp_bias",
        qk_norm_if=True,
    ),
    replace(
        GLM4_MOE,
        types=("exaone_moe",),
        classes=("ExaoneMoeForCausalLM",),
        qkv_bias=False,
        qk_norm_if=True,
        flags={"sliding_window": 4096, "sliding_window_pattern": 4},
        kinds=lettered,
    ),
    Family(
        types=("deepseek",),
        classes=("DeepseekForCausalLM",),
        flags={"moe_layer_freq": 1},
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        mixture=Mixture(sparse=after_dense, shared="count"),
    ),
    Family(
        types=("laguna",),
        classes=("LagunaForCausalLM",),
        implied={"attention_bias": False},
        ignored=("moe_apply_router_weight_on_input",),
        qk_norm="head",
        kinds=must_be_declared,
        mixer=_heads_by_layer,
        mixture=Mixture(sparse=after_dense, shared="width", router_vectors=(1, 0)),
    ),
    Family(
        types=("afmoe",),
        classes=("AfmoeForCausalLM",),
        block_norms=4,
        qk_norm="head",
        kinds=every_nth("global_attn_every_n_layers"),
        mixer=_gated_attention,
        mixture=Mixture(sparse=after_dense, shared="count", router_vectors=(1, 0)),
    ),
    Family(
        types=("gpt_oss",),
        classes=("GptOssForCausalLM",),
        flags={"attention_bias": True, "sliding_window": 128},
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        kinds=alternate,
        mixer=_sink_attention,
        mixture=replace(EVERY_LAYER, bias=True, router_bias=True),
    ),
    Family(
        types=("phimoe",),
        classes=("PhiMoEForCausalLM", "PhimoeForCausalLM"),
        norm="layer",
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        head_bias="lm_head_bias",
        kinds=all_windowed,
        mixture=EVERY_LAYER,
    ),
    OLMOE,
    replace(OLMOE, types=("flex_olmo",), classes=("FlexOlmoForCausalLM",)),
    GRANITE_MOE,
    replace(
        GRANITE_MOE,
        types=("granitemoeshared",),
        classes=("GraniteMoeSharedForCausalLM",),
        flags={"shared_expert_intermediate_size": 0},
        mlp=_shared_beside,
        mixture=None,
    ),
    Family(
        types=("ernie4_5_moe",),
        classes=("Ernie4_5_MoeForCausalLM", "Ernie4_5_MoEForCausalLM"),
        tied=True,
        flags={"moe_layer_interval": 1},
        qkv_bias="use_bias",
        out_bias="use_bias",
        mlp_bias="use_bias",
        head_bias="use_bias",
        mixture=Mixture(sparse=ranged, shared="count", router_vectors=(1, 0)),
    ),
    Family(
        types=("llama4_text",),
        classes=("Llama4ForCausalLM",),
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        flags={"attention_chunk_size": 8192},
        ignored=("use_qk_norm",),  # the norm has no weights
        kinds=chunked,
        mixture=Mixture(
            sparse=interleaved, width="intermediate_size", dense_width="intermediate_size_mlp", shared="always"
        ),
    ),
    Family(
        types=("minimax_m2",),
        classes=("MiniMaxM2ForCausalLM",),
        qk_norm="full",
        implied={"use_qk_norm": True, "qk_norm_type": "per_layer", "shared_intermediate_size": 0},
        ignored=("use_routing_bias", "attn_type_list"),
        mixture=EVERY_LAYER,
    ),
    Family(
        types=("mimo_v2_flash",),
        classes=("MiMoV2FlashForCausalLM",),
        kinds=patterned("hybrid_layer_pattern"),
        mixer=_two_shapes,
        ignored=("attention_value_scale",),
        mixture=Mixture(sparse=after_dense, shared="count"),
    ),
    Family(
        types=("hunyuan_v1_moe",),
        classes=("HunYuanMoEV1ForCausalLM",),
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="head",
        ignored=("moe_intermediate_size", "num_shared_expert", "moe_layer_num_skipped"),
        implied={"use_qk_norm": True},
        mixture=Mixture(sparse=all_sparse, width="intermediate_size", shared="always"),
    ),
)
