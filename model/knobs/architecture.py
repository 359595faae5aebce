"""Knobs of what a plain grouped-query transformer does not have: experts, windows, a latent cache.

Their defaults switch all of it off: one expert, no windowed layer, grouped attention.
"""

import param

from model.knobs.declare import Choice, Number


class Architecture(param.Parameterized):
    """Mixture of experts, sliding windows and latent attention."""

    n_experts = Number(
        1, bounds=(1, 8192), unit="experts", symbol="E", integer=True, label="Experts", doc="Routed experts; 1: dense."
    )
    active_experts = Number(
        1,
        bounds=(1, 1024),
        unit="experts",
        symbol="k",
        integer=True,
        label="Active experts",
        doc="Routed experts that one token uses.",
    )
    shared_experts = Number(
        0,
        bounds=(0, 64),
        unit="experts",
        symbol="E_s",
        scale="linear",
        label="Shared experts",
        doc="Experts that every token uses besides, in widths of a routed one.",
    )
    d_expert = Number(
        2048,
        bounds=(16, 4e6),
        unit="elements",
        symbol="F_e",
        integer=True,
        label="Expert width",
        doc="Hidden width of one routed expert.",
    )
    dense_layers = Number(
        0,
        bounds=(0, 2000),
        unit="layers",
        symbol="L_d",
        scale="linear",
        integer=True,
        label="Dense layers",
        doc="Layers of a mixture of experts that keep a dense MLP of width F.",
    )
    window_layers = Number(
        0,
        bounds=(0, 2000),
        unit="layers",
        symbol="L_w",
        scale="linear",
        integer=True,
        label="Windowed layers",
        doc="Layers that attend to the last tokens only and cache no more.",
    )
    window = Number(
        4096,
        bounds=(1, 1e8),
        unit="tokens",
        symbol="W_s",
        integer=True,
        label="Window",
        doc="Tokens that a windowed layer attends to.",
    )
    attention_kind = Choice(
        "grouped",
        symbol="attn",
        options={"grouped": 0.0, "latent": 1.0},
        label="Attention",
        doc="Grouped: keys and values of each KV head are cached. Latent (MLA): one compressed vector a token is.",
    )
    kv_rank = Number(
        512,
        bounds=(1, 65536),
        unit="elements",
        symbol="r_kv",
        integer=True,
        label="KV rank",
        doc="Width of the latent vector that keys and values are made from.",
    )
    q_rank = Number(
        1536,
        bounds=(0, 65536),
        unit="elements",
        symbol="r_q",
        scale="linear",
        integer=True,
        label="Query rank",
        doc="Width of the latent vector that queries are made from; 0: projected directly.",
    )
    rope_dim = Number(
        64,
        bounds=(0, 1024),
        unit="elements",
        symbol="H_r",
        scale="linear",
        integer=True,
        label="RoPE width",
        doc="Width of the rotary part of a latent head, cached once a token.",
    )
    d_value = Number(
        128,
        bounds=(1, 8192),
        unit="elements",
        symbol="H_v",
        integer=True,
        label="Value width",
        doc="Width of one value head of latent attention.",
    )
