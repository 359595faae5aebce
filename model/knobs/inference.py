"""Knobs of serving."""

import param

from model.knobs.declare import BYTES, Choice, Number


class Inference(param.Parameterized):
    """Serving: chips, batch, lengths, bytes and conventions of a decode step (book, ch. 7)."""

    decode_chips = Number(
        8,
        bounds=(1, 65536),
        unit="chips",
        symbol="Y_d",
        integer=True,
        label="Serving chips",
        doc="Chips that hold one copy of the model, tensor-parallel.",
    )
    decode_batch = Number(
        32,
        bounds=(1, 1e6),
        unit="sequences",
        symbol="B_d",
        integer=True,
        label="Decode batch",
        doc="Sequences that decode together.",
    )
    context_len = Number(
        8192,
        bounds=(1, 1e8),
        unit="tokens",
        symbol="S_kv",
        integer=True,
        label="Context",
        doc="Tokens in each sequence's KV cache.",
    )
    prompt_len = Number(
        8192,
        bounds=(1, 1e8),
        unit="tokens",
        symbol="S_p",
        integer=True,
        label="Prompt",
        doc="Tokens prefilled for each sequence.",
    )
    output_len = Number(
        512,
        bounds=(1, 1e8),
        unit="tokens",
        symbol="S_out",
        integer=True,
        label="Output",
        doc="Tokens generated for each sequence.",
    )
    weight_bytes = Number(
        2.0,
        bounds=(0.25, 8),
        unit="B",
        symbol="b_weight",
        scale="linear",
        names=BYTES,
        label="Weight bytes",
        doc="Bytes a parameter as stored and streamed.",
    )
    kv_bytes = Number(
        2.0,
        bounds=(0.25, 8),
        unit="B",
        symbol="b_kv",
        scale="linear",
        names=BYTES,
        label="KV bytes",
        doc="Bytes an element of the KV cache.",
    )
    collective_axes = Number(
        1.0,
        bounds=(1, 3),
        unit="axes",
        symbol="M",
        scale="linear",
        integer=True,
        label="Collective axes",
        doc="Torus axes that an inference AllReduce uses at once.",
    )
    kv_in_max = Choice(
        "inside",
        symbol="kv",
        options={"inside": 1.0, "outside": 0.0},
        label="KV time",
        doc="Inside: max(FLOPs, weights + KV). Outside: KV + max(FLOPs, weights), as the book adds it.",
    )
    kv_replication = Choice(
        "spread",
        symbol="kv_rep",
        options={"spread": 0.0, "replicated": 1.0},
        label="KV over chips",
        doc="Spread over all chips, or replicated where chips outnumber KV heads.",
    )
    decode_attention = Choice(
        "none",
        symbol="a_d",
        options={"none": 0.0, "counted": 1.0},
        label="Decode attention FLOPs",
        doc="Whether the dot products against the cache count as decode FLOPs (off in the book).",
    )
    prefill_attention = Choice(
        "causal",
        symbol="a_p",
        options={"causal": 0.5, "full": 1.0, "none": 0.0},
        label="Prefill attention FLOPs",
        doc="Share of the S x S scores counted in prefill.",
    )
    inference_comms = Choice(
        "on",
        symbol="comms",
        options={"on": 1.0, "off": 0.0},
        label="Inference collectives",
        doc="Two AllReduces a layer; off in the book's step-time tables.",
    )
