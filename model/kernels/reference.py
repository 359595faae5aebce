"""The expert MLP as XLA runs it: three `ragged_dot`s with the hidden activations in HBM between them."""

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import jax
import jax.numpy as jnp

Activation = Literal["silu", "gelu", "relu"]
"""What gates the up projection: SwiGLU, GeGLU (tanh form) or ReGLU."""

ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = dict(
    zip(get_args(Activation), (jax.nn.silu, partial(jax.nn.gelu, approximate=True), jax.nn.relu), strict=True)
)


def matmul_precision(dtype: jax.typing.DTypeLike) -> jax.lax.Precision:
    """Return full precision for float32 operands, which a TPU would otherwise round to bfloat16."""
    return jax.lax.Precision.HIGHEST if jnp.dtype(dtype) == jnp.float32 else jax.lax.Precision.DEFAULT


def ragged_moe_mlp(
    x_sorted: jax.Array,
    w_gate: jax.Array,
    w_up: jax.Array,
    w_down: jax.Array,
    group_sizes: jax.Array,
    *,
    activation: Activation = "silu",
) -> jax.Array:
    """Return `(act(x W_gate) * (x W_up)) W_down` row by row, each row with its own expert's matrices.

    Sums run in float32 and the hidden activations are rounded to the dtype of `x_sorted`, as in the kernels.

    Args:
        x_sorted: (rows, d_model), sorted by expert.
        w_gate: (n_experts, d_model, d_ff).
        w_up: as `w_gate`.
        w_down: (n_experts, d_ff, d_model).
        group_sizes: (n_experts,) int32, rows of each expert; rows behind the last group give zeros.
        activation: the gate's nonlinearity.

    Returns:
        (rows, d_model), in the dtype of `x_sorted`.
    """
    dtype = x_sorted.dtype
    group_sizes = group_sizes.astype(jnp.int32)
    dot = partial(
        jax.lax.ragged_dot,
        group_sizes=group_sizes,
        precision=matmul_precision(dtype),
        preferred_element_type=jnp.float32,
    )
    hidden = ACTIVATIONS[activation](dot(x_sorted, w_gate)) * dot(x_sorted, w_up)
    output = dot(hidden.astype(dtype), w_down)
    owned = jnp.arange(x_sorted.shape[0], dtype=jnp.int32) < jnp.sum(group_sizes, dtype=jnp.int32)
    return jnp.where(owned[:, None], output, 0).astype(dtype)
