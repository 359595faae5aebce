"""Chapter 4, transformer math: parameters, FLOPs and KV cache of a gated, grouped-query transformer.

Norms, rotary embeddings and biases are dropped, about 1e-5 of the parameters.
"""

import jax.numpy as jnp

from model.graph import Scalar, quantity


@quantity(label="Layer parameters", symbol="P_layer", unit="params")
def layer_params(mlp_params: Scalar, attention_params: Scalar) -> Scalar:
    """Weights of one layer: 3DF + 2DH(N_q + N_kv), experts included."""
    return mlp_params + attention_params


@quantity(label="Active layer parameters", symbol="P_layer,act", unit="params")
def active_layer_params(active_mlp_params: Scalar, attention_params: Scalar) -> Scalar:
    """Weights of one layer that a token uses: all of them in a dense model."""
    return active_mlp_params + attention_params


@quantity(label="Embedding matrix", symbol="P_vocab", unit="params")
def embedding_params(vocab_size: Scalar, d_model: Scalar) -> Scalar:
    """One V x D matrix: the input embedding, or the output head."""
    return vocab_size * d_model


@quantity(label="MLP parameters", symbol="P_mlp,all", unit="params")
def all_mlp_params(n_layers: Scalar, mlp_params: Scalar) -> Scalar:
    """MLP weights of all layers: 3LDF gated."""
    return n_layers * mlp_params


@quantity(label="Attention parameters", symbol="P_attn,all", unit="params")
def all_attention_params(n_layers: Scalar, attention_params: Scalar) -> Scalar:
    """Attention weights of all layers: 2LDH(N_q + N_kv)."""
    return n_layers * attention_params


@quantity(label="Vocabulary parameters", symbol="P_vocab,all", unit="params")
def vocab_params(embedding_params: Scalar, tied_embeddings: Scalar) -> Scalar:
    """Input embedding and output head: 2VD, or VD where the head shares the embedding."""
    return embedding_params * (2 - tied_embeddings)


@quantity(label="Total parameters", symbol="N", unit="params")
def total_params(all_mlp_params: Scalar, all_attention_params: Scalar, vocab_params: Scalar) -> Scalar:
    """All weights: L P_layer + 2VD, or VD where the head shares the embedding."""
    return all_mlp_params + all_attention_params + vocab_params


@quantity(label="Active parameters", symbol="N_act", unit="params")
def active_params(n_layers: Scalar, active_layer_params: Scalar, vocab_params: Scalar) -> Scalar:
    """Weights that one token uses, both embeddings included: N in a dense model."""
    return n_layers * active_layer_params + vocab_params


@quantity(label="Norm parameters", symbol="P_norm", unit="params")
def norm_params(n_layers: Scalar, d_model: Scalar) -> Scalar:
    """Gains of the norms that N leaves out: two of width D in every layer and a last one, 2LD + D."""
    return (2 * n_layers + 1) * d_model


@quantity(label="Parameters with norms", symbol="N_norm", unit="params")
def total_params_with_norms(total_params: Scalar, norm_params: Scalar) -> Scalar:
    """All weights and the gains of RMS norms: what a published count of a LLaMA-like model holds."""
    return total_params + norm_params


@quantity(label="Training FLOPs a token", symbol="F_token", unit="FLOP/token")
def training_flops_per_token(
    n_layers: Scalar,
    active_layer_params: Scalar,
    attention_flops_per_token: Scalar,
    embedding_params: Scalar,
    head_flops: Scalar,
) -> Scalar:
    """Forward and backward FLOPs of one token, recompute left out: 6 a matmul weight, three times the dot products."""
    matmuls = n_layers * active_layer_params + head_flops * embedding_params
    return 6 * matmuls + 3 * n_layers * attention_flops_per_token


@quantity(label="Training FLOPs", symbol="F_train", unit="FLOP")
def training_flops(training_flops_per_token: Scalar, train_tokens: Scalar) -> Scalar:
    """FLOPs of the whole run, recompute left out."""
    return training_flops_per_token * train_tokens


@quantity(label="Attention share", symbol="r_attn", unit="1")
def attention_flops_share(attention_flops_per_token: Scalar, active_layer_params: Scalar) -> Scalar:
    """Dot-product FLOPs over a layer's matmul FLOPs: the book's S/(8D) with full attention and F = 4D."""
    return attention_flops_per_token / (2 * active_layer_params)


@quantity(label="Collective blocks a layer", symbol="n_b", unit="blocks")
def collective_blocks(parallel_block: Scalar) -> Scalar:
    """Blocks whose activations are gathered and scattered under tensor parallelism: 2, or 1 if they run in parallel."""
    return jnp.where(parallel_block > 0.5, 1.0, 2.0)
