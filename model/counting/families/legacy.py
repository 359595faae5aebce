"""Older decoders with rules of their own: learned positions, fused widths, dialects from before the library."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from model.counting.architecture import Attention, Experts, Matrix, Mlp
from model.counting.decoder import check_groups, dense, per_head, softmax_attention, window
from model.counting.family import Family
from model.counting.layout import Kind
from model.counting.section import MAX_LAYERS, Section


def _four_fold(section: Section, family: Family, layer: int) -> Mlp:
    """A width of 4 d_model unless a key gives another."""
    width = section.derived_size("intermediate_size", lambda: 4 * section.size("hidden_size"))
    return dense(section, family, width)


GPT_NEO_KINDS: dict[str, Kind] = {"global": "full", "local": "window"}


def _alternating_types(section: Section, n_layers: int) -> list[Kind]:
    """GPT-Neo: runs of global and local layers, written as [[kinds, repetitions], ...]."""
    runs: list[Any] = section.array("attention_types") or [[["global", "local"], n_layers // 2]]
    section.ignore("attention_layers")
    kinds: list[Kind] = []
    for run in runs:
        if not (isinstance(run, list) and len(run) == 2 and isinstance(run[0], list)):
            section.refuse("attention_types", "is not a list of [kinds, repetitions]", "correct it")
        names: list[Any] = run[0]
        times: Any = run[1]
        if any(not isinstance(name, str) or name not in GPT_NEO_KINDS for name in names):
            section.refuse("attention_types", "holds something else than global and local", "correct it")
        repetitions = section.whole("attention_types", times, high=MAX_LAYERS)
        spelled: list[Kind] = [GPT_NEO_KINDS[name] for name in names]
        if len(spelled) * repetitions > n_layers:
            section.refuse("attention_types", f"spells more than {n_layers} layers", "make them agree")
        kinds += spelled * repetitions
    if len(kinds) != n_layers:
        section.refuse(
            "attention_types",
            f"spells {len(kinds)} layers but {section.raw('num_hidden_layers')[0]} is {n_layers}",
            "make them agree",
        )
    return kinds


def _dbrx_attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    inner = _inner(section, "attn_config")
    heads, kv_heads = section.size("num_attention_heads"), inner.size("kv_n_heads")
    check_groups(section, heads, kv_heads)
    head_dim = per_head(section, heads)
    return Attention(heads, kv_heads, head_dim, head_dim)


def _dbrx_experts(section: Section, family: Family, layer: int) -> Experts:
    inner = _inner(section, "ffn_config")
    return Experts(inner.size("num_experts"), inner.size("num_experts_per_tok"), inner.size("intermediate_size"))


def _inner(section: Section, name: str) -> Section:
    values = section.mapping(name)
    if values is None:
        section.refuse(name, f"is missing, and {section.family} needs it", "add it")
    return Section(values, family=section.family, where=section.label(name))


def _bigcode_attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    heads = section.size("num_attention_heads")
    attention = softmax_attention(section, family, kind)
    return replace(attention, kv_heads=1 if section.flag("multi_query") else heads)


def _falcon_attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    heads = section.size("num_attention_heads")
    given = section.optional_size("num_key_value_heads")
    if _falcon_is_new(section):
        kv_heads = heads if given is None else given
    else:
        kv_heads = 1 if section.flag("multi_query") else heads
    check_groups(section, heads, kv_heads)
    head_dim = per_head(section, heads)
    bias = section.flag("bias")
    return Attention(heads, kv_heads, head_dim, head_dim, window(section, kind), qkv_bias=bias, out_bias=bias)


def _falcon_is_new(section: Section) -> bool:
    """The new block: by its key, and in the first dialect by the type that only the 40B model had."""
    return section.flag("new_decoder_architecture") or section.values.get("model_type") == "RefinedWeb"


def _falcon_norms(section: Section) -> int:
    if not section.flag("parallel_attn"):
        return 2
    return section.optional_size("num_ln_in_parallel_attn", high=2) or (2 if _falcon_is_new(section) else 1)


def _mpt_mlp(section: Section, family: Family, layer: int) -> Mlp:
    return dense(section, family, section.size("expansion_ratio") * section.size("hidden_size"))


def _mpt_attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    if section.has("attn_config"):
        _inner(section, "attn_config").accept(
            {"alibi": True, "attn_type": "multihead_attention", "qk_ln": False, "qk_gn": False}
        )
    heads = section.size("num_attention_heads")
    head_dim = per_head(section, heads)
    return Attention(heads, heads, head_dim, head_dim)


def _opt_outside(section: Section, fields: dict[str, Any]) -> None:
    """A narrower embedding is projected in and out; a post-norm stack has no final norm."""
    width = section.optional_size("word_embed_proj_dim") or fields["d_model"]
    if width != fields["d_model"]:
        fields["embedding_width"] = width
        fields["matrices"] = (
            Matrix("project_in", width, fields["d_model"]),
            Matrix("project_out", fields["d_model"], width),
        )
    if not section.flag("do_layer_norm_before") or section.flag("_remove_final_layer_norm"):
        fields["norm"] = 0


def _chatglm_attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    attention = softmax_attention(section, family, kind)
    if not section.has("add_bias_linear"):
        section.refuse("add_bias_linear", "is missing, and chatglm needs it", "add it from the model's own config.json")
    if section.flag("multi_query_attention"):
        return replace(attention, kv_heads=section.size("num_key_value_heads"))
    return replace(attention, kv_heads=attention.heads)


def _qwen1_mlp(section: Section, family: Family, layer: int) -> Mlp:
    """`intermediate_size` is the sum of both gate halves."""
    both = section.size("intermediate_size")
    if both % 2:
        section.refuse("intermediate_size", f"is {both}, but it is the sum of two equal halves", "correct it")
    return dense(section, family, both // 2)


GPT2 = Family(
    types=("gpt2",),
    classes=("GPT2LMHeadModel",),
    tied=True,
    norm="layer",
    qkv_bias=True,
    out_bias=True,
    mlp_bias=True,
    gated=False,
    mlp=_four_fold,
    positions=0,
    implied={"add_cross_attention": False},
)
GPTJ = Family(
    types=("gptj",),
    classes=("GPTJForCausalLM",),
    norm="layer",
    block_norms=1,
    parallel=True,
    mlp_bias=True,
    head_bias=True,
    gated=False,
    mlp=_four_fold,
)

LEGACY: tuple[Family, ...] = (
    GPT2,
    replace(
        GPT2,
        types=("gpt_bigcode",),
        classes=("GPTBigCodeForCausalLM",),
        mixer=_bigcode_attention,
        flags={"multi_query": True},
    ),
    GPTJ,
    replace(GPTJ, types=("codegen",), classes=("CodeGenForCausalLM",)),
    Family(
        types=("bloom",),
        classes=("BloomForCausalLM",),
        tied=True,
        norm="layer",
        embedding_norm=True,
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        gated=False,
        mlp=_four_fold,
    ),
    Family(
        types=("falcon", "RefinedWeb", "RefinedWebModel"),
        classes=("FalconForCausalLM", "RWForCausalLM"),
        tied=True,
        flags={"multi_query": True, "parallel_attn": True},
        norm="layer",
        block_norms=_falcon_norms,
        parallel="parallel_attn",
        mlp_bias="bias",
        gated=False,
        mixer=_falcon_attention,
        mlp=_four_fold,
    ),
    Family(
        types=("mpt",),
        classes=("MPTForCausalLM", "MptForCausalLM"),
        tied=True,
        flags={"expansion_ratio": 4},
        implied={"no_bias": True},
        norm="scale",
        gated=False,
        mixer=_mpt_attention,
        mlp=_mpt_mlp,
    ),
    Family(
        types=("opt",),
        classes=("OPTForCausalLM",),
        tied=True,
        flags={"enable_bias": True, "do_layer_norm_before": True, "max_position_embeddings": 2048},
        implied={"layer_norm_elementwise_affine": True},
        norm="layer",
        qkv_bias="enable_bias",
        out_bias="enable_bias",
        mlp_bias="enable_bias",
        gated=False,
        positions=2,
        finish=_opt_outside,
    ),
    Family(
        types=("biogpt",),
        classes=("BioGptForCausalLM",),
        tied=True,
        norm="layer",
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        gated=False,
        positions=2,
    ),
    Family(
        types=("xglm",),
        classes=("XGLMForCausalLM",),
        tied=True,
        norm="layer",
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        gated=False,
    ),
    Family(
        types=("gpt_neo",),
        classes=("GPTNeoForCausalLM",),
        tied=True,
        flags={"max_position_embeddings": 2048, "sliding_window": 256},
        norm="layer",
        out_bias=True,
        mlp_bias=True,
        gated=False,
        kinds=_alternating_types,
        mlp=_four_fold,
        positions=0,
    ),
    Family(
        types=("dbrx",),
        classes=("DbrxForCausalLM",),
        norm="scale",
        mixer=_dbrx_attention,
        mlp=_dbrx_experts,
    ),
    Family(
        types=("phi-msft",),
        classes=("PhiForCausalLM",),
        norm="layer",
        block_norms=1,
        parallel=True,
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        head_bias=True,
        gated=False,
        mlp=_four_fold,
    ),
    Family(
        types=("chatglm",),
        classes=("ChatGLMModel", "ChatGLMForConditionalGeneration"),
        flags={"add_qkv_bias": False},
        implied={"add_bias_linear": False, "rmsnorm": True, "post_layer_norm": True},
        qkv_bias="add_qkv_bias",
        mixer=_chatglm_attention,
        notes=("counted with its language-model head, whatever class the configuration names",),
    ),
    Family(
        types=("qwen",),
        classes=("QWenLMHeadModel",),
        implied={"no_bias": True},
        qkv_bias=True,
        mlp=_qwen1_mlp,
    ),
)
