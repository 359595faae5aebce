"""The picture from the graph and the one from a file say the same of the same model, part by part."""

import pytest

from model.counting import count
from model.importing import transformer_knobs
from model.picture import picture_of_count, picture_of_point
from model.point import resolve

MODELS = ("deepseek-v3", "gemma-2-27b", "gpt2", "llama-3.2-1b", "llama-4-maverick-17b-128e", "qwen1.5-moe-a2.7b")


@pytest.mark.shared
@pytest.mark.parametrize("slug", MODELS)
def test_both_pictures_agree_but_for_what_is_left_out(shared, slug):
    made = count(shared / "models" / "configs" / f"{slug}.json")
    imported = transformer_knobs(made)
    of_file = picture_of_count(made, 4096)
    of_graph = picture_of_point(resolve(settings={**imported.settings, "seq_len": 4096}))
    assert set(of_graph.parts) == set(of_file.parts) - {"norms", "vision"}
    left_out = sum(part.params for part in imported.left_out)
    assert sum(part.params for part in of_graph.parts.values()) == of_graph.total_params
    assert of_graph.total_params + left_out == of_file.total_params
    multiplied = 2 * sum(part.matrix_elements for part in imported.left_out)
    assert sum(part.flops for part in of_graph.parts.values()) + multiplied == of_file.matrix_flops
    for name, part in of_graph.parts.items():
        assert part.params <= of_file.parts[name].params <= part.params + left_out
    assert of_graph.kv_bytes == of_file.kv_bytes
    assert of_graph.kv_bytes_beyond == of_file.kv_bytes_beyond
    assert of_graph.kv_copies == of_file.kv_copies
    for kind, flops in of_graph.training_flops.items():
        assert flops + 3 * multiplied == pytest.approx(of_file.training_flops[kind], rel=1e-12)


def test_the_knobs_of_the_page_do_not_change_the_conventions():
    plain = picture_of_point(resolve())
    other = picture_of_point(resolve(settings={"head_flops": "none", "kv_bytes": "int8", "attention_flops": "none"}))
    assert plain == other


def test_a_model_without_a_cache_has_no_copies_of_it():
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    sizes |= {"block_ff_dim": 96, "conv_L_cache": 3, "vocab_size": 128, "max_position_embeddings": 64}
    kind = {"model_type": "lfm2", "architectures": ["Lfm2ForCausalLM"], "layer_types": ["conv", "conv"]}
    made = count({**kind, **sizes, "block_auto_adjust_ff_dim": False, "conv_bias": False})
    assert picture_of_count(made, 64).kv_copies == {}
