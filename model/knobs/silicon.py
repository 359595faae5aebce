"""Knobs of what is inside a chip and of how chips stand in pods, for the chapters on TPUs and GPUs (2 and 12)."""

import param

from model.knobs.declare import Number


class Silicon(param.Parameterized):
    """Cores, matrix and vector units of one chip, and the chips of a host and a pod."""

    pod_chips = Number(
        8960,
        bounds=(1, 1e6),
        unit="chips",
        symbol="N_pod",
        integer=True,
        allow_None=True,
        label="Pod",
        doc="Chips that one ICI fabric joins: a pod, or a node of GPUs.",
    )
    cores_per_chip = Number(
        2,
        bounds=(1, 64),
        unit="cores",
        symbol="n_cores",
        integer=True,
        label="Cores",
        doc="TensorCores of one TPU chip.",
    )
    chips_per_host = Number(
        4,
        bounds=(1, 64),
        unit="chips",
        symbol="n_host",
        integer=True,
        label="Chips a host",
        doc="Chips that share one CPU host and its network card.",
    )
    clock_rate = Number(
        1.75e9,
        bounds=(1e8, 1e10),
        unit="Hz",
        symbol="f_clk",
        label="Clock",
        doc="Cycles a second.",
    )
    mxu_width = Number(
        128,
        bounds=(8, 1024),
        unit="lanes",
        symbol="w_mxu",
        integer=True,
        label="Array side",
        doc="Rows and columns of one systolic array.",
    )
    mxus_per_core = Number(
        4,
        bounds=(1, 64),
        unit="units",
        symbol="n_mxu",
        integer=True,
        label="Matrix units",
        doc="Systolic arrays of one core.",
    )
    vector_lanes = Number(
        1024,
        bounds=(1, 65536),
        unit="lanes",
        symbol="n_lanes",
        integer=True,
        label="Vector lanes",
        doc="Lanes of one vector unit: 8 x 128 on a TPU.",
    )
    vector_alus = Number(
        4,
        bounds=(1, 64),
        unit="units",
        symbol="n_alu",
        integer=True,
        label="Vector ALUs",
        doc="Arithmetic units of one lane.",
    )
    vector_registers = Number(
        64,
        bounds=(1, 65536),
        unit="registers",
        symbol="n_reg",
        integer=True,
        label="Vector registers",
        doc="Registers of one vector unit, each one word a lane.",
    )
    tile_rows = Number(
        128,
        bounds=(1, 65536),
        unit="elements",
        symbol="b_m",
        integer=True,
        label="Tile rows",
        doc="Rows of the output tile that a matmul keeps close.",
    )
    tile_columns = Number(
        256,
        bounds=(1, 65536),
        unit="elements",
        symbol="b_n",
        integer=True,
        label="Tile columns",
        doc="Columns of the output tile.",
    )
