"""Exact counts against published ones, and against the modules that the reference library builds.

`library.jsonl` holds small random configurations of every class of transformers 5.24.0 that we count, each with the
number of parameters that the library's own module constructors allocate for it (shapes only).
"""

import pytest

from model.counting import active_params, architecture, count, read, total_params


def test_published_counts(published, config):
    made = count(config(published["name"]))
    assert made.total_params == published["total"], published["source"]
    for key, value in {
        "active": made.active_params,
        "active_less_embedding": made.active_params_without_input_embedding,
        "kv": made.kv_bytes_per_token,
        "weight_bytes": made.weight_bytes,
    }.items():
        assert published.get(key, value) == value, (key, published["source"])


def test_the_library_builds_as_many(library):
    assert total_params(architecture(read(library["config"]))) == library["params"]


def test_every_attribute_is_in_the_json(config):
    made = count(config("DeepSeek-V3"))
    shown = made.as_dict()
    assert set(made.__dataclass_fields__) - {"architecture"} <= set(shown)
    assert sum(part["params"] for part in shown["parts"].values()) == made.total_params
    assert sum(part["flops_per_token"] for part in shown["parts"].values()) == made.flops_per_token
    assert sum(part["weight_bytes"] for part in shown["parts"].values()) == made.weight_bytes


@pytest.mark.parametrize("key", ["dtype", "torch_dtype"])
def test_both_dialects_of_the_element_type(config, key):
    values = config("Llama 3.2 1B")
    del values["torch_dtype"]
    assert count(values).weight_bytes is None
    assert count({**values, key: "bfloat16"}).weight_bytes == 2 * 1235814400
    assert count({**values, key: "float32"}).weight_bytes == 4 * 1235814400


def test_both_dialects_of_the_rotary_settings(config):
    old = count(config("Qwen3 4B", rope_theta=1e6, rope_scaling=None))
    new = count(config("Qwen3 4B", rope_parameters={"rope_type": "default", "rope_theta": 1e6}))
    assert old == new


def test_a_mixture_is_active_in_part(config):
    made = count(config("Mixtral 8x7B"))
    used = made.total_params - made.routed_expert_params * 6 // 8
    assert made.active_params == used == active_params(made.architecture)
