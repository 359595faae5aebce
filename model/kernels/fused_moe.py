"""The expert MLP of a mixture of experts as one differentiable operator, on the fastest path that is known to be right.

On a TPU it is one Pallas kernel that keeps the hidden activations on chip; elsewhere it is XLA's `ragged_dot`. The
gradient recomputes the hidden activations, so nothing of size (rows, d_ff) outlives the forward pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from model.kernels.gpu_tiles import choose_gpu_tiles
from model.kernels.mosaic import Interpret, mosaic_moe_mlp
from model.kernels.reference import ACTIVATIONS, Activation, ragged_moe_mlp
from model.kernels.tiles import DoesNotFit, Problem, Strategy, Tiles, choose_tiles
from model.knobs.kernel import VMEM_LIMIT

Backend = Literal["mosaic", "triton", "xla"]

DTYPES = ("float32", "bfloat16")


@dataclass(frozen=True)
class Plan:
    """How a call will run: backend, tiles (none for `xla`) and the reason in words."""

    backend: Backend
    tiles: Tiles | None
    reason: str


def plan_fused_moe(
    problem: Problem,
    *,
    backend: Backend | None = None,
    block_m: int | None = None,
    block_f: int | None = None,
    strategy: Strategy | None = None,
    vmem_limit_bytes: int = VMEM_LIMIT,
) -> Plan:
    """Say how `fused_moe_mlp` runs this shape and why.

    With no backend named, the plan is the TPU kernel if tiles fit; it is then used where the call is compiled for a
    TPU and `ragged_dot` everywhere else. A GPU gets the Triton kernel only when it is asked for: it has not been timed
    against `ragged_dot`, and JAX has deprecated the backend under it since version 0.11.

    Raises:
        DoesNotFit: tiles were asked for (a backend, a block or a strategy) and none fit.
        ValueError: a block or strategy that is not legal, or blocks for a backend that has none.
    """
    blocks = {"block_m": block_m, "block_f": block_f, "strategy": strategy}
    given = [name for name, value in blocks.items() if value is not None]
    if backend == "xla":
        if given:
            raise ValueError(f"backend='xla' has no tiles: leave out {', '.join(given)}")
        return Plan("xla", None, "the XLA reference was asked for")
    if problem.rows == 0:
        return Plan("xla", None, "there are no rows")
    if backend == "triton":
        if strategy is not None:
            raise ValueError("backend='triton' has one strategy: leave out strategy")
        return Plan("triton", choose_gpu_tiles(problem, block_m=block_m, block_f=block_f), "Triton was asked for")
    try:
        tiles = choose_tiles(problem, block_m=block_m, block_f=block_f, strategy=strategy, vmem_limit=vmem_limit_bytes)
    except DoesNotFit as refusal:
        if backend or given:
            raise
        return Plan("xla", None, str(refusal))
    where = "the TPU kernel was asked for" if backend else "the TPU kernel on a TPU; ragged_dot elsewhere"
    why = "an expert's matrices fit in VMEM" if tiles.strategy == "whole" else "an expert's matrices pass in F tiles"
    return Plan("mosaic", tiles, f"{where}; {tiles.strategy}: {why}")


def fused_moe_mlp(
    x_sorted: jax.Array,
    w_gate: jax.Array,
    w_up: jax.Array,
    w_down: jax.Array,
    group_sizes: jax.Array,
    *,
    activation: Activation = "silu",
    block_m: int | None = None,
    block_f: int | None = None,
    strategy: Strategy | None = None,
    backend: Backend | None = None,
    vmem_limit_bytes: int = VMEM_LIMIT,
    interpret: Interpret = False,
) -> jax.Array:
    """Return `(act(x W_gate) * (x W_up)) W_down` row by row, each row with its own expert's matrices.

    Differentiable in the rows and the weights. An expert without rows gets a gradient of zero. Rows behind the last
    group belong to no expert: they give zeros and get a gradient of zero.

    Args:
        x_sorted: (rows, d_model), float32 or bfloat16, sorted by expert.
        w_gate: (n_experts, d_model, d_ff), in the dtype of `x_sorted`.
        w_up: as `w_gate`.
        w_down: (n_experts, d_ff, d_model).
        group_sizes: (n_experts,) integers, rows of each expert; their sum is at most rows.
        activation: the gate's nonlinearity: `silu`, `gelu` (tanh form) or `relu`.
        block_m: rows of a tile; chosen if not given.
        block_f: hidden columns of a tile; chosen if not given.
        strategy: `whole` or `tiled`; chosen if not given.
        backend: `mosaic` (TPU), `triton` (GPU) or `xla`; if not given, as `plan_fused_moe` says.
        vmem_limit_bytes: VMEM that the TPU kernel may use; the compiler is told the same.
        interpret: run the kernel's interpreter, on any device.

    Returns:
        (rows, d_model), in the dtype of `x_sorted`.

    Raises:
        DoesNotFit: a kernel was asked for and no tiles fit; the message gives the shortfall.
        ValueError: shapes, dtypes, sizes or blocks that don't agree, in one line.
    """
    problem = _check(x_sorted, w_gate, w_up, w_down, group_sizes, activation)
    if interpret and backend is None:
        backend = "mosaic"
    plan = plan_fused_moe(
        problem,
        backend=backend,
        block_m=block_m,
        block_f=block_f,
        strategy=strategy,
        vmem_limit_bytes=vmem_limit_bytes,
    )
    everywhere = backend is not None
    call = _Call(activation, plan.backend, plan.tiles, everywhere, vmem_limit_bytes, interpret)
    return _moe_mlp(call, x_sorted, w_gate, w_up, w_down, group_sizes)


@dataclass(frozen=True)
class _Call:
    """What is static in a call. `everywhere`: run the kernel on whatever platform this is compiled for."""

    activation: Activation
    backend: Backend
    tiles: Tiles | None
    everywhere: bool
    vmem_limit_bytes: int
    interpret: Interpret

    def forward(self, *arrays: jax.Array) -> jax.Array:
        reference = partial(ragged_moe_mlp, activation=self.activation)
        if self.tiles is None:
            return reference(*arrays)
        blocks = {"activation": self.activation, "block_m": self.tiles.block_m, "block_f": self.tiles.block_f}
        if self.backend == "triton":
            from model.kernels.triton import triton_moe_mlp

            return triton_moe_mlp(*arrays, **blocks, interpret=bool(self.interpret))
        kernel = partial(mosaic_moe_mlp, **blocks, vmem_limit_bytes=self.vmem_limit_bytes, interpret=self.interpret)
        if self.everywhere:
            return kernel(*arrays)
        return jax.lax.platform_dependent(*arrays, tpu=kernel, default=reference)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _moe_mlp(call: _Call, *arrays: jax.Array) -> jax.Array:
    return call.forward(*arrays)


def _forward(call: _Call, *arrays: jax.Array) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    return call.forward(*arrays), arrays


def _backward(call: _Call, arrays: tuple[jax.Array, ...], cotangent: jax.Array) -> tuple[jax.Array | None, ...]:
    x_sorted, w_gate, w_up, w_down, group_sizes = arrays
    reference = partial(ragged_moe_mlp, group_sizes=group_sizes, activation=call.activation)
    _, pullback = jax.vjp(reference, x_sorted, w_gate, w_up, w_down)
    d_rows, *d_weights = pullback(cotangent)
    # An empty group's product has nothing to sum; some lowerings leave its block unwritten.
    occupied = (group_sizes > 0)[:, None, None]
    return (d_rows, *(jnp.where(occupied, d_weight, 0) for d_weight in d_weights), None)


_moe_mlp.defvjp(_forward, _backward)


def _check(
    x_sorted: jax.Array,
    w_gate: jax.Array,
    w_up: jax.Array,
    w_down: jax.Array,
    group_sizes: jax.Array,
    activation: Activation,
) -> Problem:
    """Return the shape of the call, or refuse it in one line."""
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation={activation!r} is not one of {', '.join(ACTIVATIONS)}")
    if x_sorted.ndim != 2 or w_gate.ndim != 3:
        raise ValueError(
            f"x_sorted {x_sorted.shape} and w_gate {w_gate.shape} must be (rows, d_model) and "
            "(n_experts, d_model, d_ff)"
        )
    rows, d_model = x_sorted.shape
    n_experts, _, d_ff = w_gate.shape
    expected = {
        "w_gate": (w_gate, (n_experts, d_model, d_ff)),
        "w_up": (w_up, (n_experts, d_model, d_ff)),
        "w_down": (w_down, (n_experts, d_ff, d_model)),
        "group_sizes": (group_sizes, (n_experts,)),
    }
    for name, (array, shape) in expected.items():
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, expected {shape} from x_sorted {x_sorted.shape}")
    if min(d_model, n_experts, d_ff) == 0:
        raise ValueError(f"d_model={d_model}, n_experts={n_experts}, d_ff={d_ff}: each must be at least 1")
    if str(x_sorted.dtype) not in DTYPES:
        raise ValueError(f"x_sorted is {x_sorted.dtype}; the operator takes {' or '.join(DTYPES)}: cast it")
    for name, (array, _) in list(expected.items())[:3]:
        if array.dtype != x_sorted.dtype:
            raise ValueError(f"{name} is {array.dtype} but x_sorted is {x_sorted.dtype}: cast one of them")
    if not jnp.issubdtype(group_sizes.dtype, jnp.integer):
        raise ValueError(f"group_sizes is {group_sizes.dtype}, expected integers")
    if not isinstance(group_sizes, Tracer):
        sizes = np.asarray(group_sizes)
        if sizes.min() < 0 or sizes.sum() > rows:
            raise ValueError(
                f"group_sizes have least {sizes.min()} and sum {sizes.sum()}: none may be negative, "
                f"and they sum to at most rows={rows}"
            )
    return Problem(rows, d_model, d_ff, n_experts, x_sorted.dtype.itemsize)
