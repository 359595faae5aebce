"""The ledger: every weight of an architecture as one row, from which parameters, FLOPs and bytes are all read.

A row is a matrix (or a table, or a bundle of vectors) with the module path that quantisation lists name, the part of
the picture it belongs to, how many copies there are and how many of them a token uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from model.counting.architecture import (
    Architecture,
    Attention,
    Block,
    DeltaNet,
    Experts,
    KimiDelta,
    LatentAttention,
    Mlp,
    ShortConvolution,
)

Part = Literal["embedding", "attention", "mlp", "experts", "shared_experts", "router", "norms", "head", "vision"]
PARTS: tuple[Part, ...] = (
    "embedding",
    "attention",
    "mlp",
    "experts",
    "shared_experts",
    "router",
    "norms",
    "head",
    "vision",
)
Kind = Literal["matrix", "table", "vector"]
ANY = 1 << 30  # can be split over as many chips as there are


@dataclass(frozen=True, slots=True)
class Weight:
    """One row of the ledger.

    Attributes:
        path: module path below its layer, as in a checkpoint ("self_attn.q_proj").
        part: part of the architecture picture.
        inputs: rows (contracted width of a matrix, entries of a table, elements of a vector bundle).
        outputs: columns; 1 for a vector bundle.
        bias: whether `outputs` biases come with it.
        copies: how many there are.
        active: how many of them one token of text uses.
        kind: a matrix costs 2 FLOPs an element and token, a table a lookup, a vector nothing that is counted.
        shards: into how many pieces tensor parallelism can cut it; past that every chip group holds a copy.
    """

    path: str
    part: Part
    inputs: int
    outputs: int = 1
    bias: bool = False
    copies: int = 1
    active: int = 1
    kind: Kind = "matrix"
    shards: int = ANY

    @property
    def each(self) -> int:
        """Parameters of one copy."""
        return self.inputs * self.outputs + self.outputs * self.bias

    @property
    def params(self) -> int:
        """Parameters of all copies."""
        return self.copies * self.each

    @property
    def active_params(self) -> int:
        """Parameters that one token of text uses."""
        return self.active * self.each

    @property
    def active_elements(self) -> int:
        """Matrix elements that one token multiplies (biases left out)."""
        return self.active * self.inputs * self.outputs if self.kind == "matrix" else 0


@dataclass(frozen=True, slots=True)
class Row:
    """A weight in its place: the layer it belongs to, or None outside the layers."""

    layer: int | None
    weight: Weight


def ledger(arch: Architecture) -> Iterator[Row]:
    """All rows of an architecture, layer by layer."""
    for weight in outer_weights(arch):
        yield Row(None, weight)
    for group in arch.groups:
        rows = tuple(block_weights(group.block, arch.d_model))
        for layer in group.layers:
            for weight in rows:
                yield Row(layer, weight)


def weights(arch: Architecture) -> Iterator[Weight]:
    """The same weights with equal layers folded together: copies and active copies are those of the whole model."""
    yield from outer_weights(arch)
    for group in arch.groups:
        for weight in block_weights(group.block, arch.d_model):
            yield replace(weight, copies=weight.copies * group.count, active=weight.active * group.count)


def outer_weights(arch: Architecture) -> Iterator[Weight]:
    """Embedding, positions, final norms, head and tower."""
    width, vocab = arch.embedding_width, arch.vocab_size
    yield Weight("embed_tokens", "embedding", vocab, width, kind="table")
    if arch.positions:
        yield Weight("embed_positions", "embedding", arch.positions, arch.d_model, kind="table", shards=1)
    for name, rows, columns in arch.lookups:
        yield Weight(name, "embedding", rows, columns, kind="table")
    for m in arch.matrices:
        yield Weight(m.path, "embedding", m.inputs, m.outputs, m.bias, m.copies, m.copies)
    if arch.norm:
        yield Weight("norm", "norms", arch.norm, kind="vector", shards=1)
    # A tied head is the embedding table once more: no parameters of its own, but still a matmul for every token.
    yield Weight("lm_head", "head", width, vocab, copies=0 if arch.tied else 1)
    if arch.head_bias:
        yield Weight("lm_head.bias", "head", vocab, kind="vector")
    if arch.tower:
        for m in arch.tower.matrices:
            yield Weight(m.path, "vision", m.inputs, m.outputs, m.bias, m.copies, active=0)
        yield Weight("vision_tower.vectors", "vision", arch.tower.vectors, active=0, kind="vector")


def block_weights(block: Block, d_model: int) -> Iterator[Weight]:
    """One layer."""
    match block.mixer:
        case Attention():
            yield from _attention(block.mixer, d_model)
        case LatentAttention():
            yield from _latent_attention(block.mixer, d_model)
        case DeltaNet():
            yield from _delta_net(block.mixer, d_model)
        case KimiDelta():
            yield from _kimi_delta(block.mixer, d_model)
        case ShortConvolution():
            yield from _short_convolution(block.mixer, d_model)
    match block.mlp:
        case Mlp():
            yield from _mlp(block.mlp, d_model)
        case Experts():
            yield from _experts(block.mlp, d_model)
    for name, inputs, outputs in block.side:
        yield Weight(name, "mlp", inputs, outputs)
    if block.norm:
        yield _vector("layernorm", "norms", block.norm)


def _vector(path: str, part: Part, elements: int, *, shards: int = 1) -> Weight:
    return Weight(path, part, elements, kind="vector", shards=shards)


def _attention(a: Attention, d: int) -> Iterator[Weight]:
    yield Weight("self_attn.q_proj", "attention", d, a.heads * a.qk_dim, a.qkv_bias, shards=a.heads)
    if not a.reuses_cache:
        yield Weight("self_attn.k_proj", "attention", d, a.kv_heads * a.qk_dim, a.qkv_bias, shards=a.kv_heads)
        if a.value_projection:
            yield Weight("self_attn.v_proj", "attention", d, a.kv_heads * a.v_dim, a.qkv_bias, shards=a.kv_heads)
    yield Weight("self_attn.o_proj", "attention", a.heads * a.v_dim, d, a.out_bias, shards=a.heads)
    if a.gate:
        yield Weight("self_attn.gate_proj", "attention", d, a.gate, a.qkv_bias, shards=a.heads)
    if norm := a.query_norm + a.key_norm + a.output_norm:
        yield _vector("self_attn.norm", "norms", norm)
    if a.sinks:
        yield _vector("self_attn.sinks", "attention", a.sinks, shards=a.heads)


def _latent_attention(a: LatentAttention, d: int) -> Iterator[Weight]:
    for _ in range(a.copies):
        q_out = a.heads * (a.nope_dim + a.rope_dim)
        if a.query_rank is None:
            yield Weight("self_attn.q_proj", "attention", d, q_out, shards=a.heads)
        else:
            yield Weight("self_attn.q_a_proj", "attention", d, a.query_rank, a.bias, shards=1)
            yield _vector("self_attn.q_a_layernorm", "norms", a.query_rank)
            yield Weight("self_attn.q_b_proj", "attention", a.query_rank, q_out, shards=a.heads)
        yield Weight("self_attn.kv_a_proj_with_mqa", "attention", d, a.kv_rank + a.rope_dim, a.bias, shards=1)
        yield _vector("self_attn.kv_a_layernorm", "norms", a.kv_rank)
        kv_out = a.heads * (a.nope_dim + a.v_dim)
        yield Weight("self_attn.kv_b_proj", "attention", a.kv_rank, kv_out, shards=a.heads)
        yield Weight("self_attn.o_proj", "attention", a.heads * a.v_dim, d, a.bias, shards=a.heads)
        if a.gate:
            yield Weight("self_attn.g_proj", "attention", d, a.gate, shards=a.heads)
        if a.indexer and a.query_rank:
            ix = a.indexer
            yield Weight("self_attn.indexer.wq_b", "attention", a.query_rank, ix.heads * ix.head_dim, shards=1)
            yield Weight("self_attn.indexer.wk", "attention", d, ix.head_dim, shards=1)
            yield Weight("self_attn.indexer.weights_proj", "attention", d, ix.heads, shards=1)
            yield _vector("self_attn.indexer.k_norm", "norms", 2 * ix.head_dim)


def _delta_net(a: DeltaNet, d: int) -> Iterator[Weight]:
    keys, values = a.key_heads * a.key_dim, a.value_heads * a.value_dim
    yield Weight("linear_attn.in_proj_qkv", "attention", d, 2 * keys + values, shards=a.key_heads)
    yield Weight("linear_attn.in_proj_z", "attention", d, values, shards=a.value_heads)
    yield Weight("linear_attn.in_proj_b", "attention", d, a.value_heads, shards=a.value_heads)
    yield Weight("linear_attn.in_proj_a", "attention", d, a.value_heads, shards=a.value_heads)
    yield Weight("linear_attn.conv1d", "attention", a.conv_kernel, 2 * keys + values, shards=a.key_heads)
    yield _vector("linear_attn.decay", "attention", 2 * a.value_heads, shards=a.value_heads)
    yield _vector("linear_attn.norm", "norms", a.value_dim)
    yield Weight("linear_attn.out_proj", "attention", values, d, shards=a.value_heads)


def _kimi_delta(a: KimiDelta, d: int) -> Iterator[Weight]:
    width = a.heads * a.head_dim
    for name in ("q_proj", "k_proj", "v_proj"):
        yield Weight(f"self_attn.{name}", "attention", d, width, shards=a.heads)
    for name in ("f", "g"):  # forget gate and output gate, each of low rank
        yield Weight(f"self_attn.{name}_a_proj", "attention", d, a.head_dim, shards=1)
        yield Weight(f"self_attn.{name}_b_proj", "attention", a.head_dim, width, shards=a.heads)
    yield Weight("self_attn.b_proj", "attention", d, a.heads, shards=a.heads)
    yield Weight("self_attn.conv1d", "attention", a.conv_kernel, 3 * width, shards=a.heads)
    yield _vector("self_attn.decay", "attention", width + a.heads, shards=a.heads)
    yield _vector("self_attn.o_norm", "norms", a.head_dim)
    yield Weight("self_attn.o_proj", "attention", width, d, shards=a.heads)


def _short_convolution(a: ShortConvolution, d: int) -> Iterator[Weight]:
    yield Weight("conv.in_proj", "attention", d, 3 * d, a.bias)
    yield Weight("conv.conv", "attention", a.kernel, d, a.bias)
    yield Weight("conv.out_proj", "attention", d, d, a.bias)


def _mlp(m: Mlp, d: int) -> Iterator[Weight]:
    if m.gated:
        yield Weight("mlp.gate_proj", "mlp", d, m.width, m.bias, m.copies, m.copies)
    yield Weight("mlp.up_proj", "mlp", d, m.width, m.bias, m.copies, m.copies)
    yield Weight("mlp.down_proj", "mlp", m.width, d, m.bias, m.copies, m.copies)
    if m.inner_norm:
        yield _vector("mlp.norm", "norms", m.copies * m.inner_norm)


def _experts(e: Experts, d: int) -> Iterator[Weight]:
    yield Weight("mlp.gate", "router", d, e.count + e.zero_experts, e.router_bias, shards=1)
    if e.router_vectors:
        yield _vector("mlp.gate.vectors", "router", e.router_vectors)
    names = ("gate_proj", "up_proj") if e.gated else ("up_proj",)
    for name in names:
        yield Weight(f"mlp.experts.{name}", "experts", d, e.width, e.bias, e.count, e.active)
    yield Weight("mlp.experts.down_proj", "experts", e.width, d, e.bias, e.count, e.active)
    if e.shared_width:
        for name in names:
            yield Weight(f"mlp.shared_experts.{name}", "shared_experts", d, e.shared_width, e.shared_bias)
        yield Weight("mlp.shared_experts.down_proj", "shared_experts", e.shared_width, d, e.shared_bias)
    if e.shared_gate:
        yield Weight("mlp.shared_expert_gate", "shared_experts", d, 1, shards=1)
    if e.beside:
        yield from _mlp(e.beside, d)
