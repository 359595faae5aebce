"""Chapter 12, GPUs: what the units of one GPU can do, what its memories hold, and how it compares with a TPU."""

from model.graph import Scalar, quantity


@quantity(label="Tensor core", symbol="F_tc", unit="FLOP/cycle")
def tensor_core_flops(peak_flops: Scalar, sm_count: Scalar, sm_subcores: Scalar, clock_rate: Scalar) -> Scalar:
    """FLOPs of one tensor core in one cycle, from the chip's rate: C/(n_sm n_sub f)."""
    return peak_flops / (sm_count * sm_subcores * clock_rate)


@quantity(label="SIMD units", symbol="n_units", unit="units")
def simd_units(sm_count: Scalar, sm_subcores: Scalar) -> Scalar:
    """Vector units of one GPU that run independently."""
    return sm_count * sm_subcores


@quantity(label="CUDA cores", symbol="n_cuda", unit="lanes")
def cuda_cores(simd_units: Scalar, simd_lanes: Scalar) -> Scalar:
    """fp32 lanes of one GPU."""
    return simd_units * simd_lanes


@quantity(label="Vector compute, GPU", symbol="C_cuda", unit="FLOP/s")
def cuda_flops(cuda_cores: Scalar, clock_rate: Scalar) -> Scalar:
    """fp32 operations a second of the CUDA cores, one a lane and cycle."""
    return cuda_cores * clock_rate


@quantity(label="Vector FLOPs a cycle", symbol="F_cuda", unit="FLOP/cycle")
def cuda_fma_flops_per_cycle(cuda_cores: Scalar) -> Scalar:
    """fp32 FLOPs a cycle of the CUDA cores when each multiplies and adds."""
    return 2 * cuda_cores


@quantity(label="Vector compute with FMA", symbol="C_fma", unit="FLOP/s")
def cuda_fma_flops(cuda_fma_flops_per_cycle: Scalar, clock_rate: Scalar) -> Scalar:
    """fp32 FLOPs a second of the CUDA cores when each multiplies and adds."""
    return cuda_fma_flops_per_cycle * clock_rate


@quantity(label="Clock from the vector rate", symbol="f_cuda", unit="Hz")
def implied_clock(vector_peak: Scalar, cuda_fma_flops_per_cycle: Scalar) -> Scalar:
    """Clock at which the CUDA cores reach their stated rate."""
    return vector_peak / cuda_fma_flops_per_cycle


@quantity(label="Tensor over vector", symbol="C/C_cuda", unit="1")
def tensor_over_cuda(reachable_flops: Scalar, cuda_flops: Scalar) -> Scalar:
    """How many times faster tensor cores multiply than CUDA cores."""
    return reachable_flops / cuda_flops


@quantity(label="Critical intensity, CUDA cores", symbol="I_cuda", unit="FLOP/B", standing="threshold")
def cuda_critical_intensity(cuda_flops: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """Vector operations per HBM byte above which the CUDA cores bind."""
    return cuda_flops / hbm_bandwidth


@quantity(label="Addition intensity", symbol="I_add", unit="FLOP/B")
def addition_intensity(array_element_bytes: Scalar) -> Scalar:
    """FLOPs a byte of adding two arrays: two read and one written for each sum."""
    return 1 / (3 * array_element_bytes)


@quantity(label="Addition time", symbol="T_add", unit="s", standing="lower bound")
def addition_time(array_bytes: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """Time to add two arrays out of HBM."""
    return 3 * array_bytes / hbm_bandwidth


@quantity(label="Registers of an SM", symbol="M_reg", unit="B")
def sm_register_bytes(sm_subcores: Scalar, part_registers: Scalar) -> Scalar:
    """Bytes of one SM's registers, 32 bits each."""
    return 4 * sm_subcores * part_registers


@quantity(label="Resident warps", symbol="n_warp", unit="warps")
def resident_warps(sm_register_bytes: Scalar, simd_lanes: Scalar, thread_registers: Scalar) -> Scalar:
    """Warps that one SM's registers hold."""
    return sm_register_bytes / (4 * simd_lanes * thread_registers)


@quantity(label="Shared memory, all SMs", symbol="M_smem,all", unit="B")
def chip_shared_memory(sm_count: Scalar, shared_memory: Scalar) -> Scalar:
    """Shared memory of all SMs."""
    return sm_count * shared_memory


@quantity(label="Shared memory and registers", symbol="M_sram", unit="B")
def chip_sram(chip_shared_memory: Scalar, sm_count: Scalar, sm_register_bytes: Scalar) -> Scalar:
    """Shared memory and registers of all SMs: what a TPU keeps in VMEM."""
    return chip_shared_memory + sm_count * sm_register_bytes


@quantity(label="L2 over HBM", symbol="W_l2/W_hbm", unit="1")
def l2_over_hbm(l2_bandwidth: Scalar, hbm_bandwidth: Scalar) -> Scalar:
    """How many times faster the L2 cache is than HBM."""
    return l2_bandwidth / hbm_bandwidth


@quantity(label="VMEM over L2", symbol="M_vmem/M_l2", unit="1")
def vmem_over_l2(vmem_capacity: Scalar, l2_capacity: Scalar) -> Scalar:
    """How many times larger a TPU's VMEM is than a GPU's L2 cache."""
    return vmem_capacity / l2_capacity


@quantity(label="Matrix units of a chip", symbol="n_mxu,chip", unit="units")
def chip_mxus(cores_per_chip: Scalar, mxus_per_core: Scalar) -> Scalar:
    """Systolic arrays of all cores of a TPU."""
    return cores_per_chip * mxus_per_core


@quantity(label="Vector ALUs of a chip", symbol="n_alu,chip", unit="units")
def chip_vector_alus(cores_per_chip: Scalar, vector_alus: Scalar, vector_lanes: Scalar) -> Scalar:
    """Arithmetic units of all vector lanes of a TPU."""
    return cores_per_chip * vector_alus * vector_lanes


@quantity(label="Vector registers of a chip", symbol="M_vreg,chip", unit="B")
def chip_vector_register_bytes(cores_per_chip: Scalar, vector_register_bytes: Scalar) -> Scalar:
    """Bytes of the vector registers of all cores of a TPU."""
    return cores_per_chip * vector_register_bytes


@quantity(label="Compute over the reference", symbol="C/C_ref", unit="1")
def flops_over_reference(peak_flops: Scalar, reference_flops: Scalar) -> Scalar:
    """Peak rate over that of the other chip."""
    return peak_flops / reference_flops


@quantity(label="HBM over the reference", symbol="M_hbm/M_ref", unit="1")
def hbm_over_reference(hbm_capacity: Scalar, reference_hbm: Scalar) -> Scalar:
    """HBM over that of the other chip."""
    return hbm_capacity / reference_hbm


@quantity(label="Price over the reference", symbol="p/p_ref", unit="1")
def price_over_reference(price_per_chip_hour: Scalar, reference_price: Scalar) -> Scalar:
    """Hourly price over that of the other chip."""
    return price_per_chip_hour / reference_price


@quantity(label="Compute of the mesh", symbol="C_chips", unit="FLOP/s")
def chips_flops(chips: Scalar, reachable_flops: Scalar) -> Scalar:
    """FLOPs a second of all chips of the run."""
    return chips * reachable_flops


@quantity(label="Compute time by 6NT", symbol="T_6NT", unit="s", standing="estimate")
def six_nt_time(six_nt_flops: Scalar, chips_flops: Scalar) -> Scalar:
    """Time of the run's FLOPs by the rule of thumb, comms left out."""
    return six_nt_flops / chips_flops


@quantity(label="Days by 6NT", symbol="T_6NT,days", unit="days", standing="estimate")
def six_nt_days(six_nt_time: Scalar) -> Scalar:
    """The same in days."""
    return six_nt_time / 86400
