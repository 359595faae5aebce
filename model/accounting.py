"""Chapter 4, counting: shares of parameters, FLOPs by part, the intensity of attention, and a run as a budget.

FLOPs are those of one token; training counts the forward pass once and the backward pass twice.
"""

from model.graph import Scalar, quantity


@quantity(label="Matmul training FLOPs", symbol="FLOPs_train", unit="FLOP")
def matmul_training_flops(matmul_flops: Scalar) -> Scalar:
    """Forward and backward FLOPs of one matmul: 2NPM forward, 4NPM for both gradients."""
    return 3 * matmul_flops


@quantity(label="MLP training FLOPs, a layer", symbol="F_mlp,train", unit="FLOP/token")
def mlp_training_flops_per_token(active_mlp_params: Scalar) -> Scalar:
    """Forward and backward FLOPs of one layer's MLP for one token: 18DF gated."""
    return 6 * active_mlp_params


@quantity(label="Projection training FLOPs, a layer", symbol="F_proj,train", unit="FLOP/token")
def projection_training_flops_per_token(attention_params: Scalar) -> Scalar:
    """Forward and backward FLOPs of one layer's Q, K, V and output projections for one token: 12D(N_q + N_kv)H."""
    return 6 * attention_params


@quantity(label="Attention training FLOPs, a layer", symbol="F_attn,train", unit="FLOP/token")
def attention_training_flops_per_token(attention_flops_per_token: Scalar) -> Scalar:
    """Forward and backward dot products of one layer for one token: 12 S N_q H without a mask."""
    return 3 * attention_flops_per_token


@quantity(label="Layers' training FLOPs", symbol="F_layers,train", unit="FLOP/token")
def layers_training_flops_per_token(
    n_layers: Scalar, mlp_training_flops_per_token: Scalar, projection_training_flops_per_token: Scalar
) -> Scalar:
    """Forward and backward FLOPs of all layers' weights for one token: 6 a parameter."""
    return n_layers * (mlp_training_flops_per_token + projection_training_flops_per_token)


@quantity(label="Head training FLOPs", symbol="F_head,train", unit="FLOP/token")
def head_training_flops_per_token(embedding_params: Scalar, head_flops: Scalar) -> Scalar:
    """Forward and backward FLOPs outside the layers for one token: 6DV for the output head."""
    return 6 * embedding_params * head_flops


@quantity(label="Forward FLOPs", symbol="F_fwd", unit="FLOP/token")
def forward_flops_per_token(active_params: Scalar) -> Scalar:
    """Forward FLOPs of one token by the rule of thumb: two a parameter that it uses."""
    return 2 * active_params


@quantity(label="FLOPs a parameter", symbol="F/P", unit="FLOP/token")
def training_flops_per_param(recompute: Scalar) -> Scalar:
    """FLOPs a parameter and token in training: 6, and 8 where the forward pass runs twice."""
    return 6 + 2 * recompute


@quantity(label="Causal share", symbol="a_causal", unit="1")
def causal_share(seq_len: Scalar) -> Scalar:
    """Share of the S x S scores that a causal mask leaves, the diagonal included: (S + 1)/(2S)."""
    return (seq_len + 1) / (2 * seq_len)


@quantity(label="Attention as large as matmuls", symbol="S_eq", unit="tokens", standing="threshold")
def attention_crossover_len(layer_params: Scalar, n_heads: Scalar, d_head: Scalar) -> Scalar:
    """Sequence at which unmasked dot products need as many FLOPs as a layer's weights: 8D at F = 4D and MHA."""
    return layer_params / (2 * n_heads * d_head)


@quantity(label="Attention as large as projections", symbol="S_eq,proj", unit="tokens", standing="threshold")
def projection_crossover_len(attention_params: Scalar, n_heads: Scalar, d_head: Scalar) -> Scalar:
    """Sequence at which unmasked dot products need as many FLOPs as the projections: 2D in MHA."""
    return attention_params / (2 * n_heads * d_head)


@quantity(label="Attention's share of a layer", symbol="P_attn/P_layer", unit="1")
def attention_params_share(attention_params: Scalar, layer_params: Scalar) -> Scalar:
    """Share of a layer's parameters in its attention: a quarter at F = 4D and MHA."""
    return attention_params / layer_params


@quantity(label="MLP's share of the model", symbol="P_mlp,all/N", unit="1")
def mlp_params_share(all_mlp_params: Scalar, total_params: Scalar) -> Scalar:
    """Share of all parameters in the MLPs."""
    return all_mlp_params / total_params


@quantity(label="FFN ratio", symbol="F/D", unit="1")
def ffn_ratio(d_ff: Scalar, d_model: Scalar) -> Scalar:
    """Hidden width of the MLP over the model's width."""
    return d_ff / d_model


@quantity(label="Query heads a KV head", symbol="G", unit="heads")
def query_group(n_heads: Scalar, n_kv_heads: Scalar) -> Scalar:
    """Query heads that share one head of keys and values; the cache is smaller by as much."""
    return n_heads / n_kv_heads


def _attention_intensity(queries: Scalar, keys: Scalar, group: Scalar, bytes_each: Scalar) -> Scalar:
    return 2 / bytes_each * queries * keys * group / (queries * group + keys)


@quantity(label="Attention intensity, prefill", symbol="I_attn,p", unit="FLOP/B")
def attention_prefill_intensity(prompt_len: Scalar, query_group: Scalar, activation_bytes: Scalar) -> Scalar:
    """FLOPs a byte of the dot products over a prompt, scores kept on the chip: SG/(G + 1) in bf16 (book, ch. 4)."""
    return _attention_intensity(prompt_len, prompt_len, query_group, activation_bytes)


@quantity(label="Attention intensity, decode", symbol="I_attn,d", unit="FLOP/B")
def attention_decode_intensity(context_len: Scalar, query_group: Scalar, activation_bytes: Scalar) -> Scalar:
    """FLOPs a byte of one query's dot products against the cache: tends to G in bf16, whatever the batch."""
    return _attention_intensity(1.0, context_len, query_group, activation_bytes)


@quantity(label="Attention intensity, chunk", symbol="I_attn", unit="FLOP/B")
def attention_chunk_intensity(
    prompt_len: Scalar, context_len: Scalar, query_group: Scalar, activation_bytes: Scalar
) -> Scalar:
    """FLOPs a byte when a chunk of S_p queries meets S_kv keys: S_p S_kv/(S_p + S_kv) in MHA (book, ch. 7)."""
    return _attention_intensity(prompt_len, context_len, query_group, activation_bytes)


@quantity(label="Prompt for compute-bound attention", symbol="S_crit", unit="tokens", standing="threshold")
def attention_critical_len(hbm_critical_intensity: Scalar, query_group: Scalar, activation_bytes: Scalar) -> Scalar:
    """Prompt above which the dot products are compute-bound: C/W_hbm (G + 1)/G in bf16, twice C/W_hbm in MHA."""
    return hbm_critical_intensity * (query_group + 1) / query_group * activation_bytes / 2


@quantity(label="Expert sparsity", symbol="E/k", unit="1")
def expert_sparsity(n_experts: Scalar, active_experts: Scalar) -> Scalar:
    """Experts stored for each one that a token uses."""
    return n_experts / active_experts


@quantity(label="Mixture's critical batch", symbol="B_crit E/k", unit="tokens", standing="threshold")
def mixture_critical_batch(matmul_critical_batch: Scalar, expert_sparsity: Scalar) -> Scalar:
    """Tokens above which the experts' matmuls are compute-bound: every weight is read, k of E do work."""
    return matmul_critical_batch * expert_sparsity


@quantity(label="Growth by experts", symbol="N/N_dense", unit="1")
def mixture_growth(total_params: Scalar, dense_total_params: Scalar) -> Scalar:
    """Parameters of the mixture over those of the dense model that it replaces."""
    return total_params / dense_total_params


@quantity(label="Dense counterpart", symbol="N_dense", unit="params")
def dense_total_params(
    n_layers: Scalar, dense_mlp_params: Scalar, attention_params: Scalar, vocab_params: Scalar
) -> Scalar:
    """Parameters with a dense MLP of width F in every layer."""
    return n_layers * (dense_mlp_params + attention_params) + vocab_params


@quantity(label="FLOPs by 6NT", symbol="6NT", unit="FLOP", standing="estimate")
def six_nt_flops(active_params: Scalar, train_tokens: Scalar) -> Scalar:
    """Training FLOPs by the rule of thumb: six a parameter that a token uses and token, attention left out."""
    return 6 * active_params * train_tokens


@quantity(label="FLOPs of the budget", symbol="F_budget", unit="FLOP")
def budget_flops(chip_hours: Scalar, peak_flops: Scalar) -> Scalar:
    """FLOPs that the chip-hours hold at the unscaled peak."""
    return chip_hours * 3600 * peak_flops


@quantity(label="Utilization of the budget", symbol="MFU_budget", unit="1", standing="estimate")
def budget_mfu(six_nt_flops: Scalar, budget_flops: Scalar) -> Scalar:
    """Share of the budget's FLOPs that the run needs by the rule of thumb."""
    return six_nt_flops / budget_flops


@quantity(label="Token on one chip", symbol="T_token", unit="s", standing="lower bound")
def token_time(training_flops_per_token: Scalar, reachable_flops: Scalar) -> Scalar:
    """Time that one chip works on one training token."""
    return training_flops_per_token / reachable_flops
