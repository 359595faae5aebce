"""Chapter 4, mixtures of experts: every expert is stored and gathered, only the routed ones work.

Total parameters price memory and weight collectives, active parameters price FLOPs. Layers are averaged where a model
mixes dense and sparse ones. The collectives of expert parallelism are not priced.
"""

import jax.numpy as jnp

from model.graph import Scalar, quantity


@quantity(label="Expert parameters", symbol="P_e", unit="params")
def expert_params(d_model: Scalar, d_expert: Scalar, mlp_matrices: Scalar) -> Scalar:
    """Weights of one routed expert: 3DF_e gated."""
    return mlp_matrices * d_model * d_expert


@quantity(label="Sparse layers", symbol="L_s", unit="layers")
def sparse_layers(n_layers: Scalar, dense_layers: Scalar, n_experts: Scalar) -> Scalar:
    """Layers with a mixture of experts; none where there is one expert or every layer is dense."""
    return jnp.where((n_experts > 1) & (dense_layers < n_layers), n_layers - dense_layers, 0.0)


@quantity(label="Sparse MLP parameters, a layer", symbol="P_sparse", unit="params")
def sparse_mlp_params(expert_params: Scalar, n_experts: Scalar, shared_experts: Scalar, d_model: Scalar) -> Scalar:
    """Weights of one mixture: E routed and the shared experts, and a router of D E."""
    return (n_experts + shared_experts) * expert_params + d_model * n_experts


@quantity(label="Active sparse parameters, a layer", symbol="P_sparse,act", unit="params")
def active_sparse_mlp_params(
    expert_params: Scalar, active_experts: Scalar, shared_experts: Scalar, d_model: Scalar, n_experts: Scalar
) -> Scalar:
    """Weights of one mixture that a token uses: k routed and the shared experts, and the router."""
    return (active_experts + shared_experts) * expert_params + d_model * n_experts


@quantity(label="Dense MLP parameters, a layer", symbol="P_dense", unit="params")
def dense_mlp_params(d_model: Scalar, d_ff: Scalar, mlp_matrices: Scalar) -> Scalar:
    """Weights of a dense MLP: 3DF gated, 2DF plain."""
    return mlp_matrices * d_model * d_ff


@quantity(label="MLP parameters, a layer", symbol="P_mlp", unit="params")
def mlp_params(dense_mlp_params: Scalar, sparse_mlp_params: Scalar, sparse_layers: Scalar, n_layers: Scalar) -> Scalar:
    """MLP weights of a layer, averaged over dense and sparse ones: 3DF in a dense gated model."""
    return dense_mlp_params + sparse_layers / n_layers * (sparse_mlp_params - dense_mlp_params)


@quantity(label="Active MLP parameters, a layer", symbol="P_mlp,act", unit="params")
def active_mlp_params(
    dense_mlp_params: Scalar, active_sparse_mlp_params: Scalar, sparse_layers: Scalar, n_layers: Scalar
) -> Scalar:
    """MLP weights of a layer that a token uses, averaged over dense and sparse ones."""
    return dense_mlp_params + sparse_layers / n_layers * (active_sparse_mlp_params - dense_mlp_params)


def _experts_hit(experts: Scalar, active: Scalar, tokens: Scalar) -> Scalar:
    all_hit = active >= experts
    missed = 1 - jnp.where(all_hit, 0.5, active / experts)
    return jnp.where(all_hit, experts, experts * (1 - missed**tokens))


@quantity(label="Experts hit, decode", symbol="E_hit", unit="experts", standing="estimate")
def decode_experts_hit(n_experts: Scalar, active_experts: Scalar, decode_batch: Scalar) -> Scalar:
    """Experts that at least one of B tokens uses under uniform routing: E (1 - (1 - k/E)^B)."""
    return _experts_hit(n_experts, active_experts, decode_batch)


@quantity(label="Experts hit, prefill", symbol="E_hit,p", unit="experts", standing="estimate")
def prefill_experts_hit(n_experts: Scalar, active_experts: Scalar, prefill_tokens: Scalar) -> Scalar:
    """Experts that at least one prompt token uses under uniform routing."""
    return _experts_hit(n_experts, active_experts, prefill_tokens)
