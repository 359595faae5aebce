"""Class defaults of sizes, as the library has them: one line a `model_type`, names canonical.

They are true for sections nested in a wrapper, from which the library leaves out what equals the default. At the top
level a missing size is damage; there the table only says which sizes have a fixed default and so must be given, instead
of being derived from others (`num_key_value_heads`, `head_dim`).
"""

from __future__ import annotations

_TABLE = """
llama: vocab_size=32000 hidden_size=4096 intermediate_size=11008 num_hidden_layers=32 num_attention_heads=32
  max_position_embeddings=2048
mistral: vocab_size=32000 hidden_size=4096 intermediate_size=14336 num_hidden_layers=32 num_attention_heads=32
  num_key_value_heads=8 max_position_embeddings=131072 sliding_window=4096
ministral3: vocab_size=131072 hidden_size=4096 intermediate_size=14336 num_hidden_layers=34 num_attention_heads=32
  num_key_value_heads=8 head_dim=128 max_position_embeddings=262144
qwen2: vocab_size=151936 hidden_size=4096 intermediate_size=22016 num_hidden_layers=32 num_attention_heads=32
  num_key_value_heads=32 max_position_embeddings=32768 sliding_window=4096 max_window_layers=28
qwen3: vocab_size=151936 hidden_size=4096 intermediate_size=22016 num_hidden_layers=32 num_attention_heads=32
  num_key_value_heads=32 head_dim=128 max_position_embeddings=32768 sliding_window=4096 max_window_layers=28
gemma: vocab_size=256000 hidden_size=3072 intermediate_size=24576 num_hidden_layers=28 num_attention_heads=16
  num_key_value_heads=16 head_dim=256 max_position_embeddings=8192
gemma2: vocab_size=256000 hidden_size=2304 intermediate_size=9216 num_hidden_layers=26 num_attention_heads=8
  num_key_value_heads=4 head_dim=256 max_position_embeddings=8192 sliding_window=4096
gemma3_text: vocab_size=262208 hidden_size=2304 intermediate_size=9216 num_hidden_layers=26 num_attention_heads=8
  num_key_value_heads=4 head_dim=256 max_position_embeddings=131072 sliding_window=4096
gemma4_text: vocab_size=262144 hidden_size=2304 intermediate_size=9216 num_hidden_layers=30 num_attention_heads=8
  num_key_value_heads=4 head_dim=256 max_position_embeddings=131072 sliding_window=512
  vocab_size_per_layer_input=262144 hidden_size_per_layer_input=256 num_kv_shared_layers=0
qwen2_vl_text: vocab_size=152064 hidden_size=8192 intermediate_size=29568 num_hidden_layers=80 num_attention_heads=64
  num_key_value_heads=8 max_position_embeddings=32768 sliding_window=4096 max_window_layers=80
qwen2_5_vl_text: vocab_size=152064 hidden_size=8192 intermediate_size=29568 num_hidden_layers=80
  num_attention_heads=64 num_key_value_heads=8 max_position_embeddings=32768 sliding_window=4096 max_window_layers=80
qwen3_vl_text: vocab_size=151936 hidden_size=4096 intermediate_size=22016 num_hidden_layers=32 num_attention_heads=32
  num_key_value_heads=32 head_dim=128 max_position_embeddings=128000
qwen3_vl_moe_text: vocab_size=151936 hidden_size=2048 intermediate_size=5632 num_hidden_layers=24
  num_attention_heads=16 num_key_value_heads=16 max_position_embeddings=128000 decoder_sparse_step=1
  moe_intermediate_size=1408 num_experts_per_tok=4 num_experts=60
glm4v_text: vocab_size=151552 hidden_size=4096 intermediate_size=13696 num_hidden_layers=40 num_attention_heads=32
  num_key_value_heads=2 max_position_embeddings=32768
glm4v_moe_text: vocab_size=151424 hidden_size=4096 intermediate_size=10944 num_hidden_layers=46 num_attention_heads=96
  num_key_value_heads=8 max_position_embeddings=65536 moe_intermediate_size=1408 num_experts_per_tok=8
  num_shared_experts=1 num_experts=128 first_k_dense_replace=1
llama4_text: vocab_size=202048 hidden_size=5120 intermediate_size=8192 intermediate_size_mlp=16384
  num_hidden_layers=48 num_attention_heads=40 num_key_value_heads=8 head_dim=128 max_position_embeddings=131072
  num_experts_per_tok=1 num_experts=16 interleave_moe_layer_step=1 attention_chunk_size=8192
qwen3_5_text: vocab_size=248320 hidden_size=4096 intermediate_size=12288 num_hidden_layers=32 num_attention_heads=16
  num_key_value_heads=4 max_position_embeddings=32768 head_dim=256 linear_conv_kernel_dim=4 linear_key_head_dim=128
  linear_value_head_dim=128 linear_num_key_heads=16 linear_num_value_heads=32 full_attention_interval=4
qwen3_5_moe_text: vocab_size=248320 hidden_size=2048 num_hidden_layers=40 num_attention_heads=16 num_key_value_heads=2
  max_position_embeddings=32768 head_dim=256 linear_conv_kernel_dim=4 linear_key_head_dim=128
  linear_value_head_dim=128 linear_num_key_heads=16 linear_num_value_heads=32 moe_intermediate_size=512
  shared_expert_intermediate_size=512 num_experts_per_tok=8 num_experts=256 full_attention_interval=4
laguna: num_key_value_heads=8 head_dim=128
mimo: num_key_value_heads=32
cohere2: vocab_size=256000 hidden_size=8192 intermediate_size=22528 num_hidden_layers=40 num_attention_heads=64
  max_position_embeddings=8192 sliding_window=4096
deepseek_v3: vocab_size=129280 hidden_size=7168 intermediate_size=18432 moe_intermediate_size=2048
  num_hidden_layers=61 num_attention_heads=128 num_key_value_heads=128 num_shared_experts=1 num_experts=256
  kv_lora_rank=512 q_lora_rank=1536 qk_rope_head_dim=64 v_head_dim=128 qk_nope_head_dim=128 num_experts_per_tok=8
  first_k_dense_replace=3 max_position_embeddings=4096
gpt_oss: num_hidden_layers=36 num_experts=128 vocab_size=201088 hidden_size=2880 intermediate_size=2880 head_dim=64
  num_attention_heads=64 num_key_value_heads=8 sliding_window=128 max_position_embeddings=131072 num_experts_per_tok=4
qwen3_moe: vocab_size=151936 hidden_size=2048 intermediate_size=6144 num_hidden_layers=24 num_attention_heads=32
  num_key_value_heads=4 max_position_embeddings=32768 sliding_window=4096 decoder_sparse_step=1
  moe_intermediate_size=768 num_experts_per_tok=8 num_experts=128
mixtral: vocab_size=32000 hidden_size=4096 intermediate_size=14336 num_hidden_layers=32 num_attention_heads=32
  num_key_value_heads=8 max_position_embeddings=131072 num_experts_per_tok=2 num_experts=8
ministral: num_key_value_heads=8
cwm: num_key_value_heads=8 head_dim=128
smollm3: num_key_value_heads=4
seed_oss: num_key_value_heads=8 head_dim=128
helium: num_key_value_heads=20 head_dim=128
ernie4_5: num_key_value_heads=2 head_dim=128
vaultgemma: num_key_value_heads=4 head_dim=256
stablelm: num_key_value_heads=32
starcoder2: num_key_value_heads=2
glm: num_key_value_heads=2 head_dim=128
glm4: num_key_value_heads=2 head_dim=128
exaone4: num_key_value_heads=32
bitnet: num_key_value_heads=5
qwen2_moe: num_key_value_heads=16
glm4_moe: num_key_value_heads=8
phimoe: num_key_value_heads=8
ernie4_5_moe: num_key_value_heads=4
minimax_m2: num_key_value_heads=8 head_dim=128
afmoe: head_dim=128
solar_open: num_key_value_heads=8 head_dim=128
exaone_moe: num_key_value_heads=32
hy_v3: num_key_value_heads=8 head_dim=128
qwen3_next: num_key_value_heads=2 head_dim=256
dots1: num_key_value_heads=32
lfm2: num_key_value_heads=8
lfm2_moe: num_key_value_heads=8
internlm3: num_key_value_heads=2 head_dim=128
"""


def _parsed(table: str) -> dict[str, dict[str, int | None]]:
    sizes: dict[str, dict[str, int | None]] = {}
    for entry in table.strip().replace("\n  ", " ").splitlines():
        name, values = entry.split(": ", 1)
        sizes[name] = {key: int(value) for key, value in (pair.split("=") for pair in values.split())}
    return sizes


CLASS_SIZES = _parsed(_TABLE)
