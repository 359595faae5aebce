"""Knobs of a training step."""

import param

from model.knobs.declare import BYTES, Choice, Number


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
