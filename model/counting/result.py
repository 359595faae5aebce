"""The result of a count, and the one function that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model.counting.architecture import Architecture, Experts, LatentAttention
from model.counting.cache import (
    indexer_bytes_per_token,
    kv_bytes_per_token,
    kv_bytes_per_token_beyond_window,
    layer_caches,
    state_bytes,
)
from model.counting.config import Source, read
from model.counting.flops import flops_by_part, weight_flops_per_token
from model.counting.parameters import (
    active_params,
    active_params_without_input_embedding,
    params_by_part,
    routed_expert_params,
    text_only_params,
    total_params,
)
from model.counting.resolve import architecture
from model.counting.storage import stored
from model.counting.weights import PARTS


@dataclass(frozen=True, slots=True)
class PartCount:
    """One part of the architecture picture.

    Attributes:
        params: unique parameters.
        flops_per_token: forward FLOPs of one token in its matrices (attention scores are apart).
        weight_bytes: bytes as stored, None where the file does not say.
    """

    params: int
    flops_per_token: int
    weight_bytes: int | None


@dataclass(frozen=True, slots=True)
class Count:
    """What one configuration comes to. Caches are in bf16; bytes are decimal.

    Attributes:
        total_params: unique parameters, tower of images included, multi-token-prediction modules left out.
        text_only_params: the same without the tower.
        active_params: parameters on the path of one text token, input embedding included.
        active_params_without_input_embedding: the same without the token table, unless it is also the head.
        routed_expert_params: parameters of all routed experts.
        kv_bytes_per_token: bytes a token adds while it is inside every window.
        kv_bytes_per_token_beyond_window: bytes a token adds once every window is full.
        kv_bytes_windowed: bytes that full windows hold, whatever the length beyond them.
        state_bytes: fixed bytes a sequence of linear-attention and convolution layers (states in float32).
        indexer_bytes_per_token: bytes a token of sparse attention's index keys (fp8), on top of the latent.
        flops_per_token: forward FLOPs of one token in matrices, the head always, the embedding never.
        weight_bytes: bytes of the weights as stored, None where the file does not say.
        weight_bytes_bf16: bytes of the weights at two bytes an element.
        parts: the same by part of the picture.
        architecture: what was understood.
        notes: conventions and remarks, each one line.
    """

    total_params: int
    text_only_params: int
    active_params: int
    active_params_without_input_embedding: int
    routed_expert_params: int
    kv_bytes_per_token: int
    kv_bytes_per_token_beyond_window: int
    kv_bytes_windowed: int
    state_bytes: int
    indexer_bytes_per_token: int
    flops_per_token: int
    weight_bytes: int | None
    weight_bytes_bf16: int
    parts: Mapping[str, PartCount]
    architecture: Architecture
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: every attribute but the architecture, which is shown by its main sizes."""
        arch = self.architecture
        return {
            "family": arch.family,
            "total_params": self.total_params,
            "text_only_params": self.text_only_params,
            "active_params": self.active_params,
            "active_params_without_input_embedding": self.active_params_without_input_embedding,
            "routed_expert_params": self.routed_expert_params,
            "kv_bytes_per_token": self.kv_bytes_per_token,
            "kv_bytes_per_token_beyond_window": self.kv_bytes_per_token_beyond_window,
            "kv_bytes_windowed": self.kv_bytes_windowed,
            "state_bytes": self.state_bytes,
            "indexer_bytes_per_token": self.indexer_bytes_per_token,
            "flops_per_token": self.flops_per_token,
            "weight_bytes": self.weight_bytes,
            "weight_bytes_bf16": self.weight_bytes_bf16,
            "tied_embeddings": arch.tied,
            "n_layers": arch.n_layers,
            "d_model": arch.d_model,
            "vocab_size": arch.vocab_size,
            "parts": {
                name: {
                    "params": part.params,
                    "flops_per_token": part.flops_per_token,
                    "weight_bytes": part.weight_bytes,
                }
                for name, part in self.parts.items()
            },
            "notes": list(self.notes),
        }


def count(config: Source) -> Count:
    """Count a model exactly from its Hugging Face `config.json`, or refuse.

    Args:
        config: a `Path`, JSON text or bytes, or a parsed mapping.

    Returns:
        The counts, with the conventions that were followed among the notes.

    Raises:
        ConfigRefused: the file cannot be read, the kind of model is not counted, or something is missing or
            contradictory. The text is one line: where, what, the mend.
    """
    values = read(config)
    return count_architecture(architecture(values), values)


def count_architecture(arch: Architecture, config: Mapping[str, Any]) -> Count:
    """The counts of an architecture; `config` is asked only for element types and quantisation."""
    params, flops, weights = params_by_part(arch), flops_by_part(arch), stored(arch, config)
    total = total_params(arch)
    return Count(
        total_params=total,
        text_only_params=text_only_params(arch),
        active_params=active_params(arch),
        active_params_without_input_embedding=active_params_without_input_embedding(arch),
        routed_expert_params=routed_expert_params(arch),
        kv_bytes_per_token=round(kv_bytes_per_token(arch)),
        kv_bytes_per_token_beyond_window=round(kv_bytes_per_token_beyond_window(arch)),
        kv_bytes_windowed=2 * sum(n * c.token_elements * c.window for n, c in layer_caches(arch) if c.window),
        state_bytes=round(state_bytes(arch)),
        indexer_bytes_per_token=round(indexer_bytes_per_token(arch)),
        flops_per_token=weight_flops_per_token(arch),
        weight_bytes=weights.total,
        weight_bytes_bf16=2 * total,
        parts={
            part: PartCount(params[part], flops[part], None if weights.total is None else weights.by_part.get(part, 0))
            for part in PARTS
        },
        architecture=arch,
        notes=(*arch.notes, *_remarks(arch), *weights.notes),
    )


def _remarks(arch: Architecture) -> list[str]:
    said: list[str] = []
    mixers = [group.block.mixer for group in arch.groups]
    if arch.tied:
        said.append("tied head: the table counts once, and the head's matmul still counts in FLOPs")
    if arch.tower:
        said.append(f"total includes the {arch.tower.kind} tower of images ({arch.tower.params:,} parameters)")
    if any(isinstance(m, LatentAttention) for m in mixers):
        said.append("cache of latent attention: the compressed latent, not decompressed heads")
    if indexed := indexer_bytes_per_token(arch):
        said.append(f"the sparse-attention indexer keeps {round(indexed):,} more bytes a token (fp8 keys)")
    if any(isinstance(group.block.mlp, Experts) for group in arch.groups):
        said.append("active parameters price FLOPs, total parameters price memory")
    if state := state_bytes(arch):
        said.append(f"fixed state of {round(state):,} bytes a sequence beside the cache")
    return said
