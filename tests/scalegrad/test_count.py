"""`scalegrad count`: the promised keys with published counts, one line and exit 2 for everything that is refused."""

import io
import json

import pytest

import scalegrad
from scalegrad.cli import main

LLAMA_2_7B = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "vocab_size": 32000,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": False,
    "torch_dtype": "float16",
}
PUBLISHED = 6_738_415_616  # metadata.total_size of meta-llama/Llama-2-7b-hf over two bytes


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA_2_7B))
    return file


def run(capsys, *arguments):
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_promised_keys(capsys, path):
    code, out, _ = run(capsys, "count", str(path), "--json")
    answer = json.loads(out, parse_constant=pytest.fail)
    assert code == 0
    assert answer["total_params"] == answer["active_params"] == PUBLISHED
    assert answer["active_params_without_input_embedding"] == PUBLISHED - 32000 * 4096
    # 2 (K and V) x 32 layers x 32 heads x 128 elements x 2 bytes.
    assert answer["kv_bytes_per_token"] == answer["kv_bytes_per_token_beyond_window"] == 524288
    assert sum(part["params"] for part in answer["parts"].values()) == PUBLISHED
    assert answer["weight_bytes"] == 2 * PUBLISHED
    assert answer["kv_replication"]["32"] == 1
    assert answer["kv_replication"]["64"] == 2


def test_flops_by_convention(path):
    flops = scalegrad.count(path, seq_len=1000)["flops_by_convention"]
    matrices = 2 * (32 * (4 * 4096**2 + 3 * 4096 * 11008) + 4096 * 32000)
    full = 4 * 1000 * 4096 * 32  # 4 S N_q H a layer
    assert flops["forward"] == {"none": matrices, "causal": matrices + full / 2, "full": matrices + full}
    assert flops["training"]["full"] == 3 * flops["forward"]["full"]


def test_the_settings_make_the_same_model_in_the_graph(path):
    graph = scalegrad.count(path)["graph"]
    values = scalegrad.values(model="gemma-3-27b", settings=graph["settings"], of=["total_params"])["values"]
    norms = 65 * 4096
    assert values["total_params"]["value"] == PUBLISHED - norms
    assert graph["differs"] == [f"norms: {norms:,} parameters left out"]


def test_layers_that_the_graph_can_not_hold_are_counted_with_the_reason():
    config = {**LLAMA_2_7B, "model_type": "opt", "word_embed_proj_dim": 512, "hidden_size": 1024, "ffn_dim": 4096}
    config = {key: value for key, value in config.items() if key not in ("intermediate_size", "num_key_value_heads")}
    answer = scalegrad.count({**config, "architectures": ["OPTForCausalLM"], "num_attention_heads": 16})
    assert answer["graph"]["settings"] is None
    assert "512 wide" in answer["graph"]["reason"]


def test_the_readable_answer(capsys, path):
    code, out, _ = run(capsys, "count", str(path), "--seq-len", "2048")
    assert code == 0
    assert f"{PUBLISHED:,}" in out
    assert "over 2,048 tokens" in out
    assert "norms: 266,240 parameters left out" in out


def test_a_dash_reads_standard_input(capsys, monkeypatch):
    text = io.TextIOWrapper(io.BytesIO(json.dumps(LLAMA_2_7B).encode()))
    monkeypatch.setattr("sys.stdin", text)
    code, out, _ = run(capsys, "count", "-", "--json")
    assert code == 0
    assert json.loads(out)["total_params"] == PUBLISHED


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON"),
        (b"[]", "not an object"),
        (b"\xff\xfe", "not UTF-8"),
        (b" " * 1_000_001, "larger than 1,000,000 bytes"),
        (json.dumps({**LLAMA_2_7B, "model_type": "t5"}).encode(), "encoder-decoder"),
        (json.dumps({**LLAMA_2_7B, "num_key_value_heads": 5}).encode(), "does not divide"),
        (json.dumps({key: v for key, v in LLAMA_2_7B.items() if key != "vocab_size"}).encode(), "vocab_size"),
    ],
)
def test_a_refusal_is_one_line_and_exit_2(capsys, path, content, words):
    path.write_bytes(content)
    code, out, err = run(capsys, "count", str(path), "--json")
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.json"], "No such file"),
        (["."], "Is a directory"),
        ([], "CONFIG.json"),
        (["config.json", "--seq-len", "0"], "1 or more"),
        (["config.json", "--seq-len", "long"], "seq-len"),
    ],
)
def test_bad_arguments(capsys, arguments, words):
    code, _, err = run(capsys, "count", *arguments)
    assert code == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1
