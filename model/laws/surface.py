"""The law L(N, D) = E + A/N^alpha + B/D^beta and what follows from it."""

from typing import Any, NamedTuple

import jax.numpy as jnp

Real = Any
"""A float, or an array of any shape: a `Law` may hold one law, or one per start or per bootstrap resample."""


class Law(NamedTuple):
    """Coefficients of L(N, D) = E + A/N^alpha + B/D^beta (Hoffmann et al. 2022, eq. 2); a pytree of equal shapes."""

    E: Real
    A: Real
    B: Real
    alpha: Real
    beta: Real

    def loss(self, params: Real, tokens: Real) -> Real:
        """Loss in nats at N parameters and D tokens."""
        return self.E + self.A * params ** (-self.alpha) + self.B * tokens ** (-self.beta)

    @property
    def a(self) -> Real:
        """Exponent of N_opt = G (C/6)^a: beta/(alpha+beta)."""
        return self.beta / (self.alpha + self.beta)

    @property
    def b(self) -> Real:
        """Exponent of D_opt = (C/6)^b / G: alpha/(alpha+beta)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def factor(self) -> Real:
        """G = (alpha A / (beta B))^(1/(alpha+beta)), the factor of N_opt = G (C/6)^a."""
        return (self.alpha * self.A / (self.beta * self.B)) ** (1 / (self.alpha + self.beta))

    def optimum(self, flop: Real) -> tuple[Real, Real]:
        """Compute-optimal (N, D) for C training FLOPs under C = 6ND."""
        return self.factor * (flop / 6) ** self.a, (flop / 6) ** self.b / self.factor

    def theta(self) -> Real:
        """Coordinates in which the fit moves: (log A, log B, log E, alpha, beta), shape (..., 5)."""
        return jnp.stack([jnp.log(self.A), jnp.log(self.B), jnp.log(self.E), self.alpha, self.beta], axis=-1)

    @staticmethod
    def from_theta(theta: Real) -> "Law":
        """The law at coordinates of shape (..., 5)."""
        log_a, log_b, log_e, alpha, beta = jnp.moveaxis(theta, -1, 0)
        return Law(jnp.exp(log_e), jnp.exp(log_a), jnp.exp(log_b), alpha, beta)
