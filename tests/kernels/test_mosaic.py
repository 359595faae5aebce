"""The TPU kernel's memory under Pallas's TPU interpreter, and what Mosaic accepts when it lowers without a TPU."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from model.kernels import Problem, choose_tiles, fused_moe_mlp, ragged_moe_mlp
from model.kernels.mosaic import mosaic_moe_mlp

VMEM = 16 * 2**20


def operands(rows: int, d_model: int, d_ff: int, n_experts: int, dtype: str) -> list[jax.Array]:
    random = np.random.default_rng(11)
    shapes = (rows, d_model), *[(n_experts, d_model, d_ff)] * 2, (n_experts, d_ff, d_model)
    return [jnp.asarray(random.normal(size=shape) / shape[-2] ** 0.5, dtype) for shape in shapes]


@pytest.fixture
def tpu_interpreter():
    """Reads of memory that nobody wrote give NaN, reads out of bounds and revisits raise, races are printed."""
    yield pltpu.InterpretParams(detect_races=True, uninitialized_memory="nan", out_of_bounds_reads="raise")
    pltpu.reset_tpu_interpret_mode_state()


@pytest.mark.parametrize(
    ("dtype", "block_m", "block_f", "sizes"),
    [
        pytest.param("float32", 8, 128, [3, 0, 12, 2], id="rest and tail, tiled"),
        pytest.param("float32", 8, 256, [3, 0, 12, 6], id="tail, whole"),
        pytest.param("bfloat16", 16, 128, [0, 21, 0, 0], id="bf16, one group"),
        pytest.param("float32", 8, 128, [0, 0, 0, 0], id="no group"),
    ],
)
def test_memory_is_written_before_it_is_read_and_never_raced(tpu_interpreter, capfd, dtype, block_m, block_f, sizes):
    arrays, sizes = operands(21, 128, 256, 4, dtype), jnp.array(sizes, jnp.int32)
    out = fused_moe_mlp(*arrays, sizes, block_m=block_m, block_f=block_f, interpret=tpu_interpreter)
    expected = ragged_moe_mlp(*arrays, sizes)
    np.testing.assert_allclose(np.asarray(out, np.float32), np.asarray(expected, np.float32), atol=1e-5, rtol=1e-2)
    assert "RACE" not in capfd.readouterr().out


def _add_f_tiles(x, w_gate, w_up, w_down, out, *, f_axis):
    """The seed's tiled kernel: the F tiles are added up in the output block itself."""

    @pl.when(pl.program_id(f_axis) == 0)
    def _() -> None:
        out[...] = jnp.zeros_like(out)

    out[...] += (jax.nn.silu(x[...] @ w_gate[...]) * (x[...] @ w_up[...])) @ w_down[...]


def _padded_experts(x, w_gate, w_up, w_down, *, order, interpret):
    """Grid over expert, F tile and row tile of (n_experts, rows, d_model), in the order given by `order`."""
    (n_experts, rows, d_model), d_ff, block_m, block_f = x.shape, w_gate.shape[2], 8, 128
    extents = {"expert": n_experts, "f": d_ff // block_f, "rows": rows // block_m}

    def index(*names):
        return lambda *step: tuple(jnp.int32(0) if name == "0" else step[order.index(name)] for name in names)

    return pl.pallas_call(
        partial(_add_f_tiles, f_axis=order.index("f")),
        grid=tuple(extents[name] for name in order),
        in_specs=[
            pl.BlockSpec((None, block_m, d_model), index("expert", "rows", "0")),
            pl.BlockSpec((None, d_model, block_f), index("expert", "0", "f")),
            pl.BlockSpec((None, d_model, block_f), index("expert", "0", "f")),
            pl.BlockSpec((None, block_f, d_model), index("expert", "f", "0")),
        ],
        out_specs=pl.BlockSpec((None, block_m, d_model), index("expert", "rows", "0")),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        interpret=interpret,
    )(x, w_gate, w_up, w_down)


@pytest.fixture(scope="module")
def padded():
    """Rows of two experts, padded to (2, 16, 128), their weights and the result."""
    x, *weights = operands(32, 128, 256, 2, "float32")
    expected = ragged_moe_mlp(x, *weights, jnp.array([16, 16], jnp.int32))
    return (x.reshape(2, 16, 128), *weights), np.asarray(expected).reshape(2, 16, 128)


def test_the_seeds_grid_order_passes_plain_interpretation_and_fails_on_tpu_memory(padded, tpu_interpreter):
    arrays, expected = padded
    illegal = partial(_padded_experts, order=("expert", "f", "rows"))
    np.testing.assert_allclose(illegal(*arrays, interpret=True), expected, atol=1e-5)
    with pytest.raises(Exception, match="Revisited block"):
        jax.block_until_ready(illegal(*arrays, interpret=tpu_interpreter))


def test_the_same_kernel_with_the_reduction_innermost_passes_both(padded, tpu_interpreter):
    arrays, expected = padded
    for interpret in (True, tpu_interpreter):
        legal = _padded_experts(*arrays, order=("expert", "rows", "f"), interpret=interpret)
        np.testing.assert_allclose(legal, expected, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("activation", ["silu", "gelu", "relu"])
def test_lowers_for_a_tpu_without_one(dtype, activation):
    arrays, sizes = operands(37, 128, 256, 4, dtype), jnp.array([10, 0, 13, 10], jnp.int32)
    call = partial(fused_moe_mlp, backend="mosaic", strategy="tiled", activation=activation)
    assert "tpu_custom_call" in jax.jit(call).trace(*arrays, sizes).lower(lowering_platforms=("tpu",)).as_text()


@pytest.mark.parametrize("problem", [(5, 100, 77, 2), (3000, 1024, 4096, 8), (1, 128, 128, 1), (40, 256, 384, 64)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_whatever_the_chooser_takes_lowers(problem, dtype):
    rows, d_model, d_ff, n_experts = problem
    tiles = choose_tiles(Problem(*problem, element_bytes=jnp.dtype(dtype).itemsize))
    arguments = [
        jax.ShapeDtypeStruct(shape, dtype)
        for shape in ((rows, d_model), *[(n_experts, d_model, d_ff)] * 2, (n_experts, d_ff, d_model))
    ]
    call = partial(
        mosaic_moe_mlp, activation="silu", block_m=tiles.block_m, block_f=tiles.block_f, vmem_limit_bytes=VMEM
    )
    sizes = jax.ShapeDtypeStruct((n_experts,), jnp.int32)
    assert "tpu_custom_call" in jax.jit(call).trace(*arguments, sizes).lower(lowering_platforms=("tpu",)).as_text()


@pytest.mark.parametrize(("block_m", "block_f"), [(4, 128), (8, 64)])
def test_mosaic_refuses_the_blocks_that_the_planner_refuses(block_m, block_f):
    arrays, sizes = operands(37, 128, 256, 4, "float32"), jnp.array([10, 0, 13, 10], jnp.int32)
    call = partial(mosaic_moe_mlp, activation="silu", block_m=block_m, block_f=block_f, vmem_limit_bytes=VMEM)
    with pytest.raises(ValueError, match="divisible by 8 and 128"):
        jax.jit(call).trace(*arrays, sizes).lower(lowering_platforms=("tpu",))
    with pytest.raises(ValueError, match=r"block_[mf]=\d+ is not"):
        fused_moe_mlp(*arrays, sizes, block_m=block_m, block_f=block_f, backend="mosaic")
