"""One case a primitive: emitted Python and JavaScript against XLA at every hostile value, and every pair of them."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from model.emit import compile_python, emit_python, trace

inf, nan = math.inf, math.nan
HOSTILE = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1 / 3, -1 / 3, 3.0, -3.0, 0.49999999999999994, 1 - 2**-53),
    *(1e-12, -1e-12, 1e-300, -1e-300, 7.5, -8.0, 709.5, 710.0, -700.0, -30.0, 1023.5, 1025.0, 2.0**31, -(2.0**31) - 1),
    *(4503599627370497.5, 2.0**53 + 2, -(2.0**53) - 2, 1e18, -1e18, 2.0**63, 1e300, -1e300, inf, -inf, nan),
)
PAIRS = tuple(itertools.product(HOSTILE, HOSTILE))

UNARY = {
    "neg": lax.neg,
    "abs": jnp.abs,
    "sign": jnp.sign,
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "trunc": jnp.trunc,
    "round to even": jnp.round,
    "round away from zero": lambda a: lax.round(a, lax.RoundingMethod.AWAY_FROM_ZERO),
    "integer_pow 2": lambda a: a**2,
    "integer_pow 7": lambda a: a**7,
    "integer_pow -1": lambda a: a**-1,
    "integer_pow -3": lambda a: a**-3,
    "square": jnp.square,
    "pow to a constant": lambda a: (a**0.3, a**0.5, a**-0.5, a**1.5),
    "pow of a constant": lambda a: (2.0**a, jnp.power(0.0, a), jnp.power(-2.0, a), jnp.power(1.0, a)),
    "sqrt": jnp.sqrt,
    "rsqrt": lax.rsqrt,
    "cbrt": jnp.cbrt,
    "exp": jnp.exp,
    "exp2": jnp.exp2,
    "expm1": jnp.expm1,
    "log": jnp.log,
    "log2": jnp.log2,
    "log10": jnp.log10,
    "log1p": jnp.log1p,
    "tanh": jnp.tanh,
    "logistic": jax.nn.sigmoid,
    "softplus (custom_jvp_call)": jax.nn.softplus,
    "relu": jax.nn.relu,
    "is_finite": lambda a: (jnp.isfinite(a), jnp.isnan(a), jnp.isinf(a)),
    "reciprocal": lambda a: (1.0 / a, -1.0 / a, a / 3.0, 0.0 / a),
    "max and min with a constant": lambda a: (jnp.maximum(a, 0.0), jnp.minimum(a, -0.0), jnp.maximum(a, nan)),
    "clip": lambda a: (jnp.clip(a, -1.0, 2.5), lax.clamp(-1.0, a, 0.0)),
    "to int32": lambda a: lax.convert_element_type(a, jnp.int32),
    "to int64": lambda a: lax.convert_element_type(a, jnp.int64),
    "to bool": lambda a: lax.convert_element_type(a, bool),
    "copy and stop_gradient": lambda a: (lax.stop_gradient(a), jnp.array(a, copy=True)),
    "cond": lambda a: lax.cond(a > 1.0, lambda b: (1.0 / b, b), lambda b: (b, jnp.sqrt(b)), a),
    "switch": lambda a: lax.switch(lax.convert_element_type(a, jnp.int32), [jnp.negative, jnp.sqrt, jnp.square], a),
    "choice by integer": lambda a: lax.select_n(
        lax.convert_element_type(jnp.clip(a, 0.0, 2.0), jnp.int32), a, 2.0 * a, 3.0 * a
    ),
    "counting booleans": lambda a: (a > 1.0) * 2 + (a > 2.0) - 1,
    "small integers": lambda a: (
        _small(a) * 3 - 7,
        -_small(a),
        abs(_small(a)),
        jnp.maximum(_small(a), 2),
        a * _small(a),
    ),
    "power to an integer": lambda a: lax.pow(a, _small(a)),
    "int64 to int32": lambda a: lax.convert_element_type(
        lax.convert_element_type(jnp.clip(a, -1e10, 1e10), jnp.int64), jnp.int32
    ),
}

BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "rem": lax.rem,
    "remainder": jnp.mod,
    "floor_divide": jnp.floor_divide,
    "pow": jnp.power,
    "max": jnp.maximum,
    "min": jnp.minimum,
    "comparisons": lambda a, b: (a < b, a <= b, a > b, a >= b, a == b, a != b),
    "booleans": lambda a, b: ((a > 0) & (b > 0), (a > 0) | (b > 0), (a > 0) ^ (b > 0), ~(a > b), (a > 0) == (b > 0)),
    "where": lambda a, b: (jnp.where(a > b, a, b), jnp.where(~(a > b), 1.0, b), jnp.where(a > b, True, b > 0)),
    "where on integers": lambda a, b: a * jnp.where(a > b, 1, 2),
    "hypot": jnp.hypot,
    "logaddexp": jnp.logaddexp,
}


def _staged(a: float) -> jax.Array:
    """A constant that JAX leaves in the jaxpr instead of computing with it at once."""
    return lax.optimization_barrier(jnp.float64(a))


def _small(a: jax.Array) -> jax.Array:
    return lax.convert_element_type(jnp.clip(a, -9.0, 9.0), jnp.int64)


def _folded(function: Callable[..., Any], points: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    constants = trace(lambda: [function(*map(_staged, point)) for point in points], 0)
    return compile_python(emit_python(constants, "folded"), "folded")()


@pytest.mark.parametrize("name", UNARY)
def test_operation_of_one_number_follows_xla_at_hostile_values(agree, name: str) -> None:
    agree(UNARY[name], [(a,) for a in HOSTILE], zeros=True)


@pytest.mark.parametrize("name", BINARY)
def test_operation_of_two_numbers_follows_xla_at_hostile_pairs(agree, name: str) -> None:
    agree(BINARY[name], PAIRS, zeros=True)


@pytest.mark.parametrize(("cases", "points"), [(UNARY, [(a,) for a in HOSTILE]), (BINARY, PAIRS[::13])])
def test_folded_constants_are_what_the_same_source_computes(cases, points) -> None:
    for name, function in cases.items():
        jaxpr = trace(function, len(points[0]))
        computed = compile_python(emit_python(jaxpr, "computed"), "computed")
        assert repr(_folded(function, points)) == repr(sum((computed(*point) for point in points), ())), name
