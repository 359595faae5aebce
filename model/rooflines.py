"""Chapter 1, rooflines: how much work each byte must carry before compute binds.

Every quantity here is a ratio of rates or of counts; a matmul is [B, D] x [D, F].
"""

import jax.numpy as jnp

from model.binding import binding_max
from model.graph import Scalar, quantity


@quantity(label="Reachable compute", symbol="C_e", unit="FLOP/s")
def reachable_flops(peak_flops: Scalar, matmul_efficiency: Scalar) -> Scalar:
    """FLOPs a second that matmuls reach on one chip: the peak rate times the declared efficiency."""
    return peak_flops * matmul_efficiency


@quantity(label="Critical intensity, HBM", symbol="I_hbm", unit="FLOP/B", standing="threshold")
def hbm_critical_intensity(reachable_flops: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """FLOPs per HBM byte above which compute binds (book, ch. 1: 240 on TPU v5e)."""
    return reachable_flops / hbm_bandwidth


@quantity(label="Critical intensity, VMEM", symbol="I_vmem", unit="FLOP/B", standing="threshold")
def vmem_critical_intensity(reachable_flops: Scalar, vmem_bandwidth: Scalar) -> Scalar:
    """FLOPs per VMEM byte above which compute binds (book, ch. 2)."""
    return reachable_flops / vmem_bandwidth


@quantity(label="Critical intensity, ICI", symbol="alpha", unit="FLOP/B", standing="threshold")
def ici_critical_intensity(reachable_flops: Scalar, ici_bandwidth: Scalar) -> Scalar:
    """FLOPs per byte of one mesh axis above which compute binds: the book's C/W_ici (2550 on TPU v5p)."""
    return reachable_flops / ici_bandwidth


@quantity(label="Critical intensity, PCIe", symbol="I_pcie", unit="FLOP/B", standing="threshold")
def pcie_critical_intensity(reachable_flops: Scalar, pcie_bandwidth: Scalar) -> Scalar:
    """FLOPs per byte from the host above which compute binds (book, ch. 2)."""
    return reachable_flops / pcie_bandwidth


@quantity(label="Critical intensity, DCN", symbol="I_dcn", unit="FLOP/B", standing="threshold")
def dcn_critical_intensity(reachable_flops: Scalar, dcn_bandwidth: Scalar) -> Scalar:
    """FLOPs per byte between pods above which compute binds; tokens a pod for DP across pods (book, ch. 5)."""
    return reachable_flops / dcn_bandwidth


@quantity(label="Matmul critical batch", symbol="B_crit", unit="tokens", standing="threshold")
def matmul_critical_batch(hbm_critical_intensity: Scalar, weight_bytes: Scalar) -> Scalar:
    """Batch above which a matmul against streamed weights is compute-bound: (C e/W_hbm)(weight bytes/2)."""
    return hbm_critical_intensity * weight_bytes / 2


@quantity(label="Matmul FLOPs", symbol="FLOPs", unit="FLOP")
def matmul_flops(matmul_batch: Scalar, matmul_inner: Scalar, matmul_outer: Scalar) -> Scalar:
    """Multiplies and adds of [B, D] x [D, F]: 2BDF."""
    return 2 * matmul_batch * matmul_inner * matmul_outer


@quantity(label="Matmul FLOPs, exact", symbol="FLOPs_exact", unit="FLOP")
def matmul_exact_flops(matmul_batch: Scalar, matmul_inner: Scalar, matmul_outer: Scalar) -> Scalar:
    """D multiplies and D - 1 adds for each of BF results: BF(2D - 1), which everyone writes 2BDF."""
    return matmul_batch * matmul_outer * (2 * matmul_inner - 1)


@quantity(label="Matmul weights", symbol="bytes_w", unit="B")
def matmul_weight_bytes(matmul_inner: Scalar, matmul_outer: Scalar, weight_bytes: Scalar) -> Scalar:
    """Bytes of the right matrix as stored."""
    return weight_bytes * matmul_inner * matmul_outer


@quantity(label="Matmul row", symbol="bytes_row", unit="B")
def matmul_bytes_per_row(matmul_inner: Scalar, matmul_outer: Scalar, activation_bytes: Scalar) -> Scalar:
    """Bytes of activations read and written for one row."""
    return activation_bytes * (matmul_inner + matmul_outer)


@quantity(label="Matmul FLOPs a row", symbol="FLOPs_row", unit="FLOP")
def matmul_flops_per_row(matmul_inner: Scalar, matmul_outer: Scalar) -> Scalar:
    """Multiplies and adds of one row: 2DF."""
    return 2 * matmul_inner * matmul_outer


@quantity(label="Matmul bytes", symbol="bytes", unit="B")
def matmul_bytes(matmul_weight_bytes: Scalar, matmul_batch: Scalar, matmul_bytes_per_row: Scalar) -> Scalar:
    """HBM bytes of [B, D] x [D, F]: both operands read, the result written."""
    return matmul_weight_bytes + matmul_batch * matmul_bytes_per_row


@quantity(label="Matmul intensity", symbol="I", unit="FLOP/B")
def matmul_intensity(matmul_flops: Scalar, matmul_bytes: Scalar) -> Scalar:
    """Arithmetic intensity of the matmul: tends to B when B is far below D and F, in bf16."""
    return matmul_flops / matmul_bytes


@quantity(label="Matmul compute time", symbol="T_math", unit="s", standing="lower bound")
def matmul_math_time(matmul_flops: Scalar, reachable_flops: Scalar) -> Scalar:
    """Time of the matmul's FLOPs on one chip."""
    return matmul_flops / reachable_flops


@quantity(label="Matmul memory time", symbol="T_hbm", unit="s", standing="lower bound")
def matmul_memory_time(matmul_bytes: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """Time to move the matmul's bytes through one chip's HBM."""
    return matmul_bytes / hbm_bandwidth


@quantity(label="Matmul time", symbol="T_matmul", unit="s", standing="lower bound")
def matmul_time(matmul_math_time: Scalar, matmul_memory_time: Scalar) -> Scalar:
    """Roofline lower bound of the matmul: the slower of compute and memory, perfectly overlapped."""
    return binding_max(math=matmul_math_time, memory=matmul_memory_time)


@quantity(label="Matmul time, no overlap", symbol="T_upper", unit="s")
def matmul_time_without_overlap(matmul_math_time: Scalar, matmul_memory_time: Scalar) -> Scalar:
    """Compute and memory one after the other: at most twice the lower bound (book, ch. 1)."""
    return matmul_math_time + matmul_memory_time


def _exact_batch(intensity: Scalar, weights: Scalar, flops_per_row: Scalar, bytes_per_row: Scalar) -> Scalar:
    spare = flops_per_row - bytes_per_row * intensity
    return jnp.where(spare > 0, weights * intensity / jnp.where(spare > 0, spare, 1.0), jnp.nan)


@quantity(label="Exact matmul critical batch", symbol="B_crit,exact", unit="tokens", standing="threshold")
def matmul_exact_critical_batch(
    hbm_critical_intensity: Scalar,
    matmul_weight_bytes: Scalar,
    matmul_flops_per_row: Scalar,
    matmul_bytes_per_row: Scalar,
) -> Scalar:
    """Rows at which compute time equals memory time with the activations' bytes counted (book, ch. 1, question 3).

    None exists when the activations alone need more bytes a FLOP than the chip can feed: a NaN with that reason.
    """
    return _exact_batch(hbm_critical_intensity, matmul_weight_bytes, matmul_flops_per_row, matmul_bytes_per_row)


@quantity(label="Exact critical batch, VMEM", symbol="B_crit,vmem", unit="tokens", standing="threshold")
def matmul_vmem_critical_batch(
    vmem_critical_intensity: Scalar,
    matmul_weight_bytes: Scalar,
    matmul_flops_per_row: Scalar,
    matmul_bytes_per_row: Scalar,
) -> Scalar:
    """The same with all operands in VMEM: about 22 times smaller (book, ch. 2, question 4)."""
    return _exact_batch(vmem_critical_intensity, matmul_weight_bytes, matmul_flops_per_row, matmul_bytes_per_row)


@quantity(label="Critical batch excess", symbol="B_exact/B_crit", unit="1", standing="threshold")
def matmul_batch_excess(matmul_exact_critical_batch: Scalar, matmul_critical_batch: Scalar) -> Scalar:
    """How much larger the critical batch is once the activations' bytes count: grows as the matrix shrinks."""
    exists = matmul_exact_critical_batch > 0
    return jnp.where(exists, jnp.where(exists, matmul_exact_critical_batch, 1.0) / matmul_critical_batch, jnp.nan)


@quantity(label="No-overlap penalty", symbol="T_upper/T", unit="1")
def overlap_penalty(matmul_time_without_overlap: Scalar, matmul_time: Scalar) -> Scalar:
    """Time without any overlap over the lower bound: 1 to 2, and 2 where compute and memory take equally long."""
    return matmul_time_without_overlap / matmul_time


@quantity(label="Tiled intensity", symbol="I_tile", unit="FLOP/B")
def tile_intensity(
    tile_rows: Scalar, tile_columns: Scalar, matmul_inner: Scalar, activation_bytes: Scalar, weight_bytes: Scalar
) -> Scalar:
    """FLOPs a byte when each output tile streams its rows and columns: b_m b_n/(b_m + b_n) in bf16 (book, ch. 1)."""
    flops = 2 * tile_rows * tile_columns * matmul_inner
    return flops / (activation_bytes * tile_rows * matmul_inner + weight_bytes * matmul_inner * tile_columns)


@quantity(label="Batched matmul intensity", symbol="I_batched", unit="FLOP/B")
def batched_matmul_intensity(
    matmul_flops: Scalar, matmul_weight_bytes: Scalar, matmul_batch: Scalar, matmul_bytes_per_row: Scalar
) -> Scalar:
    """Intensity when every row brings its own matrix, so that no batch amortises the weights (book, ch. 1)."""
    return matmul_flops / (matmul_batch * (matmul_weight_bytes + matmul_bytes_per_row))


@quantity(label="Critical intensity, link", symbol="I_link", unit="FLOP/B", standing="threshold")
def link_critical_intensity(reachable_flops: Scalar, ici_link_bandwidth: Scalar) -> Scalar:
    """FLOPs per byte sent one way over one ICI link above which compute binds (book, ch. 1)."""
    return reachable_flops / ici_link_bandwidth


@quantity(label="Two-chip contraction", symbol="D_min", unit="elements", standing="threshold")
def split_contraction_min_width(link_critical_intensity: Scalar, activation_bytes: Scalar) -> Scalar:
    """Contracted width above which a bf16 matmul split over two chips hides the exchange of partial sums: D/2 > C/W."""
    return activation_bytes * link_critical_intensity
