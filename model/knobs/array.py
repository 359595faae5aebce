"""Knobs of one sharded array and the mesh that it lies on, for the chapters on chips and sharding (2 and 3)."""

import param

from model.knobs.declare import BYTES, Number


class Array(param.Parameterized):
    """One array [I, J, K] on a mesh of up to three axes."""

    array_rows = Number(
        1024,
        bounds=(1, 1e9),
        unit="elements",
        symbol="n_I",
        integer=True,
        label="Array rows",
        doc="First dimension of the array.",
    )
    array_columns = Number(
        4096,
        bounds=(1, 1e9),
        unit="elements",
        symbol="n_J",
        integer=True,
        label="Array columns",
        doc="Second dimension of the array.",
    )
    array_depth = Number(
        1,
        bounds=(1, 1e9),
        unit="elements",
        symbol="n_K",
        integer=True,
        label="Array depth",
        doc="Third dimension of the array (1: there is none).",
    )
    array_element_bytes = Number(
        2.0,
        bounds=(0.25, 8),
        unit="B",
        symbol="b_array",
        scale="linear",
        names=BYTES,
        label="Array elements",
        doc="Bytes an element of the array.",
    )
    array_shards = Number(
        1,
        bounds=(1, 1e6),
        unit="shards",
        symbol="n_shards",
        integer=True,
        label="Array shards",
        doc="Ways in which mesh axes split the array.",
    )
    mesh_axis_1 = Number(
        4,
        bounds=(1, 65536),
        unit="chips",
        symbol="m_1",
        integer=True,
        label="First mesh axis",
        doc="Chips along the first axis of the mesh.",
    )
    mesh_axis_2 = Number(
        4,
        bounds=(1, 65536),
        unit="chips",
        symbol="m_2",
        integer=True,
        label="Second mesh axis",
        doc="Chips along the second axis of the mesh.",
    )
    mesh_axis_3 = Number(
        1,
        bounds=(1, 65536),
        unit="chips",
        symbol="m_3",
        integer=True,
        label="Third mesh axis",
        doc="Chips along the third axis of the mesh.",
    )
    copy_links = Number(
        2,
        bounds=(1, 64),
        unit="links",
        symbol="n_links",
        integer=True,
        label="Copy links",
        doc="ICI links out of one chip that a copy to another chip uses at once.",
    )
    pcie_links = Number(
        1,
        bounds=(1, 65536),
        unit="links",
        symbol="n_pcie",
        integer=True,
        label="PCIe links",
        doc="PCIe links over which hosts load the array at once.",
    )
