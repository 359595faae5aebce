"""Towers of images: the encoder and the projector that stand beside a language model.

They count towards a model's total and are never read for a token of text. Each function takes the vision section, the
section of the wrapper and the width of the text model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from model.counting.architecture import Matrix, Tower
from model.counting.section import Section

Build = Callable[[Section, Section, int], Tower]


@dataclass(frozen=True, kw_only=True)
class TowerKind:
    """A class of tower: the `model_type` values of its section, its builder and its class defaults."""

    types: tuple[str, ...]
    build: Build
    sizes: Mapping[str, int | None] = field(default_factory=dict)
    flags: Mapping[str, bool] = field(default_factory=dict)


def _encoder(
    layers: int, d: int, width: int, *, bias: bool, gated: bool = False, attention_bias: bool | None = None
) -> list[Matrix]:
    """Standard encoder layers: four attention matrices and two or three of the feed-forward."""
    qkv_bias = bias if attention_bias is None else attention_bias
    return [
        Matrix("vision_tower.qkv", d, 3 * d, qkv_bias, layers),
        Matrix("vision_tower.proj", d, d, bias, layers),
        Matrix("vision_tower.up", d, width, bias, layers * (2 if gated else 1)),
        Matrix("vision_tower.down", width, d, bias, layers),
    ]


def _patches(section: Section, channels: str = "num_channels") -> int:
    """Elements of one patch of pixels."""
    patch = section.size("patch_size", high=10_000)
    return section.size(channels, high=100) * patch * patch


def _grid(section: Section) -> int:
    """Patches of one image."""
    image, patch = section.size("image_size", high=100_000), section.size("patch_size", high=10_000)
    if image < patch:
        section.refuse("patch_size", f"is {patch} but {section.label('image_size')} is {image}", "make them agree")
    return (image // patch) ** 2


def _feature_layers(wrapper: Section) -> int:
    """How many layers' features are put side by side before the projector."""
    key, value = wrapper.raw("vision_feature_layer")
    if isinstance(value, list):
        if not value:
            wrapper.refuse(key, "is empty", "name a layer")
        return len(value)
    return 1


def _two_layer_projector(section: Section, wrapper: Section, d_text: int, *, default_bias: bool) -> list[Matrix]:
    bias = wrapper.flag("multimodal_projector_bias") if wrapper.has("multimodal_projector_bias") else default_bias
    width = section.size("hidden_size") * _feature_layers(wrapper)
    return [
        Matrix("multi_modal_projector.linear_1", width, d_text, bias),
        Matrix("multi_modal_projector.linear_2", d_text, d_text, bias),
    ]


def _projector(section: Section, wrapper: Section, d_text: int) -> tuple[list[Matrix], int]:
    """The wrapper's projector: its matrices, and the elements of its norms."""
    d = section.size("hidden_size")
    if wrapper.family == "gemma3":
        return [Matrix("multi_modal_projector.input_projection", d, d_text)], d
    if wrapper.family == "mistral3":
        merge = wrapper.optional_size("spatial_merge_size", high=100) or 2
        merger = Matrix("multi_modal_projector.patch_merger", d * merge**2, d)
        return [merger, *_two_layer_projector(section, wrapper, d_text, default_bias=False)], d
    if wrapper.family == "paligemma":
        return [Matrix("multi_modal_projector.linear", d, d_text, True)], 0
    extra = [d_text] if wrapper.family == "llava_next" else []
    return _two_layer_projector(section, wrapper, d_text, default_bias=True), sum(extra)


def _siglip(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers = section.size("hidden_size"), section.layers()
    if section.flag("vision_use_head"):
        section.ignore("vision_use_head")  # wrappers build the encoder without its pooling head
    projector, norms = _projector(section, wrapper, d_text)
    matrices = [
        Matrix("vision_tower.patch_embedding", _patches(section), d, True),
        *_encoder(layers, d, section.size("intermediate_size"), bias=True),
        *projector,
    ]
    return Tower("siglip", tuple(matrices), _grid(section) * d + layers * 4 * d + 2 * d + norms)


def _clip(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers = section.size("hidden_size"), section.layers()
    projector, norms = _projector(section, wrapper, d_text)
    matrices = [
        Matrix("vision_tower.patch_embedding", _patches(section), d),
        *_encoder(layers, d, section.size("intermediate_size"), bias=True),
        *projector,
    ]
    vectors = d + (_grid(section) + 1) * d + 4 * d + layers * 4 * d + norms
    return Tower("clip", tuple(matrices), vectors)


def _pixtral(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers = section.size("hidden_size"), section.layers()
    projector, norms = _projector(section, wrapper, d_text)
    matrices = [
        Matrix("vision_tower.patch_conv", _patches(section), d),
        *_encoder(layers, d, section.size("intermediate_size"), bias=False, gated=True),
        *projector,
    ]
    return Tower("pixtral", tuple(matrices), d + layers * 2 * d + norms)


def _merged(section: Section, d: int) -> int:
    """Width of a square of merged patches."""
    return d * section.size("spatial_merge_size", high=100) ** 2


def _video_patches(section: Section, channels: str) -> int:
    return _patches(section, channels) * section.size("temporal_patch_size", high=100)


def _agreed_width(section: Section, key: str, d_text: int) -> int:
    """The tower's output width, which must be the text model's."""
    width = section.size(key)
    if width != d_text:
        section.refuse(key, f"is {width} but the text model's hidden_size is {d_text}", "make them agree")
    return width


def _qwen2_vl(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers = section.size("embed_dim"), section.layers("depth")
    merged, out = _merged(section, d), _agreed_width(section, "hidden_size", d_text)
    matrices = (
        Matrix("visual.patch_embed", _video_patches(section, "in_channels"), d),
        *_encoder(layers, d, d * section.size("mlp_ratio", high=1000), bias=True),
        Matrix("visual.merger.mlp.0", merged, merged, True),
        Matrix("visual.merger.mlp.2", merged, out, True),
    )
    return Tower("qwen2_vl", matrices, layers * 4 * d + 2 * d)


def _qwen25_vl(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers = section.size("hidden_size"), section.layers("depth")
    merged, out = _merged(section, d), _agreed_width(section, "out_hidden_size", d_text)
    matrices = (
        Matrix("visual.patch_embed", _video_patches(section, "in_channels"), d),
        *_encoder(layers, d, section.size("intermediate_size"), bias=True, gated=True),
        Matrix("visual.merger.mlp.0", merged, merged, True),
        Matrix("visual.merger.mlp.2", merged, out, True),
    )
    return Tower("qwen2_5_vl", matrices, layers * 2 * d + d)


def _qwen3_vl(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers = section.size("hidden_size"), section.layers("depth")
    merged, out = _merged(section, d), _agreed_width(section, "out_hidden_size", d_text)
    deep = section.array("deepstack_visual_indexes")
    mergers = 3 if deep is None and section.family == "qwen3_vl" else len(deep or ())
    matrices = (
        Matrix("visual.patch_embed", _video_patches(section, "in_channels"), d, True),
        *_encoder(layers, d, section.size("intermediate_size"), bias=True),
        Matrix("visual.merger.linear_fc1", merged, merged, True, 1 + mergers),
        Matrix("visual.merger.linear_fc2", merged, out, True, 1 + mergers),
    )
    vectors = section.size("num_position_embeddings") * d + layers * 4 * d + 2 * d + mergers * 2 * merged
    return Tower("qwen3_vl", matrices, vectors)


def _glm4v(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers = section.size("hidden_size"), section.layers("depth")
    out, width = _agreed_width(section, "out_hidden_size", d_text), section.size("intermediate_size")
    matrices = (
        Matrix("visual.patch_embed", _video_patches(section, "in_channels"), d, True),
        *_encoder(layers, d, out, bias=False, gated=True, attention_bias=section.flag("attention_bias")),
        Matrix("visual.downsample", _merged(section, d), out, True),
        Matrix("visual.merger.proj", out, out),
        Matrix("visual.merger.up_proj", out, width, copies=2),
        Matrix("visual.merger.down_proj", width, out),
    )
    return Tower("glm4v", matrices, _grid(section) * d + layers * 2 * d + 2 * d + 2 * out)


def _gemma4(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers, heads = section.size("hidden_size"), section.layers(), section.size("num_attention_heads")
    head_dim, width = section.size("head_dim"), section.size("intermediate_size")
    kv = section.size("num_key_value_heads") * head_dim
    section.accept({"attention_bias": False})
    patch = section.size("patch_size", high=10_000)
    matrices = (
        Matrix("vision_tower.input_proj", 3 * patch * patch, d),
        Matrix("vision_tower.q_proj", d, heads * head_dim, copies=layers),
        Matrix("vision_tower.kv_proj", d, 2 * kv, copies=layers),
        Matrix("vision_tower.o_proj", heads * head_dim, d, copies=layers),
        Matrix("vision_tower.up", d, width, copies=2 * layers),
        Matrix("vision_tower.down", width, d, copies=layers),
        Matrix("embed_vision", d, d_text),
    )
    return Tower("gemma4", matrices, 2 * section.size("position_embedding_size") * d + layers * (4 * d + 2 * head_dim))


def _llama4(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers, width = section.size("hidden_size"), section.layers(), section.size("intermediate_size")
    inner, out = section.size("projector_input_dim"), section.size("projector_output_dim")
    matrices = (
        Matrix("vision_model.patch_embedding", _patches(section), d),
        *_encoder(layers, d, width, bias=True),
        Matrix("vision_model.vision_adapter.fc1", width, inner),
        Matrix("vision_model.vision_adapter.fc2", out, out),
        Matrix("multi_modal_projector.linear_1", section.size("vision_output_dim"), d_text),
    )
    return Tower("llama4", matrices, d + (_grid(section) + 1) * d + 4 * d + layers * 4 * d)


def _moon_vit(section: Section, wrapper: Section, d_text: int) -> Tower:
    d, layers, width = section.size("hidden_size"), section.layers(), section.size("intermediate_size")
    kernel = section.array("merge_kernel_size") or [2, 2]
    if len(kernel) != 2:
        section.refuse("merge_kernel_size", f"has {len(kernel)} entries, not 2", "correct it")
    merged = d
    for side in kernel:
        merged *= section.whole("merge_kernel_size", side, low=1, high=100)
    section.accept({"mm_hidden_size": d, "text_hidden_size": d_text, "mm_projector_type": "patchmerger"})
    matrices = (
        Matrix("vision_tower.patch_embed", 3 * section.size("patch_size", high=10_000) ** 2, d, True),
        *_encoder(layers, d, width, bias=True),
        Matrix("mm_projector.in_proj", merged, merged, True),
        Matrix("mm_projector.out_proj", merged, d_text, True),
    )
    places = section.size("pos_emb_height", high=10_000) * section.size("pos_emb_width", high=10_000)
    return Tower("moon_vit", matrices, places * d + layers * 4 * d + 2 * d + 2 * d)


_VIT = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_channels": 3,
    "image_size": 224,
}
_QWEN = {"num_heads": 16, "spatial_merge_size": 2, "temporal_patch_size": 2, "in_channels": 3}
_QWEN3 = {
    **_QWEN,
    "depth": 27,
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "patch_size": 16,
    "out_hidden_size": 3584,
    "num_position_embeddings": 2304,
}
_GLM = {
    "depth": 24,
    "hidden_size": 1536,
    "intermediate_size": 13696,
    "in_channels": 3,
    "image_size": 336,
    "patch_size": 14,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
    "out_hidden_size": 4096,
}

TOWERS: tuple[TowerKind, ...] = (
    TowerKind(types=("siglip_vision_model",), build=_siglip, sizes={**_VIT, "patch_size": 16}),
    TowerKind(types=("clip_vision_model",), build=_clip, sizes={**_VIT, "patch_size": 32}),
    TowerKind(
        types=("pixtral",),
        build=_pixtral,
        sizes={
            "hidden_size": 1024,
            "intermediate_size": 4096,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "num_channels": 3,
            "image_size": 1024,
            "patch_size": 16,
        },
    ),
    TowerKind(
        types=("qwen2_vl", "qwen2_vl_vision"),
        build=_qwen2_vl,
        sizes={**_QWEN, "depth": 32, "embed_dim": 1280, "hidden_size": 3584, "mlp_ratio": 4, "patch_size": 14},
    ),
    TowerKind(
        types=("qwen2_5_vl", "qwen2_5_vl_vision"),
        build=_qwen25_vl,
        sizes={
            **_QWEN,
            "depth": 32,
            "hidden_size": 3584,
            "intermediate_size": 3420,
            "patch_size": 14,
            "out_hidden_size": 3584,
        },
    ),
    TowerKind(
        types=("qwen3_vl", "qwen3_vl_vision", "qwen3_vl_moe", "qwen3_vl_moe_vision"), build=_qwen3_vl, sizes=_QWEN3
    ),
    TowerKind(types=("qwen3_5", "qwen3_5_vision", "qwen3_5_moe", "qwen3_5_moe_vision"), build=_qwen3_vl, sizes=_QWEN3),
    TowerKind(types=("glm4v", "glm4v_vision", "glm4v_moe", "glm4v_moe_vision"), build=_glm4v, sizes=_GLM),
    TowerKind(
        types=("kimi_k25_vision",),
        build=_moon_vit,
        sizes={
            "hidden_size": 1152,
            "intermediate_size": 4304,
            "num_hidden_layers": 27,
            "num_attention_heads": 16,
            "patch_size": 14,
            "pos_emb_height": 64,
            "pos_emb_width": 64,
        },
    ),
    TowerKind(
        types=("gemma4_vision",),
        build=_gemma4,
        sizes={
            "hidden_size": 768,
            "intermediate_size": 3072,
            "num_hidden_layers": 16,
            "num_attention_heads": 12,
            "num_key_value_heads": 12,
            "head_dim": 64,
            "patch_size": 16,
            "position_embedding_size": 10240,
        },
    ),
    TowerKind(
        types=("llama4_vision_model",),
        build=_llama4,
        sizes={
            "hidden_size": 768,
            "intermediate_size": 5632,
            "num_hidden_layers": 34,
            "num_attention_heads": 16,
            "num_channels": 3,
            "image_size": 448,
            "patch_size": 14,
            "vision_output_dim": 7680,
            "projector_input_dim": 4096,
            "projector_output_dim": 4096,
        },
    ),
)
