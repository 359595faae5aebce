"""Bytes of quantised checkpoints, worked out by hand from the formats."""

import pytest

from model.counting import count

HIDDEN, WIDTH, VOCAB, LAYERS = 256, 512, 1000, 2
PLAIN = {
    "model_type": "llama",
    "hidden_size": HIDDEN,
    "intermediate_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": VOCAB,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
MATRICES = [(HIDDEN, HIDDEN), (HIDDEN, 128), (HIDDEN, 128), (HIDDEN, HIDDEN)]
MATRICES += [(HIDDEN, WIDTH), (HIDDEN, WIDTH), (WIDTH, HIDDEN)]
LINEAR = LAYERS * sum(i * o for i, o in MATRICES)
HEAD = HIDDEN * VOCAB
REST = 2 * (2 * HEAD + (2 * LAYERS + 1) * HIDDEN)  # embedding, head and norms in bf16


def extra(bytes_of):
    return LAYERS * sum(bytes_of(i, o) for i, o in MATRICES)


def up(length, size):
    return -(-length // size)


@pytest.mark.parametrize(
    ("quantization", "right"),
    [
        (
            {"quant_method": "fp8", "weight_block_size": [128, 128]},
            LINEAR + extra(lambda i, o: 4 * up(i, 128) * up(o, 128)) + REST,
        ),
        ({"quant_method": "fp8", "activation_scheme": "dynamic"}, LINEAR + extra(lambda i, o: 4) + REST),
        (
            {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]},
            LINEAR // 2 + extra(lambda i, o: i * o // 16 + 8) + REST,
        ),
        (
            {"quant_method": "awq", "bits": 4, "group_size": 128},
            LINEAR // 2 + extra(lambda i, o: up(i, 128) * o * 2 + up(i, 128) * o // 2) + REST,
        ),
        (
            {"quant_method": "gptq", "bits": 4, "group_size": 128},
            LINEAR // 2 + extra(lambda i, o: up(i, 128) * o * 2 + up(i, 128) * o // 2 + 4 * i) + REST,
        ),
        (
            {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
            LINEAR // 2 + extra(lambda i, o: 4 * i * o // 64) + REST,
        ),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, LINEAR + extra(lambda i, o: 4 * o) + REST),
        (
            {
                "quant_method": "compressed-tensors",
                "ignore": ["lm_head"],
                "config_groups": {
                    "group_0": {
                        "targets": ["Linear"],
                        "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32},
                    }
                },
            },
            LINEAR // 2 + extra(lambda i, o: 2 * up(i, 32) * o) + REST,
        ),
    ],
)
def test_schemes(quantization, right):
    assert count({**PLAIN, "quantization_config": quantization}).weight_bytes == right


@pytest.mark.parametrize(
    "entry",
    [
        "model.layers.0.self_attn",
        "model.layers.0.self_attn*",
        "model.layers.0.self_attn.*",
        "re:.*layers\\.0\\.self_attn.*",
        "re:^model\\.layers\\.0\\.self_attn\\..*_proj$",
    ],
)
def test_modules_that_are_left_alone(entry):
    scheme = {"quant_method": "fp8"}
    skipped = count({**PLAIN, "quantization_config": {**scheme, "modules_to_not_convert": [entry]}})
    every = count({**PLAIN, "quantization_config": scheme})
    attention = sum(i * o for i, o in MATRICES[:4])
    assert skipped.weight_bytes == every.weight_bytes + attention - 4 * 4


def test_a_last_word_names_a_module():
    scheme = {"quant_method": "fp8", "modules_to_not_convert": ["down_proj"]}
    every = count({**PLAIN, "quantization_config": {"quant_method": "fp8"}})
    skipped = count({**PLAIN, "quantization_config": scheme})
    assert skipped.weight_bytes == every.weight_bytes + LAYERS * (WIDTH * HIDDEN - 4)


@pytest.mark.parametrize("settings", [{"quant_method": "of_tomorrow"}, {"quant_method": "fp8", "weight_block_size": 3}])
def test_an_unknown_scheme_has_no_bytes_and_says_so(settings):
    made = count({**PLAIN, "quantization_config": settings})
    assert made.weight_bytes is None
    assert any("weight_bytes not known" in note for note in made.notes)
    assert made.weight_bytes_bf16 == 2 * made.total_params


def test_a_hostile_list_takes_no_time():
    patterns = [f"model.layers.{i}.*a*b*c" for i in range(20_000)]
    made = count({**PLAIN, "quantization_config": {"quant_method": "fp8", "modules_to_not_convert": patterns}})
    assert made.weight_bytes is None
