"""Knobs of GPUs: the units of one, the switches between them, and a chip to compare with (chapter 12)."""

import param

from model.knobs.declare import Number


class Gpu(param.Parameterized):
    """Units and memories of one GPU."""

    sm_count = Number(
        132,
        bounds=(1, 4096),
        unit="SMs",
        symbol="n_sm",
        integer=True,
        label="SMs",
        doc="Streaming multiprocessors of one GPU.",
    )
    sm_subcores = Number(
        4,
        bounds=(1, 64),
        unit="units",
        symbol="n_sub",
        integer=True,
        label="SM parts",
        doc="Independent parts of one SM, each a tensor core and a vector unit.",
    )
    simd_lanes = Number(
        32,
        bounds=(1, 1024),
        unit="lanes",
        symbol="n_simd",
        integer=True,
        label="SIMD lanes",
        doc="Lanes of one vector unit (CUDA cores).",
    )
    part_registers = Number(
        16384,
        bounds=(1, 1e7),
        unit="registers",
        symbol="n_reg,sub",
        integer=True,
        label="Registers",
        doc="32-bit registers of one part of an SM.",
    )
    thread_registers = Number(
        256,
        bounds=(1, 1024),
        unit="registers",
        symbol="n_reg,thread",
        integer=True,
        label="Registers a thread",
        doc="32-bit registers that each thread uses.",
    )
    shared_memory = Number(
        262144.0,
        bounds=(1e3, 1e9),
        unit="B",
        symbol="M_sm",
        label="Shared memory",
        doc="Bytes of shared memory (and L1) of one SM.",
    )
    l2_capacity = Number(
        50e6,
        bounds=(1e6, 1e12),
        unit="B",
        symbol="M_l2",
        label="L2 cache",
        doc="Bytes of the cache that all SMs share.",
    )
    l2_bandwidth = Number(
        5.5e12,
        bounds=(1e10, 1e16),
        unit="B/s",
        symbol="W_l2",
        label="L2 bandwidth",
        doc="Bytes a second between the L2 cache and the SMs.",
    )
    vector_peak = Number(
        80e12,
        bounds=(1e9, 1e18),
        unit="FLOP/s",
        symbol="C_vector",
        label="Vector rate",
        doc="Stated fp32 rate of the vector units, multiply and add counted apart.",
    )


class Fabric(param.Parameterized):
    """Switches and links of a GPU cluster: nodes, scalable units, spine."""

    node_gpus = Number(
        8,
        bounds=(2, 1024),
        unit="GPUs",
        symbol="N_node",
        integer=True,
        label="GPUs a node",
        doc="GPUs that one NVLink domain joins.",
    )
    nvlink_links = Number(
        18,
        bounds=(1, 1024),
        unit="links",
        symbol="n_nvl",
        integer=True,
        label="NVLinks",
        doc="NVLinks out of one GPU.",
    )
    nvlink_bandwidth = Number(
        25e9,
        bounds=(1e8, 1e14),
        unit="B/s",
        symbol="W_nvl",
        label="NVLink rate",
        doc="Bytes a second one way over one NVLink.",
    )
    nvswitch_ports = Number(
        64,
        bounds=(1, 4096),
        unit="ports",
        symbol="n_port,nv",
        integer=True,
        label="NVSwitch ports",
        doc="NVLinks of one NVSwitch.",
    )
    node_switches = Number(
        4,
        bounds=(1, 1024),
        unit="switches",
        symbol="n_nvs",
        integer=True,
        label="NVSwitches a node",
        doc="NVSwitches of one node.",
    )
    unit_nodes = Number(
        32,
        bounds=(2, 4096),
        unit="nodes",
        symbol="M_unit",
        integer=True,
        label="Nodes a unit",
        doc="Nodes of one scalable unit, under the same leaf switches.",
    )
    unit_switches = Number(
        8,
        bounds=(1, 4096),
        unit="switches",
        symbol="n_leaf",
        integer=True,
        label="Leaf switches a unit",
        doc="Leaf switches of one scalable unit.",
    )
    fabric_units = Number(
        4,
        bounds=(2, 4096),
        unit="units",
        symbol="n_unit",
        integer=True,
        label="Units",
        doc="Scalable units under the spine.",
    )
    spine_switches = Number(
        16,
        bounds=(1, 4096),
        unit="switches",
        symbol="n_spine",
        integer=True,
        label="Spine switches",
        doc="Spine switches of the cluster.",
    )
    spine_cables = Number(
        2,
        bounds=(1, 64),
        unit="cables",
        symbol="n_cable",
        integer=True,
        label="Spine cables",
        doc="Cables from each leaf switch to each spine switch.",
    )
    switch_ports = Number(
        64,
        bounds=(1, 4096),
        unit="ports",
        symbol="n_port",
        integer=True,
        label="Switch ports",
        doc="Ports of one leaf or spine switch, each as fast as a network card.",
    )
    span_nodes = Number(
        2,
        bounds=(1, 65536),
        unit="nodes",
        symbol="M_span",
        integer=True,
        label="Nodes spanned",
        doc="Nodes that one data-parallel group or one model copy spans.",
    )
    expert_gpus = Number(
        64,
        bounds=(2, 65536),
        unit="GPUs",
        symbol="Z",
        integer=True,
        label="Expert GPUs",
        doc="GPUs that experts are spread over.",
    )


class Reference(param.Parameterized):
    """Another chip, to compare with."""

    reference_flops = Number(
        4.59e14,
        bounds=(1e10, 1e18),
        unit="FLOP/s",
        symbol="C_ref",
        label="Reference compute",
        doc="Dense peak rate of the other chip.",
    )
    reference_hbm = Number(
        96e9,
        bounds=(1e8, 1e14),
        unit="B",
        symbol="M_ref",
        label="Reference HBM",
        doc="HBM of the other chip.",
    )
    reference_price = Number(
        4.0,
        bounds=(1e-3, 1e4),
        unit="$/h",
        symbol="p_ref",
        label="Reference price",
        doc="Dollars for one hour of the other chip.",
    )
    reference_egress = Number(
        400e9,
        bounds=(1e7, 1e15),
        unit="B/s",
        symbol="W_ref",
        label="Reference egress",
        doc="Network bandwidth out of a node of the other kind.",
    )
