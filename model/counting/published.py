"""Keys that every published configuration of one shape has and that trimmed copies of it leave out.

A record names a shape that only one published line of models has. Where a copy of it lacks the listed keys, the
published values are taken and the count says so; the class default would describe a model that nobody released.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Published:
    """One published shape."""

    model: str
    model_type: str
    shape: Mapping[str, int]
    values: Mapping[str, Any]


PUBLISHED: tuple[Published, ...] = (
    Published(
        model="GLM-4.5/4.6/4.7 (355B)",
        model_type="glm4_moe",
        shape={"hidden_size": 5120, "num_hidden_layers": 92, "num_attention_heads": 96, "n_routed_experts": 160},
        values={"attention_bias": True, "use_qk_norm": True},
    ),
)


def published_values(config: Mapping[str, Any], model_type: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The configuration with the left-out keys filled in, and what to say about it."""
    for entry in PUBLISHED:
        shape = {key: config.get(key) for key in entry.shape}
        missing = {key: value for key, value in entry.values.items() if key not in config}
        if model_type == entry.model_type and shape == entry.shape and missing:
            said = ", ".join(f"{key} = {str(value).lower()}" for key, value in missing.items())
            return {**config, **missing}, (f"{said} taken from the published {entry.model}: the file lacks them",)
    return config, ()
