"""A program as JavaScript source: numbers are IEEE doubles there too, so few operations need more than an operator."""

from __future__ import annotations

import re

from jax.extend.core import ClosedJaxpr

from model.emit.lowering import lower
from model.emit.printer import write
from model.emit.program import Assignment, Constant

_TEMPLATES = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "rem": "{0} % {1}",
    "neg": "-{0}",
    "abs": "Math.abs({0})",
    "sign": "Math.sign({0})",
    "floor": "Math.floor({0})",
    "ceil": "Math.ceil({0})",
    "round_even": "roundEven({0})",
    "round_away": "roundAway({0})",
    "pow": "power({0}, {1})",
    "sqrt": "Math.sqrt({0})",
    "cbrt": "Math.cbrt({0})",
    "exp": "Math.exp({0})",
    "exp2": "Math.pow(2, {0})",
    "expm1": "Math.expm1({0})",
    "log": "Math.log({0})",
    "log2": "Math.log2({0})",
    "log1p": "Math.log1p({0})",
    "tanh": "Math.tanh({0})",
    "max": "Math.max({0}, {1})",
    "min": "Math.min({0}, {1})",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}",
    "eq": "{0} === {1}",
    "ne": "{0} !== {1}",
    "and": "{0} && {1}",
    "or": "{0} || {1}",
    "xor": "{0} !== {1}",
    "not": "!{0}",
    "select": "{0} ? {1} : {2}",
    "is_finite": "Number.isFinite({0})",
    "to_float": "Number({0})",
    "to_bool": "{0} !== 0",
    "to_int32": "toInteger({0}, 2147483648, 2147483647)",
    "to_int64": "toInteger({0}, 9223372036854775808, 9223372036854775807)",
    "wrap_int32": "(exactInteger({0}) | 0)",
    "wrap_int64": "exactInteger({0})",
}

_LIBRARY = {
    "roundEven": "(a) => (Math.abs(a % 1) === 0.5 ? 2 * Math.round(a / 2) : Math.round(a))",
    "roundAway": "(a) => (Math.abs(a % 1) >= 0.5 ? Math.trunc(a) + Math.sign(a) : Math.trunc(a))",
    # C, and so XLA, has 1 to any power as 1, and -1 to an infinite one; JavaScript has NaN for both.
    "power": "(a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : Math.pow(a, b))",
    "toInteger": "(a, low, high) => (a === a ? Math.min(Math.max(Math.trunc(Number(a)), -low), high) + 0 : 0)",
    # Past 2^53 a double no longer holds every integer: better no number than a wrong one.
    "exactInteger": (
        "(a) => { if (Number.isSafeInteger(a)) return a + 0; throw new RangeError(`integer ${a} is beyond 2^53`); }"
    ),
}

_NUMBERS = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN", "True": "true", "False": "false"}


def emit_javascript(closed_jaxpr: ClosedJaxpr, name: str) -> str:
    """Print a jaxpr of float64 scalars as one JavaScript function.

    Args:
        closed_jaxpr: as `trace` returns it.
        name: of the function.

    Returns:
        Source of `const name = ...;`, a function from an array-like of numbers to an array of numbers.

    Raises:
        UnknownPrimitive: a result needs something that has no scalar form; the message names it and its source line.
    """
    source = write(lower(closed_jaxpr), _template, _literal)
    words = set(re.findall(r"\w+", source.text()))
    lines = [f"const {name} = (() => {{"]
    lines += [f"  const {word} = {body};" for word, body in _LIBRARY.items() if word in words]
    lines += ["  return (x) => {"]
    lines += [
        f"    const {argument} = x[{position}];"
        for position, argument in enumerate(source.arguments)
        if argument in words
    ]
    lines += [f"    const {variable} = {expression};" for variable, expression in source.statements]
    lines += [f"    return [{', '.join(source.results)}];", "  };", "})();", ""]
    return "\n".join(lines)


def _template(assignment: Assignment) -> str:
    return _TEMPLATES[assignment.operation]


def _literal(constant: Constant) -> str:
    text = _NUMBERS.get(constant.text, constant.text)
    return f"({text})" if text.startswith("-") else text
