"""The lab's decoder-only transformer, dense or MoE: pre-norm, interleaved RoPE, SwiGLU, tied embedding."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from model.lab.experts import Experts, MoE
from model.lab.tasks import VOCABULARY

HEAD_DIMS = 64
ROPE_BASE = 10_000.0


@dataclass(frozen=True)
class Shape:
    """Dimensions of one model; `experts` None is dense. A head takes 64 dimensions and there is at least one."""

    d_model: int
    n_layers: int
    ff_factor: int = 4
    dropout: float = 0.0
    experts: Experts | None = None

    def __post_init__(self) -> None:
        if self.n_layers < 1:
            raise ValueError(f"{self.n_layers} layers: choose at least 1")
        if self.d_model % (2 * self.n_heads) or self.d_model < 2:
            raise ValueError(f"d_model {self.d_model} does not split into {self.n_heads} heads of even width")

    @property
    def n_heads(self) -> int:
        """Attention heads."""
        return max(1, self.d_model // HEAD_DIMS)

    @property
    def d_ff(self) -> int:
        """Hidden width of the SwiGLU, of each expert if there are experts."""
        return self.ff_factor * self.d_model

    @property
    def kind(self) -> str:
        """`dense` or `moe`."""
        return "moe" if self.experts else "dense"


class Aside(NamedTuple):
    """What a forward pass tells besides logits: auxiliary loss, and copies sent to each expert (layers, experts)."""

    auxiliary: Array
    load: Array


def rotate(x: Array) -> Array:
    """Interleaved RoPE on (batch, position, head, width): pair i of neighbours turns by position * base^(-2i/width)."""
    width = x.shape[-1]
    frequency = ROPE_BASE ** (-jnp.arange(0, width, 2, dtype=jnp.float32) / width)
    angle = jnp.arange(x.shape[1], dtype=jnp.float32)[:, None, None] * frequency
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    even, odd = x[..., ::2], x[..., 1::2]
    return jnp.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


def drop(x: Array, rate: float, key: Array | None) -> Array:
    """Dropout; none without a key."""
    if key is None or rate == 0:
        return x
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), jnp.zeros_like(x))


class Attention(nnx.Module):
    """Causal multi-head self-attention without biases."""

    def __init__(self, shape: Shape, rngs: nnx.Rngs) -> None:
        self.n_heads = shape.n_heads
        self.qkv = nnx.Linear(shape.d_model, 3 * shape.d_model, use_bias=False, rngs=rngs)
        self.out = nnx.Linear(shape.d_model, shape.d_model, use_bias=False, rngs=rngs)

    def __call__(self, x: Array) -> Array:
        """(batch, position, d) to the same; position i reads positions up to i."""
        batch, length, width = x.shape
        heads = self.qkv(x).reshape(batch, length, 3, self.n_heads, width // self.n_heads)
        q, k, v = rotate(heads[:, :, 0]), rotate(heads[:, :, 1]), heads[:, :, 2]
        scores = jnp.einsum("bqhc,bkhc->bhqk", q, k) * (q.shape[-1] ** -0.5)
        causal = jnp.tril(jnp.ones((length, length), bool))
        shares = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1)
        return self.out(jnp.einsum("bhqk,bkhc->bqhc", shares, v).reshape(x.shape))


class SwiGLU(nnx.Module):
    """silu(x W_gate) * (x W_up), then W_down."""

    def __init__(self, shape: Shape, rngs: nnx.Rngs) -> None:
        self.gate_up = nnx.Linear(shape.d_model, 2 * shape.d_ff, use_bias=False, rngs=rngs)
        self.down = nnx.Linear(shape.d_ff, shape.d_model, use_bias=False, rngs=rngs)

    def __call__(self, x: Array) -> Array:
        """(..., d) to the same."""
        gate, up = jnp.split(self.gate_up(x), 2, axis=-1)
        return self.down(jax.nn.silu(gate) * up)


class Block(nnx.Module):
    """Attention and feed-forward, each behind an RMSNorm and beside a residual."""

    def __init__(self, shape: Shape, rngs: nnx.Rngs) -> None:
        self.dropout = shape.dropout
        self.attention_norm = nnx.RMSNorm(shape.d_model, rngs=rngs)
        self.attention = Attention(shape, rngs)
        self.feed_norm = nnx.RMSNorm(shape.d_model, rngs=rngs)
        self.feed = MoE(shape.d_model, shape.d_ff, shape.experts, rngs) if shape.experts else SwiGLU(shape, rngs)

    def __call__(self, x: Array, key: Array | None) -> tuple[Array, Aside]:
        """(batch, position, d) to the same. A key switches dropout and router noise on."""
        keys = (None, None, None) if key is None else jax.random.split(key, 3)
        x = x + drop(self.attention(self.attention_norm(x)), self.dropout, keys[0])
        inward = self.feed_norm(x)
        if isinstance(self.feed, MoE):
            flat, routing = self.feed(inward.reshape(-1, x.shape[-1]), keys[1])
            outward, aside = flat.reshape(x.shape), Aside(routing.auxiliary, routing.load)
        else:
            outward, aside = self.feed(inward), Aside(jnp.zeros((), x.dtype), jnp.zeros(0, jnp.int32))
        return x + drop(outward, self.dropout, keys[2]), aside


class Transformer(nnx.Module):
    """Tokens to logits; the embedding is also the output matrix."""

    def __init__(self, shape: Shape, rngs: nnx.Rngs) -> None:
        self.embedding = nnx.Param(jax.random.normal(rngs.params(), (VOCABULARY, shape.d_model), jnp.float32))
        self.blocks = nnx.List([Block(shape, rngs) for _ in range(shape.n_layers)])
        self.norm = nnx.RMSNorm(shape.d_model, rngs=rngs)

    def __call__(self, tokens: Array, key: Array | None = None) -> tuple[Array, Aside]:
        """Tokens (batch, position) to logits (batch, position, vocabulary) of the next token, and what else is told."""
        table = self.embedding[...]
        x = table[tokens]
        keys = [None] * len(self.blocks) if key is None else jax.random.split(key, len(self.blocks))
        asides = []
        for block, block_key in zip(self.blocks, keys, strict=True):
            x, aside = block(x, block_key)
            asides.append(aside)
        logits = self.norm(x) @ table.T * (table.shape[1] ** -0.5)
        auxiliary = sum((aside.auxiliary for aside in asides), jnp.zeros((), x.dtype))
        return logits, Aside(auxiliary, jnp.stack([aside.load for aside in asides]))
