"""From a jaxpr of scalars to a flat `Program`: nested calls inlined, JAX's primitives rewritten in a few operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, JaxprEqn, Literal
from jax.extend.source_info_util import summarize

from model.emit.program import ONE, Builder, Kind, Operand, Program, UnknownPrimitive, Unsupported, constant

Rule = Callable[..., Operand]


def trace(function: Callable[..., Any], n_arguments: int) -> ClosedJaxpr:
    """Trace `function` on separate float64 scalars.

    Args:
        function: takes `n_arguments` scalars of shape () and returns any tree of scalars.
        n_arguments: how many.

    Returns:
        The jaxpr; its outputs are the leaves of what `function` returns, in JAX's order.
    """
    return jax.make_jaxpr(function)(*[jax.ShapeDtypeStruct((), jnp.float64)] * n_arguments)


def lower(closed_jaxpr: ClosedJaxpr) -> Program:
    """Flatten a jaxpr of float64 scalar arguments.

    Raises:
        UnknownPrimitive: a result needs a primitive, a type or a shape that scalar source has no form for.
    """
    for position, variable in enumerate(closed_jaxpr.jaxpr.invars):
        aval = cast(Any, variable.aval)
        if _unsupported(aval) or aval.dtype != np.float64:
            raise UnknownPrimitive(f"argument {position} is {aval}: trace on scalars of type float64")
    builder = Builder(len(closed_jaxpr.jaxpr.invars))
    return builder.finish(_inline(builder, closed_jaxpr, builder.arguments))


def _inline(builder: Builder, jaxpr: Any, arguments: Sequence[Operand]) -> list[Operand]:
    """Append every equation of `jaxpr` (closed or open) and return its outputs."""
    opened = getattr(jaxpr, "jaxpr", jaxpr)
    values: dict[Any, Operand] = dict(zip(opened.invars, arguments, strict=True))
    values.update(zip(opened.constvars, map(_constant, getattr(jaxpr, "consts", ())), strict=True))

    def read(atom: Any) -> Operand:
        return _constant(atom.val, atom.aval) if isinstance(atom, Literal) else values[atom]

    for equation in opened.eqns:
        results = _equation(builder, equation, [read(atom) for atom in equation.invars])
        values.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in opened.outvars]


def _equation(builder: Builder, equation: JaxprEqn, operands: list[Operand]) -> Sequence[Operand]:
    name, parameters = equation.primitive.name, equation.params
    nested = parameters.get(_NESTED[name]) if name in _NESTED else None
    if nested is not None:
        return _inline(builder, nested, operands)
    for atom in (*equation.invars, *equation.outvars):
        if problem := _unsupported(atom.aval):
            return _refused(equation, f"{name} on {atom.aval}, {problem}")
    if name in _IDENTITIES:
        return operands[: len(equation.outvars)]
    if name == "cond":
        branches = [_inline(builder, branch, operands[1:]) for branch in parameters["branches"]]
        return [_choose(builder, operands[0], cases) for cases in zip(*branches, strict=True)]
    kind = cast(Kind, str(cast(Any, equation.invars[-1].aval).dtype)) if equation.invars else "float64"
    rule = (_FLOAT_RULES if kind == "float64" else _BOOL_RULES if kind == "bool" else _INTEGER_RULES).get(name)
    result = rule(builder, *operands, **parameters) if rule else None
    if result is None:
        return _refused(equation, f"primitive {name} on {kind}")
    if name in _INTEGER_WRAPS and kind in ("int32", "int64"):
        result = builder.apply(f"wrap_{kind}", result)
    return [result]


def _refused(equation: JaxprEqn, what: str) -> list[Operand]:
    reason = f"{what} has no scalar form in emitted source (at {summarize(equation.source_info) or 'an unknown line'})"
    return [Unsupported(reason)] * len(equation.outvars)


def _unsupported(aval: Any) -> str | None:
    if getattr(aval, "shape", None) != ():
        return "not a scalar"
    if str(aval.dtype) not in ("float64", "int32", "int64", "bool"):
        return "not float64, int32, int64 or bool"
    return None


def _constant(value: Any, aval: Any = None) -> Operand:
    array = np.asarray(value, dtype=None if aval is None else aval.dtype)
    if problem := _unsupported(array):
        return Unsupported(f"a constant of shape {array.shape} and type {array.dtype} is {problem}")
    return constant(array.item(), cast(Kind, str(array.dtype)))


_NESTED = {
    "jit": "jaxpr",
    "closed_call": "call_jaxpr",
    "eval_jaxpr": "call_jaxpr",
    "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
}
"""Primitives that only call a jaxpr, and the parameter that holds it (JAX 0.12 says eval_jaxpr for closed_call)."""

_IDENTITIES = frozenset(
    {
        "copy",
        "copy_p",
        "stop_gradient",
        "name",
        "optimization_barrier",
        "device_put",
        "broadcast_in_dim",
        "reshape",
        "squeeze",
    }
)
"""Primitives that hand scalars on as they are."""

_INTEGER_WRAPS = frozenset({"add", "add_any", "sub", "mul", "neg", "abs"})
"""Integer operations that may leave the range of their type, and then wrap round."""


def _plain(operation: str) -> Rule:
    def rule(builder: Builder, *operands: Operand, **_: Any) -> Operand:
        return builder.apply(operation, *operands)

    return rule


def _integer_pow(builder: Builder, base: Operand, *, y: int) -> Operand:
    """Repeated squaring in XLA's order, and the reciprocal of it for a negative exponent."""
    result, square, exponent = ONE, base, abs(y)
    while exponent:
        if exponent & 1:
            result = builder.apply("mul", result, square)
        exponent >>= 1
        if exponent:
            square = builder.apply("mul", square, square)
    return builder.apply("div", ONE, result) if y < 0 else result


def _pow(builder: Builder, base: Operand, exponent: Operand, **_: Any) -> Operand:
    return builder.apply("pow", base, builder.apply("to_float", exponent))


def _square(builder: Builder, base: Operand, **_: Any) -> Operand:
    return _integer_pow(builder, base, y=2)


def _rsqrt(builder: Builder, operand: Operand, **_: Any) -> Operand:
    return builder.apply("div", ONE, builder.apply("sqrt", operand))


def _logistic(builder: Builder, operand: Operand, **_: Any) -> Operand:
    exponential = builder.apply("exp", builder.apply("neg", operand))
    return builder.apply("div", ONE, builder.apply("add", ONE, exponential))


def _clamp(builder: Builder, low: Operand, operand: Operand, high: Operand, **_: Any) -> Operand:
    return builder.apply("min", builder.apply("max", low, operand), high)


def _round(builder: Builder, operand: Operand, *, rounding_method: int, **_: Any) -> Operand:
    even = int(rounding_method) == int(jax.lax.RoundingMethod.TO_NEAREST_EVEN)
    return builder.apply("round_even" if even else "round_away", operand)


def _choose(builder: Builder, which: Operand, cases: Sequence[Operand]) -> Operand:
    """Case number `which`, held to the range of the cases; a boolean counts as 0 or 1."""
    if isinstance(which, Unsupported):
        return which
    chosen = cases[-1]
    for position in range(len(cases) - 2, -1, -1):
        if which.kind == "bool":
            chosen = builder.apply("select", which, chosen, cases[position])
        else:
            below = builder.apply("lt", which, constant(position + 1, which.kind))
            chosen = builder.apply("select", below, cases[position], chosen)
    return chosen


def _select_n(builder: Builder, which: Operand, *cases: Operand, **_: Any) -> Operand:
    return _choose(builder, which, cases)


def _convert(builder: Builder, operand: Operand, *, new_dtype: Any, **_: Any) -> Operand:
    if isinstance(operand, Unsupported):
        return operand
    if (operand.kind, str(new_dtype)) == ("int64", "int32"):
        return builder.apply("wrap_int32", operand)
    return builder.apply(_CONVERSIONS[str(new_dtype)], operand)


_CONVERSIONS = {"float64": "to_float", "int32": "to_int32", "int64": "to_int64", "bool": "to_bool"}


def _reduce_precision(_: Builder, operand: Operand, *, exponent_bits: int, mantissa_bits: int) -> Operand | None:
    return operand if (exponent_bits, mantissa_bits) == (11, 52) else None


_SHARED_RULES: dict[str, Any] = {
    **{name: _plain(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "select_n": _select_n,
    "convert_element_type": _convert,
}
_ARITHMETIC = {**{name: _plain(name) for name in ("add", "sub", "mul", "neg", "abs", "max", "min")}, "clamp": _clamp}
_ARITHMETIC["add_any"] = _plain("add")

_FLOAT_RULES: dict[str, Any] = {
    **_SHARED_RULES,
    **_ARITHMETIC,
    **{name: _plain(name) for name in ("div", "rem", "sign", "floor", "ceil", "sqrt", "cbrt", "is_finite")},
    **{name: _plain(name) for name in ("exp", "exp2", "expm1", "log", "log2", "log1p", "tanh")},
    "integer_pow": _integer_pow,
    "pow": _pow,
    "square": _square,
    "rsqrt": _rsqrt,
    "logistic": _logistic,
    "round": _round,
    "reduce_precision": _reduce_precision,
}
_INTEGER_RULES: dict[str, Any] = {**_SHARED_RULES, **_ARITHMETIC, "pow": _pow}
_BOOL_RULES: dict[str, Any] = {**_SHARED_RULES, **{name: _plain(name) for name in ("and", "or", "xor", "not")}}
