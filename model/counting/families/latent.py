"""Decoders with latent attention, found by `kv_lora_rank` and not by name."""

from __future__ import annotations

from dataclasses import replace

from model.counting.architecture import Experts, Indexer, LatentAttention, Mlp
from model.counting.decoder import experts, latent_attention, per_head
from model.counting.family import Family, Mixture
from model.counting.layout import Kind, after_dense, all_sparse
from model.counting.section import Section


def _latent(section: Section, family: Family, kind: Kind, layer: int) -> LatentAttention:
    return latent_attention(section, bias=section.flag("attention_bias"))


def _square_values(section: Section, family: Family, kind: Kind, layer: int) -> LatentAttention:
    """MiniCPM 3: values as wide as d_model / heads unless a key says otherwise."""
    given = section.optional_size("v_head_dim")
    v_dim = per_head(section, section.size("num_attention_heads")) if given is None else given
    return latent_attention(section, bias=section.flag("attention_bias"), v_dim=v_dim)


def _indexed(section: Section, family: Family, kind: Kind, layer: int) -> LatentAttention:
    attention = _latent(section, family, kind, layer)
    if attention.query_rank is None:
        section.refuse("q_lora_rank", "is missing, and the indexer needs it", "add it")
    types = section.array("indexer_types", length=section.layers())
    if types is not None and any(t != "full" for t in types):
        section.refuse("indexer_types", "holds shared indexers, whose weights are not known", "count it elsewhere")
    indexer = Indexer(section.size("index_n_heads"), section.size("index_head_dim"), section.size("index_topk"))
    return replace(attention, indexer=indexer)


def _two_attentions(section: Section, family: Family, kind: Kind, layer: int) -> LatentAttention:
    """Shortcut-connected MoE: two attentions and two dense blocks beside the experts of one layer."""
    return replace(_latent(section, family, kind, layer), copies=2)


def _shortcut_experts(section: Section, family: Family, layer: int) -> Mlp | Experts:
    routed = experts(section, family, Mixture(sparse=all_sparse))
    identities = section.size("zero_expert_num", low=0)
    return replace(
        routed,
        zero_experts=identities,
        router_bias=section.flag("router_bias"),
        beside=Mlp(section.size("intermediate_size"), copies=2),
    )


DEEPSEEK = Family(
    types=("deepseek_v3", "kimi_k2"),
    classes=("DeepseekV3ForCausalLM",),
    mixer=_latent,
    mixture=Mixture(sparse=after_dense, shared="count"),
    flags={"moe_layer_freq": 1},
    implied={"mlp_bias": False},
    prediction=True,
)
DENSE_LATENT = Family(types=("youtu",), classes=("YoutuForCausalLM",), tied=True, mixer=_latent)

LATENT: tuple[Family, ...] = (
    DEEPSEEK,
    replace(DEEPSEEK, types=("deepseek_v2",), classes=("DeepseekV2ForCausalLM",)),
    replace(DEEPSEEK, types=("deepseek_v32",), classes=("DeepseekV32ForCausalLM",), mixer=_indexed),
    replace(
        DEEPSEEK,
        types=("glm_moe_dsa",),
        classes=("GlmMoeDsaForCausalLM",),
        mixer=_indexed,
        flags={"moe_layer_freq": 1, "index_n_heads": 32, "index_head_dim": 128, "index_topk": 2048},
    ),
    replace(DEEPSEEK, types=("glm4_moe_lite",), classes=("Glm4MoeLiteForCausalLM",)),
    replace(
        DEEPSEEK,
        types=("mistral4",),
        classes=("Mistral4ForCausalLM",),
        flags={"moe_layer_freq": 1, "first_k_dense_replace": 0},
    ),
    DENSE_LATENT,
    replace(
        DENSE_LATENT,
        types=("minicpm3",),
        classes=("MiniCPM3ForCausalLM",),
        mixer=_square_values,
        implied={"mlp_bias": False, "num_experts": 0},
    ),
    Family(
        types=("longcat_flash",),
        classes=("LongcatFlashForCausalLM",),
        block_norms=4,
        mixer=_two_attentions,
        mlp=_shortcut_experts,
        notes=("active parameters as if every chosen expert were a real one: a choice of an identity costs nothing",),
        implied={"zero_expert_type": "identity", "attention_method": "MLA"},
    ),
)
