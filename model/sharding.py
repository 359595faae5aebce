"""Chapter 3, sharded matmuls: what one AllGather costs, bandwidth and hops.

An array of V bytes (already divided by the axes that shard it but are not gathered) is gathered over up to three
mesh axes with wraparound links.
"""

import jax.numpy as jnp

from model.binding import binding_max
from model.graph import Scalar, quantity


@quantity(label="Gathered array", symbol="V", unit="B")
def gathered_bytes(gather_bytes_total: Scalar, other_shards: Scalar) -> Scalar:
    """Bytes on each chip after the gather: the array over the ways that other axes shard it."""
    return gather_bytes_total / other_shards


@quantity(label="Gathered axes", symbol="n", unit="axes")
def gathered_axes(gather_axis_1: Scalar, gather_axis_2: Scalar, gather_axis_3: Scalar) -> Scalar:
    """Mesh axes with more than one chip among those that are gathered: each brings its own links."""
    return (
        jnp.where(gather_axis_1 > 1, 1.0, 0.0)
        + jnp.where(gather_axis_2 > 1, 1.0, 0.0)
        + jnp.where(gather_axis_3 > 1, 1.0, 0.0)
    )


@quantity(label="Gather hops", symbol="n_hops", unit="hops")
def gather_hops(gather_axis_1: Scalar, gather_axis_2: Scalar, gather_axis_3: Scalar) -> Scalar:
    """Hops of the gather: half of each ring that has more than one chip, both directions used."""
    return (
        jnp.where(gather_axis_1 > 1, gather_axis_1, 0.0)
        + jnp.where(gather_axis_2 > 1, gather_axis_2, 0.0)
        + jnp.where(gather_axis_3 > 1, gather_axis_3, 0.0)
    ) / 2


@quantity(label="AllGather, bandwidth", symbol="T_bw", unit="s", standing="lower bound")
def allgather_bandwidth_time(gathered_bytes: Scalar, gathered_axes: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """Bandwidth term: V/(W_ici n); exactly 0 where nothing is gathered."""
    moves = gathered_axes > 0
    links = jnp.where(moves, ici_bandwidth * gathered_axes, 1.0)
    return jnp.where(moves, gathered_bytes / links, 0.0)


@quantity(label="AllGather, latency", symbol="T_lat", unit="s", standing="lower bound")
def allgather_latency_time(gather_hops: Scalar, collective_latency: Scalar) -> Scalar:
    """Latency term: one hop's floor times the hops."""
    return gather_hops * collective_latency


@quantity(label="AllGather time", symbol="T_AllGather", unit="s", standing="lower bound")
def allgather_time(allgather_bandwidth_time: Scalar, allgather_latency_time: Scalar) -> Scalar:
    """Latency-aware AllGather: max(T_min sum(X_i)/2, V/(W_ici n)) (book, ch. 3). A ReduceScatter costs the same."""
    return binding_max(bandwidth=allgather_bandwidth_time, latency=allgather_latency_time)


@quantity(label="AllReduce time", symbol="T_AllReduce", unit="s", standing="lower bound")
def allreduce_time(allgather_time: Scalar) -> Scalar:
    """AllReduce: a ReduceScatter and an AllGather (book, ch. 3)."""
    return 2 * allgather_time


@quantity(label="Array elements", symbol="n_array", unit="elements")
def array_elements(array_rows: Scalar, array_columns: Scalar, array_depth: Scalar) -> Scalar:
    """Elements of the whole array."""
    return array_rows * array_columns * array_depth


@quantity(label="Array bytes", symbol="V_whole", unit="B")
def array_bytes(array_elements: Scalar, array_element_bytes: Scalar) -> Scalar:
    """Bytes of one copy of the whole array."""
    return array_elements * array_element_bytes


@quantity(label="Shard elements", symbol="n_shard", unit="elements")
def array_shard_elements(array_elements: Scalar, array_shards: Scalar) -> Scalar:
    """Elements that each chip holds."""
    return array_elements / array_shards


@quantity(label="Shard bytes", symbol="V_shard", unit="B")
def array_shard_bytes(array_bytes: Scalar, array_shards: Scalar) -> Scalar:
    """Bytes that each chip holds."""
    return array_bytes / array_shards


@quantity(label="Array copies", symbol="n_copies", unit="1")
def array_copies(mesh_chips: Scalar, array_shards: Scalar) -> Scalar:
    """How often the mesh holds the array: once for every combination of axes that do not split it."""
    return mesh_chips / array_shards


@quantity(label="Stored bytes", symbol="V_mesh", unit="B")
def array_stored_bytes(array_bytes: Scalar, array_copies: Scalar) -> Scalar:
    """Bytes over all chips of the mesh, copies included."""
    return array_bytes * array_copies


@quantity(label="Mesh FLOPs", symbol="FLOPs_mesh", unit="FLOP")
def mesh_matmul_flops(matmul_flops: Scalar, array_copies: Scalar) -> Scalar:
    """FLOPs of all chips for one matmul: those that do not split it repeat it (book, ch. 4, question 2)."""
    return matmul_flops * array_copies


@quantity(label="Latency-bound below", symbol="V_lat", unit="B", standing="threshold")
def latency_bound_bytes(ici_link_bandwidth: Scalar, collective_latency: Scalar) -> Scalar:
    """Bytes a hop below which its latency, not its bandwidth, is the cost: W_link T_min (45 kB on TPU v5e)."""
    return ici_link_bandwidth * collective_latency


@quantity(label="Shard over one link", symbol="T_hop", unit="s", standing="lower bound")
def shard_hop_time(array_shard_bytes: Scalar, ici_link_bandwidth: Scalar) -> Scalar:
    """Time of one shard over one link one way, latency left out."""
    return array_shard_bytes / ici_link_bandwidth


@quantity(label="Collective's chips", symbol="N_coll", unit="chips")
def collective_chips(gather_axis_1: Scalar, gather_axis_2: Scalar, gather_axis_3: Scalar) -> Scalar:
    """Chips that take part in a collective over up to three axes."""
    return gather_axis_1 * gather_axis_2 * gather_axis_3


@quantity(label="Bytes that arrive", symbol="V_in", unit="B")
def arriving_bytes(gathered_bytes: Scalar, collective_chips: Scalar) -> Scalar:
    """Bytes that each chip of an AllGather lacks at first, all over the same links one way round: V(N - 1)/N."""
    return gathered_bytes * (collective_chips - 1) / collective_chips


@quantity(label="Open AllGather, bandwidth", symbol="T_open,bw", unit="s", standing="lower bound")
def open_allgather_bandwidth_time(arriving_bytes: Scalar, ici_link_bandwidth: Scalar, gathered_axes: Scalar) -> Scalar:
    """Bandwidth term without wraparound, or one way round a ring: a corner has one link an axis (book, ch. 3)."""
    moves = gathered_axes > 0
    links = jnp.where(moves, ici_link_bandwidth * gathered_axes, 1.0)
    return jnp.where(moves, arriving_bytes / links, 0.0)


@quantity(label="Open AllGather, latency", symbol="T_open,lat", unit="s", standing="lower bound")
def open_allgather_latency_time(
    gather_axis_1: Scalar, gather_axis_2: Scalar, gather_axis_3: Scalar, collective_latency: Scalar
) -> Scalar:
    """Latency term without wraparound: a shard passes X_i - 1 hops of each axis."""
    return (gather_axis_1 + gather_axis_2 + gather_axis_3 - 3) * collective_latency


@quantity(label="Open AllGather", symbol="T_open", unit="s", standing="lower bound")
def open_allgather_time(open_allgather_bandwidth_time: Scalar, open_allgather_latency_time: Scalar) -> Scalar:
    """AllGather over axes without wraparound links: about twice a ring's, a ReduceScatter alike."""
    return binding_max(bandwidth=open_allgather_bandwidth_time, latency=open_allgather_latency_time)


@quantity(label="Open AllReduce", symbol="T_open,AllReduce", unit="s", standing="lower bound")
def open_allreduce_time(open_allgather_time: Scalar) -> Scalar:
    """AllReduce over axes without wraparound links: a ReduceScatter and an AllGather."""
    return 2 * open_allgather_time


@quantity(label="ReduceScatter time", symbol="T_ReduceScatter", unit="s", standing="lower bound")
def reducescatter_time(allgather_time: Scalar) -> Scalar:
    """ReduceScatter: an AllGather backwards (book, ch. 3)."""
    return allgather_time


@quantity(label="Longest gathered axis", symbol="max X_i", unit="chips")
def longest_axis(gather_axis_1: Scalar, gather_axis_2: Scalar, gather_axis_3: Scalar) -> Scalar:
    """Chips on the longest of the axes that take part in a collective."""
    return binding_max(first=gather_axis_1, second=gather_axis_2, third=gather_axis_3)


@quantity(label="AllToAll time", symbol="T_AllToAll", unit="s", standing="lower bound")
def alltoall_time(
    gathered_bytes: Scalar, longest_axis: Scalar, collective_chips: Scalar, ici_bandwidth: Scalar
) -> Scalar:
    """AllToAll over rings: V max(X_i)/(4 N W), a quarter of an AllGather on one ring; 0 on one chip."""
    time = gathered_bytes * longest_axis / (4 * collective_chips * ici_bandwidth)
    return jnp.where(collective_chips > 1, time, 0.0)


@quantity(label="Open AllToAll", symbol="T_open,AllToAll", unit="s", standing="lower bound")
def open_alltoall_time(alltoall_time: Scalar) -> Scalar:
    """AllToAll over axes without wraparound links: half as many links cross the middle, so twice a ring's."""
    return 2 * alltoall_time


@quantity(label="Two-way AllToAll gain", symbol="g_AllToAll", unit="1")
def alltoall_two_way_gain(gather_axis_1: Scalar) -> Scalar:
    """Shards a link carries one way round, D(D - 1)/2, over those both ways, D/2(D/2 + 1)/2: 4 on a long ring."""
    oneway = gather_axis_1 * (gather_axis_1 - 1) / 2
    return oneway / (gather_axis_1 / 2 * (gather_axis_1 / 2 + 1) / 2)


@quantity(label="AllReduce matmul, width", symbol="D_AllReduce", unit="elements", standing="threshold")
def allreduce_matmul_min_width(ici_critical_intensity: Scalar, activation_bytes: Scalar) -> Scalar:
    """Contracted width above which multiplying shards and reducing the result hides its comms: 2 C/W in bf16."""
    return activation_bytes * ici_critical_intensity


@quantity(label="AllReduce matmul, shards", symbol="X_AllReduce", unit="shards", standing="threshold")
def allreduce_matmul_max_shards(matmul_inner: Scalar, allreduce_matmul_min_width: Scalar) -> Scalar:
    """Shards of the contracted width up to which that strategy is compute-bound: D/(2 C/W) (book, ch. 3)."""
    return matmul_inner / allreduce_matmul_min_width


@quantity(label="Gather over scatter", symbol="V_gather/V_scatter", unit="1")
def gather_over_scatter(matmul_inner: Scalar, matmul_outer: Scalar) -> Scalar:
    """Comms of gathering an operand [N, M] over those of scattering the result [N, K]: M/K (book, ch. 3)."""
    return matmul_inner / matmul_outer
