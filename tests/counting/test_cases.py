"""Public bug reports: each test pins the right value of a thread in which some tool had a wrong one."""

import pytest

from model.counting import (
    ConfigRefused,
    active_params_without_input_embedding,
    count,
    experts_hit,
    kv_bytes,
    kv_bytes_per_token,
    kv_bytes_per_token_decompressed,
    kv_bytes_per_token_per_chip,
    kv_bytes_unified_pages,
    kv_replication,
    params_per_chip,
    params_read_per_decode_step,
    score_flops_per_token,
    stage_params,
    state_bytes,
    training_flops_per_token,
    weight_flops_per_token,
)
from model.counting.architecture import Experts
from model.counting.flops import flops_by_part
from model.counting.parameters import prediction_params

GIB = 2**30


@pytest.fixture
def built(config):
    """The architecture of a published model, with changes to its configuration."""
    return lambda name, **changes: count(config(name, **changes)).architecture


# Parameters


def test_a1_every_expert_counts_and_the_head_is_untied(config):
    made = count(config("Mixtral 8x7B"))  # jranaraki/vllm-fit#27: about 13 B
    assert (made.total_params, made.active_params) == (46_702_792_704, 12_879_925_248)


def test_a3_d6_a_tied_table_counts_once_and_its_matmul_still_counts(built, config):
    tied = count(config("Llama 3.2 1B"))  # pytorch/torchtitan#3225: 973,146,112
    untied = count(config("Llama 3.2 1B", tie_word_embeddings=False))
    assert tied.total_params == 1_235_814_400 == untied.total_params - 128_256 * 2048
    assert tied.active_params_without_input_embedding == 1_235_814_400
    assert tied.flops_per_token == untied.flops_per_token  # huggingface/trl#6708
    assert tied.parts["head"].flops_per_token == 2 * 128_256 * 2048
    assert tied.parts["embedding"].flops_per_token == 0


def test_a4_pipeline_stages_share_nothing_but_a_tied_table(built):
    arch = built("Llama 3.2 1B")  # bigscience-workshop/Megatron-DeepSpeed#99
    table = 128_256 * 2048
    assert sum(stage_params(arch, 1)) == 1_235_814_400
    stages = stage_params(arch, 4)
    assert sum(stages) == 1_235_814_400 + table
    assert stages[-1] - stages[1] == table + 2048  # its own copy and the final norm
    untied = built("Llama 3.2 1B", tie_word_embeddings=False)
    assert sum(stage_params(untied, 4)) == sum(stage_params(untied, 1))
    with pytest.raises(ValueError, match="stages: 17"):
        stage_params(arch, 17)


def test_a6_active_parameters_with_and_without_the_input_embedding(config):
    made = count(config("DeepSeek-V2-Lite"))  # deepseek-ai/DeepSeek-V2#73
    assert made.active_params == 2_661_150_208
    assert made.active_params_without_input_embedding == 2_451_435_008


def test_a7_the_prediction_module_is_left_out_and_that_is_said(config):
    made = count(config("DeepSeek-V3"))  # deepseek-ai/DeepSeek-V3#549
    assert made.total_params == 671_026_404_352
    left_out = prediction_params(made.architecture)
    assert any("multi-token-prediction" in note and f"{left_out:,}" in note for note in made.notes)
    # The hub's bf16 copy of the repository has 684,489,845,504, with 256 correction biases (buffers) in 59 routers.
    assert made.total_params + left_out + 59 * 256 == 684_489_845_504
    assert not any("multi-token-prediction" in note for note in count(config("Kimi K2")).notes)


def test_a9_experts_are_resident(config):
    made = count(config("Mixtral 8x7B"))  # AlexsJones/llmfit#230
    assert made.weight_bytes == 2 * made.total_params > 7 * made.active_params


def test_a10_the_tied_head_of_a_wrapper_counts_once(config):
    wrapped = config("Gemma 3 27B (tower included)")  # weight index: 28,842,036,848
    assert count(wrapped).total_params == 27_432_406_640
    assert count(wrapped | {"tie_word_embeddings": False}).total_params == 28_842_036_848


# Cache


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Llama 2 7B", 524_288, "jranaraki/vllm-fit#2: a factor of the heads too many"),
        ("Llama 2 70B", 327_680, "hahnyuan/LLM-Viewer#12: 2,621,440, all query heads"),
        ("Qwen3 4B", 147_456, "LMCache/LMCache#688: 92,160, hidden/heads for the head size"),
        ("Kimi K2", 70_272, "ai-dynamo/aiconfigurator#912: a latent taken for grouped heads"),
    ],
)
def test_b1_b2_b4_b7_bytes_a_token(config, name, right, wrong):
    assert count(config(name)).kv_bytes_per_token == right, wrong


@pytest.mark.parametrize(
    ("name", "changes", "tokens", "gib"),
    [
        ("Qwen3 4B", {"hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 28}, 40_960, 4.38),
        ("DeepSeek-V3", {}, 163_840, 10.72),
        ("Gemma 3 27B (tower included)", {}, 131_072, 10.41),
    ],
)
def test_a_table_of_three_wrong_values(built, name, changes, tokens, gib):
    assert kv_bytes(built(name, **changes), tokens) / GIB == pytest.approx(gib, abs=5e-3)  # unslothai/unsloth#4757


def test_a_dense_model_of_72_b():
    shape = {"hidden_size": 8192, "intermediate_size": 24576, "num_hidden_layers": 80, "num_attention_heads": 64}
    shape |= {
        "num_key_value_heads": 64,
        "vocab_size": 152064,
        "use_sliding_window": False,
        "tie_word_embeddings": False,
    }
    assert count({"model_type": "qwen2", **shape}).total_params == pytest.approx(72.3e9, rel=1e-3)  # cookbook#36: 56.19


def test_b5_the_head_size_is_its_own_key(config):
    made = count(config("Qwen3 4B", hidden_size=5120, num_attention_heads=64, num_hidden_layers=64))
    assert made.kv_bytes_per_token == 262_144  # QingyaFan/blog#190: 163,840


def test_b8_latent_and_decompressed(built):
    arch = built("DeepSeek-V3")  # gpustack/gguf-parser-go#8
    assert kv_bytes(arch, 65_536) / GIB == pytest.approx(4.289, abs=5e-4)
    assert 65_536 * kv_bytes_per_token_decompressed(arch) / GIB == pytest.approx(305.0, abs=0.05)


def test_b10_the_minimum_and_the_unified_pages_beside_it(built):
    arch = built("gpt-oss-20b")  # alvarobartt/hf-mem#70
    assert 32 * kv_bytes(arch, 8192) / GIB == pytest.approx(6.094, abs=5e-4)
    assert 32 * kv_bytes_unified_pages(arch, 8192) / GIB == 12.0


def test_b11_windows_cap_their_layers(built):
    arch = built("gpt-oss-120b")  # ai-dynamo/aiconfigurator#1537: 2,415,919,104
    assert kv_bytes(arch, 65_536, element_bytes=1) == 1_210_318_848
    assert kv_bytes_unified_pages(arch, 65_536, element_bytes=1) == 2_415_919_104


def test_b13_a_wrapped_model_with_five_windows_to_one_full_layer(built):
    arch = built("Gemma 3 27B (tower included)")  # gpustack/gpustack#2101: 60.55
    assert kv_bytes(arch, 128_000) / GIB == pytest.approx(10.17, abs=5e-3)
    assert kv_bytes_unified_pages(arch, 128_000) / GIB == pytest.approx(60.55, abs=5e-3)


def test_b14_a_window_reserves_no_more_than_the_length(built):
    arch = built("Gemma 3 27B (tower included)")  # tenstorrent/tt-xla#5834
    assert kv_bytes(arch, 128) == 128 * kv_bytes_per_token(arch)


def test_b17_linear_layers_keep_a_fixed_state():
    """lmstudio-ai/lmstudio-bug-tracker#1862: 64 layers, every 4th full, 4 key heads of 256; 16.00 GiB at 262,144."""
    made = count(QWEN35_27B)
    arch = made.architecture
    assert kv_bytes(arch, 262_144) / GIB == 16.0
    # That engine keeps the convolution's 3 x 10,240 elements in float32 as well as the 48 x 128 x 128 of the state.
    assert 4 * state_bytes(arch, conv_element_bytes=4) / 2**20 == 598.5
    assert made.state_bytes == 48 * (48 * 128 * 128 * 4 + 3 * 10_240 * 2)


def test_the_indexer_of_sparse_attention_comes_on_top_of_the_latent(config):
    sparse = {"model_type": "deepseek_v32", "architectures": ["DeepseekV32ForCausalLM"]}
    made = count(config("DeepSeek-V3", **sparse, index_n_heads=64, index_head_dim=128, index_topk=2048))
    assert (made.total_params, made.active_params) == (671_877_929_216, 38_403_807_488)  # transformers 5.24.0
    assert (made.kv_bytes_per_token, made.indexer_bytes_per_token) == (70_272, 61 * 128)
    dense = count(config("DeepSeek-V3")).architecture
    far = score_flops_per_token(made.architecture, 131_072), score_flops_per_token(dense, 131_072)
    # Sparse attention meets nearly 2,048 keys instead of 65,536 on average; its indexer scores all of these with
    # 64 heads of 128.
    picking = 2 * 64 * 128 * 65_536 * 61
    assert far[0] - picking == pytest.approx(far[1] * 2 * 2048 / 131_072, rel=0.01)


def test_full_windows_hold_the_rest(config):
    made = count(config("Gemma 2 2B"))
    total = kv_bytes(made.architecture, 8192)
    assert total == made.kv_bytes_windowed + 8192 * made.kv_bytes_per_token_beyond_window
    assert made.kv_bytes_windowed == 13 * 2 * 4 * 256 * 2 * 4096


def test_b19_windowed_layers_have_shapes_of_their_own():
    """sgl-project/sglang#18039: 9 full layers of 4 key heads, 39 windowed of 8, keys 192 and values 128 wide."""
    made = count(MIMO_V2)
    assert (made.kv_bytes_per_token, made.kv_bytes_per_token_beyond_window) == (222_720, 23_040)


def test_b20_a_compressed_cache_is_refused():
    """jundot/omlx#2626: 84 KB a token by a generic fallback, 15.57 KB measured."""
    with pytest.raises(ConfigRefused, match="compress"):
        count({"model_type": "deepseek_v4", "compress_ratios": [0, 4, 128], "num_attention_heads": 64, "head_dim": 512})
    with pytest.raises(ConfigRefused, match="compress_ratios is not modelled"):
        count({**MIMO_V2, "compress_ratios": [4, 128]})


def test_b22_the_cache_does_not_follow_the_parameter_count(config):
    narrow = count(config("Llama 3.1 70B"))  # Osmantic/ODS#3324
    wide = count(config("Llama 3.1 70B", intermediate_size=2 * 28672))
    assert narrow.kv_bytes_per_token == wide.kv_bytes_per_token


def test_c11_heads_are_cut_and_then_copied(built):
    arch = built("Llama 3.1 70B")  # tenstorrent/tt-xla#5728
    assert kv_bytes_per_token_per_chip(arch, 8) == 327_680 / 8
    assert kv_bytes_per_token_per_chip(arch, 16) == 327_680 / 8
    assert (kv_replication(arch, 8), kv_replication(arch, 16)) == (1.0, 2.0)
    latent = built("DeepSeek-V3")
    assert kv_bytes_per_token_per_chip(latent, 8) == 70_272
    assert kv_replication(latent, 8) == 8.0


# Weights


def test_c4_tensor_parallelism_cuts_experts_too(built):
    arch = built("Mixtral 8x7B")  # noonghunna/club-3090#260
    assert params_per_chip(arch, 1) == 46_702_792_704
    assert params_per_chip(arch, 2) == pytest.approx(46_702_792_704 / 2, rel=1e-4)


def test_c8_weights_alone_of_llama_405b(config):
    assert count(config("Llama 3.1 405B")).weight_bytes == pytest.approx(811.7e9, rel=1e-4)  # aiconfigurator#509


def test_d12_one_device_holds_the_whole_model(built):
    arch = built("Qwen3 4B")  # deepspeedai/DeepSpeed#2036
    assert params_per_chip(arch, 1) == 4_022_468_096


# FLOPs


def test_d2_causal_attention_is_half_of_full(built):
    arch = built("Llama 2 7B")  # AI-Hypercomputer/maxtext#1972
    tokens = 4 * 8192
    assert 3 * weight_flops_per_token(arch) * tokens / 1e12 == pytest.approx(1299.06, rel=1e-4)
    assert 3 * score_flops_per_token(arch, 8192, attention="full") * tokens / 1e12 == pytest.approx(422.21, abs=0.01)
    assert 3 * score_flops_per_token(arch, 8192, attention="causal") * tokens / 1e12 == pytest.approx(211.11, abs=0.01)
    assert training_flops_per_token(arch, 8192) * tokens / 1e12 == pytest.approx(1510.11, rel=1e-4)
    assert score_flops_per_token(arch, 8192, attention="none") == 0


def test_d3_latent_attention_has_two_widths(built):
    arch = built("DeepSeek-V3")  # verl-project/verl#4959: training, causal: 3 (192 + 128) a head, layer and key
    assert 3 * score_flops_per_token(arch, 4096) == 3 * (192 + 128) * 128 * 61 * 4096


def test_d5_scores_use_the_head_size(built):
    arch = built("Qwen3 4B")  # pytorch/torchtitan#1920: 2,560 for 4,096
    assert score_flops_per_token(arch, 1024, attention="full") == 4 * 4096 * 36 * 1024


def test_d8_a_clamped_glu_has_three_matrices_and_a_window_is_almost_full(built):
    arch = built("gpt-oss-20b")  # NVIDIA-NeMo/Megatron-Bridge#3947
    assert flops_by_part(arch)["experts"] == 2 * 24 * 4 * 3 * 2880 * 2880
    per_key = 2 * 64 * (64 + 64) * 12  # twelve layers of each kind
    full, windowed = 4096 / 2, 128 * (1 - 128 / (2 * 4096))
    assert score_flops_per_token(arch, 4096) == pytest.approx(per_key * (full + windowed))


def test_d9_a_glu_costs_a_third_more_than_two_matrices(built):
    gated = built("Llama 2 7B", intermediate_size=4 * 4096)  # bigscience-workshop/Megatron-DeepSpeed#283
    plain = {"model_type": "phi", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32}
    plain |= {"intermediate_size": 4 * 4096, "vocab_size": 32000, "max_position_embeddings": 4096}
    per_layer = [weight_flops_per_token(a) - 2 * 4096 * 32000 for a in (gated, count(plain).architecture)]
    assert [3 * f // (32 * 4096**2) for f in per_layer] == [96, 72]  # 6 x (4 + 12) and 6 x (4 + 8): 32/24 forward


def test_d11_g3_active_parameters_price_the_flops(config):
    made = count(config("Qwen3 30B-A3B"))  # PrimeIntellect-ai/prime-rl#778, inference-sim#559
    assert made.flops_per_token == pytest.approx(2 * made.active_params_without_input_embedding, rel=1e-4)
    assert made.total_params / made.active_params == pytest.approx(9.1, abs=0.01)
    mixtral = count(config("Mixtral 8x7B"))
    assert mixtral.flops_per_token == pytest.approx(2 * mixtral.active_params_without_input_embedding, rel=1e-4)


# Decode


def test_g1_a_batch_hits_fewer_experts_than_it_chooses():
    assert experts_hit(8, 2, 3) == 4.625  # inference-sim/inference-sim#764: 8, then 6
    assert experts_hit(8, 2, 1) == 2
    assert experts_hit(8, 2, 10_000) == pytest.approx(8)


def test_g7_decode_reads_no_tower_and_one_row_a_sequence(built):
    arch = built("Gemma 3 27B (tower included)")  # ashalliants/ninfer-3090#50
    resident, tower = 27_432_406_640, arch.tower.params
    assert params_read_per_decode_step(arch, 1) == resident - tower + 5376  # the tied table is the head
    mixtral = built("Mixtral 8x7B")
    assert params_read_per_decode_step(mixtral, 1) == active_params_without_input_embedding(mixtral) + 4096
    experts = {g.block.mlp for g in mixtral.groups if isinstance(g.block.mlp, Experts)}
    assert len(experts) == 1
    more = params_read_per_decode_step(mixtral, 3) - params_read_per_decode_step(mixtral, 1)
    assert more == pytest.approx((4.625 - 2) * 3 * 4096 * 14336 * 32 + 2 * 4096)


QWEN35_27B = {
    "model_type": "qwen3_5_text",
    "hidden_size": 5120,
    "intermediate_size": 17408,
    "num_hidden_layers": 64,
    "num_attention_heads": 24,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "vocab_size": 248320,
    "full_attention_interval": 4,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 48,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
    "max_position_embeddings": 262144,
    "tie_word_embeddings": False,
    "dtype": "bfloat16",
}
MIMO_V2 = {
    "model_type": "mimo_v2_flash",
    "hidden_size": 4096,
    "intermediate_size": 16384,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 64,
    "num_key_value_heads": 4,
    "head_dim": 192,
    "v_head_dim": 128,
    "swa_num_attention_heads": 64,
    "swa_num_key_value_heads": 8,
    "swa_head_dim": 192,
    "swa_v_head_dim": 128,
    "hybrid_layer_pattern": [0, *([1, 1, 1, 1, 0] + [1, 1, 1, 1, 1, 0] * 7)],
    "moe_layer_freq": [0] + [1] * 47,
    "n_routed_experts": 256,
    "n_shared_experts": None,
    "num_experts_per_tok": 8,
    "sliding_window": 128,
    "add_swa_attention_sink_bias": True,
    "vocab_size": 152576,
    "max_position_embeddings": 262144,
    "tie_word_embeddings": False,
    "dtype": "bfloat16",
}
