"""From the keys of one section and the record of its family to an `Architecture`."""

from __future__ import annotations

from typing import Any

from model.counting.architecture import (
    Architecture,
    Attention,
    Block,
    Experts,
    LatentAttention,
    Mixer,
    Mlp,
    grouped,
)
from model.counting.errors import shown
from model.counting.family import NORM_VECTORS, Family, Mixture, switched
from model.counting.layout import WINDOW_KEYS, Kind
from model.counting.section import Section


def decoder(section: Section, family: Family) -> Architecture:
    """Build the architecture of a decoder.

    Raises:
        ConfigRefused: a size is missing, two keys disagree, or a key's influence on the shape is not known.
    """
    section.accept(family.implied)
    section.ignore(*family.ignored)
    d_model = section.size("hidden_size")
    n_layers = section.layers()
    kinds = family.kinds(section, n_layers)
    sparse = family.mixture.sparse(section, n_layers) if family.mixture else [False] * n_layers
    norms = family.block_norms if isinstance(family.block_norms, int) else family.block_norms(section)
    norm = NORM_VECTORS[family.norm] * d_model
    blocks = [
        Block(
            mixer=mixer(section, family, kinds[i], i),
            mlp=feed_forward(section, family, sparse[i], i),
            norm=norms * norm,
        )
        for i in range(n_layers)
    ]
    fields: dict[str, Any] = {
        "family": family.name,
        "d_model": d_model,
        "vocab_size": section.size("vocab_size"),
        "groups": grouped(blocks),
        "tied": tied(section, family),
        "embedding_width": d_model,
        "norm": norm * (family.final_norm + family.embedding_norm),
        "head_bias": switched(section, family.head_bias),
        "parallel": switched(section, family.parallel),
        "context": context(section),
        "notes": family.notes,
    }
    if family.positions is not None:
        fields["positions"] = section.size("max_position_embeddings") + family.positions
    if family.finish:
        family.finish(section, fields)
    section.refuse_unread_shape_keys()
    return Architecture(**fields)


def mixer(section: Section, family: Family, kind: Kind, layer: int) -> Mixer:
    """The sequence mixer of one layer."""
    if family.mixer:
        return family.mixer(section, family, kind, layer)
    return softmax_attention(section, family, kind)


def softmax_attention(
    section: Section, family: Family, kind: Kind, *, heads_key: str = "num_attention_heads", gate: bool = False
) -> Attention:
    """Attention by the standard keys."""
    heads = section.size(heads_key)
    kv_heads = section.derived_size("num_key_value_heads", lambda: heads)
    check_groups(section, heads, kv_heads)
    head_dim = section.derived_size("head_dim", lambda: per_head(section, heads))
    query_norm = key_norm = 0
    if family.qk_norm and switched(section, family.qk_norm_if):
        full = family.qk_norm == "full"
        query_norm = family.qk_norm_vectors * head_dim * (heads if full else 1)
        key_norm = family.qk_norm_vectors * head_dim * (kv_heads if full else 1)
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        qk_dim=head_dim,
        v_dim=head_dim,
        window=window(section, kind),
        qkv_bias=switched(section, family.qkv_bias),
        out_bias=switched(section, family.out_bias),
        query_norm=query_norm,
        key_norm=key_norm,
        output_norm=heads * head_dim if family.output_norm else 0,
        gate=heads * head_dim if gate else 0,
    )


def latent_attention(
    section: Section, *, bias: bool = False, v_dim: int | None = None, query_rank_optional: bool = False
) -> LatentAttention:
    """Latent attention, wherever `kv_lora_rank` is given."""
    heads = section.size("num_attention_heads")
    kv_heads = section.optional_size("num_key_value_heads")
    if kv_heads is not None and kv_heads != heads:
        section.refuse(
            "num_key_value_heads",
            f"is {kv_heads} but {section.label('num_attention_heads')} is {heads} and {section.label('kv_lora_rank')} "
            "is given: a latent serves every head",
            "make them agree",
        )
    section.ignore("head_dim", "qk_head_dim")
    if not query_rank_optional and "q_lora_rank" not in section.values and not section.where:
        section.refuse("q_lora_rank", "is missing: queries may be compressed or not", "add it, null for full queries")
    nope, rope = section.size("qk_nope_head_dim"), section.size("qk_rope_head_dim")
    declared = section.optional_size("qk_head_dim")
    if declared not in (None, nope + rope):
        section.refuse(
            "qk_head_dim",
            f"is {declared} but {section.label('qk_nope_head_dim')} + {section.label('qk_rope_head_dim')} is "
            f"{nope + rope}",
            "make them agree",
        )
    return LatentAttention(
        heads=heads,
        query_rank=section.optional_size("q_lora_rank"),
        kv_rank=section.size("kv_lora_rank"),
        nope_dim=nope,
        rope_dim=rope,
        v_dim=section.size("v_head_dim") if v_dim is None else v_dim,
        bias=bias,
    )


def feed_forward(section: Section, family: Family, sparse: bool, layer: int) -> Mlp | Experts:
    """The feed-forward part of one layer."""
    if family.mlp:
        return family.mlp(section, family, layer)
    key = family.mixture.dense_width if family.mixture else "intermediate_size"
    if sparse and family.mixture:
        section.ignore(key)
        return experts(section, family, family.mixture)
    return dense(section, family, section.size(key))


def dense(section: Section, family: Family, width: int) -> Mlp:
    """A dense block of the family's kind."""
    return Mlp(
        width=width,
        gated=switched(section, family.gated),
        bias=switched(section, family.mlp_bias),
        inner_norm=width if family.inner_norm else 0,
    )


def experts(section: Section, family: Family, mixture: Mixture) -> Experts:
    """The experts of one layer."""
    count, active = section.size("num_experts"), section.size("num_experts_per_tok")
    if active > count:
        section.refuse(
            section.raw("num_experts_per_tok")[0],
            f"is {active} but {section.label(section.raw('num_experts')[0])} is {count}",
            "make them agree",
        )
    width = section.size(mixture.width)
    match mixture.shared:
        case "count":
            shared = width * _stated(section, "num_shared_experts")
        case "width":
            shared = _stated(section, "shared_expert_intermediate_size")
        case "always":
            shared = width
        case None:
            shared = 0
    per_expert, per_channel = mixture.router_vectors
    return Experts(
        count=count,
        active=active,
        width=width,
        gated=switched(section, family.gated),
        bias=switched(section, mixture.bias),
        router_bias=switched(section, mixture.router_bias),
        router_vectors=per_expert * count + per_channel * section.size("hidden_size"),
        shared_width=shared,
        shared_gate=mixture.shared_gate and shared > 0,
        shared_bias=switched(section, family.mlp_bias),
    )


def _stated(section: Section, name: str) -> int:
    """A size that may be 0 or null, but must be stated: the class default is another."""
    if section.raw(name)[0] in section.values:
        return section.optional_size(name, low=0) or 0
    return section.size(name, low=0)


def per_head(section: Section, heads: int) -> int:
    """Width of a head where no key gives it."""
    d_model = section.size("hidden_size")
    if d_model % heads:
        divisor = section.label(section.raw("num_attention_heads")[0])
        section.refuse(
            section.raw("hidden_size")[0],
            f"is {d_model}, which {divisor} = {heads} does not divide, and there is no head_dim",
            "correct one of them or add head_dim",
        )
    return d_model // heads


def check_groups(section: Section, heads: int, kv_heads: int) -> None:
    """Refuse key/value heads that do not divide the query heads."""
    if heads % kv_heads:
        section.refuse(
            section.raw("num_key_value_heads")[0],
            f"is {kv_heads}, which does not divide {section.label(section.raw('num_attention_heads')[0])} = {heads}",
            "make them agree",
        )


def window(section: Section, kind: Kind) -> int | None:
    """The window of a layer, or None for full attention: also where the window is no shorter than the context."""
    width = None
    if kind == "window":
        given = [key for key in WINDOW_KEYS if section.optional_size(key, low=0)]
        width = section.size(given[0] if given else "sliding_window")
    else:
        section.ignore(*WINDOW_KEYS)
    longest = context(section)
    return None if width is not None and longest is not None and width >= longest else width


def context(section: Section) -> int | None:
    """The longest sequence that the configuration declares."""
    return section.optional_size("max_position_embeddings")


def tied(section: Section, family: Family) -> bool:
    """Whether head and embedding are one table: by key, else by class default."""
    key, value = section.raw("tie_word_embeddings")
    if value is None:
        return family.tied
    if not isinstance(value, bool):
        section.refuse(key, f"is {shown(value)}, not true or false", "write true or false")
    return value
