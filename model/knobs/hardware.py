"""Knobs of one chip and its links."""

import param

from model.knobs.declare import Choice, Number


class Hardware(param.Parameterized):
    """One chip and its links, as printed or as typed."""

    compute_dtype = Choice(
        "bf16",
        symbol="dtype",
        options={"bf16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5},
        label="Compute dtype",
        doc="Number format of the matmuls, in training and inference; picks the chip's printed peak rate.",
    )
    peak_flops = Number(
        4.59e14,
        bounds=(1e10, 1e18),
        unit="FLOP/s",
        symbol="C",
        allow_None=True,
        label="Peak compute",
        doc="Dense peak rate of one chip for the compute dtype (never the sparse figure).",
    )
    matmul_efficiency = Number(
        1.0,
        bounds=(0.01, 1.0),
        unit="1",
        symbol="e",
        scale="linear",
        label="Matmul efficiency",
        doc="Share of the peak rate that matmuls reach; scales compute only, bandwidths stay at 100 %.",
    )
    hbm_capacity = Number(
        96e9,
        bounds=(1e8, 1e14),
        unit="B",
        symbol="M_hbm",
        allow_None=True,
        label="HBM capacity",
        doc="Bytes of high-bandwidth memory of one chip (decimal: 1 GB = 1e9 B).",
    )
    hbm_bandwidth = Number(
        2.8e12,
        bounds=(1e9, 1e16),
        unit="B/s",
        symbol="W_hbm",
        allow_None=True,
        label="HBM bandwidth",
        doc="Bytes a second between HBM and the compute units of one chip.",
    )
    vmem_capacity = Number(
        None,
        bounds=(1e5, 1e12),
        unit="B",
        symbol="M_vmem",
        allow_None=True,
        label="VMEM capacity",
        doc="Bytes of on-chip scratch memory (TPU VMEM).",
    )
    vmem_bandwidth = Number(
        None,
        bounds=(1e10, 1e18),
        unit="B/s",
        symbol="W_vmem",
        allow_None=True,
        label="VMEM bandwidth",
        doc="Bytes a second between VMEM and the matrix unit.",
    )
    ici_bandwidth = Number(
        1.8e11,
        bounds=(1e8, 1e15),
        unit="B/s",
        symbol="W_ici",
        allow_None=True,
        label="ICI bandwidth",
        doc="Collective bandwidth of one mesh axis, both directions of a ring together; GPUs: egress of one GPU.",
    )
    ici_axes = Number(
        3.0,
        bounds=(1, 3),
        unit="axes",
        symbol="n_axes",
        scale="linear",
        integer=True,
        label="Mesh axes",
        doc="Axes of the torus; 1 means one shared wire (GPU switch), on which all collectives add up.",
    )
    dcn_bandwidth = Number(
        6.25e9,
        bounds=(1e7, 1e13),
        unit="B/s",
        symbol="W_dcn",
        allow_None=True,
        label="DCN bandwidth",
        doc="Data-centre network bandwidth of one chip.",
    )
    pcie_bandwidth = Number(
        None,
        bounds=(1e7, 1e13),
        unit="B/s",
        symbol="W_pcie",
        allow_None=True,
        label="PCIe bandwidth",
        doc="Bytes a second between one chip and its host.",
    )
    collective_latency = Number(
        1e-6,
        bounds=(1e-9, 1e-2),
        unit="s",
        symbol="T_min",
        label="Collective latency",
        doc="Floor of one hop (AllGather lab) and of one inference collective: 1 us in the book.",
    )
    price_per_chip_hour = Number(
        4.2,
        bounds=(1e-3, 1e4),
        unit="$/h",
        symbol="p",
        allow_None=True,
        label="Price",
        doc="Dollars for one chip for one hour.",
    )
