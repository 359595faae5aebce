"""Mixture-of-experts layer: noisy top-k routing, then one einsum over blocks of tokens sorted by expert.

`ragged_dot` costs a CPU every expert for every token. Here each token's copies are sorted by expert and laid into
blocks that belong to one expert each: with a capacity, one block an expert, and what does not fit is dropped;
dropless, as many small blocks as the experts need, the last of each padded.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

DROPLESS_BLOCK = 32


@dataclass(frozen=True)
class Experts:
    """Choices of the layer. `capacity` is the room of an expert over an even share; 0 drops nothing."""

    count: int = 8
    chosen: int = 2
    capacity: float = 1.25
    noise: float = 0.1
    balance_weight: float = 0.01
    z_weight: float = 0.001

    def __post_init__(self) -> None:
        if not 1 <= self.chosen <= self.count:
            raise ValueError(f"top-{self.chosen} of {self.count} experts: choose 1 to {self.count}")
        if self.capacity < 0:
            raise ValueError(f"capacity is {self.capacity}: choose 0 (dropless) or a factor such as 1.25")


class Routing(NamedTuple):
    """Of t tokens: chosen experts (t, k), gates (t, k), the auxiliary loss, and copies sent to each expert (e,)."""

    expert: Array
    gate: Array
    auxiliary: Array
    load: Array


class Layout(NamedTuple):
    """Where each of t*k copies lies: its token, its slot (past the end if dropped), and the expert of every block."""

    token: Array
    slot: Array
    copy: Array
    block_expert: Array
    block: int


def route(options: Experts, logits: Array, noise_key: Array | None) -> Routing:
    """Top-k of router logits (t, e). The gates are the chosen experts' softmax among themselves.

    Auxiliary: Switch's balance loss e * sum_i share_i * mean probability_i, and the z-loss mean logsumexp^2.
    """
    noisy = logits
    if noise_key is not None:
        noisy = logits + options.noise * jax.random.normal(noise_key, logits.shape, logits.dtype)
    top, expert = jax.lax.top_k(noisy, options.chosen)
    load = jnp.zeros(options.count, jnp.int32).at[expert.reshape(-1)].add(1)
    share = load / expert.size
    balance = options.count * jnp.sum(share * jnp.mean(jax.nn.softmax(logits, axis=-1), axis=0))
    z = jnp.mean(jax.nn.logsumexp(logits, axis=-1) ** 2)
    auxiliary = options.balance_weight * balance + options.z_weight * z
    return Routing(expert, jax.nn.softmax(top, axis=-1), auxiliary.astype(logits.dtype), load)


def lay_out(options: Experts, routing: Routing) -> Layout:
    """Sort the copies by expert and give each a slot of a block that its expert owns."""
    copies = routing.expert.size
    flat = routing.expert.reshape(-1)
    copy = jnp.argsort(flat, stable=True)
    owner = flat[copy]
    rank = jnp.arange(copies) - (jnp.cumsum(routing.load) - routing.load)[owner]
    if options.capacity:
        block = capacity_rows(options, copies)
        slot = jnp.where(rank < block, owner * block + rank, options.count * block)
        return Layout(copy // options.chosen, slot, copy, jnp.arange(options.count), block)
    block = DROPLESS_BLOCK
    blocks = -(-routing.load // block)
    ends = jnp.cumsum(blocks)
    slot = (ends - blocks)[owner] * block + rank
    block_expert = jnp.searchsorted(ends, jnp.arange(-(-copies // block) + options.count), side="right")
    return Layout(copy // options.chosen, slot, copy, jnp.minimum(block_expert, options.count - 1), block)


def capacity_rows(options: Experts, copies: int) -> int:
    """Rows that one expert may take of `copies`."""
    return max(1, -int(-options.capacity * copies // options.count))


class MoE(nnx.Module):
    """SwiGLU experts: weights (e, d, f), (e, d, f) and (e, f, d), a router (d, e)."""

    def __init__(self, d_model: int, d_ff: int, options: Experts, rngs: nnx.Rngs) -> None:
        def weights(fan_in: int, *shape: int) -> nnx.Param[Array]:
            return nnx.Param(jax.random.normal(rngs.params(), shape, jnp.float32) * fan_in**-0.5)

        self.options = options
        self.router = weights(d_model, d_model, options.count)
        self.gate = weights(d_model, options.count, d_model, d_ff)
        self.up = weights(d_model, options.count, d_model, d_ff)
        self.down = weights(d_ff, options.count, d_ff, d_model)

    def __call__(self, x: Array, noise_key: Array | None = None) -> tuple[Array, Routing]:
        """Tokens (t, d) to their gated sum over chosen experts (t, d), and how they were routed."""
        routing = route(self.options, x @ self.router[...], noise_key)
        layout = lay_out(self.options, routing)
        rows = layout.block_expert.shape[0] * layout.block
        blocks = jnp.zeros((rows, x.shape[1]), x.dtype).at[layout.slot].set(x[layout.token], mode="drop")
        blocks = blocks.reshape(-1, layout.block, x.shape[1])
        gate, up, down = (weight[...][layout.block_expert] for weight in (self.gate, self.up, self.down))
        hidden = jax.nn.silu(jnp.einsum("bmd,bdf->bmf", blocks, gate)) * jnp.einsum("bmd,bdf->bmf", blocks, up)
        output = jnp.einsum("bmf,bfd->bmd", hidden, down).reshape(rows, -1)
        copies = output.at[layout.slot].get(mode="fill", fill_value=0) * routing.gate.reshape(-1)[layout.copy][:, None]
        return jnp.zeros_like(x).at[layout.token].add(copies), routing
