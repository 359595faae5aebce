"""Mixture-of-experts laws in the forms of their papers, all in nats, JAX-traceable and vectorised.

Signs and meanings were checked by evaluating them: Clark's loss falls with experts at fixed N and less so for large N;
Krajewski's N is the **total** count (on active N its MoE would lose to its own dense law at every granularity); Abnar's
negative lambda makes c (1-S)^|lambda| fall with sparsity, so the best sparsity rises with N.
"""

from typing import NamedTuple

import jax.numpy as jnp

from model.laws.surface import Real


class Clark(NamedTuple):
    """Routed models: a dense model of N parameters given E experts (Clark et al. 2022, eq. 2), 130B tokens."""

    a: Real
    b: Real
    c: Real
    d: Real
    experts_start: Real
    experts_max: Real

    def effective_experts(self, experts: Real) -> Real:
        """E saturated at both ends: `experts_start` at one expert, `experts_max` at infinitely many."""
        head = 1 / (1 / self.experts_start - 1 / self.experts_max)
        return 1 / (1 / (experts - 1 + head) + 1 / self.experts_max)

    def loss(self, params: Real, experts: Real) -> Real:
        """Loss at N parameters of the dense model that each token sees, and E experts."""
        log_n, log_e = jnp.log10(params), jnp.log10(self.effective_experts(experts))
        return 10 ** (self.a * log_n + self.b * log_e + self.c * log_n * log_e + self.d)

    def effective_params(self, params: Real, experts: Real) -> Real:
        """N of the one-expert model of equal loss: what routing is worth."""
        log_n = jnp.log10(params)
        log_e, log_one = (jnp.log10(self.effective_experts(e)) for e in (experts, 1.0))
        exponent = self.a * log_n + self.b * (log_e - log_one) + self.c * log_n * log_e
        return 10 ** (exponent / (self.a + self.c * log_one))


class Krajewski(NamedTuple):
    """Fine-grained experts of granularity G (Krajewski et al. 2024, eq. 9); dense has g = 0."""

    a: Real
    alpha: Real
    b: Real
    beta: Real
    g: Real
    gamma: Real
    c: Real

    def loss(self, params: Real, tokens: Real, granularity: Real = 1.0) -> Real:
        """Loss at N total parameters, D tokens and granularity G."""
        capacity = self.g * granularity ** (-self.gamma) + self.a
        return self.c + capacity * params ** (-self.alpha) + self.b * tokens ** (-self.beta)


class Abnar(NamedTuple):
    """Models of sparsity S, the share of inactive experts (Abnar et al. 2025, eq. 5); `lam` is its lambda."""

    a: Real
    alpha: Real
    b: Real
    beta: Real
    c: Real
    lam: Real
    d: Real
    delta: Real
    gamma: Real
    e: Real

    def loss(self, params: Real, tokens: Real, sparsity: Real) -> Real:
        """Loss at N total parameters, D tokens and sparsity S in [0, 1)."""
        dense = 1 - sparsity
        alone = self.a * params ** (-self.alpha) + self.b * tokens ** (-self.beta) + self.e
        return alone + self.c * dense ** (-self.lam) + self.d * dense ** (-self.delta) * params ** (-self.gamma)
