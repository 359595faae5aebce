"""Dense decoders with rotary positions: one record a model class."""

from __future__ import annotations

from dataclasses import replace

from model.counting.architecture import Attention, Experts, Mlp
from model.counting.decoder import dense, experts, softmax_attention
from model.counting.family import Family, Mixture
from model.counting.layout import Kind, all_sparse, all_windowed, alternate, every_nth, lettered, switched_window
from model.counting.section import Section


def _parallel_norms(section: Section) -> int:
    return 1 if section.flag("use_parallel_residual") else 2


def _post_norms(section: Section) -> int:
    return 4 if section.flag("use_post_norm") else 2


def _optional_experts(section: Section, family: Family, layer: int) -> Mlp | Experts:
    """MiniCPM: the mixture has the dense model's keys and a number of experts."""
    if section.optional_size("num_experts", low=0):
        return experts(section, family, Mixture(sparse=all_sparse, width="intermediate_size"))
    return dense(section, family, section.size("intermediate_size"))


def _square_attention(section: Section, family: Family, kind: Kind, layer: int) -> Attention:
    """Helium: the output projection is square, so heads x head_dim has to be d_model."""
    attention = softmax_attention(section, family, kind)
    if attention.heads * attention.v_dim != section.size("hidden_size"):
        section.refuse("head_dim", "times num_attention_heads is not hidden_size", "make them agree")
    return attention


LLAMA = Family(
    types=("llama",),
    classes=("LlamaForCausalLM", "LLaMAForCausalLM"),
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    mlp_bias="mlp_bias",
    ignored=("is_llama_config",),
    implied={"bias": False},
)
MISTRAL = Family(
    types=("mistral",),
    classes=("MistralForCausalLM",),
    flags={"sliding_window": 4096},
    kinds=all_windowed,
    implied={"attention_bias": False},
)
QWEN2 = Family(
    types=("qwen2", "qwen2_vl_text", "qwen2_5_vl_text"),
    classes=("Qwen2ForCausalLM",),
    qkv_bias=True,
    kinds=switched_window,
    implied={"attention_bias": True, "qkv_bias": True},
)
QWEN3 = Family(
    types=("qwen3", "qwen3_vl_text"),
    classes=("Qwen3ForCausalLM",),
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    qk_norm="head",
    kinds=switched_window,
    implied={"use_qk_norm": True, "qk_norm": True},
)
GEMMA = Family(
    types=("gemma",),
    classes=("GemmaForCausalLM",),
    tied=True,
    qkv_bias="attention_bias",
    out_bias="attention_bias",
)
GEMMA2 = replace(GEMMA, types=("gemma2",), classes=("Gemma2ForCausalLM",), block_norms=4, kinds=alternate)
GEMMA3 = replace(
    GEMMA2,
    types=("gemma3_text",),
    classes=("Gemma3ForCausalLM",),
    qk_norm="head",
    flags={"sliding_window_pattern": 6},
    kinds=every_nth("sliding_window_pattern"),
    implied={"use_bidirectional_attention": False},
)
GLM = Family(types=("glm",), classes=("GlmForCausalLM",), flags={"attention_bias": True}, qkv_bias="attention_bias")
COHERE = Family(
    types=("cohere",),
    classes=("CohereForCausalLM",),
    tied=True,
    norm="scale",
    block_norms=1,
    parallel=True,
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    qk_norm="full",
    qk_norm_if="use_qk_norm",
)
OLMO = Family(
    types=("olmo",),
    classes=("OlmoForCausalLM",),
    norm="none",
    qkv_bias="attention_bias",
    out_bias="attention_bias",
)
OLMO2 = replace(OLMO, types=("olmo2",), classes=("Olmo2ForCausalLM",), norm="rms", qk_norm="full")
EXAONE4 = Family(
    types=("exaone4",),
    classes=("Exaone4ForCausalLM",),
    qk_norm="head",
    flags={"sliding_window": 4096, "sliding_window_pattern": 4},
    kinds=lettered,
)

DENSE: tuple[Family, ...] = (
    LLAMA,
    replace(
        LLAMA,
        types=("orion",),
        classes=("OrionForCausalLM",),
        norm="layer",
        qkv_bias=False,
        out_bias=False,
        mlp_bias=False,
    ),
    replace(
        LLAMA,
        types=("cwm",),
        classes=("CwmForCausalLM",),
        qkv_bias=False,
        out_bias=False,
        kinds=every_nth("sliding_window_pattern", first=True),
        flags={"sliding_window_pattern": 4},
    ),
    replace(
        LLAMA,
        types=("internlm3",),
        classes=("InternLM3ForCausalLM",),
        qkv_bias="qkv_bias",
        out_bias="bias",
        mlp_bias="bias",
        implied={},
    ),
    replace(
        LLAMA,
        types=("internlm2",),
        classes=("InternLM2ForCausalLM",),
        qkv_bias="bias",
        out_bias="bias",
        mlp_bias=False,
        flags={"bias": True},
        implied={},
    ),
    replace(
        LLAMA,
        types=("internlm",),
        classes=("InternLMForCausalLM",),
        qkv_bias="bias",
        out_bias="bias",
        mlp_bias=False,
        implied={},
        flags={"bias": True},
    ),
    replace(LLAMA, types=("Yi",), classes=("YiForCausalLM",), qkv_bias=False, out_bias=False, mlp_bias=False),
    replace(
        LLAMA,
        types=("baichuan",),
        classes=("BaichuanForCausalLM", "BaiChuanForCausalLM"),
        qkv_bias=False,
        out_bias=False,
        mlp_bias=False,
    ),
    replace(
        LLAMA,
        types=("minicpm",),
        classes=("MiniCPMForCausalLM",),
        out_bias="attention_bias",
        mlp_bias=False,
        tied=True,
        implied={},
        mlp=_optional_experts,
    ),
    replace(
        LLAMA,
        types=("exaone",),
        classes=("ExaoneForCausalLM",),
        qkv_bias=False,
        out_bias=False,
        mlp_bias=False,
        tied=False,
    ),
    replace(LLAMA, types=("granite",), classes=("GraniteForCausalLM",)),
    replace(LLAMA, types=("helium",), classes=("HeliumForCausalLM",), out_bias=False, mixer=_square_attention),
    replace(LLAMA, types=("arcee",), classes=("ArceeForCausalLM",), gated=False),
    replace(
        LLAMA,
        types=("jais2",),
        classes=("Jais2ForCausalLM",),
        gated=False,
        norm="layer",
        flags={"attention_bias": True, "mlp_bias": True},
    ),
    replace(
        LLAMA,
        types=("hyperclovax",),
        classes=("HyperCLOVAXForCausalLM",),
        block_norms=_post_norms,
        flags={"use_post_norm": True},
    ),
    replace(LLAMA, types=("smollm3",), classes=("SmolLM3ForCausalLM",), tied=True, kinds=switched_window),
    replace(
        LLAMA,
        types=("seed_oss",),
        classes=("SeedOssForCausalLM",),
        out_bias="attention_out_bias",
        flags={"attention_bias": True},
    ),
    replace(
        LLAMA,
        types=("ernie4_5",),
        classes=("Ernie4_5ForCausalLM", "Ernie4_5_ForCausalLM"),
        tied=True,
        qkv_bias="use_bias",
        out_bias="use_bias",
        mlp_bias="use_bias",
    ),
    replace(
        LLAMA,
        types=("hunyuan_v1_dense",),
        classes=("HunYuanDenseV1ForCausalLM",),
        qk_norm="head",
        mlp_bias=False,
        ignored=("num_experts", "moe_topk", "moe_intermediate_size", "num_shared_expert", "moe_layer_num_skipped"),
        implied={"use_qk_norm": True},
    ),
    replace(
        LLAMA,
        types=("apertus",),
        classes=("ApertusForCausalLM",),
        gated=False,
        mlp_bias=False,
        qk_norm="head",
        implied={"qk_norm": True, "post_norm": False, "mlp_bias": False},
    ),
    replace(LLAMA, types=("nemotron",), classes=("NemotronForCausalLM",), gated=False, norm="layer"),
    replace(
        LLAMA,
        types=("bitnet",),
        classes=("BitNetForCausalLM", "BitnetForCausalLM"),
        mlp_bias=False,
        output_norm=True,
        inner_norm=True,
    ),
    MISTRAL,
    replace(MISTRAL, types=("ministral",), classes=("MinistralForCausalLM",)),
    replace(MISTRAL, types=("ministral3",), classes=("Ministral3ForCausalLM",), flags={}),
    QWEN2,
    replace(QWEN2, types=("mimo",), classes=("MiMoForCausalLM",)),
    QWEN3,
    GEMMA,
    GEMMA2,
    replace(GEMMA2, types=("vaultgemma",), classes=("VaultGemmaForCausalLM",), block_norms=2),
    GEMMA3,
    GLM,
    replace(GLM, types=("glm4", "glm4v_text"), classes=("Glm4ForCausalLM",), block_norms=4),
    COHERE,
    replace(
        COHERE,
        types=("cohere2",),
        classes=("Cohere2ForCausalLM",),
        qk_norm=None,
        flags={"sliding_window_pattern": 4},
        kinds=every_nth("sliding_window_pattern"),
        implied={"use_qk_norm": False},
    ),
    OLMO,
    OLMO2,
    replace(
        OLMO2,
        types=("olmo3",),
        classes=("Olmo3ForCausalLM",),
        flags={"sliding_window_pattern": 4},
        kinds=every_nth("sliding_window_pattern"),
    ),
    EXAONE4,
    Family(types=("phi3",), classes=("Phi3ForCausalLM",), kinds=all_windowed, implied={"attention_bias": False}),
    Family(
        types=("phi3_v",),
        classes=("Phi3VForCausalLM",),
        kinds=all_windowed,
        notes=("text part only: the vision tower is custom code and its shape is not in the configuration",),
    ),
    Family(
        types=("phi",),
        classes=("PhiForCausalLM",),
        norm="layer",
        block_norms=1,
        parallel=True,
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        head_bias=True,
        gated=False,
        qk_norm="head",
        qk_norm_vectors=2,
        qk_norm_if="qk_layernorm",
    ),
    Family(
        types=("persimmon",),
        classes=("PersimmonForCausalLM",),
        flags={"qk_layernorm": True},
        norm="layer",
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        gated=False,
        qk_norm="head",
        qk_norm_vectors=2,
        qk_norm_if="qk_layernorm",
    ),
    Family(
        types=("starcoder2",),
        classes=("Starcoder2ForCausalLM",),
        tied=True,
        flags={"use_bias": True},
        norm="layer",
        qkv_bias="use_bias",
        out_bias="use_bias",
        mlp_bias="use_bias",
        gated=False,
        kinds=all_windowed,
    ),
    Family(
        types=("stablelm", "stablelm_epoch"),
        classes=("StableLmForCausalLM", "StableLMEpochForCausalLM"),
        norm="layer",
        block_norms=_parallel_norms,
        parallel="use_parallel_residual",
        qkv_bias="use_qkv_bias",
        qk_norm="full",
        qk_norm_if="qk_layernorm",
    ),
    Family(
        types=("gpt_neox",),
        classes=("GPTNeoXForCausalLM",),
        flags={"attention_bias": True, "use_parallel_residual": True},
        norm="layer",
        parallel="use_parallel_residual",
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        mlp_bias=True,
        gated=False,
    ),
)
