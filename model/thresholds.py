"""Chapter 5, thresholds: where each parallelism stops being compute-bound, from the forward terms without attention.

Given twice: for the book's MLP-only layer (one collective block) and for the whole layer. With alpha = C e/W,
F_eff = P/(2 n_b D) of the active weights, and s = all weights over active ones (1 in a dense model):

- FSDP alone: B/X > alpha s/M_X, with X = N_c where there are no tensor shards;
- tensor parallelism: Y < M_Y F_eff/alpha;
- both: B/N_c > alpha^2 s/(M_X M_Y F_eff), reached at X_opt = sqrt(B N_c M_X/(M_Y s F_eff)).

On one shared wire the two collectives add, so the mixed threshold is 4 times as high: at X_opt both are equal and
their sum must hide behind the math.
"""

import jax.numpy as jnp

from model.graph import Scalar, quantity


@quantity(label="Effective width, MLP only", symbol="F_eff,mlp", unit="elements", standing="threshold")
def mlp_effective_width(active_mlp_params: Scalar, d_model: Scalar) -> Scalar:
    """MLP weights over the activations that tensor parallelism moves: F for the book's two-matrix MLP."""
    return active_mlp_params / (2 * d_model)


@quantity(label="Effective width", symbol="F_eff", unit="elements", standing="threshold")
def layer_effective_width(active_layer_params: Scalar, collective_blocks: Scalar, d_model: Scalar) -> Scalar:
    """Layer weights over the activations that tensor parallelism moves: P_layer/(2 n_b D)."""
    return active_layer_params / (2 * collective_blocks * d_model)


@quantity(label="Sparsity of the MLP", symbol="s_mlp", unit="1", standing="threshold")
def mlp_sparsity(mlp_params: Scalar, active_mlp_params: Scalar) -> Scalar:
    """MLP weights stored and gathered over those that a token uses: about E/k, 1 in a dense model."""
    return mlp_params / active_mlp_params


@quantity(label="Sparsity of the layer", symbol="s", unit="1", standing="threshold")
def layer_sparsity(layer_params: Scalar, active_layer_params: Scalar) -> Scalar:
    """Layer weights stored and gathered over those that a token uses: 1 in a dense model."""
    return layer_params / active_layer_params


@quantity(label="FSDP axes beside TP", symbol="M_X,mixed", unit="axes", standing="threshold")
def mixed_fsdp_axes(ici_axes: Scalar, shared_wire: Scalar) -> Scalar:
    """Mesh axes left to FSDP when tensor parallelism takes one."""
    return jnp.where(shared_wire > 0.5, 1.0, ici_axes - 1)


@quantity(label="FSDP threshold", symbol="B/X_min", unit="tokens", standing="threshold")
def data_parallel_threshold(
    ici_critical_intensity: Scalar, fsdp_axes: Scalar, gather_bytes: Scalar, layer_sparsity: Scalar
) -> Scalar:
    """Tokens a data shard, B/X, above which FSDP hides behind the matmuls: alpha/M_X (2550, 850 on v5p)."""
    return ici_critical_intensity / fsdp_axes * layer_sparsity * gather_bytes / 2


@quantity(label="TP limit, MLP only", symbol="Y_max,mlp", unit="shards", standing="threshold")
def mlp_tensor_threshold(
    mlp_effective_width: Scalar, ici_critical_intensity: Scalar, activation_bytes: Scalar
) -> Scalar:
    """Tensor shards below which TP hides behind the MLP's matmuls: M_Y F/alpha on one axis (11.2 on v5p)."""
    return mlp_effective_width / ici_critical_intensity * 2 / activation_bytes


@quantity(label="TP limit", symbol="Y_max", unit="shards", standing="threshold")
def tensor_threshold(layer_effective_width: Scalar, ici_critical_intensity: Scalar, activation_bytes: Scalar) -> Scalar:
    """Tensor shards below which TP hides behind the whole layer's matmuls."""
    return layer_effective_width / ici_critical_intensity * 2 / activation_bytes


def _mixed(alpha: Scalar, axes: Scalar, width: Scalar, wire: Scalar, bytes_product: Scalar) -> Scalar:
    return jnp.where(wire > 0.5, 4.0, 1.0) * alpha**2 / (axes * width) * bytes_product / 4


@quantity(label="FSDP+TP threshold, MLP only", symbol="B/N_c,mlp", unit="tokens", standing="threshold")
def mlp_mixed_threshold(
    ici_critical_intensity: Scalar,
    mixed_fsdp_axes: Scalar,
    mlp_effective_width: Scalar,
    mlp_sparsity: Scalar,
    shared_wire: Scalar,
    gather_bytes: Scalar,
    activation_bytes: Scalar,
) -> Scalar:
    """Tokens a chip above which FSDP with TP at the best split hides behind the MLP (99, 113, 235 in the book)."""
    width = mlp_effective_width / mlp_sparsity
    return _mixed(ici_critical_intensity, mixed_fsdp_axes, width, shared_wire, gather_bytes * activation_bytes)


@quantity(label="FSDP+TP threshold", symbol="B/N_c,mixed", unit="tokens", standing="threshold")
def mixed_threshold(
    ici_critical_intensity: Scalar,
    mixed_fsdp_axes: Scalar,
    layer_effective_width: Scalar,
    layer_sparsity: Scalar,
    shared_wire: Scalar,
    gather_bytes: Scalar,
    activation_bytes: Scalar,
) -> Scalar:
    """Tokens a chip above which FSDP with TP at the best split hides behind the whole layer."""
    width = layer_effective_width / layer_sparsity
    return _mixed(ici_critical_intensity, mixed_fsdp_axes, width, shared_wire, gather_bytes * activation_bytes)


def _best_split(
    batch: Scalar, chips: Scalar, axes: Scalar, width: Scalar, gather: Scalar, activation: Scalar
) -> Scalar:
    return jnp.sqrt(batch * chips * axes / width * activation / gather)


@quantity(label="Best data shards, MLP only", symbol="X_opt,mlp", unit="shards", standing="threshold")
def mlp_optimal_data_shards(
    batch_tokens: Scalar,
    chips: Scalar,
    mixed_fsdp_axes: Scalar,
    mlp_effective_width: Scalar,
    mlp_sparsity: Scalar,
    gather_bytes: Scalar,
    activation_bytes: Scalar,
) -> Scalar:
    """Data shards at which the MLP's FSDP and TP comms take equally long (1333 and 1618 in the book)."""
    width = mlp_effective_width * mlp_sparsity
    return _best_split(batch_tokens, chips, mixed_fsdp_axes, width, gather_bytes, activation_bytes)


@quantity(label="Best data shards", symbol="X_opt", unit="shards", standing="threshold")
def optimal_data_shards(
    batch_tokens: Scalar,
    chips: Scalar,
    mixed_fsdp_axes: Scalar,
    layer_effective_width: Scalar,
    layer_sparsity: Scalar,
    gather_bytes: Scalar,
    activation_bytes: Scalar,
) -> Scalar:
    """Data shards at which the whole layer's FSDP and TP comms take equally long."""
    width = layer_effective_width * layer_sparsity
    return _best_split(batch_tokens, chips, mixed_fsdp_axes, width, gather_bytes, activation_bytes)
