"""The knobs: every input of the graph, declared once.

A knob is a parameter of one of the groups below, with a unit, a symbol, bounds, a scale and a sentence. Widgets, URL
keys, command-line flags, documentation and graph inputs all derive from these declarations.

There are three kinds. *Continuous* knobs are numbers. *Integer* knobs are counts: differentiated as if continuous,
shown as marginal rates. *Choices* are conventions: each option stands for the number that enters the graph, and a
choice has no elasticity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import param

Scale = Literal["log", "linear"]
KnobValue = float | str | None


class Number(param.Number):
    """A numeric knob.

    `names` are words that a person may type for a value (`bf16` for 2 bytes). `integer` knobs count things.
    """

    __slots__ = ["integer", "names", "scale", "symbol", "unit"]
    _slot_defaults: ClassVar[dict[str, Any]] = dict(
        param.Number._slot_defaults, unit="1", symbol="", scale="log", integer=False, names={}
    )

    def __init__(
        self,
        default: float | None,
        *,
        unit: str,
        symbol: str,
        scale: Scale = "log",
        integer: bool = False,
        names: Mapping[str, float] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(default, **params)
        self.unit, self.symbol, self.scale, self.integer, self.names = unit, symbol, scale, integer, dict(names or {})


class Choice(param.Selector):
    """A convention: `options` maps what a person picks to the number that enters the graph."""

    __slots__ = ["numbers", "symbol"]
    _slot_defaults: ClassVar[dict[str, Any]] = dict(param.Selector._slot_defaults, symbol="", numbers={})

    def __init__(self, default: str, *, symbol: str, options: Mapping[str, float], **params: Any) -> None:
        super().__init__(default=default, objects=list(options), **params)
        self.symbol, self.numbers = symbol, dict(options)


BYTES = {"fp32": 4.0, "bf16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5, "fp4": 0.5}


class Hardware(param.Parameterized):
    """One chip and its links, as printed or as typed."""

    compute_dtype = Choice(
        "bf16",
        symbol="dtype",
        options={"bf16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5},
        label="Compute dtype",
        doc="Number format of the matmuls, in training and inference; picks the chip's printed peak rate.",
    )
    peak_flops = Number(
        4.59e14,
        bounds=(1e10, 1e18),
        unit="FLOP/s",
        symbol="C",
        allow_None=True,
        label="Peak compute",
        doc="Dense peak rate of one chip for the compute dtype (never the sparse figure).",
    )
    matmul_efficiency = Number(
        1.0,
        bounds=(0.01, 1.0),
        unit="1",
        symbol="e",
        scale="linear",
        label="Matmul efficiency",
        doc="Share of the peak rate that matmuls reach; scales compute only, bandwidths stay at 100 %.",
    )
    hbm_capacity = Number(
        96e9,
        bounds=(1e8, 1e14),
        unit="B",
        symbol="M_hbm",
        allow_None=True,
        label="HBM capacity",
        doc="Bytes of high-bandwidth memory of one chip (decimal: 1 GB = 1e9 B).",
    )
    hbm_bandwidth = Number(
        2.8e12,
        bounds=(1e9, 1e16),
        unit="B/s",
        symbol="W_hbm",
        allow_None=True,
        label="HBM bandwidth",
        doc="Bytes a second between HBM and the compute units of one chip.",
    )
    vmem_capacity = Number(
        None,
        bounds=(1e5, 1e12),
        unit="B",
        symbol="M_vmem",
        allow_None=True,
        label="VMEM capacity",
        doc="Bytes of on-chip scratch memory (TPU VMEM).",
    )
    vmem_bandwidth = Number(
        None,
        bounds=(1e10, 1e18),
        unit="B/s",
        symbol="W_vmem",
        allow_None=True,
        label="VMEM bandwidth",
        doc="Bytes a second between VMEM and the matrix unit.",
    )
    ici_bandwidth = Number(
        1.8e11,
        bounds=(1e8, 1e15),
        unit="B/s",
        symbol="W_ici",
        allow_None=True,
        label="ICI bandwidth",
        doc="Collective bandwidth of one mesh axis, both directions of a ring together; GPUs: egress of one GPU.",
    )
    ici_axes = Number(
        3.0,
        bounds=(1, 3),
        unit="axes",
        symbol="n_axes",
        scale="linear",
        integer=True,
        label="Mesh axes",
        doc="Axes of the torus; 1 means one shared wire (GPU switch), on which all collectives add up.",
    )
    dcn_bandwidth = Number(
        6.25e9,
        bounds=(1e7, 1e13),
        unit="B/s",
        symbol="W_dcn",
        allow_None=True,
        label="DCN bandwidth",
        doc="Data-centre network bandwidth of one chip.",
    )
    pcie_bandwidth = Number(
        None,
        bounds=(1e7, 1e13),
        unit="B/s",
        symbol="W_pcie",
        allow_None=True,
        label="PCIe bandwidth",
        doc="Bytes a second between one chip and its host.",
    )
    collective_latency = Number(
        1e-6,
        bounds=(1e-9, 1e-2),
        unit="s",
        symbol="T_min",
        label="Collective latency",
        doc="Floor of one hop (AllGather lab) and of one inference collective: 1 us in the book.",
    )
    price_per_chip_hour = Number(
        4.2,
        bounds=(1e-3, 1e4),
        unit="$/h",
        symbol="p",
        allow_None=True,
        label="Price",
        doc="Dollars for one chip for one hour.",
    )


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


class Training(param.Parameterized):
    """Mesh, batch and conventions of a training step (book, ch. 5)."""

    data_shards = Number(
        1120,
        bounds=(1, 1e6),
        unit="shards",
        symbol="X",
        integer=True,
        label="Data shards",
        doc="Data-parallel (FSDP) ways: weights, gradients and optimizer state are split over them too.",
    )
    tensor_shards = Number(
        8,
        bounds=(1, 65536),
        unit="shards",
        symbol="Y",
        integer=True,
        label="Tensor shards",
        doc="Tensor-parallel ways; above 1 they take one axis of the torus.",
    )
    batch_tokens = Number(
        4194304,
        bounds=(1, 1e11),
        unit="tokens",
        symbol="B",
        integer=True,
        label="Batch",
        doc="Tokens in the global batch of one step.",
    )
    seq_len = Number(
        4096,
        bounds=(1, 1e8),
        unit="tokens",
        symbol="S",
        integer=True,
        label="Sequence",
        doc="Training sequence length; enters attention FLOPs only.",
    )
    train_tokens = Number(
        15e12,
        bounds=(1, 1e17),
        unit="tokens",
        symbol="T",
        label="Training tokens",
        doc="Tokens of the whole run.",
    )
    attention_flops = Choice(
        "causal",
        symbol="a",
        options={"causal": 0.5, "full": 1.0, "none": 0.0},
        label="Attention FLOPs",
        doc="Share of the S x S scores that is counted; the book's tables count none.",
    )
    head_flops = Choice(
        "matmul",
        symbol="head",
        options={"matmul": 1.0, "book": 2.0, "none": 0.0},
        label="Embedding FLOPs",
        doc="Matrices priced outside the layers: the output head (matmul), both V x D matrices (book: 6ND), none.",
    )
    tensor_backward = Choice(
        "1x",
        symbol="tp_bwd",
        options={"1x": 1.0, "1.5x": 1.5},
        label="TP backward",
        doc="Tensor-parallel traffic of the backward pass over the forward's; 1.5x where inputs are gathered again.",
    )
    recompute = Choice(
        "none",
        symbol="remat",
        options={"none": 0.0, "full": 1.0},
        label="Recompute",
        doc="Forward pass run again during the backward pass: time and HFU rise, MFU counts it never.",
    )
    checkpoint_rule = Choice(
        "mlp",
        symbol="ckpt",
        options={"mlp": 0.0, "block": 1.0, "four": 4.0, "matmuls": 7.0, "all": 20.0},
        label="Checkpoints",
        doc="Saved bf16 activations a layer and token: D+2F (mlp, ch. 5), or 1, 4, 7, 20 times D.",
    )
    state_bytes_per_param = Number(
        10.0,
        bounds=(0.5, 64),
        unit="B",
        symbol="b_state",
        scale="linear",
        names={"adam": 10.0, "adam_master": 14.0, "adam_fp32_grad": 18.0},
        label="Training state",
        doc="Bytes a parameter: 10 is bf16 weights and two fp32 moments; 14 adds an fp32 master copy.",
    )
    gather_bytes = Number(
        2.0,
        bounds=(0.25, 8),
        unit="B",
        symbol="b_w",
        scale="linear",
        names=BYTES,
        label="Gathered weights",
        doc="Bytes a parameter in the FSDP AllGathers.",
    )
    gradient_bytes = Number(
        2.0,
        bounds=(0.25, 8),
        unit="B",
        symbol="b_g",
        scale="linear",
        names=BYTES,
        label="Scattered gradients",
        doc="Bytes a parameter in the ReduceScatter of gradients.",
    )
    activation_bytes = Number(
        2.0,
        bounds=(0.25, 8),
        unit="B",
        symbol="b_a",
        scale="linear",
        names=BYTES,
        label="Activations",
        doc="Bytes an activation element in collectives and checkpoints, training and inference.",
    )


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


GROUPS: tuple[type[param.Parameterized], ...] = (Hardware, Transformer, Training, Inference, Matmul)


@dataclass(frozen=True)
class Knob:
    """What the rest of the program knows of one input.

    `numbers` maps the options of a choice to graph values and is empty for numeric knobs.
    """

    name: str
    group: str
    label: str
    symbol: str
    unit: str
    doc: str
    kind: Literal["continuous", "integer", "choice"]
    default: KnobValue
    bounds: tuple[float, float]
    scale: Scale
    optional: bool
    names: Mapping[str, float]
    numbers: Mapping[str, float]

    @property
    def integer(self) -> bool:
        """Whether the knob counts things."""
        return self.kind == "integer"

    def number(self, value: KnobValue) -> float:
        """Return the float that enters the graph: an option's number, or NaN for an empty knob."""
        if self.kind == "choice":
            return self.numbers[str(value)]
        return math.nan if value is None else float(value)


def _knob(group: type[param.Parameterized], name: str) -> Knob:
    declared = group.param[name]
    common = {"name": name, "group": group.__name__, "label": declared.label, "doc": declared.doc or ""}
    if isinstance(declared, Choice):
        return Knob(
            **common,
            symbol=declared.symbol,
            unit="",
            kind="choice",
            default=declared.default,
            bounds=(min(declared.numbers.values()), max(declared.numbers.values())),
            scale="linear",
            optional=False,
            names={},
            numbers=declared.numbers,
        )
    low, high = declared.bounds
    return Knob(
        **common,
        symbol=declared.symbol,
        unit=declared.unit,
        kind="integer" if declared.integer else "continuous",
        default=None if declared.default is None else float(declared.default),
        bounds=(float(low), float(high)),
        scale=declared.scale,
        optional=bool(declared.allow_None),
        names=declared.names,
        numbers={},
    )


def _declared() -> dict[str, Knob]:
    knobs: dict[str, Knob] = {}
    for group in GROUPS:
        for name, declared in group.param.objects("existing").items():
            if isinstance(declared, Number | Choice):
                if name in knobs:
                    raise ValueError(f"knob {name} is declared twice: {knobs[name].group} and {group.__name__}")
                knobs[name] = _knob(group, name)
    return knobs


KNOBS: Mapping[str, Knob] = _declared()
"""Every knob by name, in declaration order: the order of the graph's arguments."""
