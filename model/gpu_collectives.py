"""Chapter 12, collectives on GPUs: inside a node, across a unit, and over the whole tree of switches.

Bandwidths are one way, so nothing is halved or doubled for direction as on a torus.
"""

import jax.numpy as jnp

from model.binding import binding_max
from model.graph import Scalar, quantity


@quantity(label="AllGather in a node", symbol="T_AG,node", unit="s", standing="lower bound")
def node_allgather_time(gathered_bytes: Scalar, node_gpus: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """AllGather (or ReduceScatter) over the GPUs of a node: V(N - 1)/(N W)."""
    return gathered_bytes * (node_gpus - 1) / (node_gpus * ici_bandwidth)


@quantity(label="AllGather in a node, rounded", symbol="V/W_gpu", unit="s", standing="estimate")
def node_allgather_estimate(gathered_bytes: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """The same for large N: V/W."""
    return gathered_bytes / ici_bandwidth


@quantity(label="AllToAll in a node", symbol="T_A2A,node", unit="s", standing="lower bound")
def node_alltoall_time(gathered_bytes: Scalar, node_gpus: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """AllToAll over the GPUs of a node: V(N - 1)/(N^2 W)."""
    return gathered_bytes * (node_gpus - 1) / (node_gpus**2 * ici_bandwidth)


@quantity(label="Ring over node AllToAll", symbol="T_ring/T_node", unit="1")
def ring_over_node_alltoall(node_gpus: Scalar) -> Scalar:
    """AllToAll on a ring, V/4W, over one in a node, V/(N W), at the same W."""
    return node_gpus / 4


@quantity(label="Ragged share", symbol="k/N", unit="1")
def ragged_share(active_experts: Scalar, node_gpus: Scalar) -> Scalar:
    """Share of a dense AllToAll in a node when tokens go to k of N GPUs only."""
    share = active_experts / node_gpus
    return jnp.where(share < 1, share, 1.0)


@quantity(label="Ragged AllToAll in a node", symbol="T_A2A,ragged", unit="s", standing="estimate")
def ragged_alltoall_time(
    gathered_bytes: Scalar, node_gpus: Scalar, ici_bandwidth: Scalar, ragged_share: Scalar
) -> Scalar:
    """AllToAll in a node when tokens go to k GPUs: V/(N W) min(k/N, 1)."""
    return gathered_bytes / (node_gpus * ici_bandwidth) * ragged_share


@quantity(label="Destinations by chance", symbol="r_dest", unit="1", standing="estimate")
def expected_destination_share(expert_gpus: Scalar, active_experts: Scalar) -> Scalar:
    """Share of other GPUs that a token reaches when its k experts fall on Z GPUs at random."""
    missed = (1 - 1 / expert_gpus) ** active_experts
    return (1 - missed) * (expert_gpus - 1) / expert_gpus


@quantity(label="MLP shard of a node", symbol="F/N_node", unit="elements")
def node_ffn_shard(d_ff: Scalar, node_gpus: Scalar) -> Scalar:
    """FFN width of each GPU when a node splits it."""
    return d_ff / node_gpus


@quantity(label="SHARP gain", symbol="g_SHARP", unit="1")
def sharp_gain(node_gpus: Scalar) -> Scalar:
    """Gain of an AllReduce that the switches add up, over a ring: 2(N - 1)/N - 1."""
    return 2 * (node_gpus - 1) / node_gpus - 1


@quantity(label="SHARP AllReduce", symbol="T_SHARP", unit="s", standing="lower bound")
def sharp_allreduce_time(gathered_bytes: Scalar, node_gpus: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """AllReduce in a node with switches that add up: V(N - 1)/N and V/N bytes through each GPU."""
    bytes_through = gathered_bytes * (node_gpus - 1) / node_gpus + gathered_bytes / node_gpus
    return bytes_through / ici_bandwidth


@quantity(label="Tree, node", symbol="W_tree,node", unit="B/s")
def tree_node_bandwidth(ici_bandwidth: Scalar, node_gpus: Scalar) -> Scalar:
    """Rate at which a node's level can gather an array: W N/(N - 1)."""
    return ici_bandwidth * node_gpus / (node_gpus - 1)


@quantity(label="Tree, leaf", symbol="W_tree,leaf", unit="B/s")
def tree_leaf_bandwidth(node_egress: Scalar, unit_nodes: Scalar) -> Scalar:
    """Rate at which a unit's level can gather an array: W_node M/(M - 1)."""
    return node_egress * unit_nodes / (unit_nodes - 1)


@quantity(label="Tree, spine", symbol="W_tree,spine", unit="B/s")
def tree_spine_bandwidth(unit_bandwidth: Scalar, fabric_units: Scalar) -> Scalar:
    """Rate at which the spine's level can gather an array."""
    return unit_bandwidth * fabric_units / (fabric_units - 1)


@quantity(label="AllGather over the tree", symbol="T_AG,tree", unit="s", standing="lower bound")
def tree_allgather_time(
    gathered_bytes: Scalar, tree_node_bandwidth: Scalar, tree_leaf_bandwidth: Scalar, tree_spine_bandwidth: Scalar
) -> Scalar:
    """AllGather over all GPUs: the slowest level of the tree, V max_i (D_i - 1)/(D_i W_i)."""
    return binding_max(
        node=gathered_bytes / tree_node_bandwidth,
        leaf=gathered_bytes / tree_leaf_bandwidth,
        spine=gathered_bytes / tree_spine_bandwidth,
    )


@quantity(label="Tree", symbol="W_tree", unit="B/s")
def tree_bandwidth(gathered_bytes: Scalar, tree_allgather_time: Scalar) -> Scalar:
    """Rate of an AllGather over the whole tree: that of its slowest level."""
    return gathered_bytes / tree_allgather_time


@quantity(label="AllGather in a unit", symbol="T_AG,unit", unit="s", standing="lower bound")
def unit_allgather_time(gathered_bytes: Scalar, tree_leaf_bandwidth: Scalar) -> Scalar:
    """AllGather over the nodes of a unit at the leaf's rate: V(M - 1)/(M W_node)."""
    return gathered_bytes / tree_leaf_bandwidth


@quantity(label="Node switch egress", symbol="V_switch", unit="B")
def unit_allgather_egress(gathered_bytes: Scalar, unit_nodes: Scalar, node_gpus: Scalar) -> Scalar:
    """Bytes out of a node's switches in an AllGather over a unit: one share up, the rest down to each GPU."""
    return gathered_bytes / unit_nodes + node_gpus * (gathered_bytes - gathered_bytes / (unit_nodes * node_gpus))


@quantity(label="Node switch time", symbol="T_switch", unit="s", standing="lower bound")
def unit_allgather_switch_time(unit_allgather_egress: Scalar, node_gpu_bandwidth: Scalar) -> Scalar:
    """Time of those bytes at the rate of the node's GPUs."""
    return unit_allgather_egress / node_gpu_bandwidth


@quantity(label="AllToAll across nodes, a GPU", symbol="W_A2A", unit="B/s")
def cross_alltoall_bandwidth(node_egress: Scalar, node_gpus: Scalar) -> Scalar:
    """Bytes a second of each GPU in an AllToAll across nodes: its own network card."""
    return node_egress / node_gpus


@quantity(label="Two-node AllToAll slow-down", symbol="T_A2A,2/T_A2A", unit="1")
def two_node_alltoall_slowdown(node_gpu_bandwidth: Scalar, node_egress: Scalar) -> Scalar:
    """How much longer an AllToAll takes on two nodes than on one: V/(2 W_node) over V/(N W)."""
    return node_gpu_bandwidth / (2 * node_egress)


@quantity(label="AllGather beside TP", symbol="T_AG,outer", unit="s", standing="lower bound")
def outer_allgather_time(
    gathered_bytes: Scalar, unit_gpus: Scalar, tensor_shards: Scalar, unit_bandwidth: Scalar
) -> Scalar:
    """AllGather across a unit of an array that more tensor shards than a node holds split: V N_unit/(Y W_unit)."""
    return gathered_bytes * unit_gpus / (tensor_shards * unit_bandwidth)


@quantity(label="Reduction beside TP", symbol="T_reduce", unit="s", standing="lower bound")
def sharded_reduction_time(
    gathered_bytes: Scalar, ici_bandwidth: Scalar, node_egress: Scalar, node_gpus: Scalar, tensor_shards: Scalar
) -> Scalar:
    """Reduction of an array that Y inner shards split: V/(W min(Y, N)) in a node, V N/(W_node max(Y, N)) across."""
    inner = jnp.where(tensor_shards < node_gpus, tensor_shards, node_gpus)
    outer = jnp.where(tensor_shards < node_gpus, node_gpus, tensor_shards)
    return binding_max(
        node=gathered_bytes / (ici_bandwidth * inner), network=gathered_bytes * node_gpus / (node_egress * outer)
    )
