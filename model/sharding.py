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
