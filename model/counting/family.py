"""What sets one family apart, as data: a record a model class, read by `model.counting.decoder`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from model.counting.architecture import Experts, Mixer, Mlp
from model.counting.layout import Kind, KindRule, SparseRule, all_full
from model.counting.section import Section

Switch = bool | str  # a fixed answer, or the key that gives it
NormKind = Literal["rms", "layer", "scale", "none"]
NORM_VECTORS: Mapping[NormKind, int] = {"rms": 1, "layer": 2, "scale": 1, "none": 0}


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """How a family spells its experts.

    Attributes:
        sparse: which layers have experts.
        width: key of an expert's width.
        dense_width: key of the width of the other layers.
        bias: biases inside the experts.
        router_bias: a bias on the router's matrix.
        router_vectors: other learned elements of the router: so many an expert, and so many a channel.
        shared: "count" (the width of `num_shared_experts` experts), "width" (`shared_expert_intermediate_size`),
            "always" (one expert's width) or None.
        shared_gate: a gate of one output on the shared expert.
    """

    sparse: SparseRule
    width: str = "moe_intermediate_size"
    dense_width: str = "intermediate_size"
    bias: Switch = False
    router_bias: Switch = False
    router_vectors: tuple[int, int] = (0, 0)
    shared: Literal["count", "width", "always"] | None = None
    shared_gate: bool = False


@dataclass(frozen=True, kw_only=True)
class Family:
    """One model class of the library, or one custom class of the same shape.

    Attributes:
        types: `model_type` values.
        classes: names in `architectures` that have the language-model head.
        tied: class default of `tie_word_embeddings`.
        sizes: class defaults of sizes, true for nested sections (see `Section`).
        flags: class defaults of switches and of sizes that older files leave out.
        implied: keys that the class does not read, with the one value that agrees with what it does.
        ignored: keys that look like shapes and are none.
        norm, block_norms: kind of norm and how many a layer has.
        parallel: attention and feed-forward read the same input, so they can run side by side.
        final_norm, embedding_norm: norms outside the layers.
        qkv_bias, out_bias, mlp_bias, head_bias, gated: fixed, or the key that says so.
        qk_norm: learned query and key norms: one vector a head size, or over the full width; `qk_norm_vectors` of them,
            switched by `qk_norm_if`.
        kinds: which layer is of which kind.
        mixture: its experts.
        mixer, mlp: builders for what the fields cannot say.
        prediction: its multi-token-prediction module is one more layer, a projection of twice the width and copies of
            embedding and head, so its parameters can be told.
        positions: rows beyond the context in a learned position table, None for no table.
        notes: said on every count of this family.
    """

    types: tuple[str, ...]
    classes: tuple[str, ...]
    tied: bool = False
    sizes: Mapping[str, int | None] = field(default_factory=dict)
    flags: Mapping[str, Any] = field(default_factory=dict)
    implied: Mapping[str, Any] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    norm: NormKind = "rms"
    block_norms: int | Callable[[Section], int] = 2
    parallel: Switch = False
    final_norm: bool = True
    embedding_norm: bool = False
    qkv_bias: Switch = False
    out_bias: Switch = False
    mlp_bias: Switch = False
    head_bias: Switch = False
    gated: Switch = True
    qk_norm: Literal["head", "full"] | None = None
    qk_norm_vectors: int = 1
    qk_norm_if: Switch = True
    output_norm: bool = False
    inner_norm: bool = False
    kinds: KindRule = all_full
    mixture: Mixture | None = None
    mixer: Callable[[Section, Family, Kind, int], Mixer] | None = None
    mlp: Callable[[Section, Family, int], Mlp | Experts] | None = None
    finish: Callable[[Section, dict[str, Any]], None] | None = None
    prediction: bool = False
    positions: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The first of its model types."""
        return self.types[0]


def switched(section: Section, switch: Switch) -> bool:
    """The answer of a switch."""
    return section.flag(switch) if isinstance(switch, str) else switch
