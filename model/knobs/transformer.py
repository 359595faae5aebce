"""Knobs of the model's shape."""

import param

from model.knobs.declare import Choice, Number


class Transformer(param.Parameterized):
    """The model's shape, counted as in the book's chapter 4."""

    n_layers = Number(
        80, bounds=(1, 2000), unit="layers", symbol="L", integer=True, label="Layers", doc="Transformer layers."
    )
    d_model = Number(
        8192,
        bounds=(16, 1e6),
        unit="elements",
        symbol="D",
        integer=True,
        label="Model width",
        doc="Width of the residual stream.",
    )
    d_ff = Number(
        28672,
        bounds=(16, 4e6),
        unit="elements",
        symbol="F",
        integer=True,
        label="FFN width",
        doc="Hidden width of the MLP.",
    )
    n_heads = Number(
        64, bounds=(1, 4096), unit="heads", symbol="N_q", integer=True, label="Query heads", doc="Query heads."
    )
    n_kv_heads = Number(
        8,
        bounds=(1, 4096),
        unit="heads",
        symbol="N_kv",
        integer=True,
        label="KV heads",
        doc="Key/value heads (fewer than query heads: grouped-query attention).",
    )
    d_head = Number(
        128, bounds=(1, 8192), unit="elements", symbol="H", integer=True, label="Head width", doc="Width of one head."
    )
    vocab_size = Number(
        128256,
        bounds=(2, 1e7),
        unit="tokens",
        symbol="V",
        integer=True,
        label="Vocabulary",
        doc="Rows of the embedding.",
    )
    mlp_matrices = Choice(
        "3",
        symbol="n_mlp",
        options={"3": 3.0, "2": 2.0},
        label="MLP matrices",
        doc="3: gated MLP (gate, up, down); 2: plain MLP (up, down).",
    )
    tied_embeddings = Choice(
        "untied",
        symbol="tied",
        options={"untied": 0.0, "tied": 1.0},
        label="Embeddings",
        doc="Tied: the output head shares the input embedding's V x D matrix.",
    )
    parallel_block = Choice(
        "sequential",
        symbol="block",
        options={"sequential": 0.0, "parallel": 1.0},
        label="Block",
        doc="Parallel: attention and MLP share one input, so a layer has one collective block instead of two.",
    )
