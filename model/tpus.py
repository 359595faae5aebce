"""Chapter 2, TPUs: what the units inside a chip can do, and how long an array takes over each kind of wire."""

import jax.numpy as jnp

from model.graph import Scalar, quantity


@quantity(label="Matrix unit", symbol="C_mxu", unit="FLOP/s")
def mxu_flops(mxu_width: Scalar, clock_rate: Scalar) -> Scalar:
    """FLOPs a second of one systolic array, every cell a multiply and an add a cycle: 2 w^2 f."""
    return 2 * mxu_width**2 * clock_rate


@quantity(label="Chip's matrix units", symbol="C_mxus", unit="FLOP/s")
def chip_mxu_flops(mxu_flops: Scalar, mxus_per_core: Scalar, cores_per_chip: Scalar) -> Scalar:
    """FLOPs a second of all matrix units of a chip."""
    return mxu_flops * mxus_per_core * cores_per_chip


@quantity(label="Core's compute", symbol="C_core", unit="FLOP/s")
def core_flops(reachable_flops: Scalar, cores_per_chip: Scalar) -> Scalar:
    """FLOPs a second of one of the chip's cores."""
    return reachable_flops / cores_per_chip


@quantity(label="Multiply-adds", symbol="C_mac", unit="1/s")
def multiply_adds_per_second(reachable_flops: Scalar) -> Scalar:
    """Multiply-adds a second: half as many as FLOPs."""
    return reachable_flops / 2


@quantity(label="Vector compute", symbol="C_vpu", unit="FLOP/s")
def vector_flops(vector_lanes: Scalar, vector_alus: Scalar, clock_rate: Scalar) -> Scalar:
    """FLOPs a second of one core's vector unit: one a lane, unit and cycle."""
    return vector_lanes * vector_alus * clock_rate


@quantity(label="Critical intensity, vector unit", symbol="I_vpu", unit="FLOP/B", standing="threshold")
def vector_critical_intensity(vector_flops: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """Vector FLOPs per HBM byte above which the vector unit binds."""
    return vector_flops / hbm_bandwidth


@quantity(label="Matrix over vector", symbol="C_core/C_vpu", unit="1")
def matrix_over_vector(core_flops: Scalar, vector_flops: Scalar) -> Scalar:
    """How many times faster a core multiplies matrices than vectors."""
    return core_flops / vector_flops


@quantity(label="Vector register file", symbol="M_vreg", unit="B")
def vector_register_bytes(vector_registers: Scalar, vector_lanes: Scalar) -> Scalar:
    """Bytes of one core's vector registers: a 4-byte word for every lane."""
    return 4 * vector_registers * vector_lanes


@quantity(label="Pod compute", symbol="C_pod", unit="FLOP/s")
def pod_flops(pod_chips: Scalar, reachable_flops: Scalar) -> Scalar:
    """FLOPs a second of a full pod."""
    return pod_chips * reachable_flops


@quantity(label="Pod HBM", symbol="M_pod", unit="B")
def pod_hbm(pod_chips: Scalar, hbm_capacity: Scalar) -> Scalar:
    """HBM of a full pod."""
    return pod_chips * hbm_capacity


@quantity(label="Pod cores", symbol="N_cores", unit="cores")
def pod_cores(pod_chips: Scalar, cores_per_chip: Scalar) -> Scalar:
    """TensorCores of a full pod."""
    return pod_chips * cores_per_chip


@quantity(label="Pod hosts", symbol="N_hosts", unit="hosts")
def pod_hosts(pod_chips: Scalar, chips_per_host: Scalar) -> Scalar:
    """CPU hosts of a full pod."""
    return pod_chips / chips_per_host


@quantity(label="Host DCN", symbol="W_host", unit="B/s")
def host_dcn_bandwidth(dcn_bandwidth: Scalar, chips_per_host: Scalar) -> Scalar:
    """Data-centre bandwidth of one host: that of all its chips."""
    return dcn_bandwidth * chips_per_host


@quantity(label="One ICI link", symbol="W_link", unit="B/s")
def ici_link_bandwidth(ici_bandwidth: Scalar) -> Scalar:
    """Bytes a second one way over one link: half of the axis figure, which counts both directions."""
    return ici_bandwidth / 2


@quantity(label="Chip egress", symbol="W_out", unit="B/s")
def ici_egress_bandwidth(ici_axes: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """Bytes a second out of one chip over the links of all axes, two an axis."""
    return ici_axes * ici_bandwidth


@quantity(label="HBM over PCIe", symbol="W_hbm/W_pcie", unit="1")
def hbm_over_pcie(hbm_bandwidth: Scalar, pcie_bandwidth: Scalar) -> Scalar:
    """How many times faster HBM is than the wire to the host."""
    return hbm_bandwidth / pcie_bandwidth


@quantity(label="HBM over a link", symbol="W_hbm/W_link", unit="1")
def hbm_over_link(hbm_bandwidth: Scalar, ici_link_bandwidth: Scalar) -> Scalar:
    """How many times faster HBM is than one ICI link one way."""
    return hbm_bandwidth / ici_link_bandwidth


@quantity(label="Mesh", symbol="N_mesh", unit="chips")
def mesh_chips(mesh_axis_1: Scalar, mesh_axis_2: Scalar, mesh_axis_3: Scalar) -> Scalar:
    """Chips of a mesh of up to three axes."""
    return mesh_axis_1 * mesh_axis_2 * mesh_axis_3


@quantity(label="Farthest on a ring", symbol="n_ring", unit="hops")
def ring_hops(mesh_axis_1: Scalar) -> Scalar:
    """Hops to the farthest chip of one axis with wraparound links: half of its chips."""
    return mesh_axis_1 / 2


@quantity(label="Load from HBM", symbol="T_hbm,array", unit="s", standing="lower bound")
def array_hbm_time(array_shard_bytes: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """Time to read one chip's shard of the array from HBM."""
    return array_shard_bytes / hbm_bandwidth


@quantity(label="Load from the hosts", symbol="T_pcie,array", unit="s", standing="lower bound")
def array_pcie_time(array_bytes: Scalar, pcie_links: Scalar, pcie_bandwidth: Scalar) -> Scalar:
    """Time to bring the whole array from host memory over several PCIe links at once."""
    return array_bytes / (pcie_links * pcie_bandwidth)


@quantity(label="VMEM by rule", symbol="22 W_hbm", unit="B/s", standing="estimate")
def vmem_by_rule(hbm_bandwidth: Scalar) -> Scalar:
    """VMEM bandwidth by the book's rule of thumb, 22 times HBM (book, ch. 2)."""
    return 22 * hbm_bandwidth


@quantity(label="Copy bandwidth", symbol="W_copy", unit="B/s")
def copy_bandwidth(copy_links: Scalar, ici_link_bandwidth: Scalar) -> Scalar:
    """Bytes a second out of one chip over the links that a copy uses, one way each."""
    return copy_links * ici_link_bandwidth


@quantity(label="Copy, bandwidth", symbol="T_copy,bw", unit="s", standing="lower bound")
def copy_bandwidth_time(array_bytes: Scalar, copy_bandwidth: Scalar) -> Scalar:
    """Time of the bytes of a copy from one chip to another, without wraparound links (book, ch. 2)."""
    return array_bytes / copy_bandwidth


@quantity(label="Copy hops", symbol="n_copy", unit="hops")
def copy_hops(mesh_axis_1: Scalar, mesh_axis_2: Scalar, mesh_axis_3: Scalar) -> Scalar:
    """Hops from one corner of the mesh to the opposite one, without wraparound links."""
    return mesh_axis_1 + mesh_axis_2 + mesh_axis_3 - 3


@quantity(label="Copy, latency", symbol="T_copy,lat", unit="s", standing="lower bound")
def copy_latency_time(copy_hops: Scalar, collective_latency: Scalar) -> Scalar:
    """Arrival of the first byte: one hop's floor for each hop."""
    return copy_hops * collective_latency


@quantity(label="Copy time", symbol="T_copy", unit="s", standing="lower bound")
def copy_time(copy_bandwidth_time: Scalar, copy_latency_time: Scalar) -> Scalar:
    """Corner to corner: the first byte's way and then all bytes (book, ch. 2, question 5)."""
    return copy_bandwidth_time + copy_latency_time


@quantity(label="Tiles down", symbol="n_tile,down", unit="tiles")
def tiles_down(array_rows: Scalar, tile_rows: Scalar) -> Scalar:
    """Tiles that cover the rows of an array, the last one padded."""
    return jnp.ceil(array_rows / tile_rows)


@quantity(label="Tiles across", symbol="n_tile,across", unit="tiles")
def tiles_across(array_columns: Scalar, tile_columns: Scalar) -> Scalar:
    """Tiles that cover the columns of an array, the last one padded."""
    return jnp.ceil(array_columns / tile_columns)


@quantity(label="Tile padding", symbol="r_pad", unit="1")
def tile_padding(
    tiles_down: Scalar,
    tiles_across: Scalar,
    tile_rows: Scalar,
    tile_columns: Scalar,
    array_rows: Scalar,
    array_columns: Scalar,
) -> Scalar:
    """Elements of an array padded to whole tiles over those that it has (book, ch. 9)."""
    return tiles_down * tile_rows * tiles_across * tile_columns / (array_rows * array_columns)
