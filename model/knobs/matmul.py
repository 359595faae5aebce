"""Knobs of one matmul and one collective, for the roofline and sharding chapters."""

import param

from model.knobs.declare import Number


class Matmul(param.Parameterized):
    """One sharded or unsharded matmul [B, D] x [D, F], for the roofline chapters (1 to 3)."""

    matmul_batch = Number(
        128, bounds=(1, 1e9), unit="rows", symbol="b", integer=True, label="Rows", doc="Rows B of the left matrix."
    )
    matmul_inner = Number(
        8192,
        bounds=(1, 1e9),
        unit="elements",
        symbol="d",
        integer=True,
        label="Inner width",
        doc="Contracted width D.",
    )
    matmul_outer = Number(
        8192,
        bounds=(1, 1e9),
        unit="elements",
        symbol="f",
        integer=True,
        label="Outer width",
        doc="Columns F of the right matrix.",
    )
    gather_bytes_total = Number(
        8388608.0,
        bounds=(1, 1e16),
        unit="B",
        symbol="V_array",
        label="Array",
        doc="Bytes of the whole array of the AllGather, before any sharding.",
    )
    gather_axis_1 = Number(
        4,
        bounds=(1, 65536),
        unit="chips",
        symbol="n_1",
        integer=True,
        label="First axis",
        doc="Chips on the first mesh axis that is gathered (1: not gathered).",
    )
    gather_axis_2 = Number(
        1,
        bounds=(1, 65536),
        unit="chips",
        symbol="n_2",
        integer=True,
        label="Second axis",
        doc="Chips on the second mesh axis that is gathered.",
    )
    gather_axis_3 = Number(
        1,
        bounds=(1, 65536),
        unit="chips",
        symbol="n_3",
        integer=True,
        label="Third axis",
        doc="Chips on the third mesh axis that is gathered.",
    )
    other_shards = Number(
        1,
        bounds=(1, 1e6),
        unit="shards",
        symbol="n_other",
        integer=True,
        label="Other shards",
        doc="Ways in which axes that are not gathered already split the array.",
    )
