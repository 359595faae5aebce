"""Gemma 4: two shapes of attention, layers that reuse an earlier cache, experts beside a dense block, and per-layer
embeddings."""

from __future__ import annotations

from typing import Any

from model.counting.architecture import Attention, Block, Experts, Group, Matrix, Mlp
from model.counting.decoder import check_groups, experts, window
from model.counting.family import Family, Mixture
from model.counting.layout import Kind, all_sparse, must_be_declared
from model.counting.section import Section

K_EQ_V_NOTE = "attention_k_eq_v: keys and values are counted apart in the cache; a runtime that shares them halves them"


def _reuses(section: Section, layer: int) -> bool:
    shared = section.size("num_kv_shared_layers", low=0)
    n_layers = section.layers()
    if shared >= n_layers:
        section.refuse(
            "num_kv_shared_layers", f"is {shared} of {n_layers} layers, which leaves none with a cache", "correct it"
        )
    return layer >= n_layers - shared


def _attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    heads, kv_heads = section.size("num_attention_heads"), section.size("num_key_value_heads")
    head_dim, global_dim = section.size("head_dim"), section.size("global_head_dim")
    global_kv = section.optional_size("num_global_key_value_heads")
    alternative = section.flag("attention_k_eq_v") and kind == "full"
    if kind == "full":
        head_dim = global_dim
        kv_heads = global_kv if alternative and global_kv else kv_heads
    check_groups(section, heads, kv_heads)
    bias, reuses = section.flag("attention_bias"), _reuses(section, layer)
    return Attention(
        heads,
        kv_heads,
        head_dim,
        head_dim,
        window(section, kind),
        qkv_bias=bias,
        out_bias=bias,
        query_norm=head_dim,
        key_norm=0 if reuses else head_dim,
        value_projection=not alternative,
        reuses_cache=reuses,
    )


def _feed_forward(section: Section, family: Family, layer: int) -> Mlp | Experts:
    width = section.size("intermediate_size")
    if section.flag("use_double_wide_mlp") and _reuses(section, layer):
        width *= 2
    beside = Mlp(width)
    if not section.flag("enable_moe_block"):
        section.ignore("num_experts", "top_k_experts", "moe_intermediate_size", "expert_intermediate_size")
        return beside
    routed = experts(section, family, Mixture(sparse=all_sparse, router_vectors=(1, 1)))
    return Experts(routed.count, routed.active, routed.width, router_vectors=routed.router_vectors, beside=beside)


def _norms(section: Section) -> int:
    per_layer = section.size("hidden_size_per_layer_input", low=0)
    return 4 + 3 * section.flag("enable_moe_block") + (1 if per_layer else 0)


def _per_layer_embeddings(section: Section, fields: dict[str, Any]) -> None:
    d_model = fields["d_model"]
    width = section.size("hidden_size_per_layer_input", low=0)
    section.ignore("vocab_size_per_layer_input")
    if section.flag("attention_k_eq_v"):
        fields["notes"] += (K_EQ_V_NOTE,)
    if not width:
        return
    packed = section.layers() * width
    side = (("per_layer_input_gate", d_model, width), ("per_layer_projection", width, d_model))
    fields["groups"] = tuple(
        Group(g.layers, Block(g.block.mixer, g.block.mlp, g.block.norm, side)) for g in fields["groups"]
    )
    fields["lookups"] = (("embed_tokens_per_layer", section.size("vocab_size_per_layer_input"), packed),)
    fields["matrices"] = (Matrix("per_layer_model_projection", d_model, packed),)
    fields["norm"] += width


GEMMA4 = Family(
    types=("gemma4_text",),
    classes=("Gemma4ForCausalLM",),
    tied=True,
    flags={"global_head_dim": 512, "num_kv_shared_layers": 0},
    block_norms=_norms,
    kinds=must_be_declared,
    mixer=_attention,
    mlp=_feed_forward,
    finish=_per_layer_embeddings,
)
