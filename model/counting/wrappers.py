"""Classes that hold a text model and a tower of images, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Wrapper:
    """A class that holds a text model and a tower of images.

    Attributes:
        types: `model_type` values of the whole.
        classes: names in `architectures`.
        text: type of the text section where it does not say.
        vision: type of the vision section where it does not say.
        tied: class default of `tie_word_embeddings`.
        flat: whether older files put the keys of the text model at the top level.
    """

    types: tuple[str, ...]
    classes: tuple[str, ...]
    text: str
    vision: str
    tied: bool = False
    flat: bool = False


WRAPPERS: tuple[Wrapper, ...] = (
    Wrapper(
        types=("gemma3",),
        classes=("Gemma3ForConditionalGeneration",),
        text="gemma3_text",
        vision="siglip_vision_model",
        tied=True,
    ),
    Wrapper(
        types=("gemma4",),
        classes=("Gemma4ForConditionalGeneration",),
        text="gemma4_text",
        vision="gemma4_vision",
        tied=True,
    ),
    Wrapper(
        types=("paligemma",),
        classes=("PaliGemmaForConditionalGeneration",),
        text="gemma",
        vision="siglip_vision_model",
        tied=True,
    ),
    Wrapper(types=("llava",), classes=("LlavaForConditionalGeneration",), text="llama", vision="clip_vision_model"),
    Wrapper(
        types=("llava_next",),
        classes=("LlavaNextForConditionalGeneration",),
        text="llama",
        vision="clip_vision_model",
    ),
    Wrapper(
        types=("mistral3", "ministral3"),
        classes=("Mistral3ForConditionalGeneration",),
        text="mistral",
        vision="pixtral",
        tied=True,
    ),
    Wrapper(
        types=("qwen2_vl",),
        classes=("Qwen2VLForConditionalGeneration",),
        text="qwen2_vl_text",
        vision="qwen2_vl",
        flat=True,
    ),
    Wrapper(
        types=("qwen2_5_vl",),
        classes=("Qwen2_5_VLForConditionalGeneration",),
        text="qwen2_5_vl_text",
        vision="qwen2_5_vl",
        flat=True,
    ),
    Wrapper(types=("qwen3_vl",), classes=("Qwen3VLForConditionalGeneration",), text="qwen3_vl_text", vision="qwen3_vl"),
    Wrapper(
        types=("qwen3_vl_moe",),
        classes=("Qwen3VLMoeForConditionalGeneration",),
        text="qwen3_vl_moe_text",
        vision="qwen3_vl_moe",
    ),
    Wrapper(types=("qwen3_5",), classes=("Qwen3_5ForConditionalGeneration",), text="qwen3_5_text", vision="qwen3_5"),
    Wrapper(
        types=("qwen3_5_moe",),
        classes=("Qwen3_5MoeForConditionalGeneration",),
        text="qwen3_5_moe_text",
        vision="qwen3_5_moe",
    ),
    Wrapper(types=("glm4v",), classes=("Glm4vForConditionalGeneration",), text="glm4v_text", vision="glm4v"),
    Wrapper(
        types=("glm4v_moe",),
        classes=("Glm4vMoeForConditionalGeneration",),
        text="glm4v_moe_text",
        vision="glm4v_moe",
    ),
    Wrapper(
        types=("kimi_k25",),
        classes=("KimiK25ForConditionalGeneration",),
        text="kimi_k2",
        vision="kimi_k25_vision",
        tied=True,
        flat=True,
    ),
    Wrapper(
        types=("llama4",),
        classes=("Llama4ForConditionalGeneration",),
        text="llama4_text",
        vision="llama4_vision_model",
    ),
)
