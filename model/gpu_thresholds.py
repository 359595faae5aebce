"""Chapter 12, thresholds on GPUs: data, tensor and expert parallelism over few nodes, and who holds the state."""

import jax.numpy as jnp

from model.graph import Scalar, quantity


@quantity(label="Experts' data threshold", symbol="B/X_min,moe", unit="tokens", standing="threshold")
def expert_data_threshold(
    ici_critical_intensity: Scalar, fsdp_axes: Scalar, expert_sparsity: Scalar, gather_bytes: Scalar
) -> Scalar:
    """Tokens a data shard above which gathering all experts hides behind the active ones: alpha E/k."""
    return ici_critical_intensity / fsdp_axes * expert_sparsity * gather_bytes / 2


@quantity(label="Few-node data threshold", symbol="B/X_min,M", unit="tokens", standing="threshold")
def few_node_data_threshold(ici_critical_intensity: Scalar, span_nodes: Scalar) -> Scalar:
    """Tokens a GPU for data parallelism over M nodes: alpha(M - 1)/M."""
    return ici_critical_intensity * (span_nodes - 1) / span_nodes


@quantity(label="TP limit, two nodes", symbol="Y_max,2", unit="shards", standing="threshold")
def two_node_tensor_limit(d_ff: Scalar, ici_critical_intensity: Scalar, node_gpus: Scalar) -> Scalar:
    """Tensor shards over exactly two nodes that hide: Y - N_node < F/alpha."""
    return d_ff / ici_critical_intensity + node_gpus


@quantity(label="Bandwidth of spanned nodes", symbol="W_span", unit="B/s")
def span_bandwidth(span_nodes: Scalar, node_egress: Scalar) -> Scalar:
    """Egress of all nodes that one model copy spans."""
    return span_nodes * node_egress


@quantity(label="Data threshold, spanned nodes", symbol="B/X_min,span", unit="tokens", standing="threshold")
def span_data_threshold(reachable_flops: Scalar, span_bandwidth: Scalar) -> Scalar:
    """Tokens a GPU for data parallelism when a model copy spans several nodes: C/(M W_node)."""
    return reachable_flops / span_bandwidth


@quantity(label="Expert compute", symbol="T_math,ep", unit="s", standing="lower bound")
def expert_math_time(
    batch_tokens: Scalar,
    active_experts: Scalar,
    d_model: Scalar,
    d_expert: Scalar,
    expert_gpus: Scalar,
    reachable_flops: Scalar,
) -> Scalar:
    """Forward FLOPs of plain experts over Z GPUs: 4BkDF/(Z C)."""
    return 4 * batch_tokens * active_experts * d_model * d_expert / (expert_gpus * reachable_flops)


@quantity(label="Expert comms", symbol="T_comms,ep", unit="s", standing="lower bound")
def expert_comms_time(
    batch_tokens: Scalar,
    d_model: Scalar,
    expert_gpus: Scalar,
    node_gpus: Scalar,
    active_experts: Scalar,
    node_egress: Scalar,
) -> Scalar:
    """Two AllToAlls across nodes: 4BD(Z - N)/(W_node Z) min(N k/Z, 1); 0 within a node."""
    across = jnp.where(expert_gpus > node_gpus, expert_gpus - node_gpus, 0.0)
    spread = node_gpus * active_experts / expert_gpus
    reached = jnp.where(spread < 1, spread, 1.0)
    return 4 * batch_tokens * d_model * across / (node_egress * expert_gpus) * reached


@quantity(label="Expert comms over compute", symbol="T_comms,ep/T_math,ep", unit="1")
def expert_comms_balance(expert_comms_time: Scalar, expert_math_time: Scalar) -> Scalar:
    """Comms of expert parallelism over its compute: below 1 they hide."""
    return expert_comms_time / expert_math_time


@quantity(label="Expert width", symbol="F_min,ep", unit="elements", standing="threshold")
def expert_min_width(node_gpus: Scalar, reachable_flops: Scalar, node_egress: Scalar) -> Scalar:
    """Width of plain experts from which wide expert parallelism hides: N C/W_node."""
    return node_gpus * reachable_flops / node_egress


@quantity(label="Training state a shard", symbol="M_state/Y", unit="B")
def state_bytes_per_tensor_shard(state_bytes: Scalar, tensor_shards: Scalar) -> Scalar:
    """Training state of each GPU when only tensor shards split it."""
    return state_bytes / tensor_shards


@quantity(label="Whole chips for the state", symbol="N_state", unit="chips", standing="threshold")
def whole_state_chips(state_bytes: Scalar, hbm_capacity: Scalar) -> Scalar:
    """Chips whose HBM holds the training state without checkpoints, rounded up."""
    return jnp.ceil(state_bytes / hbm_capacity)
