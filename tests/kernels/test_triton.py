"""The GPU kernel lowers for CUDA and ROCm without a GPU; its results are tested with every other path."""

import warnings
from functools import partial

import jax
import jax.numpy as jnp
import pytest

from model.kernels import fused_moe_mlp


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_lowers_for_a_gpu_without_one(platform, dtype):
    shapes = (37, 64), (4, 64, 128), (4, 64, 128), (4, 128, 64)
    arguments = [*(jax.ShapeDtypeStruct(shape, dtype) for shape in shapes), jax.ShapeDtypeStruct((4,), jnp.int32)]
    traced = jax.jit(partial(fused_moe_mlp, backend="triton")).trace(*arguments)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The Pallas Triton backend is deprecated", DeprecationWarning)
        lowered = traced.lower(lowering_platforms=(platform,)).as_text()
    assert "triton" in lowered
    assert "fused_moe_mlp" in lowered
