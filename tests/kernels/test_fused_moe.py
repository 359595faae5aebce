"""The operator against a row-by-row oracle in float64, its gradients against autodiff, its refusals and dispatch."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.kernels import ACTIVATIONS, DoesNotFit, Problem, fused_moe_mlp, plan_fused_moe, ragged_moe_mlp

ROWS, D_MODEL, D_FF, EXPERTS = 37, 128, 256, 4
TOLERANCE = {"float32": 1e-5, "bfloat16": 3e-2}
SIZES = [
    pytest.param([10, 0, 13, 14], id="an empty group between"),
    pytest.param([0, 0, 37, 0], id="one group owns all"),
    pytest.param([0, 5, 0, 20], id="rows behind the last group"),
    pytest.param([1, 1, 1, 1], id="single rows in one tile"),
    pytest.param([0, 0, 0, 0], id="no group owns a row"),
    pytest.param([16, 16, 5, 0], id="borders on tiles, short tail"),
]
KERNELS = [
    pytest.param({"interpret": True, "block_m": 16, "strategy": "tiled"}, id="mosaic-tiled"),
    pytest.param({"interpret": True, "block_m": 16, "strategy": "whole"}, id="mosaic-whole"),
    pytest.param({"interpret": True, "backend": "triton", "block_m": 16, "block_f": 32}, id="triton"),
    pytest.param({}, id="xla"),
]


def operands(dtype: str = "float32", rows: int = ROWS) -> list[jax.Array]:
    random = np.random.default_rng(7)
    shapes = (EXPERTS, D_MODEL, D_FF), (EXPERTS, D_MODEL, D_FF), (EXPERTS, D_FF, D_MODEL)
    weights = [random.normal(size=shape) / shape[1] ** 0.5 for shape in shapes]
    return [jnp.asarray(array, dtype) for array in (random.normal(size=(rows, D_MODEL)), *weights)]


def oracle(x, w_gate, w_up, w_down, sizes) -> np.ndarray:
    """SwiGLU one row at a time in NumPy's float64."""
    x, w_gate, w_up, w_down = (np.asarray(a, np.float64) for a in (x, w_gate, w_up, w_down))
    out = np.zeros_like(x)
    for row, expert in enumerate(np.repeat(np.arange(len(sizes)), sizes)):
        gate, up = x[row] @ w_gate[expert], x[row] @ w_up[expert]
        out[row] = (gate / (1 + np.exp(-gate)) * up) @ w_down[expert]
    return out


def relative_error(actual: jax.Array, expected: np.ndarray) -> float:
    return float(np.abs(np.asarray(actual, np.float64) - expected).max() / max(np.abs(expected).max(), 1e-30))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_path_agrees_with_the_oracle(kernel, dtype):
    arrays = operands(dtype)
    mlp = jax.jit(partial(fused_moe_mlp, **kernel))
    for case in SIZES:
        sizes = case.values[0]
        out = mlp(*arrays, jnp.array(sizes, jnp.int32))
        assert out.dtype == dtype
        assert relative_error(out, oracle(*arrays, sizes)) < TOLERANCE[dtype], sizes
        assert not np.asarray(out[sum(sizes) :], np.float32).any(), "rows that no expert owns must be zero"


_property_mlp = jax.jit(partial(fused_moe_mlp, interpret=True, block_m=8, strategy="tiled"))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, ROWS), min_size=EXPERTS - 1, max_size=EXPERTS - 1), st.integers(0, ROWS))
def test_any_group_sizes(cuts, owned):
    borders = np.minimum(sorted(cuts), owned)
    sizes = np.diff([0, *borders, owned]).tolist()
    arrays = operands()
    assert relative_error(_property_mlp(*arrays, jnp.array(sizes, jnp.int32)), oracle(*arrays, sizes)) < 1e-5


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_activations_follow_their_definitions(activation):
    arrays, sizes = operands(), [10, 0, 13, 14]
    by_definition = {
        "silu": lambda g: g / (1 + np.exp(-g)),
        "gelu": lambda g: 0.5 * g * (1 + np.tanh(np.sqrt(2 / np.pi) * (g + 0.044715 * g**3))),
        "relu": lambda g: np.maximum(g, 0),
    }[activation]
    x, w_gate, w_up, w_down = (np.asarray(a, np.float64) for a in arrays)
    expert = np.repeat(np.arange(EXPERTS), sizes)
    gate, up = (np.einsum("md,mdf->mf", x, w[expert]) for w in (w_gate, w_up))
    expected = np.einsum("mf,mfd->md", by_definition(gate) * up, w_down[expert])
    out = fused_moe_mlp(*arrays, jnp.array(sizes, jnp.int32), activation=activation, interpret=True)
    assert relative_error(out, expected) < 1e-5


def dense_loss(x, w_gate, w_up, w_down, sizes):
    """Every expert on every row, masked: differentiated by JAX, without ragged products."""
    owner = jnp.asarray(np.append(np.repeat(np.arange(EXPERTS), sizes), [-1] * (x.shape[0] - sum(sizes))))
    mine = (owner[:, None] == jnp.arange(EXPERTS)).astype(x.dtype)
    hidden = jax.nn.silu(jnp.einsum("md,edf->mef", x, w_gate)) * jnp.einsum("md,edf->mef", x, w_up)
    return jnp.sum(jnp.sin(jnp.einsum("mef,efd,me->md", hidden, w_down, mine)))


@pytest.fixture(scope="module")
def dense_gradients():
    sizes = [10, 0, 13, 9]
    differentiate = jax.jit(jax.grad(partial(dense_loss, sizes=sizes), argnums=(0, 1, 2, 3)))
    return sizes, differentiate(*(array.astype(jnp.float64) for array in operands()))


@pytest.mark.parametrize("kernel", [KERNELS[0], KERNELS[2], KERNELS[3]])
def test_gradients_agree_with_autodiff_of_a_dense_loss(kernel, dense_gradients):
    arrays, (sizes, expected) = operands(), dense_gradients

    def loss(*arrays):
        return jnp.sum(jnp.sin(fused_moe_mlp(*arrays, jnp.array(sizes, jnp.int32), **kernel)))

    gradients = jax.jit(jax.grad(loss, argnums=(0, 1, 2, 3)))(*arrays)
    for gradient, exact in zip(gradients, expected, strict=True):
        assert relative_error(gradient, np.asarray(exact)) < 2e-5
    assert not np.asarray(gradients[0][sum(sizes) :]).any(), "rows that no expert owns"
    for gradient in gradients[1:]:
        assert not np.asarray(gradient[1]).any(), "an expert without rows gets exactly zero, not NaN"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_gradients_are_finite_and_typed_when_no_expert_has_rows(dtype):
    sizes = jnp.zeros(EXPERTS, jnp.int32)
    arrays = operands(dtype)
    gradients = jax.grad(lambda *a: fused_moe_mlp(*a, sizes).astype(jnp.float32).sum(), argnums=(0, 1, 2, 3))(*arrays)
    for gradient, array in zip(gradients, arrays, strict=True):
        assert gradient.dtype == array.dtype
        assert not np.asarray(gradient, np.float32).any()


def test_a_lowering_that_leaves_the_gradient_of_an_empty_group_unwritten_does_no_harm(monkeypatch):
    """Its backward pass gives NaN for experts without rows, as an unwritten block of memory may."""

    def unwritten(x, w_gate, w_up, w_down, group_sizes, activation):
        empty = group_sizes == 0
        nothing = [jnp.sqrt(jnp.where(empty, 0 * w.sum(axis=(1, 2)), 0.25)).sum() for w in (w_gate, w_up, w_down)]
        return ragged_moe_mlp(x, w_gate, w_up, w_down, group_sizes, activation=activation) + sum(nothing)

    arrays, sizes = operands(), jnp.array([10, 0, 13, 14], jnp.int32)
    expected = jax.grad(lambda *a: ragged_moe_mlp(*a, sizes).sum(), argnums=(1, 2, 3))(*arrays)
    bad = jax.grad(lambda *a: unwritten(*a, sizes, "silu").sum(), argnums=(1, 2, 3))(*arrays)
    assert all(np.isnan(gradient[1]).all() for gradient in bad)
    monkeypatch.setattr("model.kernels.fused_moe.ragged_moe_mlp", unwritten)
    gradients = jax.grad(lambda *a: fused_moe_mlp(*a, sizes).sum(), argnums=(1, 2, 3))(*arrays)
    for gradient, exact in zip(gradients, expected, strict=True):
        np.testing.assert_array_equal(gradient, exact)


def test_nothing_of_the_hidden_size_outlives_the_forward_pass():
    arrays, sizes = operands(), jnp.array([10, 0, 13, 14], jnp.int32)
    _, pullback = jax.vjp(lambda *a: fused_moe_mlp(*a, sizes), *arrays)
    kept = {leaf.shape for leaf in jax.tree.leaves(pullback)}
    assert (ROWS, D_FF) not in kept
    assert kept <= {array.shape for array in (*arrays, sizes)}


@pytest.mark.parametrize(("platform", "compiled"), [("tpu", True), ("cpu", False), ("cuda", False)])
def test_the_kernel_is_compiled_for_a_tpu_and_nowhere_else(platform, compiled):
    arrays, sizes = operands(), jnp.array([10, 0, 13, 14], jnp.int32)
    lowered = jax.jit(fused_moe_mlp).trace(*arrays, sizes).lower(lowering_platforms=(platform,)).as_text()
    assert ("tpu_custom_call" in lowered) == compiled
    assert "fused_moe_mlp" in lowered


def test_the_plan_gives_its_reason():
    small = Problem(rows=4096, d_model=1024, d_expert=4096, n_experts=8, element_bytes=2)
    assert plan_fused_moe(small).backend == "mosaic"
    assert plan_fused_moe(small, vmem_limit_bytes=100 * 2**20).tiles.strategy == "whole"
    assert plan_fused_moe(small, strategy="tiled", vmem_limit_bytes=100 * 2**20).tiles.strategy == "tiled"
    wide = Problem(rows=4096, d_model=65536, d_expert=4096, n_experts=8, element_bytes=2)
    plan = plan_fused_moe(wide)
    assert (plan.backend, plan.tiles) == ("xla", None)
    assert "too much" in plan.reason
    with pytest.raises(DoesNotFit, match="raise vmem_limit_bytes"):
        plan_fused_moe(wide, backend="mosaic")
    with pytest.raises(DoesNotFit):
        plan_fused_moe(wide, block_m=16)
    assert "no rows" in plan_fused_moe(Problem(0, 128, 256, 4, 4)).reason


def test_no_rows_give_no_rows():
    arrays = operands(rows=0)
    assert fused_moe_mlp(*arrays, jnp.zeros(EXPERTS, jnp.int32)).shape == (0, D_MODEL)


def test_compiled_once_for_every_group_sizes():
    mlp = jax.jit(fused_moe_mlp)
    arrays = operands()
    for sizes in ([37, 0, 0, 0], [1, 2, 3, 4]):
        mlp(*arrays, jnp.array(sizes, jnp.int32))
    assert mlp._cache_size() == 1


def change(index, value):
    def apply(arrays):
        arrays = list(arrays)
        arrays[index] = value(arrays[index])
        return arrays

    return apply


@pytest.mark.parametrize(
    ("edit", "options", "message"),
    [
        (change(0, lambda a: a[0]), {}, r"x_sorted \(128,\) and w_gate"),
        (change(2, lambda a: a[:, :, :128]), {}, r"w_up has shape \(4, 128, 128\), expected \(4, 128, 256\)"),
        (change(3, lambda a: a.swapaxes(1, 2)), {}, "w_down has shape"),
        (change(4, lambda a: a[:3]), {}, "group_sizes has shape"),
        (change(4, lambda a: a + 10), {}, "sum 77"),
        (change(4, lambda a: a - 1), {}, "least -1"),
        (change(4, lambda a: a.astype(jnp.float32)), {}, "expected integers"),
        (change(0, lambda a: a.astype(jnp.float16)), {}, "float32 or bfloat16"),
        (change(1, lambda a: a.astype(jnp.bfloat16)), {}, "w_gate is bfloat16 but x_sorted is float32"),
        (list, {"activation": "swish"}, "silu, gelu, relu"),
        (list, {"block_m": 12}, "multiple of 8"),
        (list, {"block_m": 0}, "multiple of 8"),
        (list, {"block_f": 100}, "legal F tiles 128, 256"),
        (list, {"block_f": 256, "strategy": "tiled"}, "legal F tiles 128"),
        (list, {"backend": "xla", "block_m": 8}, "leave out block_m"),
        (list, {"backend": "triton", "block_m": 24}, "power of two"),
        (list, {"backend": "triton", "strategy": "whole"}, "leave out strategy"),
        (list, {"backend": "triton", "block_f": 512}, "no multiple of block_f=512"),
        (list, {"backend": "mosaic", "vmem_limit_bytes": 1000}, "B too much"),
    ],
)
def test_bad_input_gives_one_line(edit, options, message):
    arrays = edit([*operands(), jnp.array([10, 0, 13, 14], jnp.int32)])
    with pytest.raises(ValueError, match=message) as refusal:
        fused_moe_mlp(*arrays, **options)
    assert "\n" not in str(refusal.value)


def test_a_gpu_tile_that_overflows_is_refused():
    with pytest.raises(DoesNotFit, match="shared memory"):
        plan_fused_moe(Problem(64, 4096, 8192, 4, 2), backend="triton")


def test_a_mixture_layer_has_the_same_loss_and_gradient_either_way():
    """Top-2 routing of 24 tokens, sorted by expert: the kernel in place of the reference changes nothing."""
    random = np.random.default_rng(3)
    tokens = jnp.asarray(random.normal(size=(24, D_MODEL)), jnp.float32)
    router = jnp.asarray(random.normal(size=(D_MODEL, EXPERTS)) / 11, jnp.float32)
    weights = operands()[1:]

    def loss(weights, mlp):
        gates, chosen = jax.lax.top_k(jax.nn.softmax(tokens @ router), 2)
        order = jnp.argsort(chosen.ravel(), stable=True)
        sizes = jnp.bincount(chosen.ravel(), length=EXPERTS).astype(jnp.int32)
        rows = mlp(tokens[order // 2], *weights, sizes)
        mixed = jnp.zeros_like(tokens).at[order // 2].add(rows * gates.ravel()[order, None])
        return jnp.mean((mixed - tokens) ** 2)

    fused = partial(fused_moe_mlp, interpret=True, block_m=8, strategy="tiled")
    (value, gradient), (expected, exact) = (
        jax.value_and_grad(partial(loss, mlp=mlp))(weights) for mlp in (fused, ragged_moe_mlp)
    )
    assert value == pytest.approx(float(expected), rel=1e-6)
    for ours, theirs in zip(gradient, exact, strict=True):
        assert relative_error(ours, np.asarray(theirs)) < 1e-5
