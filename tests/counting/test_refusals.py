"""What cannot be counted exactly is refused in one line that says what, where and the mend."""

from pathlib import Path

import pytest

from model.counting import MAX_BYTES, ConfigRefused, count


def refusal(config):
    with pytest.raises(ConfigRefused) as caught:
        count(config)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 700
    assert caught.value.what in text
    assert caught.value.mend in text
    return text


@pytest.mark.parametrize(
    ("model_type", "reason"),
    [
        ("t5", "encoder-decoder"),
        ("bart", "encoder-decoder"),
        ("whisper", "encoder-decoder"),
        ("bert", "an encoder"),
        ("clip", "an encoder"),
        ("mamba2", "state-space"),
        ("rwkv5", "state-space"),
        ("jamba", "Mamba"),
        ("nemotron_h", "Mamba"),
        ("nemotron-nas", "differ one by one"),
        ("deepseek_v4", "compressed by a ratio"),
        ("mllama", "cross-attention"),
        ("molmo", "not modelled"),
        ("brand_new_model", "not a known type"),
    ],
)
def test_kinds_of_model(config, model_type, reason):
    familiar = config("Llama 3.1 70B")  # familiar keys do not make a familiar model
    assert reason in refusal({**familiar, "model_type": model_type})


@pytest.mark.parametrize(
    ("changes", "both"),
    [
        ({"num_key_value_heads": 7}, ("num_key_value_heads", "num_attention_heads")),
        ({"hidden_size": 8193}, ("hidden_size", "num_attention_heads")),
        ({"n_layer": 79}, ("num_hidden_layers", "n_layer")),
        ({"architectures": ["Qwen2ForCausalLM"]}, ("qwen2", "llama")),
        ({"architectures": ["SomebodysForCausalLM"]}, ("SomebodysForCausalLM", "llama")),
        ({"layer_types": ["full_attention"] * 3}, ("layer_types", "num_hidden_layers")),
        ({"kv_lora_rank": 512}, ("kv_lora_rank", "llama")),
        ({"num_local_experts": 8, "num_experts_per_tok": 2}, ("num_local_experts", "llama")),
        ({"bias": True}, ("bias", "llama")),
    ],
)
def test_contradictions_name_both(config, changes, both):
    text = refusal(config("Llama 3.1 70B", **changes))
    assert all(name in text for name in both), text


def test_contradictions_of_other_families_name_both(config):
    assert "num_experts_per_tok is 9" in refusal(config("Mixtral 8x7B", num_experts_per_tok=9)).replace(":", "")
    text = refusal(config("DeepSeek-V3", num_key_value_heads=8))
    assert "num_attention_heads" in text
    assert "kv_lora_rank" in text
    wrapped = config("Gemma 3 27B (tower included)", tie_word_embeddings=True)
    wrapped["text_config"]["tie_word_embeddings"] = False
    assert "text_config.tie_word_embeddings" in refusal(wrapped)
    assert "num_shared_experts" in refusal({k: v for k, v in config("DeepSeek-V3").items() if k != "n_shared_experts"})
    assert "q_lora_rank" in refusal({k: v for k, v in config("DeepSeek-V2-Lite").items() if k != "q_lora_rank"})


@pytest.mark.parametrize("name", ["LlamaModel", "LlamaForSequenceClassification", "LlamaRewardModel"])
def test_a_class_without_a_head_is_refused(config, name):
    assert "no language-model head" in refusal(config("Llama 3.1 70B", architectures=[name]))


@pytest.mark.parametrize(
    "key", ["model_type", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"]
)
def test_a_missing_size_is_named(config, key):
    values = config("Llama 3.1 70B")
    del values[key]
    assert refusal(values).startswith(f"{key}: is missing")


def test_a_fixed_class_default_is_not_taken_at_the_top_level(config):
    values = config("Mixtral 8x7B")
    del values["num_key_value_heads"]
    assert refusal(values).startswith("num_key_value_heads: is missing")
    ours = config("Llama 2 7B")
    del ours["num_key_value_heads"]  # here the class derives it
    assert count(ours).total_params == 6_738_415_616


def test_nested_sections_take_class_defaults_and_say_so():
    tower = {"hidden_size": 1024, "image_size": 336, "intermediate_size": 4096, "num_attention_heads": 16}
    tower |= {"num_hidden_layers": 24, "patch_size": 14, "model_type": "clip_vision_model"}
    made = count(
        {
            "model_type": "llava",
            "text_config": {"model_type": "llama", "vocab_size": 32064},
            "vision_config": tower,
            "tie_word_embeddings": False,
        }
    )
    assert made.total_params == 7_063_427_072  # llava-1.5-7b
    assert any("hidden_size = 4096" in note for note in made.notes)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[1]", "a JSON array"),
        ("null", "a JSON null"),
        ('{"model_type": "llama", "model_type": "llama"}', "appears twice"),
        ('{"a": {"b": 1, "b": 2}}', "appears twice"),
        ('{"hidden_size": NaN}', "NaN"),
        ('{"hidden_size": -Infinity}', "Infinity"),
        ('{"hidden_size": 1e999}', "not a finite number"),
        ('{"hidden_size": %s}' % ("9" * 30), "beyond 2^53"),
        ('{"hidden_size": %s}' % ("9" * 6000), "too long"),
        ("[" * 5000, "nested deeper"),
        ('{"a":' * 30 + "1" + "}" * 30, "nested deeper"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b" " * (MAX_BYTES + 1), "larger than"),
        ({"hidden_size": float("nan")}, "not a finite number"),
        ({"model_type": object()}, "is a object"),
        ({1: 2}, "not text"),
        (3.5, "is a float"),
        (Path("no/such/config.json"), "cannot be read"),
        (Path(), "cannot be read"),
    ],
)
def test_what_is_no_configuration(source, reason):
    assert reason in refusal(source)


@pytest.mark.parametrize("value", [-1, 0, 1.5, "4096", True, [], {}, 10**12])
def test_a_size_of_the_wrong_kind(config, value):
    assert refusal(config("Llama 3.1 70B", hidden_size=value)).startswith("hidden_size: is ")


def test_a_byte_order_mark_is_fine(config):
    import json

    text = json.dumps(config("Llama 3.2 1B"))
    assert count(b"\xef\xbb\xbf" + text.encode()).total_params == 1_235_814_400
