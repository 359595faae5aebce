"""Every quantity against plain arithmetic on printed dimensions and rates, and the mutation check over all nodes.

The expected numbers follow the book's equations in plain Python, written out from its tables: LLaMA-2 13B on 256 TPU
v5e (two-axis torus) and on 64 H100 (one wire). A change of 1 % in any node must be noticed here.
"""

import math

import pytest

import model.graph
from model.emit import compile_python, emit_python, trace
from model.evaluate import evaluate
from model.graph import assemble, quantities
from model.knobs import KNOBS
from model.pins import pinned
from model.point import Point, resolve
from model.verify import verify

L, D, F, HEADS, H, V = 40, 5120, 13824, 40, 128, 32000
P_MLP, P_ATTENTION = 3 * D * F, 4 * D * HEADS * H
P = P_MLP + P_ATTENTION
N = L * P + 2 * V * D
B, S, T = 2**20, 2048, 2e12


def v5e() -> tuple[Point, dict[str, float]]:
    """256 TPU v5e, X = 64, Y = 4, every rate printed in the book's table; VMEM is 22 times HBM."""
    C, E, W_HBM, W_ICI, W_PCIE, W_DCN, PRICE = 1.97e14, 0.5, 8.2e11, 9e10, 1.6e10, 3.125e9, 1.2
    X, Y = 64, 4
    rate = X * Y * C * E
    attention = 0.5 * 4 * S * HEADS * H
    forward = B * (2 * P + attention)
    math_time, fsdp, tp = forward / rate, 2 * P / (Y * W_ICI * 1), 2 * 4 * B * D / (X * W_ICI)
    forward_time = max(math_time, fsdp, tp)
    backward_time = max(3 * math_time, 2 * fsdp, 1.5 * tp)
    head = 6 * B * V * D
    step = L * (forward_time + backward_time) + head / rate
    flops = 3 * L * forward + head
    per_second = B / step
    days = T / per_second / 86400
    mfu = flops / (X * Y * C * step)
    ckpt = 2 * L * B * (D + 2 * F)
    alpha = C * E / W_ICI
    point = resolve(
        "tpu-v5e",
        "llama-2-13b",
        {
            "matmul_efficiency": E,
            "data_shards": X,
            "tensor_shards": Y,
            "batch_tokens": B,
            "seq_len": S,
            "train_tokens": T,
            "recompute": "full",
            "tensor_backward": "1.5x",
            "matmul_batch": 512,
            "matmul_inner": 4096,
            "matmul_outer": 8192,
            "gather_bytes_total": 2**25,
            "gather_axis_1": 8,
            "gather_axis_2": 4,
            "gather_axis_3": 16,
            "other_shards": 2,
            "weight_bytes": 1,
            "decode_chips": 8,
            "decode_batch": 4,
            "context_len": 4096,
            "prompt_len": 1024,
            "output_len": 256,
            "decode_attention": "counted",
            "kv_in_max": "outside",
        },
    )
    intensity = C * E / W_HBM
    matmul = 2 * 512 * 4096 * 8192
    matmul_bytes = 4096 * 8192 + 2 * 512 * (4096 + 8192)
    kv_token = 2 * 2 * L * HEADS * H
    kv = kv_token * 4096 * 4
    weights_time, kv_time = N / (8 * W_HBM), kv / (8 * W_HBM)
    decode_flops = 4 * (2 * N + 4 * 4096 * HEADS * H * L)
    decode_flops_time = decode_flops / (8 * C * E)
    decode_ar = max(2 * 2 * 4 * D / W_ICI, 1e-6)
    decode = kv_time + max(decode_flops_time, weights_time) + 2 * L * decode_ar
    prompt = 4 * 1024
    prefill_flops = prompt * (2 * N + 0.5 * 4 * 1024 * HEADS * H * L)
    prefill_ar = 2 * 2 * prompt * D / W_ICI
    prefill = prefill_flops / (8 * C * E) + 2 * L * prefill_ar
    return point, {
        "reachable_flops": 9.85e13,
        "hbm_critical_intensity": intensity,
        "vmem_critical_intensity": C * E / 1.8e13,
        "ici_critical_intensity": alpha,
        "pcie_critical_intensity": C * E / W_PCIE,
        "dcn_critical_intensity": C * E / W_DCN,
        "matmul_critical_batch": intensity / 2,
        "matmul_flops": matmul,
        "matmul_bytes": matmul_bytes,
        "matmul_intensity": matmul / matmul_bytes,
        "matmul_math_time": matmul / (C * E),
        "matmul_memory_time": matmul_bytes / W_HBM,
        "matmul_time": max(matmul / (C * E), matmul_bytes / W_HBM),
        "matmul_time_without_overlap": matmul / (C * E) + matmul_bytes / W_HBM,
        "matmul_exact_critical_batch": 1 / (2 / intensity - 2 * (1 / 4096 + 1 / 8192)),
        "gathered_bytes": 2**24,
        "gathered_axes": 3,
        "gather_hops": 14,
        "allgather_bandwidth_time": 2**24 / (3 * W_ICI),
        "allgather_latency_time": 14e-6,
        "allgather_time": max(2**24 / (3 * W_ICI), 14e-6),
        "allreduce_time": 2 * max(2**24 / (3 * W_ICI), 14e-6),
        "reducescatter_time": 2**24 / (3 * W_ICI),
        "collective_chips": 512,
        "longest_axis": 16,
        "arriving_bytes": 2**24 * 511 / 512,
        "open_allgather_bandwidth_time": 2**24 * 511 / 512 / (3 * W_ICI / 2),
        "open_allgather_latency_time": (7 + 3 + 15) * 1e-6,
        "open_allgather_time": 2**25 * 511 / 512 / (3 * W_ICI),
        "open_allreduce_time": 2**26 * 511 / 512 / (3 * W_ICI),
        "alltoall_time": 2**24 * 16 / (4 * 512 * W_ICI),
        "open_alltoall_time": 2**24 * 16 / (2 * 512 * W_ICI),
        "mlp_params": P_MLP,
        "attention_params": P_ATTENTION,
        "layer_params": P,
        "embedding_params": V * D,
        "total_params": N,
        "attention_flops_per_token": attention,
        "training_flops_per_token": 6 * (L * P + V * D) + 3 * L * attention,
        "training_flops": (6 * (L * P + V * D) + 3 * L * attention) * T,
        "attention_flops_share": attention / (2 * P),
        "kv_bytes_per_token": kv_token,
        "collective_blocks": 2,
        "chips": 256,
        "tokens_per_chip": B / 256,
        "fsdp_axes": 1,
        "layer_forward_flops": forward,
        "forward_math_time": math_time,
        "forward_mlp_time": 2 * B * P_MLP / rate,
        "forward_projection_time": 2 * B * P_ATTENTION / rate,
        "forward_attention_time": B * attention / rate,
        "forward_fsdp_time": fsdp,
        "forward_tensor_time": tp,
        "forward_time": forward_time,
        "backward_math_time": 3 * math_time,
        "backward_fsdp_time": 2 * fsdp,
        "backward_tensor_time": 1.5 * tp,
        "backward_time": backward_time,
        "layer_time": forward_time + backward_time,
        "head_step_flops": head,
        "head_time": head / rate,
        "step_time": step,
        "step_flops": flops,
        "mfu": mfu,
        "hfu": (flops + L * forward) / (X * Y * C * step),
        "tokens_per_second": per_second,
        "train_tokens_per_second_per_chip": per_second / 256,
        "train_days": days,
        "state_bytes": 10 * N,
        "checkpoint_width": D + 2 * F,
        "checkpoint_bytes": ckpt,
        "memory_per_chip": (10 * N + ckpt) / 256,
        "memory_headroom": 16e9 - (10 * N + ckpt) / 256,
        "mlp_effective_width": 1.5 * F,
        "layer_effective_width": P / (4 * D),
        "mixed_fsdp_axes": 1,
        "data_parallel_threshold": alpha,
        "mlp_tensor_threshold": 1.5 * F / alpha,
        "tensor_threshold": P / (4 * D) / alpha,
        "mlp_mixed_threshold": alpha**2 / (1.5 * F),
        "mixed_threshold": alpha**2 / (P / (4 * D)),
        "mlp_optimal_data_shards": math.sqrt(B * 256 / (1.5 * F)),
        "optimal_data_shards": math.sqrt(B * 256 * 4 * D / P),
        "weight_store_bytes": N,
        "kv_copies": 1,
        "kv_cache_bytes": kv,
        "decode_memory_per_chip": (N + kv) / 8,
        "decode_memory_headroom": 16e9 - (N + kv) / 8,
        "decode_batch_limit": (8 * 16e9 - N) / (kv_token * 4096),
        "decode_flops": decode_flops,
        "decode_flops_time": decode_flops_time,
        "decode_weights_time": weights_time,
        "decode_kv_time": kv_time,
        "decode_allreduce_time": decode_ar,
        "decode_comms_time": 2 * L * decode_ar,
        "decode_roofline_time": kv_time + max(decode_flops_time, weights_time),
        "decode_step_time": decode,
        "decode_tokens_per_second": 4 / decode,
        "tokens_per_second_per_chip": 0.5 / decode,
        "tokens_per_second_per_user": 1 / decode,
        "useful_flops_fraction": 8 * N / (8 * C * decode),
        "step_critical_batch": N * intensity / (2 * N + 4 * 4096 * HEADS * H * L),
        "prefill_tokens": prompt,
        "prefill_flops": prefill_flops,
        "prefill_flops_time": prefill_flops / (8 * C * E),
        "prefill_allreduce_time": prefill_ar,
        "prefill_comms_time": 2 * L * prefill_ar,
        "prefill_roofline_time": prefill_flops / (8 * C * E),
        "prefill_time": prefill,
        "prefill_tokens_per_second": prompt / prefill,
        "request_time": prefill + 256 * decode,
        "train_cost": PRICE * 256 * days * 24,
        "train_cost_per_mtok": PRICE * 256 / (per_second * 3600) * 1e6,
        "flops_per_dollar": C * 3600 / PRICE,
        "cost_per_mtok": PRICE * 8 / (4 / decode * 3600) * 1e6,
        "prefill_cost_per_mtok": PRICE * 8 / (prompt / prefill * 3600) * 1e6,
    }


def h100() -> tuple[Point, dict[str, float]]:
    """64 H100 on one wire: collectives add up and the mixed threshold is four times as high."""
    C, W = 9.89e14, 450e9
    X, Y = 8, 8
    fsdp, tp = 2 * P / (Y * W), 2 * 4 * B * D / (X * W)
    math_time = B * 2 * P / (64 * C)
    settings = {"data_shards": X, "tensor_shards": Y, "batch_tokens": B, "seq_len": S, "attention_flops": "none"}
    settings |= {"kv_replication": "replicated", "decode_chips": 64, "decode_batch": 512, "context_len": 4096}
    alpha = C / W
    return resolve("h100", "llama-2-13b", settings), {
        "shared_wire": 1,
        "fsdp_axes": 1,
        "forward_time": max(math_time, fsdp + tp),
        "backward_time": max(2 * math_time, 2 * fsdp + tp),
        "mixed_threshold": 4 * alpha**2 * 4 * D / P,
        "stage_layers": L / 8,
        "pipeline_bubble": 7 / 39,
        "pipeline_comms_time": 2 * B * D / (400e9 * 32) * 38,
        "kv_copies": 64 / 40,
        "decode_allreduce_time": 2 * 2 * 512 * D / W,
    }


def mixture() -> tuple[Point, dict[str, float]]:
    """DeepSeek-V3 on 64 H100: latent attention, 256 experts of which 8 and a shared one work, three dense layers."""
    D, LAYERS, HEADS, E, K, WIDTH, BATCH = 7168, 61, 128, 256, 8, 2048, 16
    expert = 3 * D * WIDTH
    attention = 1536 * (D + HEADS * 192) + D * 576 + 512 * HEADS * 256 + HEADS * 128 * D
    dense = 3 * D * 18432
    sparse, active = 257 * expert + D * E, 9 * expert + D * E
    mlp, mlp_active = (3 * dense + 58 * sparse) / LAYERS, (3 * dense + 58 * active) / LAYERS
    total = LAYERS * (mlp + attention) + 2 * 129280 * D
    hit, prompt_hit = E * (1 - (1 - K / E) ** BATCH), E * (1 - (1 - K / E) ** 32)
    settings = {"decode_batch": BATCH, "prompt_len": 2, "decode_chips": 64, "weight_bytes": 1, "context_len": 1000}
    settings |= {"window_layers": 30, "window": 600, "seq_len": 1000, "prefill_attention": "full"}
    read, prefill_read = (total - 58 * (E - found) * expert for found in (hit, prompt_hit))
    return resolve("h100", "deepseek-v3", settings), {
        "expert_params": expert,
        "sparse_layers": 58,
        "sparse_mlp_params": sparse,
        "active_sparse_mlp_params": active,
        "dense_mlp_params": dense,
        "mlp_params": mlp,
        "active_mlp_params": mlp_active,
        "latent_attention_params": attention,
        "grouped_attention_params": 2 * D * 128 * 256,
        "attention_params": attention,
        "score_value_width": 320,
        "layer_params": mlp + attention,
        "active_layer_params": mlp_active + attention,
        "mlp_sparsity": mlp / mlp_active,
        "layer_sparsity": (mlp + attention) / (mlp_active + attention),
        "active_params": LAYERS * (mlp_active + attention) + 2 * 129280 * D,
        "total_params": total,
        "decode_experts_hit": hit,
        "prefill_experts_hit": prompt_hit,
        "attended_tokens": (31 * 500 + 30 * 600 * (1 - 600 / 2000)) / LAYERS,
        "prefill_attended_tokens": 2,
        "cached_tokens": (31 * 1000 + 30 * 600) / LAYERS,
        "kv_layer_bytes": 2 * 576,
        "kv_bytes_per_token": 70272,
        "kv_bytes_per_token_beyond_window": 31 * 2 * 576,
        "kv_bytes_per_sequence": 2 * 576 * (31 * 1000 + 30 * 600),
        "decode_weight_read_bytes": read,
        "decode_weights_time": read / (64 * 3.35e12),
        "prefill_weights_time": prefill_read / (64 * 3.35e12),
    }


def fused_layer() -> tuple[Point, dict[str, float]]:
    """A mixture of 16 experts on two TPU v5e, in tiles of 512 rows and 256 columns that pass through VMEM."""
    C, W, E_LOCAL, D, F, B_M, B_F = 1.97e14, 8.2e11, 8, 1024, 4096, 512, 256
    rows = 3000 * 2
    tiles = rows / B_M
    visits = tiles + 7
    expert = 3 * D * F * 2
    need = 2 * (2 * B_M * D * 2 + 3 * D * B_F * 2) + 4 * B_M * D + B_M * B_F * (4 + 4 + 2)
    one, activation = 2 * (rows * (D + F) + E_LOCAL * D * F), 3 * rows * F * 2
    fused_bytes = 2 * rows * D * 2 + (tiles + 7) * expert
    fused_math, one_math = 6 * visits * B_M * D * F / C, 2 * rows * D * F / (C * 0.5)
    settings = {"d_model": D, "d_ff": 999, "d_expert": F, "n_experts": 16, "active_experts": 2, "expert_shards": 2}
    settings |= {"moe_tokens": 3000, "block_m": B_M, "block_f": B_F, "ragged_dot_efficiency": 0.5}
    return resolve("tpu-v5e", "llama-2-13b", settings), {
        "local_experts": E_LOCAL,
        "expert_width": F,
        "routed_rows": rows,
        "rows_per_expert": 750,
        "occupied_experts": E_LOCAL,
        "row_tiles": tiles,
        "row_tile_visits": visits,
        "padded_rows": visits * B_M,
        "expert_weight_bytes": expert,
        "fused_token_tile_bytes": 2**20,
        "fused_weight_tile_bytes": 3 * 2**19,
        "fused_accumulator_bytes": 2**21,
        "fused_hidden_tile_bytes": 1310720,
        "fused_vmem_need": need,
        "fused_vmem_headroom": 2**24 - need,
        "fused_smem_need": 4 * (2 * visits + E_LOCAL + 3),
        "ragged_dot_traffic": one,
        "gating_traffic": activation,
        "unfused_moe_traffic": 3 * one + activation,
        "weight_rereads": tiles - 1,
        "weight_passes": tiles + 7,
        "fused_moe_traffic": fused_bytes,
        "fusion_saved_traffic": rows * (6 * F + D) * 2,
        "fusion_reread_traffic": (tiles - 1) * expert,
        "fused_moe_time": max(fused_math, fused_bytes / W),
        "ragged_dot_time": max(one_math, one / W),
        "gating_time": activation / W,
        "unfused_moe_time": 3 * one_math + activation / W,
        "fused_moe_speedup": (3 * one_math + activation / W) / fused_math,
    }


def planned_run() -> tuple[Point, dict[str, float]]:
    """Hoffmann's printed law on the 256 TPU v5e of `v5e` for 40 days, and a life of 3 T served tokens.

    The stretch is the root of z^(1+beta) - z = s by bisection, the size what is left of the loss at that many tokens.
    """
    point, expected = v5e()
    E, A, B_L, ALPHA, BETA, DAYS, Q = 1.69337, 406.40, 410.72, 0.33917, 0.28491, 40, 3e12
    budget = 256 * 1.97e14 * expected["mfu"] * DAYS * 24 * 3600
    exponent, factor = BETA / (ALPHA + BETA), (ALPHA * A / (BETA * B_L)) ** (1 / (ALPHA + BETA))
    params = factor * (budget / 6) ** exponent
    tokens = budget / 6 / params
    loss = E + A / params**ALPHA + B_L / tokens**BETA
    surplus = Q / tokens * BETA / (ALPHA + BETA) / 3
    low, high = 1.0, 1 + surplus / BETA
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if middle ** (1 + BETA) - middle > surplus else (middle, high)
    served = low * tokens
    smaller = (A / (loss - E - B_L / served**BETA)) ** (1 / ALPHA)
    law = {"law_E": E, "law_A": A, "law_B": B_L, "law_alpha": ALPHA, "law_beta": BETA}
    return point.with_settings({**law, "law_days": DAYS, "law_serve_tokens": Q}), {
        "law_training_flops": budget,
        "law_model_exponent": exponent,
        "law_allocation": factor,
        "law_optimal_params": params,
        "law_optimal_tokens": tokens,
        "law_reducible_loss": A / params**ALPHA + B_L / tokens**BETA,
        "law_optimal_loss": loss,
        "law_loss_elasticity": -ALPHA * exponent * (1 - E / loss),
        "law_serving_surplus": surplus,
        "law_stretch_bound": (1 + surplus + surplus / BETA) ** (1 / (1 + BETA)),
        "law_serving_stretch": low,
        "law_served_tokens": served,
        "law_served_params": smaller,
        "law_lifetime_cost": smaller * (6 * served + 2 * Q) / params / (6 * tokens + 2 * Q),
    }


@pytest.mark.parametrize("reference", [v5e, h100, mixture, fused_layer, planned_run])
def test_every_quantity_is_the_books_arithmetic(reference):
    point, expected = reference()
    bounds = evaluate(point, gate=False).bounds
    for name, value in expected.items():
        assert bounds[name] == pytest.approx(value, rel=1e-12), name


def test_one_percent_in_any_node_is_noticed():
    """Each node times 1.01 moves an expected number here, or it carries a statement (tests/verify mutates those)."""
    nodes = list(quantities())
    factors: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model.graph, "pinned", lambda name, value: pinned(name, value * factors.get(name, 1.0)))
        combined = assemble(nodes)

        def mutated(*numbers):
            factors.update(zip(nodes, numbers[len(KNOBS) :], strict=True))
            values, _ = combined(**dict(zip(KNOBS, numbers, strict=False)))
            return tuple(values[name] for name in nodes)

        source = emit_python(trace(mutated, len(KNOBS) + len(nodes)), "mutated")
    program = compile_python(source, "mutated")
    references = [reference() for reference in (v5e, h100, mixture, fused_layer, planned_run)]
    in_statements = {name for row in verify().rows for name in row.via}
    for node in nodes:
        change = [1.01 if name == node else 1.0 for name in nodes]
        noticed = False
        for point, expected in references:
            found = dict(zip(nodes, program(*point.numbers(), *change), strict=True))
            noticed |= any(found[name] != pytest.approx(value, rel=1e-6) for name, value in expected.items())
        assert noticed or node in in_statements, node
