"""Mutated and truncated configurations never crash, never take long, and never quietly count something else."""

import copy
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.counting import ConfigRefused, count

LIBRARY = [json.loads(line) for line in (Path(__file__).parent / "library.jsonl").read_text().splitlines()]
CONFIGS = [row["config"] for row in LIBRARY]
QUICK = settings(deadline=None, max_examples=150, derandomize=True)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["full_attention", "llama", "re:(a+)+$", "null", "\ud800"]),
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner))
keys = st.sampled_from(
    sorted({key for config in CONFIGS for key in config} | {"architectures", "layer_types", "dtype"})
)


def outcome(config):
    """The total, or None for a refusal in one line; anything else raises. Never more than a second of this process."""
    start = time.process_time()
    refusal, made = None, None
    try:
        made = count(config)
    except ConfigRefused as refused:
        refusal = str(refused)
    assert time.process_time() - start < 1.0
    if made is None:
        assert refusal
        assert "\n" not in refusal
        return None
    assert made.total_params > 0
    assert json.dumps(made.as_dict(), allow_nan=False)
    return made.total_params


@QUICK
@given(config=st.sampled_from(CONFIGS), changes=st.dictionaries(keys, values, min_size=1, max_size=3))
def test_any_value_under_any_known_key(config, changes):
    outcome({**config, **changes})


@QUICK
@given(config=st.sampled_from(CONFIGS), cut=st.floats(0, 1))
def test_a_truncated_file_is_refused(config, cut):
    text = json.dumps(config)
    assert outcome(text[: int(cut * (len(text) - 1))]) is None


@QUICK
@given(data=st.binary(max_size=200))
def test_any_bytes(data):
    outcome(data)


@QUICK
@given(config=values)
def test_any_json(config):
    outcome(config)


@pytest.mark.parametrize("row", LIBRARY[::2], ids=lambda row: row["config"]["model_type"])
def test_removing_a_key_refuses_or_takes_the_default_of_the_class(row):
    """A key whose removal changes the count must be one with a class default: a switch, or a size that is derived."""
    config = row["config"]
    for key, value in config.items():
        if key == "model_type":
            continue
        total = outcome({k: v for k, v in config.items() if k != key})
        if total is None or total == row["params"]:
            continue
        assert isinstance(value, bool) or key in DERIVED or key in YOUNG.get(config["model_type"], ()), (key, value)


# Sizes that the classes derive from others or default when absent.
DERIVED = {
    "head_dim",  # hidden / heads
    "num_key_value_heads",  # heads
    "num_kv_heads",
    "n_inner",  # 4 x hidden
    "ffn_hidden_size",
    "intermediate_size",
    "num_ln_in_parallel_attn",
    "word_embed_proj_dim",  # hidden
    "max_position_embeddings",
    "mlp_only_layers",
    "mlp_layer_types",  # first_k_dense_replace
    "v_head_dim",
}
# Sizes younger than many files, with the class's own default.
YOUNG = {
    "mpt": ("expansion_ratio",),
    "granitemoeshared": ("shared_intermediate_size",),
    "glm_moe_dsa": ("index_n_heads", "index_head_dim"),
    "mistral4": ("first_k_dense_replace",),
    "gemma4_text": ("global_head_dim", "num_kv_shared_layers", "num_global_key_value_heads"),
    "qwen3_next": ("full_attention_interval", "decoder_sparse_step"),
    "lfm2": ("block_multiple_of", "conv_L_cache", "block_ffn_dim_multiplier"),
    "lfm2_moe": ("conv_L_cache",),
    "ernie4_5_moe": ("moe_layer_interval", "moe_layer_end_index"),
    "minicpm": ("num_experts",),
}


def test_the_largest_model_that_is_let_in_takes_no_time():
    config = copy.deepcopy(next(c for c in CONFIGS if c["model_type"] == "gemma4_text"))
    config["num_hidden_layers"] = 2000
    config["layer_types"] = ["sliding_attention", "full_attention"] * 1000
    assert outcome(config)
    assert outcome({**config, "num_hidden_layers": 2001}) is None
