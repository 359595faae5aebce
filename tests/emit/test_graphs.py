"""Roofline-like graphs and their vector-Jacobian products: emitted source against JAX, random and hostile points."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

KNOBS = ("flops", "bandwidth", "wire", "chips", "shards", "batch", "width", "depth", "efficiency", "price")
LOW = np.array([1e12, 1e10, 1e9, 1.0, 1.0, 1e-12, 64.0, 1.0, 1e-3, 1e-6])
HIGH = np.array([1e18, 1e14, 1e13, 1e6, 1e4, 1e18, 1e6, 1e3, 1.0, 1e3])
HOSTILE = (0.0, -0.0, 1.0, 2.0, -1.0, -7.5, 1e-12, 1e18, math.inf, -math.inf, math.nan)
HUGE = (1e200, -1e200)  # squares overflow, ratios and their squares miss the subnormal numbers


def step(flops, bandwidth, wire, chips, shards, batch, width, depth, efficiency, price):
    """A training step's roofline: products and ratios, maxima, discrete jumps, guarded branches, roots and logs."""
    parameters = 4.0 * width**2 * depth
    axes = jnp.where(shards > 1.0, 1, 0)
    free_axes = 3 - axes
    math_time = (6.0 * batch * parameters + 12.0 * batch * width) / (chips * flops * efficiency)
    gather_time = jnp.where(shards < chips, 2.0 * parameters / (shards * wire * jnp.maximum(free_axes, 1.0)), 0.0)
    tensor_time = axes * 4.0 * batch * width / (wire * (chips / shards))
    layer = jnp.maximum(jnp.maximum(math_time, gather_time), tensor_time)
    outside = jnp.minimum(layer, parameters / bandwidth) + jnp.ceil(batch / 128.0) * 1e-6
    total = layer + outside
    return {
        "layer": layer,
        "total": total,
        "mfu": 6.0 * batch * parameters / (total * chips * flops),
        "optimum": jnp.sqrt(batch * chips * free_axes / width),
        "loss": 1.69 + 406.4 / parameters**0.34 + 410.7 / batch**0.28,
        "hops": jnp.floor(jnp.log2(chips)) * 1e-6 + jnp.log1p(shards) * 1e-9,
        "cost": jnp.where(price > 0.0, price * total * chips / 3600.0, math.nan),
        "headroom": bandwidth - 10.0 * parameters / chips,
        "share": jax.nn.sigmoid(jnp.log(math_time / gather_time) / 10.0),
        "tie": jnp.clip(batch, 1.0, shards) + jnp.maximum(shards, chips),
    }


OUTPUTS = tuple(sorted(step(*HIGH)))


def _gradient(arguments):
    """Outputs, the one in focus, and its gradient; the cotangents are arguments, so one function serves every focus."""
    knobs, cotangents = arguments[: len(KNOBS)], arguments[len(KNOBS) :]
    values, pullback = jax.vjp(step, *knobs)
    focus = sum(
        jnp.where(cotangent == 0.0, 0.0, values[name]) for name, cotangent in zip(OUTPUTS, cotangents, strict=True)
    )
    return focus, pullback(dict(zip(OUTPUTS, cotangents, strict=True)))


def elasticities(*arguments):
    """Elasticities of one output over every knob, of order 1: raw derivatives that cancel to zero are only rounding."""
    focus, gradient = _gradient(arguments)
    return [knob * slope / focus for knob, slope in zip(arguments, gradient, strict=False)]


def pattern(*arguments):
    """Which raw derivatives are NaN, and which are infinite with what sign."""
    _, gradient = _gradient(arguments)
    return [(jnp.isnan(slope), slope == jnp.inf, slope == -jnp.inf) for slope in gradient]


def _random_knobs(count: int) -> np.ndarray:
    uniform = np.random.default_rng(7).uniform(size=(count, len(KNOBS)))
    return LOW * (HIGH / LOW) ** uniform


def _hostile_knobs(values: tuple[float, ...]) -> np.ndarray:
    """Ordinary points with one or two knobs replaced by hostile values, or with two knobs that tie."""
    random = np.random.default_rng(11)
    points = np.repeat(_random_knobs(30), len(values) * 3, axis=0)
    for row, point in enumerate(points):
        first, second, third = random.permutation(len(KNOBS))[:3]
        point[first] = values[row % len(values)]
        if row % 3 == 1:
            point[second] = random.choice(values)
        if row % 3 == 2:
            point[second] = point[third]
    return points


def _one_focus_each(knobs: np.ndarray) -> np.ndarray:
    """Append one cotangent of 1 to a point, the focus going round the outputs."""
    focus = np.random.default_rng(3).integers(len(OUTPUTS), size=len(knobs))
    return np.concatenate([knobs, np.eye(len(OUTPUTS))[focus]], axis=1)


@pytest.fixture(params=["random", "hostile", "hostile and huge"])
def case(request) -> dict:
    """Points, and how JAX runs there: where intermediates overflow, XLA's own rewrites are not IEEE arithmetic."""
    if request.param == "random":
        return {"knobs": _random_knobs(1000), "jit": True}
    if request.param == "hostile":
        return {"knobs": _hostile_knobs(HOSTILE), "jit": True}
    return {"knobs": _hostile_knobs((*HOSTILE, *HUGE)), "jit": False}


def test_values_agree(agree, case) -> None:
    agree(step, case["knobs"], jit=case["jit"])


def test_elasticities_agree(agree, case) -> None:
    agree(elasticities, _one_focus_each(case["knobs"]), jit=case["jit"], atol=1e-12)


def test_derivatives_are_non_finite_at_the_same_points(agree, case) -> None:
    agree(pattern, _one_focus_each(case["knobs"]), jit=case["jit"])


def test_gradient_of_a_tie_is_shared_and_of_a_slack_branch_is_zero(agree) -> None:
    def both(a, b):
        value, pullback = jax.vjp(lambda a, b: jnp.maximum(2.0 * a, b), a, b)
        return value, pullback(1.0)

    agree(both, [(1.0, 2.0), (1.0, 3.0), (2.0, 3.0), (0.0, 0.0), (0.0, -0.0), (math.inf, math.inf)])
