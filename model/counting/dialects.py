"""How configurations spell things: one canonical name a quantity, and the other names found in the wild.

Canonical names are today's library names. Two spellings in one file must agree.
"""

from __future__ import annotations

import re

ALIASES: dict[str, tuple[str, ...]] = {
    "hidden_size": ("n_embd", "n_embed", "d_model", "vt_hidden_size"),
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers", "vt_num_hidden_layers"),
    "num_attention_heads": ("n_head", "n_heads", "attention_heads", "num_heads", "vt_num_attention_heads"),
    "num_key_value_heads": ("n_head_kv", "num_kv_heads", "multi_query_group_num"),
    "head_dim": ("kv_channels", "attention_head_dim"),
    "intermediate_size": ("n_inner", "ffn_dim", "ffn_hidden_size", "vt_intermediate_size"),
    "vocab_size": ("padded_vocab_size",),
    "max_position_embeddings": ("n_positions", "max_seq_len", "max_sequence_length", "seq_length"),
    "sliding_window": ("sliding_window_size", "window_size"),
    "tie_word_embeddings": ("tied_embeddings",),
    "num_experts": ("num_local_experts", "n_routed_experts", "moe_num_experts"),
    "num_experts_per_tok": (
        "num_experts_per_token",
        "experts_per_token",
        "moe_topk",
        "moe_k",
        "moe_top_k",
        "top_k_experts",
    ),
    "moe_intermediate_size": ("expert_ffn_hidden_size", "expert_intermediate_size"),
    "num_shared_experts": ("n_shared_experts", "moe_num_shared_experts", "num_shared_expert"),
    "shared_expert_intermediate_size": ("moe_shared_expert_intermediate_size", "shared_intermediate_size"),
    "first_k_dense_replace": ("moe_layer_start_index", "num_dense_layers"),
    "pos_emb_height": ("init_pos_emb_height",),
    "pos_emb_width": ("init_pos_emb_width",),
    "sliding_window_pattern": ("_sliding_window_pattern",),
    "dtype": ("torch_dtype",),
}

SHAPE_WORDS = re.compile(
    r"""
      expert(?!_dropout|_capacity|_group) | lora_rank | latent | mamba | ssm_state | ssm_cfg
    | conv_kernel | conv_dim | d_conv
    | ^linear_ | _linear_ | ^compress_ | block_config | layer_config | cross_attention | altup | laurel | per_layer
    | kv_shared | ^hc_ | hash_layers | double_wide | head_dim | _heads?$ | n_heads | kv_heads
    | (?<!token_)(?<!alibi_)_bias$ | ^bias(?!_dropout) | ^(?:add|no)_bias | qk_norm | qk_ln | qk_layernorm
    | post_norm | sandwich
    | hidden_size | intermediate | ffn_(?!drop|act) | ^num_.*layers$ | n_layers? | layer_pattern | layer_types
    | sliding_window(?!_size) | ^window | attention_chunk | tie_word | attn_res | vocab_size_per | ^index_ | proj_dim
    | mlp_only | sparse_step | moe_layer | moe_freq | global_attn | sink_bias | sinks$
    | output_gate | gating | state_size
    """,
    re.VERBOSE,
)
"""Words in the names of keys that shape weights or caches in some known family."""

PREDICTION_WORDS = re.compile(r"mtp|nextn")
"""Words of the multi-token-prediction module, which is left out of every count and said to be."""
