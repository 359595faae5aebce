"""The transformer: shapes, causality, rotation, gradients, and counts against the arrays and matmuls that are there."""

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from model.lab.experts import Experts
from model.lab.flops import counts
from model.lab.tasks import VOCABULARY
from model.lab.transformer import Shape, Transformer, drop, rotate

POSITIONS = 9
SHAPES = [Shape(8, 2), Shape(12, 1, experts=Experts(4, 2, capacity=0.0))]
TOKENS = np.random.default_rng(0).integers(0, VOCABULARY, (3, POSITIONS)).astype(np.int32)


def build(shape: Shape) -> tuple:
    graph, params = nnx.split(Transformer(shape, nnx.Rngs(0)), nnx.Param)
    return params, jax.jit(lambda params, tokens: nnx.merge(graph, params)(tokens)[0])


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_logits_have_the_right_shape_and_see_no_future(shape):
    params, forward = build(shape)
    before = np.asarray(forward(params, TOKENS))
    assert before.shape == (3, POSITIONS, VOCABULARY)
    assert before.dtype == np.float32
    for position in (0, 4, POSITIONS - 1):
        changed = TOKENS.copy()
        changed[:, position] = (changed[:, position] + 1) % VOCABULARY
        difference = np.abs(np.asarray(forward(params, changed)) - before).max(axis=(0, 2))
        assert difference[:position].max(initial=0) == 0, "a later token changed an earlier prediction"
        assert difference[position:].min() > 0, "a position ignores what it may read"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_gradient_equals_finite_differences(shape):
    params, forward = build(shape)
    params = jax.tree.map(lambda leaf: leaf.astype(jnp.float64), params)
    loss = jax.jit(lambda params: jnp.mean(jax.nn.logsumexp(forward(params, TOKENS), axis=-1)))
    direction = jax.tree.map(lambda leaf: jnp.asarray(np.random.default_rng(leaf.size).normal(size=leaf.shape)), params)
    _, slope = jax.jvp(loss, (params,), (direction,))
    gradient = jax.grad(loss)(params)
    dot = sum(float(jnp.vdot(g, d)) for g, d in zip(jax.tree.leaves(gradient), jax.tree.leaves(direction), strict=True))
    step = 1e-6
    ahead, behind = (loss(jax.tree.map(lambda p, d, s=sign: p + s * step * d, params, direction)) for sign in (1, -1))
    assert dot == pytest.approx(float(slope), rel=1e-9)
    assert dot == pytest.approx(float(ahead - behind) / (2 * step), rel=1e-4)


def test_rotation_is_multiplication_by_a_unit_complex_number_of_neighbours():
    x = np.random.default_rng(0).normal(size=(2, 7, 3, 8))
    pairs = x[..., ::2] + 1j * x[..., 1::2]
    turn = np.exp(1j * np.arange(7)[:, None, None] * 10_000.0 ** (-np.arange(4) / 4))
    expected = pairs * turn
    found = np.asarray(rotate(jnp.asarray(x)))
    assert found[..., ::2] == pytest.approx(expected.real, abs=1e-5)
    assert found[..., 1::2] == pytest.approx(expected.imag, abs=1e-5)


def test_rotated_scores_depend_on_distance_only():
    q, k = np.random.default_rng(1).normal(size=(2, 1, 1, 1, 16))
    score = np.einsum("bqhc,bkhc->qk", *(np.asarray(rotate(jnp.asarray(np.repeat(x, 10, axis=1)))) for x in (q, k)))
    for distance in range(-9, 10):
        assert np.ptp(np.diagonal(score, distance)) < 1e-5


@pytest.mark.parametrize(("d_model", "heads"), [(4, 1), (48, 1), (64, 1), (128, 2), (256, 4)])
def test_a_head_takes_64_dimensions_and_there_is_at_least_one(d_model, heads):
    assert Shape(d_model, 1).n_heads == heads


@pytest.mark.parametrize("bad", [(3, 1), (130, 1), (8, 0), (0, 1)])
def test_impossible_shapes_are_refused(bad):
    with pytest.raises(ValueError, match=r"d_model|layers"):
        Shape(*bad)


@pytest.mark.parametrize("shape", [Shape(8, 2), Shape(64, 1), Shape(12, 3, experts=Experts())], ids=str)
def test_parameters_are_counted_exactly(shape):
    params = nnx.state(nnx.eval_shape(lambda: Transformer(shape, nnx.Rngs(0))), nnx.Param)
    size = counts(shape, POSITIONS)
    assert size.total_params == sum(leaf.size for leaf in jax.tree.leaves(params))
    idle = (
        shape.n_layers * (shape.experts.count - shape.experts.chosen) * 3 * shape.d_model * shape.d_ff
        if shape.experts
        else 0
    )
    assert size.active_params == size.total_params - idle


def matmul_flops(jaxpr) -> float:
    """Twice the multiply-adds of every dot_general in a jaxpr, its inner ones included."""
    total = 0.0
    for equation in jaxpr.eqns:
        if equation.primitive.name == "dot_general":
            (contracted, _), _ = equation.params["dimension_numbers"]
            inner = np.prod([equation.invars[0].aval.shape[axis] for axis in contracted])
            total += 2 * inner * np.prod(equation.outvars[0].aval.shape)
        for inner in jax.extend.core.jaxprs_in_params(equation.params):
            total += matmul_flops(inner)
    return total


@pytest.mark.parametrize("shape", [Shape(8, 2), Shape(128, 1)], ids=str)
def test_training_flops_are_those_of_the_matmuls_that_jax_traces(shape):
    graph, params = nnx.split(nnx.eval_shape(lambda: Transformer(shape, nnx.Rngs(0))), nnx.Param)

    def loss(params, tokens):
        return jnp.sum(nnx.merge(graph, params)(tokens)[0])

    traced = jax.make_jaxpr(jax.value_and_grad(loss))(params, jax.ShapeDtypeStruct(TOKENS.shape, jnp.int32))
    assert matmul_flops(traced.jaxpr) == counts(shape, POSITIONS).flops_per_token * TOKENS.size


def test_six_n_is_not_what_a_small_model_costs():
    small = counts(Shape(8, 1), 29)
    large = counts(Shape(256, 10), 29)
    assert small.flops_per_token / small.six_n > 1.15
    assert large.flops_per_token / large.six_n == pytest.approx(1.0, abs=0.03)


def test_dropout_keeps_the_mean_and_drops_its_share():
    x = jnp.ones(40_000)
    dropped = drop(x, 0.1, jax.random.key(0))
    assert float(jnp.mean(dropped == 0)) == pytest.approx(0.1, abs=0.01)
    assert float(dropped.mean()) == pytest.approx(1.0, abs=0.01)
    assert np.array_equal(drop(x, 0.1, None), x)
