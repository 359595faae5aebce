"""What is emitted and what is refused: inlining, dead code, constants, determinism, unknown primitives."""

import math
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.extend.core import jaxpr_as_fun

from model.emit import UnknownPrimitive, compile_python, emit_javascript, emit_python, trace

EMIT = (emit_python, emit_javascript)


def _python(function, n_arguments: int):
    return compile_python(emit_python(trace(function, n_arguments), "emitted"), "emitted")


@jax.custom_vjp
def _bounded(a):
    return jnp.minimum(checkpoint_name(a, "bounded"), 100.0)


_bounded.defvjp(lambda a: (_bounded(a), a), lambda a, cotangent: (jnp.where(a < 100.0, cotangent, 0.0),))


def _chain(*arguments):
    """Nested calls, custom rules, rematerialisation, a vjp: every way for one jaxpr to hold another."""
    inner = jax.jit(lambda a, b: jnp.where(a > b, jax.nn.softplus(a), jax.checkpoint(jnp.hypot)(a, _bounded(b))))
    value, pullback = jax.vjp(lambda a, b: inner(inner(a, b), b) / a, *arguments)
    return value, pullback(1.0)


@pytest.mark.parametrize("emit", EMIT)
def test_nested_calls_are_inlined(emit) -> None:
    source = emit(trace(_chain, 2), "emitted")
    assert "jit" not in source
    assert "custom" not in source
    assert _python(_chain, 2)(2.0, 3.0) == pytest.approx([float(leaf) for leaf in jax.tree.leaves(_chain(2.0, 3.0))])


def test_a_jaxpr_called_inside_another_is_inlined() -> None:
    called = jaxpr_as_fun(trace(lambda a, b: (a + 1.0, a * b), 2))
    assert _python(lambda a: called(a, 3.0), 1)(2.0) == (3.0, 6.0)


@pytest.mark.parametrize("emit", EMIT)
def test_same_function_gives_same_source(emit) -> None:
    assert emit(trace(_chain, 2), "emitted") == emit(trace(_chain, 2), "emitted")


def test_source_does_not_depend_on_the_process() -> None:
    program = (
        "import jax.numpy as jnp; from model.emit import emit_python, emit_javascript, trace;"
        "j = trace(lambda a, b, c: jnp.maximum(jnp.sqrt(a) * b, jnp.mod(c, a)) + jnp.log2(b), 3);"
        "print(emit_python(j, 'f'), emit_javascript(j, 'f'))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout


def test_what_no_output_needs_is_left_out() -> None:
    source = emit_python(trace(lambda a, b: (jnp.exp(b), a * 3.0)[1], 2), "emitted")
    assert "exp" not in source


def test_an_unknown_primitive_that_no_output_needs_is_no_obstacle() -> None:
    assert _python(lambda a: (lax.lgamma(a), jnp.sum(jnp.ones(3) * a), a * 3.0)[2], 1)(2.0) == (6.0,)


def test_equal_expressions_are_computed_once() -> None:
    assert emit_python(trace(lambda a: (jnp.exp(a) + 1.0, jnp.exp(a) * 2.0), 1), "emitted").count("709") == 1


def test_constants_are_folded() -> None:
    source = emit_python(trace(lambda a: a * jnp.sqrt(jnp.float64(16.0)) / jnp.log(1.0), 1), "emitted")
    assert "4.0" in source
    assert "sqrt" not in source
    assert "log" not in source


def test_a_sum_with_zero_is_kept_because_it_turns_minus_zero_into_zero() -> None:
    (result,) = _python(lambda a: a + 0.0, 1)(-0.0)
    assert math.copysign(1.0, result) == 1.0


def test_a_product_with_zero_is_kept_because_it_may_be_nan() -> None:
    assert math.isnan(_python(lambda a: a * 0.0, 1)(math.inf)[0])


def test_constants_and_arguments_may_be_outputs(run_javascript) -> None:
    def function(a, b):
        return b, 1.0, -jnp.inf, jnp.nan, a > b, b

    expected = [2.0, 1.0, -math.inf, math.nan, 0.0, 2.0]
    assert _python(function, 2)(1.0, 2.0) == pytest.approx(expected, nan_ok=True)
    assert run_javascript(emit_javascript(trace(function, 2), "emitted"), "emitted", [(1.0, 2.0)])[0] == pytest.approx(
        expected, nan_ok=True
    )


@pytest.mark.parametrize("length", [0, 1, 3000])
def test_long_chains_and_no_arguments_are_no_obstacle(run_javascript, length: int) -> None:
    def chain(*arguments):
        total = 1.0
        for argument in arguments:
            total = 0.5 * total + argument
        return (total,)

    ones = [1.0] * length
    expected = 2.0 - 0.5**length
    assert _python(chain, length)(*ones)[0] == pytest.approx(expected, rel=1e-15)
    assert run_javascript(emit_javascript(trace(chain, length), "chain"), "chain", [ones])[0][0] == expected


def test_captured_scalars_become_literals() -> None:
    captured = np.float64(0.1) * 3
    assert "0.30000000000000004" in emit_python(trace(lambda a: a * captured, 1), "emitted")


REFUSED = {
    "lgamma": lambda a: a + lax.lgamma(a),
    "sin": lambda a: a + jnp.sin(a),
    "argmax": lambda a: jnp.select([a > 1.0, a > 0.5], [a, 2.0 * a], 0.0),
    "while": lambda a: lax.while_loop(lambda b: b < 10.0, lambda b: b + 1.0, a),
    "float32": lambda a: a.astype(jnp.float32),
    r"float64\[3\]": lambda a: a * jnp.sum(jnp.arange(3.0) * a),
    "div on int64": lambda a: lax.div(a.astype(int), 2),
    "not on int64": lambda a: ~a.astype(int),
}


@pytest.mark.parametrize("emit", EMIT)
@pytest.mark.parametrize("what", REFUSED)
def test_what_has_no_scalar_form_is_refused_by_name_and_line(emit, what: str) -> None:
    with pytest.raises(UnknownPrimitive, match=rf"{what}.*test_program\.py:\d+"):
        emit(trace(REFUSED[what], 1), "emitted")


def test_arguments_that_are_not_float64_scalars_are_refused() -> None:
    with pytest.raises(UnknownPrimitive, match=r"argument 1 is .*int64"):
        emit_python(jax.make_jaxpr(lambda a, n: a * n)(1.0, 2), "emitted")
    with pytest.raises(UnknownPrimitive, match=r"argument 0 is float64\[2\]"):
        emit_python(jax.make_jaxpr(lambda a: a[0])(jnp.ones(2)), "emitted")


def test_a_name_that_the_source_uses_is_refused() -> None:
    with pytest.raises(ValueError, match="uses exp itself: choose another name"):
        emit_python(trace(jnp.exp, 1), "exp")


def test_integers_wrap_in_python_and_never_lose_digits_in_javascript(run_javascript) -> None:
    def product(a):
        return a.astype(jnp.int32) * (a + 1.0).astype(jnp.int32)

    assert _python(product, 1)(50_000.0) == (float(jax.jit(product)(50_000.0)),)
    source = emit_javascript(trace(product, 1), "product")
    assert run_javascript(source, "product", [(50_000.0,)]) == [[float(jax.jit(product)(50_000.0))]]
    with pytest.raises(RuntimeError, match=r"beyond 2\^53"):
        run_javascript(source, "product", [(2.0e9,)])
