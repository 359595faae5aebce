"""Knobs of a serving fleet, for the chapters on inference (7 and 8)."""

import param

from model.knobs.declare import Number


class Serving(param.Parameterized):
    """Shared prefixes, host memory and a latency limit."""

    prefix_len = Number(
        4096,
        bounds=(1, 1e8),
        unit="tokens",
        symbol="S_prefix",
        integer=True,
        label="Cached prefix",
        doc="Prompt tokens whose keys and values another request has left in the cache.",
    )
    host_memory = Number(
        450e9,
        bounds=(1e9, 1e14),
        unit="B",
        symbol="M_host",
        label="Host memory",
        doc="DRAM of the hosts of one serving slice.",
    )
    latency_limit = Number(
        0.015,
        bounds=(1e-4, 10),
        unit="s",
        symbol="T_max",
        label="Latency limit",
        doc="Longest decode step that is acceptable.",
    )
