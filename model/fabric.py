"""Chapter 12, the fabric: bandwidths of nodes, scalable units and spine, and the switches that they need.

GPUs of a node share NVLink switches; each GPU has a network card (`dcn_bandwidth`) into the leaf switches of its
scalable unit, and units meet at the spine. Bandwidths are one way.
"""

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
