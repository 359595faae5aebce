"""Chapter 5, training: a step on a mesh of X data (FSDP) shards by Y tensor shards.

Each pass of a layer takes the slowest of its matmuls, its FSDP collectives and its tensor-parallel collectives, since
on a torus they use different resources at once. On a one-axis fabric (a GPU switch) both collectives share the wire
and add up. All times are roofline lower bounds with perfect overlap and bandwidth-optimal collectives.
"""

import jax.numpy as jnp

from model.binding import binding_max, present
from model.graph import Scalar, quantity


@quantity(label="Chips", symbol="N_c", unit="chips")
def chips(data_shards: Scalar, tensor_shards: Scalar) -> Scalar:
    """Chips of the mesh: X Y."""
    return data_shards * tensor_shards


@quantity(label="Tokens a chip", symbol="B/N_c", unit="tokens")
def tokens_per_chip(batch_tokens: Scalar, chips: Scalar) -> Scalar:
    """Tokens of one step for each chip."""
    return batch_tokens / chips


@quantity(label="One shared wire", symbol="wire", unit="1")
def shared_wire(ici_axes: Scalar) -> Scalar:
    """1 on a one-axis fabric, where all collectives share one wire and add up; 0 on a torus of two or three axes."""
    return jnp.where(ici_axes < 1.5, 1.0, 0.0)


@quantity(label="FSDP axes", symbol="M_X", unit="axes")
def fsdp_axes(ici_axes: Scalar, tensor_shards: Scalar, shared_wire: Scalar) -> Scalar:
    """Mesh axes left to FSDP: tensor parallelism above one shard takes one of the torus."""
    return jnp.where(shared_wire > 0.5, 1.0, ici_axes - jnp.where(tensor_shards > 1, 1.0, 0.0))


@quantity(label="Forward FLOPs, a layer", symbol="F_layer", unit="FLOP")
def layer_forward_flops(batch_tokens: Scalar, active_layer_params: Scalar, attention_flops_per_token: Scalar) -> Scalar:
    """Forward FLOPs of one layer on the whole batch: 2 B P_layer (active) and the attention dot products."""
    return batch_tokens * (2 * active_layer_params + attention_flops_per_token)


@quantity(label="Forward compute, a layer", symbol="T_math,fwd", unit="s", standing="lower bound")
def forward_math_time(layer_forward_flops: Scalar, chips: Scalar, reachable_flops: Scalar) -> Scalar:
    """Time of one layer's forward FLOPs over all chips."""
    return layer_forward_flops / (chips * reachable_flops)


@quantity(label="Forward FSDP comms, a layer", symbol="T_fsdp,fwd", unit="s", standing="lower bound")
def forward_fsdp_time(
    gather_bytes: Scalar,
    layer_params: Scalar,
    data_shards: Scalar,
    tensor_shards: Scalar,
    ici_bandwidth: Scalar,
    fsdp_axes: Scalar,
) -> Scalar:
    """AllGather of one layer's weights over the FSDP axes: 2 P_layer/(Y W M_X) in bf16; 0 for one data shard."""
    used = data_shards > 1
    bandwidth = jnp.where(used, tensor_shards * ici_bandwidth * fsdp_axes, 1.0)
    return jnp.where(used, gather_bytes * layer_params / bandwidth, 0.0)


@quantity(label="Forward TP comms, a layer", symbol="T_tp,fwd", unit="s", standing="lower bound")
def forward_tensor_time(
    collective_blocks: Scalar,
    activation_bytes: Scalar,
    batch_tokens: Scalar,
    d_model: Scalar,
    data_shards: Scalar,
    tensor_shards: Scalar,
    ici_bandwidth: Scalar,
) -> Scalar:
    """AllGather and ReduceScatter of activations, V = 2BD/X each, in every block, over one axis; 0 for one shard."""
    used = tensor_shards > 1
    bandwidth = jnp.where(used, data_shards * ici_bandwidth, 1.0)
    return jnp.where(used, 2 * collective_blocks * activation_bytes * batch_tokens * d_model / bandwidth, 0.0)


@quantity(label="Forward time, a layer", symbol="T_fwd", unit="s", standing="lower bound")
def forward_time(
    forward_math_time: Scalar, forward_fsdp_time: Scalar, forward_tensor_time: Scalar, shared_wire: Scalar
) -> Scalar:
    """Forward pass of one layer: the slowest of compute, FSDP and tensor-parallel comms (their sum on one wire)."""
    return binding_max(
        math=forward_math_time,
        fsdp=present(shared_wire < 0.5, forward_fsdp_time),
        tp=present(shared_wire < 0.5, forward_tensor_time),
        wire=present(shared_wire > 0.5, forward_fsdp_time + forward_tensor_time),
    )


@quantity(label="Forward MLP compute, a layer", symbol="T_mlp,fwd", unit="s", standing="lower bound")
def forward_mlp_time(batch_tokens: Scalar, active_mlp_params: Scalar, chips: Scalar, reachable_flops: Scalar) -> Scalar:
    """Part of the forward compute time that the MLP's matmuls take: 2 B P_mlp/(N_c C e), P_mlp the active weights."""
    return 2 * batch_tokens * active_mlp_params / (chips * reachable_flops)


@quantity(label="Forward projections, a layer", symbol="T_proj,fwd", unit="s", standing="lower bound")
def forward_projection_time(
    batch_tokens: Scalar, attention_params: Scalar, chips: Scalar, reachable_flops: Scalar
) -> Scalar:
    """Part of the forward compute time that the Q, K, V and output projections take: 2 B P_attn/(N_c C e)."""
    return 2 * batch_tokens * attention_params / (chips * reachable_flops)


@quantity(label="Forward attention, a layer", symbol="T_attn,fwd", unit="s", standing="lower bound")
def forward_attention_time(
    batch_tokens: Scalar, attention_flops_per_token: Scalar, chips: Scalar, reachable_flops: Scalar
) -> Scalar:
    """Part of the forward compute time that the dot products of attention take, as far as they are counted."""
    return batch_tokens * attention_flops_per_token / (chips * reachable_flops)


@quantity(label="Backward compute, a layer", symbol="T_math,bwd", unit="s", standing="lower bound")
def backward_math_time(forward_math_time: Scalar, recompute: Scalar) -> Scalar:
    """Two matmuls for each of the forward pass, and the forward once more under recompute."""
    return (2 + recompute) * forward_math_time


@quantity(label="Backward FSDP comms, a layer", symbol="T_fsdp,bwd", unit="s", standing="lower bound")
def backward_fsdp_time(forward_fsdp_time: Scalar, gather_bytes: Scalar, gradient_bytes: Scalar) -> Scalar:
    """Weights gathered again and gradients reduce-scattered: twice the forward traffic in bf16."""
    return forward_fsdp_time * (gather_bytes + gradient_bytes) / gather_bytes


@quantity(label="Backward TP comms, a layer", symbol="T_tp,bwd", unit="s", standing="lower bound")
def backward_tensor_time(forward_tensor_time: Scalar, tensor_backward: Scalar) -> Scalar:
    """Collectives of the activation gradients: as much as the forward, 1.5 times where inputs are gathered again."""
    return forward_tensor_time * tensor_backward


@quantity(label="Backward time, a layer", symbol="T_bwd", unit="s", standing="lower bound")
def backward_time(
    backward_math_time: Scalar, backward_fsdp_time: Scalar, backward_tensor_time: Scalar, shared_wire: Scalar
) -> Scalar:
    """Backward pass of one layer: the slowest of compute, FSDP and tensor-parallel comms (their sum on one wire)."""
    return binding_max(
        math=backward_math_time,
        fsdp=present(shared_wire < 0.5, backward_fsdp_time),
        tp=present(shared_wire < 0.5, backward_tensor_time),
        wire=present(shared_wire > 0.5, backward_fsdp_time + backward_tensor_time),
    )


@quantity(label="Layer time", symbol="T_layer", unit="s", standing="lower bound")
def layer_time(forward_time: Scalar, backward_time: Scalar) -> Scalar:
    """Forward and backward of one layer; the maximum is taken in each pass."""
    return forward_time + backward_time


@quantity(label="Head FLOPs", symbol="F_head", unit="FLOP")
def head_step_flops(batch_tokens: Scalar, embedding_params: Scalar, head_flops: Scalar) -> Scalar:
    """FLOPs outside the layers in one step: 6BVD for the output head; 12BVD by the book's 6ND."""
    return 6 * batch_tokens * embedding_params * head_flops


@quantity(label="Head time", symbol="T_head", unit="s", standing="lower bound")
def head_time(head_step_flops: Scalar, chips: Scalar, reachable_flops: Scalar) -> Scalar:
    """Time of the FLOPs outside the layers, over all chips; their collectives are not priced."""
    return head_step_flops / (chips * reachable_flops)


@quantity(label="Step time", symbol="T_step", unit="s", standing="lower bound")
def step_time(n_layers: Scalar, layer_time: Scalar, head_time: Scalar) -> Scalar:
    """One optimizer step: every layer's passes and the head."""
    return n_layers * layer_time + head_time


@quantity(label="Step FLOPs", symbol="F_step", unit="FLOP")
def step_flops(n_layers: Scalar, layer_forward_flops: Scalar, head_step_flops: Scalar) -> Scalar:
    """Useful FLOPs of one step: exactly those counted as compute time, recompute left out."""
    return 3 * n_layers * layer_forward_flops + head_step_flops


@quantity(label="MFU", symbol="MFU", unit="1", standing="estimate")
def mfu(step_flops: Scalar, chips: Scalar, peak_flops: Scalar, step_time: Scalar) -> Scalar:
    """Model FLOPs utilization: useful FLOPs over what the chips' unscaled peak could do in a step."""
    return step_flops / (chips * peak_flops * step_time)


@quantity(label="HFU", symbol="HFU", unit="1", standing="estimate")
def hfu(mfu: Scalar, step_flops: Scalar, n_layers: Scalar, layer_forward_flops: Scalar, recompute: Scalar) -> Scalar:
    """Hardware FLOPs utilization: MFU with the recomputed forward FLOPs counted as well."""
    return mfu * (1 + recompute * n_layers * layer_forward_flops / step_flops)


@quantity(label="Throughput", symbol="R_train", unit="tokens/s", standing="estimate")
def tokens_per_second(batch_tokens: Scalar, step_time: Scalar) -> Scalar:
    """Training tokens a second: an upper bound, since the step time is a lower one."""
    return batch_tokens / step_time


@quantity(label="Throughput a chip", symbol="R_chip", unit="tokens/s", standing="estimate")
def train_tokens_per_second_per_chip(tokens_per_second: Scalar, chips: Scalar) -> Scalar:
    """Training tokens a second for each chip."""
    return tokens_per_second / chips


@quantity(label="Time to train", symbol="T_train", unit="days", standing="lower bound")
def train_days(train_tokens: Scalar, tokens_per_second: Scalar) -> Scalar:
    """Days for the whole run, without failures or restarts."""
    return train_tokens / tokens_per_second / 86400


@quantity(label="Training state", symbol="M_state", unit="B")
def state_bytes(state_bytes_per_param: Scalar, total_params: Scalar) -> Scalar:
    """Weights and optimizer state over all chips: 10 bytes a parameter for bf16 weights and two fp32 moments."""
    return state_bytes_per_param * total_params


@quantity(label="Checkpoint width", symbol="w_ckpt", unit="elements")
def checkpoint_width(d_model: Scalar, d_ff: Scalar, checkpoint_rule: Scalar) -> Scalar:
    """Activation elements saved a layer and token: D + 2F after the MLP's matmuls, or a multiple of D."""
    return jnp.where(checkpoint_rule < 0.5, d_model + 2 * d_ff, checkpoint_rule * d_model)


@quantity(label="Checkpoints", symbol="M_ckpt", unit="B")
def checkpoint_bytes(
    activation_bytes: Scalar, n_layers: Scalar, batch_tokens: Scalar, checkpoint_width: Scalar
) -> Scalar:
    """Saved activations over all chips: 2LB(D + 2F) in bf16 (book, ch. 5)."""
    return activation_bytes * n_layers * batch_tokens * checkpoint_width


@quantity(label="Memory a chip", symbol="M_chip", unit="B", standing="estimate")
def memory_per_chip(state_bytes: Scalar, checkpoint_bytes: Scalar, chips: Scalar) -> Scalar:
    """Training state and checkpoints, both split over all chips."""
    return (state_bytes + checkpoint_bytes) / chips


@quantity(label="Memory headroom", symbol="M_free", unit="B", standing="estimate")
def memory_headroom(hbm_capacity: Scalar, memory_per_chip: Scalar) -> Scalar:
    """Capacity left on each chip; negative where the run does not fit."""
    return hbm_capacity - memory_per_chip
