"""Chapter 12, the fabric: bandwidths of nodes, units and spine, the tree's collectives, and its thresholds.

GPUs of a node share NVLink switches; each GPU has a network card (`dcn_bandwidth`) into the leaf switches of its
scalable unit, and units meet at the spine. Bandwidths are one way.
"""

import jax.numpy as jnp

from model.binding import binding_max
from model.graph import Scalar, quantity


@quantity(label="NVLink egress", symbol="W_gpu", unit="B/s")
def nvlink_egress(nvlink_links: Scalar, nvlink_bandwidth: Scalar) -> Scalar:
    """Bytes a second out of one GPU over its NVLinks."""
    return nvlink_links * nvlink_bandwidth


@quantity(label="One NVSwitch", symbol="W_nvs", unit="B/s")
def nvswitch_bandwidth(nvswitch_ports: Scalar, nvlink_bandwidth: Scalar) -> Scalar:
    """Bytes a second through one NVSwitch."""
    return nvswitch_ports * nvlink_bandwidth


@quantity(label="Switches of a node", symbol="W_nvs,node", unit="B/s")
def node_switch_bandwidth(node_switches: Scalar, nvswitch_bandwidth: Scalar) -> Scalar:
    """Bytes a second through all NVSwitches of a node."""
    return node_switches * nvswitch_bandwidth


@quantity(label="GPUs of a node", symbol="W_gpus", unit="B/s")
def node_gpu_bandwidth(node_gpus: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """Bytes a second out of all GPUs of a node into its switches."""
    return node_gpus * ici_bandwidth


@quantity(label="Node bisection", symbol="W_bis", unit="B/s")
def node_bisection(node_gpus: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """Bytes a second between the halves of a node, both directions together."""
    return 2 * (node_gpus / 2) * ici_bandwidth


@quantity(label="Collectives by bisection", symbol="2W_bis/N", unit="B/s")
def bisection_collective_bandwidth(node_bisection: Scalar, node_gpus: Scalar) -> Scalar:
    """Collective bandwidth by the rule 2 bisection/N, bisection both ways: twice what a GPU can send."""
    return 2 * node_bisection / node_gpus


@quantity(label="Node egress", symbol="W_node", unit="B/s")
def node_egress(node_gpus: Scalar, dcn_bandwidth: Scalar) -> Scalar:
    """Bytes a second out of one node over the network cards of its GPUs."""
    return node_gpus * dcn_bandwidth


@quantity(label="Egress over the reference", symbol="W_node/W_ref", unit="1")
def egress_over_reference(node_egress: Scalar, reference_egress: Scalar) -> Scalar:
    """Node egress over that of another kind of node."""
    return node_egress / reference_egress


@quantity(label="GPUs of a unit", symbol="N_unit", unit="GPUs")
def unit_gpus(unit_nodes: Scalar, node_gpus: Scalar) -> Scalar:
    """GPUs of one scalable unit."""
    return unit_nodes * node_gpus


@quantity(label="GPUs of the cluster", symbol="N_cluster", unit="GPUs")
def cluster_gpus(fabric_units: Scalar, unit_gpus: Scalar) -> Scalar:
    """GPUs of all scalable units."""
    return fabric_units * unit_gpus


@quantity(label="Switches of the cluster", symbol="n_switch", unit="switches")
def cluster_switches(
    fabric_units: Scalar, unit_nodes: Scalar, node_switches: Scalar, unit_switches: Scalar, spine_switches: Scalar
) -> Scalar:
    """NVSwitches, leaf and spine switches."""
    return fabric_units * (unit_nodes * node_switches + unit_switches) + spine_switches


@quantity(label="Unit bandwidth", symbol="W_unit", unit="B/s")
def unit_bandwidth(unit_nodes: Scalar, node_egress: Scalar) -> Scalar:
    """Bytes a second from all nodes of a unit into its leaf switches."""
    return unit_nodes * node_egress


@quantity(label="Cluster bandwidth", symbol="W_cluster", unit="B/s")
def cluster_bandwidth(fabric_units: Scalar, unit_bandwidth: Scalar) -> Scalar:
    """Bytes a second from all nodes of the cluster into the network."""
    return fabric_units * unit_bandwidth


@quantity(label="One leaf or spine switch", symbol="W_switch", unit="B/s")
def switch_bandwidth(switch_ports: Scalar, dcn_bandwidth: Scalar) -> Scalar:
    """Bytes a second through one leaf or spine switch."""
    return switch_ports * dcn_bandwidth


@quantity(label="Leaf switches of a unit", symbol="W_leaf", unit="B/s")
def unit_switch_bandwidth(unit_switches: Scalar, switch_bandwidth: Scalar) -> Scalar:
    """Bytes a second through all leaf switches of a unit."""
    return unit_switches * switch_bandwidth


@quantity(label="Leaf ingress", symbol="W_leaf,in", unit="B/s")
def leaf_ingress(unit_switch_bandwidth: Scalar) -> Scalar:
    """Bytes a second from the nodes into a unit's leaf switches: half of their ports face down."""
    return unit_switch_bandwidth / 2


@quantity(label="Unit to spine", symbol="W_unit,spine", unit="B/s")
def unit_spine_bandwidth(
    unit_switches: Scalar, spine_switches: Scalar, spine_cables: Scalar, dcn_bandwidth: Scalar
) -> Scalar:
    """Bytes a second from a unit's leaf switches to the spine."""
    return unit_switches * spine_switches * spine_cables * dcn_bandwidth


@quantity(label="Cables to the spine", symbol="W_cables", unit="B/s")
def spine_cable_bandwidth(fabric_units: Scalar, unit_spine_bandwidth: Scalar) -> Scalar:
    """Bytes a second over all cables into the spine."""
    return fabric_units * unit_spine_bandwidth


@quantity(label="Spine", symbol="W_spine", unit="B/s")
def spine_bandwidth(spine_switches: Scalar, switch_bandwidth: Scalar) -> Scalar:
    """Bytes a second through all spine switches."""
    return spine_switches * switch_bandwidth


@quantity(label="Spine a unit", symbol="W_spine/unit", unit="B/s")
def spine_bandwidth_per_unit(spine_bandwidth: Scalar, fabric_units: Scalar) -> Scalar:
    """Spine bandwidth for each scalable unit."""
    return spine_bandwidth / fabric_units


@quantity(label="Spine a GPU", symbol="W_spine/gpu", unit="B/s")
def spine_bandwidth_per_gpu(spine_bandwidth: Scalar, cluster_gpus: Scalar) -> Scalar:
    """Spine bandwidth for each GPU: as much as its network card where nothing is oversubscribed."""
    return spine_bandwidth / cluster_gpus


@quantity(label="Spine switches needed", symbol="n_spine,min", unit="switches")
def spine_switches_needed(cluster_bandwidth: Scalar, switch_bandwidth: Scalar) -> Scalar:
    """Spine switches that carry all that the nodes can send."""
    return cluster_bandwidth / switch_bandwidth


@quantity(label="Core switches needed", symbol="n_core,min", unit="switches")
def core_switches_needed(spine_switches: Scalar) -> Scalar:
    """Switches of a further level when half of every spine switch's ports face up: half as many."""
    return spine_switches / 2


@quantity(label="Leaf ports used", symbol="n_port,leaf", unit="ports")
def leaf_ports_used(unit_nodes: Scalar, spine_cables: Scalar, spine_switches: Scalar) -> Scalar:
    """Ports of a leaf switch in use: one a node down, the cables to every spine switch up."""
    return unit_nodes + spine_cables * spine_switches


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


def _at_most_one(share: Scalar) -> Scalar:
    return jnp.where(share < 1, share, 1.0)


@quantity(label="Ragged share", symbol="k/N", unit="1")
def ragged_share(active_experts: Scalar, node_gpus: Scalar) -> Scalar:
    """Share of a dense AllToAll in a node when tokens go to k of N GPUs only."""
    return _at_most_one(active_experts / node_gpus)


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
    reached = _at_most_one(node_gpus * active_experts / expert_gpus)
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
