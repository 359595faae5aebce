"""Variable projection: search (alpha, beta) in two dimensions, with the best non-negative (E, A, B) solved for exactly.

Squared error on the loss itself is linear in E, A, B once the exponents are fixed, so the search is well conditioned
(arXiv 2603.22339). It starts the robust fit, and stands beside it as another choice of loss function.
"""

import itertools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from model.laws.runs import Runs
from model.laws.surface import Law

EXPONENT_RANGE = (0.02, 3.0)
GRID = 25
ZOOMS = 14
_SUBSETS = np.array([subset for subset in itertools.product((True, False), repeat=3) if any(subset)])


class Projection(NamedTuple):
    """The law of least squared error on L and its residual sum of squares."""

    law: Law
    rss: Array


def _non_negative(columns: Array, target: Array) -> tuple[Array, Array]:
    """Least squares with coefficients (3,) >= 0 by trying every set of columns that may be non-zero."""
    gram, moment = columns.T @ columns, columns.T @ target

    def attempt(subset: Array) -> tuple[Array, Array]:
        matrix = jnp.where(subset[:, None] & subset[None, :], gram, jnp.eye(3))
        solution = jnp.where(subset, jnp.linalg.solve(matrix, jnp.where(subset, moment, 0.0)), 0.0)
        rss = jnp.sum((columns @ solution - target) ** 2)
        return solution, jnp.where(jnp.all(solution >= 0), rss, jnp.inf)

    solutions, rss = jax.vmap(attempt)(jnp.asarray(_SUBSETS))
    best = jnp.argmin(rss)
    return solutions[best], rss[best]


@jax.jit
def _search(log_n: Array, log_d: Array, loss: Array) -> Projection:
    mean_n, mean_d = jnp.mean(log_n), jnp.mean(log_d)

    def project(exponents: Array) -> tuple[Array, Array]:
        alpha, beta = exponents
        powers = (jnp.ones_like(loss), jnp.exp(alpha * (mean_n - log_n)), jnp.exp(beta * (mean_d - log_d)))
        return _non_negative(jnp.stack(powers, axis=1), loss)

    def zoom(centre: Array, width: Array) -> tuple[Array, None]:
        offsets = width * jnp.linspace(-1, 1, GRID)
        grid = jnp.exp(centre + jnp.stack(jnp.meshgrid(offsets, offsets), axis=-1).reshape(-1, 2))
        grid = jnp.clip(grid, *EXPONENT_RANGE)
        return jnp.log(grid[jnp.argmin(jax.vmap(project)(grid)[1])]), None

    low, high = np.log(EXPONENT_RANGE)
    widths = (high - low) / 2 * 4.0 ** -jnp.arange(ZOOMS)
    centre, _ = jax.lax.scan(zoom, jnp.full(2, (low + high) / 2), widths)
    alpha, beta = jnp.exp(centre)
    (e, a, b), rss = project(jnp.exp(centre))
    return Projection(Law(e, a * jnp.exp(alpha * mean_n), b * jnp.exp(beta * mean_d), alpha, beta), rss)


def variable_projection(runs: Runs) -> Projection:
    """The law that minimises the sum over runs of (predicted - measured loss)^2, with E, A, B >= 0."""
    return _search(jnp.log(runs.params), jnp.log(runs.tokens), jnp.asarray(runs.loss))
