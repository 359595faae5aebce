"""Chapters 5 and 6, whole runs: batches that a mesh can use, traffic of the book's MLP-only layer, pods over DCN.

A pod is one ICI fabric of `pod_chips`; between pods only gradients travel, over the data-centre network.
"""

import jax.numpy as jnp

from model.binding import binding_max
from model.graph import Scalar, quantity


@quantity(label="Largest replicated model", symbol="N_max", unit="params", standing="threshold")
def largest_replicated_params(hbm_capacity: Scalar, state_bytes_per_param: Scalar) -> Scalar:
    """Parameters whose training state fits one chip: the limit of pure data parallelism."""
    return hbm_capacity / state_bytes_per_param


@quantity(label="Gradient traffic, MLP only", symbol="V_grad", unit="B")
def gradient_traffic(gradient_bytes: Scalar, mlp_params: Scalar) -> Scalar:
    """Bytes that an AllReduce of one layer's MLP gradients moves: twice their size, 8DF in the book's bf16 MLP."""
    return 2 * gradient_bytes * mlp_params


@quantity(label="Gradient AllReduce, MLP only", symbol="T_grad", unit="s", standing="lower bound")
def gradient_allreduce_time(gradient_traffic: Scalar, ici_bandwidth: Scalar, fsdp_axes: Scalar) -> Scalar:
    """AllReduce of one layer's MLP gradients over the data axes: 8DF/(W M_X)."""
    return gradient_traffic / (ici_bandwidth * fsdp_axes)


@quantity(label="FSDP comms, MLP only", symbol="T_fsdp,mlp", unit="s", standing="lower bound")
def mlp_fsdp_time(
    gather_bytes: Scalar, mlp_params: Scalar, tensor_shards: Scalar, ici_bandwidth: Scalar, fsdp_axes: Scalar
) -> Scalar:
    """AllGather of one layer's MLP weights in the forward pass: 4DF/(Y W M_X)."""
    return gather_bytes * mlp_params / (tensor_shards * ici_bandwidth * fsdp_axes)


@quantity(label="TP comms, MLP only", symbol="T_tp,mlp", unit="s", standing="lower bound")
def mlp_tensor_time(
    activation_bytes: Scalar, batch_tokens: Scalar, d_model: Scalar, data_shards: Scalar, ici_bandwidth: Scalar
) -> Scalar:
    """AllGather and ReduceScatter of the MLP's activations in the forward pass: 4BD/(X W)."""
    return 2 * activation_bytes * batch_tokens * d_model / (data_shards * ici_bandwidth)


@quantity(label="Forward time, MLP only", symbol="T_mlp", unit="s", standing="lower bound")
def mlp_forward_time(
    forward_mlp_time: Scalar,
    mlp_fsdp_time: Scalar,
    mlp_tensor_time: Scalar,
    data_shards: Scalar,
    tensor_shards: Scalar,
) -> Scalar:
    """The slowest of the MLP's matmuls and collectives in the forward pass; an axis of one chip costs nothing."""
    return binding_max(
        math=forward_mlp_time,
        fsdp=jnp.where(data_shards > 1, mlp_fsdp_time, 0.0),
        tp=jnp.where(tensor_shards > 1, mlp_tensor_time, 0.0),
    )


@quantity(label="FSDP over TP comms, MLP only", symbol="T_fsdp/T_tp", unit="1")
def mlp_comms_balance(mlp_fsdp_time: Scalar, mlp_tensor_time: Scalar) -> Scalar:
    """Weight over activation comms of the MLP: 1 at the best split."""
    return mlp_fsdp_time / mlp_tensor_time


@quantity(label="TP traffic, MLP only", symbol="V_tp", unit="B")
def mlp_tensor_traffic(
    activation_bytes: Scalar, batch_tokens: Scalar, d_model: Scalar, tensor_backward: Scalar
) -> Scalar:
    """Bytes of the MLP's activation collectives, both passes: 4BD and 4BD."""
    return 2 * activation_bytes * batch_tokens * d_model * (1 + tensor_backward)


@quantity(label="Backward TP traffic, MLP only", symbol="V_tp,bwd", unit="B")
def mlp_tensor_backward_traffic(
    activation_bytes: Scalar, batch_tokens: Scalar, d_model: Scalar, tensor_backward: Scalar, data_shards: Scalar
) -> Scalar:
    """Bytes of the MLP's activation collectives in the backward pass of one data shard: 4BD/X."""
    return 2 * activation_bytes * batch_tokens * d_model * tensor_backward / data_shards


@quantity(label="Smallest FSDP batch", symbol="B_min", unit="tokens", standing="threshold")
def data_parallel_min_batch(data_parallel_threshold: Scalar, chips: Scalar) -> Scalar:
    """Tokens a batch below which FSDP over all chips shows."""
    return data_parallel_threshold * chips


@quantity(label="Most FSDP chips", symbol="N_fsdp", unit="chips", standing="threshold")
def data_parallel_max_chips(batch_tokens: Scalar, data_parallel_threshold: Scalar) -> Scalar:
    """Chips up to which FSDP hides at this batch."""
    return batch_tokens / data_parallel_threshold


@quantity(label="Most FSDP pods", symbol="N_fsdp/N_pod", unit="pods", standing="threshold")
def data_parallel_max_pods(data_parallel_max_chips: Scalar, pod_chips: Scalar) -> Scalar:
    """The same in full pods."""
    return data_parallel_max_chips / pod_chips


@quantity(label="Smallest FFN width", symbol="F_min", unit="elements", standing="threshold")
def tensor_min_width(tensor_shards: Scalar, ici_critical_intensity: Scalar, activation_bytes: Scalar) -> Scalar:
    """FFN width of a plain MLP from which this many tensor shards hide: Y C/W."""
    return tensor_shards * ici_critical_intensity * activation_bytes / 2


@quantity(label="Gain of FSDP+TP", symbol="g_mixed", unit="1", standing="threshold")
def mixed_gain(data_parallel_threshold: Scalar, mlp_mixed_threshold: Scalar) -> Scalar:
    """How much smaller a batch FSDP with TP can use than FSDP alone."""
    return data_parallel_threshold / mlp_mixed_threshold


@quantity(label="Smallest FSDP+TP batch", symbol="B_min,mixed", unit="tokens", standing="threshold")
def mixed_min_batch(mlp_mixed_threshold: Scalar, chips: Scalar) -> Scalar:
    """Tokens a batch below which FSDP with TP shows at any split, MLP only."""
    return mlp_mixed_threshold * chips


@quantity(label="Most FSDP+TP chips", symbol="N_mixed", unit="chips", standing="threshold")
def mixed_max_chips(batch_tokens: Scalar, mlp_mixed_threshold: Scalar) -> Scalar:
    """Chips up to which FSDP with TP hides at this batch, MLP only."""
    return batch_tokens / mlp_mixed_threshold


@quantity(label="FSDP+TP slack", symbol="T_math/T_comms", unit="1")
def mixed_slack(tokens_per_chip: Scalar, mlp_mixed_threshold: Scalar) -> Scalar:
    """Compute over comms at the best split, MLP only: grows as the square root of the batch."""
    return jnp.sqrt(tokens_per_chip / mlp_mixed_threshold)


@quantity(label="Pods", symbol="n_pods", unit="pods")
def pods(chips: Scalar, pod_chips: Scalar) -> Scalar:
    """Full pods that the chips make."""
    return chips / pod_chips


@quantity(label="FSDP share of a pod", symbol="N_fsdp,pod", unit="1", standing="threshold")
def data_parallel_pod_share(data_parallel_max_chips: Scalar, chips: Scalar) -> Scalar:
    """Share of the mesh that FSDP can use at this batch."""
    return data_parallel_max_chips / chips


@quantity(label="Backward MLP compute, a layer", symbol="T_mlp,bwd", unit="s", standing="lower bound")
def backward_mlp_time(forward_mlp_time: Scalar) -> Scalar:
    """Both gradients of the MLP's matmuls: 8BDF/(N_c C) for the book's plain MLP."""
    return 2 * forward_mlp_time


@quantity(label="Gradients over DCN, MLP only", symbol="T_dcn", unit="s", standing="lower bound")
def dcn_gradient_time(gradient_traffic: Scalar, pod_chips: Scalar, dcn_bandwidth: Scalar) -> Scalar:
    """AllReduce of one layer's MLP gradients between pods, every chip sending its shard: 8DF/(M W_dcn)."""
    return gradient_traffic / (pod_chips * dcn_bandwidth)


@quantity(label="DCN slack, MLP only", symbol="T_mlp,bwd/T_dcn", unit="1")
def dcn_slack(backward_mlp_time: Scalar, dcn_gradient_time: Scalar) -> Scalar:
    """Backward compute over gradient comms between pods: above 1 where a pod's tokens exceed C/W_dcn."""
    return backward_mlp_time / dcn_gradient_time


@quantity(label="Sequences a batch", symbol="B/S", unit="sequences")
def batch_sequences(batch_tokens: Scalar, seq_len: Scalar) -> Scalar:
    """Sequences in the global batch: the most that data parallelism alone can split."""
    return batch_tokens / seq_len


@quantity(label="HBM of the mesh", symbol="M_mesh", unit="B")
def chips_hbm(chips: Scalar, hbm_capacity: Scalar) -> Scalar:
    """HBM of all chips of the run."""
    return chips * hbm_capacity


@quantity(label="Training memory", symbol="M_train", unit="B")
def training_memory(state_bytes: Scalar, checkpoint_bytes: Scalar) -> Scalar:
    """Training state and checkpoints over all chips."""
    return state_bytes + checkpoint_bytes


@quantity(label="Fewest training chips", symbol="N_min", unit="chips", standing="threshold")
def min_training_chips(training_memory: Scalar, hbm_capacity: Scalar) -> Scalar:
    """Chips whose HBM holds the training memory, before rounding up."""
    return training_memory / hbm_capacity


@quantity(label="Days on the fewest chips", symbol="T_train,min", unit="days", standing="estimate")
def min_chips_days(train_days: Scalar, chips: Scalar, min_training_chips: Scalar) -> Scalar:
    """Days of the run on the fewest chips, at the same use of each."""
    return train_days * chips / min_training_chips


@quantity(label="Years on the fewest chips", symbol="T_train,years", unit="years", standing="estimate")
def min_chips_years(min_chips_days: Scalar) -> Scalar:
    """The same in years of 365 days."""
    return min_chips_days / 365


@quantity(label="Seconds to train", symbol="T_train,s", unit="s", standing="lower bound")
def train_seconds(train_days: Scalar) -> Scalar:
    """Time of the whole run in seconds."""
    return train_days * 86400


@quantity(label="Checkpointed tensors", symbol="w_ckpt/D", unit="1")
def checkpoint_tensors(checkpoint_width: Scalar, d_model: Scalar) -> Scalar:
    """Tensors of width D that the checkpoints of one layer amount to."""
    return checkpoint_width / d_model
