"""Damped Newton for robust fits of log-sum-exp models, written so that `vmap` runs every start and resample at once.

The model of log loss is m_i = log sum_j exp(U_ij . theta): L = E + A/N^alpha + B/D^beta is one, and so are its
dense-and-MoE kin. With p the softmax over j, its gradient is J_i = sum_j p_ij U_ij and its curvature
sum_j p_ij U_ij U_ij^T - J_i J_i^T: everything is one matrix product with features that no lane changes.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

MAX_STEPS = 300
TOLERANCE = 1e-13
"""Stop when Newton promises to lower the objective by less than this part of it."""

MAX_DAMPING = 1e10


LANES = 64
"""Lanes that run together: one compilation serves any number of starts and resamples, and laggards hold up few."""


class Problem(NamedTuple):
    """What is fitted: features (n, terms, k), target log loss (n,) and the box of theta, (k,) and (k,)."""

    features: Array | np.ndarray
    target: Array | np.ndarray
    lower: Array | np.ndarray
    upper: Array | np.ndarray


class Solution(NamedTuple):
    """Where a lane ended: theta (k,), objective, steps, whether it converged, and which coordinates lie on the box."""

    theta: Array | np.ndarray
    objective: Array | np.ndarray
    steps: Array | np.ndarray
    converged: Array | np.ndarray
    on_bound: Array | np.ndarray


class _Local(NamedTuple):
    objective: Array
    gradient: Array
    hessian: Array
    scale: Array


class _State(NamedTuple):
    theta: Array
    local: _Local
    trial: Array
    damping: Array
    steps: Array
    done: Array


def huber(residual: Array, delta: Array) -> Array:
    """r^2/2 within delta, delta(|r| - delta/2) beyond; delta = inf is the squared error."""
    size = jnp.abs(residual)
    inside = jnp.minimum(size, delta)
    return inside * (size - 0.5 * inside)


def residuals(problem: Problem, theta: Array) -> Array:
    """Predicted minus measured log loss, (n,)."""
    return jax.nn.logsumexp(problem.features @ theta, axis=-1) - problem.target


def _expand(problem: Problem, weights: Array, delta: Array, theta: Array) -> _Local:
    features = problem.features
    k = features.shape[-1]
    logits = features @ theta
    top = jnp.max(logits, axis=-1, keepdims=True)
    exps = jnp.exp(logits - top)
    total = jnp.sum(exps, axis=-1, keepdims=True)
    share = exps / total
    residual = (jnp.log(total) + top)[:, 0] - problem.target
    size = jnp.abs(residual)
    slope = weights * jnp.clip(residual, -delta, delta)
    curve = weights * (size <= delta)
    pull = weights * jnp.minimum(1.0, delta / jnp.maximum(size, 1e-300))
    jacobian = jnp.einsum("ij,ijk->ik", share, features)
    outer = jnp.einsum("ijk,ijl->ijkl", features, features).reshape(-1, k * k)
    bend = ((slope[:, None] * share).reshape(-1) @ outer).reshape(k, k)
    hessian = bend + jacobian.T @ ((curve - slope)[:, None] * jacobian)
    scale = jnp.sum(pull[:, None] * jacobian**2, axis=0)
    value = jnp.sum(weights * huber(residual, delta))
    return _Local(value, slope @ jacobian, hessian, scale)


def _step(local: _Local, damping: Array, free: Array) -> tuple[Array, Array]:
    """Newton's step under Marquardt damping, and the decrease that it promises; NaN where the matrix is indefinite."""
    ridge = 1e-9 * jnp.mean(local.scale) + 1e-300
    matrix = local.hessian + damping * jnp.diag(local.scale + ridge)
    matrix = jnp.where(free[:, None] & free[None, :], matrix, jnp.eye(free.shape[0]))
    gradient = jnp.where(free, local.gradient, 0.0)
    factor = jnp.linalg.cholesky(matrix)
    step = -jax.scipy.linalg.cho_solve((factor, True), gradient)
    return step, -0.5 * gradient @ step


def minimise(problem: Problem, weights: Array, delta: Array, start: Array) -> Solution:
    """Lower the weighted **sum** of Huber(delta) on log loss from `start` (k,), with run weights (n,).

    (An average instead of the sum makes stopping rules stop early.) A trial step that does not lower the objective, or
    whose matrix is not positive definite, is refused and the damping grows: the step turns into a short scaled descent.
    Coordinates on the box whose gradient points outward are held.
    """
    lower, upper = problem.lower, problem.upper
    k = start.shape[0]

    def advance(state: _State) -> _State:
        trial = _expand(problem, weights, delta, state.trial)
        better = trial.objective < state.local.objective
        theta, local = jax.tree.map(
            lambda new, old: jnp.where(better, new, old), (state.trial, trial), (state.theta, state.local)
        )
        damping = jnp.where(better, jnp.maximum(state.damping * 0.2, 1e-12), state.damping * 6.0)
        held = ((theta <= lower) & (local.gradient > 0)) | ((theta >= upper) & (local.gradient < 0))
        step, promise = _step(local, damping, ~held)
        flat = (promise >= 0) & (promise <= TOLERANCE * local.objective)
        done = flat | (damping > MAX_DAMPING)
        return _State(theta, local, jnp.clip(theta + step, lower, upper), damping, state.steps + 1, done)

    start = jnp.clip(start, lower, upper)
    unknown = _Local(jnp.array(jnp.inf), jnp.zeros(k), jnp.eye(k), jnp.ones(k))
    begin = _State(start, unknown, start, jnp.array(1.0), jnp.array(0), jnp.array(False))
    end = jax.lax.while_loop(lambda s: ~s.done & (s.steps < MAX_STEPS), advance, begin)
    on_bound = (end.theta <= lower) | (end.theta >= upper)
    return Solution(end.theta, end.local.objective, end.steps, end.done, on_bound)


_lanes = jax.jit(jax.vmap(minimise, in_axes=(None, 0, 0, 0)))


def minimise_all(problem: Problem, weights: np.ndarray, deltas: np.ndarray, starts: np.ndarray) -> Solution:
    """`minimise` for m lanes: weights (m, n), deltas (m,), starts (m, k). Returns NumPy arrays with a leading m."""
    count = len(starts)
    padded = -count % LANES
    lanes = [np.concatenate([part, np.repeat(part[:1], padded, axis=0)]) for part in (weights, deltas, starts)]
    chunks = [_lanes(problem, *(part[i : i + LANES] for part in lanes)) for i in range(0, count + padded, LANES)]
    return jax.tree.map(lambda *parts: np.concatenate(parts)[:count], *chunks)
