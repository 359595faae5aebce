"""What an architecture is, once every dialect has been translated: frozen records, no arithmetic.

Widths are counted in elements; `d_model` is the width of the residual stream. A `None` window is full attention.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Attention:
    """Softmax attention with its own keys and values (MHA, GQA and MQA are this with other `kv_heads`)."""

    heads: int
    kv_heads: int
    qk_dim: int
    v_dim: int
    window: int | None = None
    qkv_bias: bool = False
    out_bias: bool = False
    query_norm: int = 0  # learned elements
    key_norm: int = 0
    output_norm: int = 0
    gate: int = 0  # width of an output gate projected from the residual stream
    sinks: int = 0
    value_projection: bool = True  # False: the values are the keys
    reuses_cache: bool = False  # True: keys and values of an earlier layer, no projections and no cache of its own


@dataclass(frozen=True, slots=True)
class Indexer:
    """The small attention that picks which tokens a sparse layer looks at (DeepSeek sparse attention)."""

    heads: int
    head_dim: int
    top_k: int


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Multi-head latent attention: one compressed latent a token, shared by all heads."""

    heads: int
    query_rank: int | None  # None: queries are projected directly
    kv_rank: int
    nope_dim: int
    rope_dim: int
    v_dim: int
    bias: bool = False
    gate: int = 0
    indexer: Indexer | None = None
    window: int | None = None
    copies: int = 1  # attentions in one layer (shortcut-connected MoE has two)


@dataclass(frozen=True, slots=True)
class DeltaNet:
    """Gated delta rule: a fixed state of `value_heads` matrices, `key_dim` by `value_dim`, and a short convolution."""

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    conv_kernel: int


@dataclass(frozen=True, slots=True)
class KimiDelta:
    """Kimi delta attention: the gated delta rule with one decay a channel, made by a low-rank projection."""

    heads: int
    head_dim: int
    conv_kernel: int


@dataclass(frozen=True, slots=True)
class ShortConvolution:
    """A gated short convolution over the last `kernel` tokens, full width."""

    kernel: int
    bias: bool


Mixer = Attention | LatentAttention | DeltaNet | KimiDelta | ShortConvolution


@dataclass(frozen=True, slots=True)
class Mlp:
    """A dense feed-forward block of two matrices, or three when gated."""

    width: int
    gated: bool = True
    bias: bool = False
    inner_norm: int = 0
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts: a router, `count` experts of which `active` run for each token, and shared parts."""

    count: int
    active: int
    width: int
    gated: bool = True
    bias: bool = False
    router_bias: bool = False
    router_vectors: int = 0  # other learned router elements (correction biases that are parameters, scales)
    zero_experts: int = 0  # identities the router may choose: they cost a router row and nothing else
    shared_width: int = 0
    shared_gate: bool = False
    shared_bias: bool = False
    beside: Mlp | None = None  # a dense block that runs on every token next to the experts


@dataclass(frozen=True, slots=True)
class Block:
    """One layer: a sequence mixer, a feed-forward part and the elements of its norms and other vectors."""

    mixer: Mixer
    mlp: Mlp | Experts
    norm: int
    side: tuple[tuple[str, int, int], ...] = ()  # other matrices: name, inputs, outputs


@dataclass(frozen=True, slots=True)
class Group:
    """Layers of one shape: `layers` are their indices in the stack."""

    layers: tuple[int, ...]
    block: Block

    @property
    def count(self) -> int:
        """How many layers have this shape."""
        return len(self.layers)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix outside the layers that a token multiplies, with an optional bias."""

    path: str
    inputs: int
    outputs: int
    bias: bool = False
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Tower:
    """An encoder of images: its matrices and the elements of everything else. It never runs for a text token."""

    kind: str
    matrices: tuple[Matrix, ...]
    vectors: int

    @property
    def params(self) -> int:
        """All parameters of the tower and its projector."""
        return self.vectors + sum(m.copies * (m.inputs * m.outputs + m.outputs * m.bias) for m in self.matrices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """A decoder-only language model, with the tower of images beside it where there is one."""

    family: str
    d_model: int
    vocab_size: int
    groups: tuple[Group, ...]
    tied: bool
    embedding_width: int
    positions: int = 0  # rows of a learned position table
    norm: int = 0  # elements of norms outside the layers
    head_bias: bool = False
    parallel: bool = False  # attention and feed-forward of a layer read the same input
    lookups: tuple[tuple[str, int, int], ...] = ()  # other tables: name, rows, width
    matrices: tuple[Matrix, ...] = ()
    tower: Tower | None = None
    context: int | None = None  # longest sequence the configuration declares
    notes: tuple[str, ...] = field(default=())

    @property
    def n_layers(self) -> int:
        """Layers of the stack."""
        return sum(group.count for group in self.groups)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The stack, first layer first."""
        stack = {i: group.block for group in self.groups for i in group.layers}
        return tuple(stack[i] for i in range(len(stack)))


def grouped(blocks: list[Block]) -> tuple[Group, ...]:
    """Gather equal layers, keeping their places in the stack."""
    places: dict[Block, list[int]] = {}
    for i, block in enumerate(blocks):
        places.setdefault(block, []).append(i)
    return tuple(Group(tuple(layers), block) for block, layers in places.items())
