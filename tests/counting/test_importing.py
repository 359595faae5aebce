"""Import into the graph: its numbers and what it is said to leave out add up to the exact counts, or it is refused."""

import csv
from dataclasses import replace

import pytest

from model.counting import ConfigRefused, count
from model.errors import BadInput
from model.evaluate import evaluate
from model.importing import SHAPE_KNOBS, transformer_knobs
from model.point import preset_values, resolve

REFUSED = {
    "deepseek-v3.2": "sparse attention reads only the 2048 keys",
    "gemma-4-31b-it-nvfp4": "10 with 32 query and 4 KV heads of 512",
    "mimo-v2-flash": "9 with 64 query and 4 KV heads of 192",
    "opt-350m": "the embedding is 512 wide and the layers 1024",
    "qwen3-next-80b-a3b": "36 of 48 are linear attention",
    "qwen3.5-35b-a3b": "30 of 40 are linear attention",
}
PRESETS = {
    "deepseek-v3": "deepseek-v3",
    "gpt-oss-120b": "gpt-oss-120b",
    "kimi-k2-instruct": "kimi-k2",
    "llama-3-70b": "llama-3-70b",
    "llama-4-maverick-17b-128e": "llama-4-maverick",
    "mixtral-8x7b-v0.1": "mixtral-8x7b",
    "olmoe-1b-7b-0125-instruct": "olmoe-1b-7b",
    "qwen3-30b-a3b": "qwen3-30b-a3b",
}


def _graph(imported):
    return evaluate(resolve(settings=imported.settings), gate=False).bounds


def _assert_adds_up(made, imported, total):
    values, left_out = _graph(imported), imported.left_out
    assert round(values["total_params"]) + sum(part.params for part in left_out) == total
    assert round(values["active_params"]) + sum(part.active_params for part in left_out) == made.active_params
    assert round(values["kv_bytes_per_token"]) == made.kv_bytes_per_token
    assert round(values["kv_bytes_per_token_beyond_window"]) == made.kv_bytes_per_token_beyond_window
    matrices = imported.settings["n_layers"] * values["active_layer_params"] + values["embedding_params"]
    matrices += sum(part.matrix_elements for part in left_out)
    assert round(2 * matrices) == made.flops_per_token


@pytest.mark.shared
def test_every_published_configuration_adds_up_or_is_refused(shared):
    refused = {}
    with (shared / "models" / "truth.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    imported = 0
    for row in rows:
        try:
            made = count(shared / "models" / "configs" / f"{row['slug']}.json")
        except ConfigRefused:
            continue
        try:
            found = transformer_knobs(made)
        except BadInput as error:
            refused[row["slug"]] = str(error)
            continue
        _assert_adds_up(made, found, int(row["total_params_exact"] or made.total_params))
        imported += 1
    assert imported > 75
    assert set(refused) == set(REFUSED)
    for slug, words in REFUSED.items():
        assert words in refused[slug]


@pytest.mark.shared
@pytest.mark.parametrize(("slug", "preset"), PRESETS.items())
def test_an_import_is_the_preset_of_the_same_model(shared, slug, preset):
    found = transformer_knobs(count(shared / "models" / "configs" / f"{slug}.json")).settings
    expected = preset_values("tpu-v5p", preset, "bf16")
    unused = {"d_ff"} if found["n_experts"] != 1 and not found["dense_layers"] else set()
    assert {name for name in found if found[name] != expected[name]} <= unused


def test_every_class_of_the_library_adds_up_or_is_refused(library):
    made = count(library["config"])
    try:
        found = transformer_knobs(made)
    except BadInput as error:
        (fault,) = error.faults
        found = fault
    if isinstance(found, str):
        assert found.isprintable()
        assert "no knob for that" in found or "out of range" in found
    else:
        _assert_adds_up(made, found, made.total_params)
        assert set(found.settings) == SHAPE_KNOBS


def test_side_by_side_blocks_are_told_from_sequential_ones(config):
    for name, block in (("Phi-2", "parallel"), ("Command R7B", "parallel"), ("Llama 2 7B", "sequential")):
        assert transformer_knobs(count(config(name))).settings["parallel_block"] == block


def test_what_does_not_add_up_is_refused(config):
    made = count(config("Llama 2 7B"))
    with pytest.raises(BadInput, match="total parameters would be"):
        transformer_knobs(replace(made, total_params=made.total_params + 1))
