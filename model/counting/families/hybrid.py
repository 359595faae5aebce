"""Decoders in which some layers keep a fixed state instead of a cache, where the shape of that state is published."""

from __future__ import annotations

from dataclasses import replace

from model.counting.architecture import Attention, DeltaNet, KimiDelta, LatentAttention, Mixer, Mlp, ShortConvolution
from model.counting.decoder import dense, latent_attention, softmax_attention
from model.counting.errors import shown
from model.counting.family import Family, Mixture
from model.counting.layout import Kind, after_dense, every_nth, indexed, must_be_declared, stepped
from model.counting.section import Section

MAX_FACTOR = 1000.0
KIMI_LISTS: dict[str, Kind] = {"full_attn_layers": "full", "kda_layers": "linear"}


def delta_net(section: Section) -> DeltaNet:
    """Gated delta-net layers by the `linear_*` keys."""
    key_heads, value_heads = section.size("linear_num_key_heads"), section.size("linear_num_value_heads")
    if value_heads % key_heads:
        section.refuse(
            "linear_num_value_heads",
            f"is {value_heads}, which {section.label('linear_num_key_heads')} = {key_heads} does not divide",
            "make them agree",
        )
    return DeltaNet(
        key_heads,
        value_heads,
        section.size("linear_key_head_dim"),
        section.size("linear_value_head_dim"),
        section.size("linear_conv_kernel_dim"),
    )


def _gated_or_linear(section: Section, family: Family, kind: Kind, layer: int) -> Attention | DeltaNet:
    linear = delta_net(section)
    full = softmax_attention(section, family, kind, gate=True)
    return linear if kind == "linear" else full


def _latent_or_kimi(section: Section, family: Family, kind: Kind, layer: int) -> LatentAttention | KimiDelta:
    full = latent_attention(section, query_rank_optional=True)
    inner = _kimi_settings(section)
    if inner is None:
        names = ("linear_num_heads", "linear_head_dim", "linear_conv_kernel_dim")
        linear = KimiDelta(*(section.size(name) for name in names))
    else:
        linear = KimiDelta(*(inner.size(name) for name in ("num_heads", "head_dim", "short_conv_kernel_size")))
        inner.ignore("full_attn_layers", "kda_layers")
        inner.accept({"use_full_rank_gate": False, "gate_lower_bound": 0})
    return linear if kind == "linear" else full


def _kimi_settings(section: Section) -> Section | None:
    """The first dialect keeps everything about linear layers in one object."""
    values = section.mapping("linear_attn_config")
    if values is None:
        return None
    return Section(values, family=section.family, where=section.label("linear_attn_config"))


def _kimi_kinds(section: Section, n_layers: int) -> list[Kind]:
    """`layer_types`, or the first dialect's lists of full and linear layers, counted from 1."""
    inner = _kimi_settings(section)
    if inner is None:
        return must_be_declared(section, n_layers)
    kinds: dict[int, Kind] = {}
    for key, kind in KIMI_LISTS.items():
        for place in inner.array(key) or []:
            if kinds.setdefault(inner.whole(key, place, low=1, high=n_layers), kind) != kind:
                inner.refuse(key, f"names layer {place}, and so does the other list", "make them agree")
    if len(kinds) != n_layers:
        inner.refuse("kda_layers", f"and full_attn_layers name {len(kinds)} of {n_layers} layers", "name them all")
    return [kinds[i + 1] for i in range(n_layers)]


def _attention_or_convolution(section: Section, family: Family, kind: Kind, layer: int) -> Mixer:
    short = ShortConvolution(section.size("conv_L_cache"), section.flag("conv_bias"))
    full = softmax_attention(section, family, kind)
    return short if kind == "conv" else full


def _lfm_width(section: Section, family: Family, layer: int) -> Mlp:
    """Two thirds of the declared width, scaled and rounded up to a multiple, where the class adjusts it."""
    width = section.optional_size("block_ff_dim") or section.size("intermediate_size")
    _, factor = section.value("block_ffn_dim_multiplier")
    if not isinstance(factor, int | float | None) or isinstance(factor, bool) or abs(factor or 0) > MAX_FACTOR:
        section.refuse("block_ffn_dim_multiplier", f"is {shown(factor)}, not a number", "write a number")
    multiple = section.size("block_multiple_of")
    if section.flag("block_auto_adjust_ff_dim"):
        width = int(2 * width / 3)
        if factor is not None:
            width = multiple * -(-int(factor * width) // multiple)
    if width < 1:
        section.refuse("block_ffn_dim_multiplier", f"is {shown(factor)}, which leaves no width", "correct it")
    return dense(section, family, width)


QWEN3_NEXT = Family(
    types=("qwen3_next",),
    classes=("Qwen3NextForCausalLM",),
    flags={"decoder_sparse_step": 1, "full_attention_interval": 4},
    implied={"attn_output_gate": True},
    ignored=("use_sliding_window", "mamba_ssm_dtype"),
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    qk_norm="head",
    kinds=every_nth("full_attention_interval", rest="linear"),
    mixer=_gated_or_linear,
    mixture=Mixture(sparse=stepped, shared="width", shared_gate=True),
)
LFM2 = Family(
    types=("lfm2",),
    classes=("Lfm2ForCausalLM",),
    tied=True,
    flags={
        "block_ffn_dim_multiplier": 1.0,
        "block_auto_adjust_ff_dim": True,
        "block_multiple_of": 256,
        "conv_L_cache": 3,
    },
    qk_norm="head",
    kinds=indexed,
    mixer=_attention_or_convolution,
    mlp=_lfm_width,
    ignored=("conv_dim", "conv_dim_out", "block_dim", "block_use_swiglu", "block_mlp_init_scale", "use_pos_enc"),
)

HYBRIDS: tuple[Family, ...] = (
    QWEN3_NEXT,
    replace(QWEN3_NEXT, types=("qwen3_5_moe_text",), classes=("Qwen3_5MoeForCausalLM",)),
    replace(QWEN3_NEXT, types=("qwen3_5_text",), classes=("Qwen3_5ForCausalLM",), mixture=None),
    Family(
        types=("kimi_linear",),
        classes=("KimiLinearForCausalLM",),
        kinds=_kimi_kinds,
        mixer=_latent_or_kimi,
        flags={"moe_layer_freq": 1},
        mixture=Mixture(sparse=after_dense, shared="count"),
    ),
    LFM2,
    replace(
        LFM2,
        types=("lfm2_moe",),
        classes=("Lfm2MoeForCausalLM",),
        flags={"conv_L_cache": 3},
        ignored=("use_expert_bias",),  # a buffer, not a parameter
        mlp=None,
        mixture=Mixture(sparse=after_dense),
    ),
)
