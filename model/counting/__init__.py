"""Exact counting of a model from its Hugging Face `config.json`: parameters, cache, FLOPs and bytes, or a refusal.

`count` is the way in. What it understood is an `Architecture`; the other functions answer questions about one.
"""

from __future__ import annotations

from model.counting.architecture import Architecture
from model.counting.cache import (
    kv_bytes,
    kv_bytes_per_token,
    kv_bytes_per_token_beyond_window,
    kv_bytes_per_token_decompressed,
    kv_bytes_per_token_per_chip,
    kv_bytes_unified_pages,
    kv_replication,
    state_bytes,
)
from model.counting.config import MAX_BYTES, Source, read
from model.counting.errors import ConfigRefused
from model.counting.flops import (
    ATTENTION_CONVENTIONS,
    forward_flops_per_token,
    score_flops_per_token,
    training_flops_per_token,
    weight_flops_per_token,
)
from model.counting.parameters import (
    active_params,
    active_params_without_input_embedding,
    experts_hit,
    params_by_part,
    params_per_chip,
    params_read_per_decode_step,
    stage_params,
    total_params,
)
from model.counting.resolve import architecture
from model.counting.result import Count, PartCount, count

__all__ = [
    "ATTENTION_CONVENTIONS",
    "MAX_BYTES",
    "Architecture",
    "ConfigRefused",
    "Count",
    "PartCount",
    "Source",
    "active_params",
    "active_params_without_input_embedding",
    "architecture",
    "count",
    "experts_hit",
    "forward_flops_per_token",
    "kv_bytes",
    "kv_bytes_per_token",
    "kv_bytes_per_token_beyond_window",
    "kv_bytes_per_token_decompressed",
    "kv_bytes_per_token_per_chip",
    "kv_bytes_unified_pages",
    "kv_replication",
    "params_by_part",
    "params_per_chip",
    "params_read_per_decode_step",
    "read",
    "score_flops_per_token",
    "stage_params",
    "state_bytes",
    "total_params",
    "training_flops_per_token",
    "weight_flops_per_token",
]
