"""Kinds of model that are refused by name, and why."""

from __future__ import annotations

import re

ENCODER_DECODER = "an encoder-decoder, which has two stacks and a cross-attention cache"
ENCODER_ONLY = "an encoder, which generates no tokens and keeps no cache"
STATE_SPACE = "a pure state-space or recurrent model, which has no attention and no key/value cache"
HYBRID_MAMBA = "a hybrid of attention and Mamba layers, whose states are not modelled"
COMPRESSED = "a model whose cache is compressed by a ratio, which is not modelled"
PER_LAYER = "a model whose layers differ one by one, which is not modelled"
CROSS_ATTENTION = "a model with cross-attention layers between text and image, which is not modelled"
OTHER_WEIGHTS = "a model with weights that are not modelled"


def _named(types: str, reason: str) -> dict[str, str]:
    return dict.fromkeys(types.split(), reason)


REFUSED_TYPES: dict[str, str] = {
    **_named(
        "t5 mt5 umt5 longt5 bart mbart plbart pegasus pegasus_x bigbird_pegasus blenderbot blenderbot-small marian "
        "m2m_100 nllb-moe fsmt led prophetnet xlm-prophetnet switch_transformers encoder-decoder whisper "
        "speech_to_text seamless_m4t seamless_m4t_v2 t5gemma t5gemma2 udop pix2struct florence2 kosmos-2 "
        "vision-encoder-decoder speech-encoder-decoder moonshine dia",
        ENCODER_DECODER,
    ),
    **_named(
        "bert roberta distilbert albert electra deberta deberta-v2 xlm-roberta xlm-roberta-xl camembert mpnet "
        "mobilebert squeezebert layoutlm layoutlmv2 layoutlmv3 longformer big_bird funnel nomic_bert modernbert "
        "eurobert ernie esm flaubert xlm roformer convbert rembert megatron-bert clip siglip siglip2 chinese_clip "
        "align altclip blip clap vit deit beit dinov2 swin wav2vec2 hubert wavlm roberta-prelayernorm xmod "
        "jina_embeddings_v3 gte clip_text_model clip_vision_model siglip_vision_model siglip_text_model",
        ENCODER_ONLY,
    ),
    **_named("mamba mamba2 falcon_mamba rwkv rwkv5 rwkv6 rwkv7 xlstm", STATE_SPACE),
    **_named(
        "jamba nemotron_h nemotron_h_omni bamba falcon_h1 zamba zamba2 granitemoehybrid recurrent_gemma", HYBRID_MAMBA
    ),
    "deepseek_v4": COMPRESSED,
    "nemotron-nas": PER_LAYER,
    **_named("mllama idefics flamingo", CROSS_ATTENTION),
    "molmo": OTHER_WEIGHTS,
    "kimi_k3": OTHER_WEIGHTS,
    "gemma3n": OTHER_WEIGHTS,
    "gemma3n_text": OTHER_WEIGHTS,
}

REFUSED_KEYS: dict[str, str] = {
    "compress_ratios": "compress_ratios is not modelled: the cache is compressed by a ratio a layer",
    "block_configs": "block_configs is not modelled: every layer has a shape of its own",
    "is_encoder_decoder": ENCODER_DECODER,
    "add_cross_attention": CROSS_ATTENTION,
    "cross_attention_layers": CROSS_ATTENTION,
}
"""Keys that, given and not null, false or empty, rule a configuration out whatever its type."""

HEADLESS = re.compile(
    r"(Model|EncoderModel|ForSequenceClassification|ForTokenClassification|ForQuestionAnswering|ForMaskedLM"
    r"|RewardModel|ForRewardModel\w*|ForMultipleChoice|ForSequenceEmbedding|ForImageClassification|DoubleHeadsModel)$"
)
"""Names in `architectures` of classes without a language-model head."""
