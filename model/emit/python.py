"""A program as Python source on floats: the ordinary case inline, `ieee` for what Python would refuse."""

from __future__ import annotations

import re
from collections.abc import Callable

from jax.extend.core import ClosedJaxpr

from model.emit.lowering import lower
from model.emit.printer import write
from model.emit.program import Assignment, Constant, Operand, Program, Variable

_TEMPLATES = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1} if {1} else ieee.div({0}, {1})",
    "rem": "ieee.rem({0}, {1})",
    "neg": "-{0}",
    "abs": "abs({0})",
    "sign": "ieee.sign({0})",
    "floor": "{0} // 1.0 if -1e16 < {0} < 1e16 else {0}",
    "ceil": "-(-{0} // 1.0) if -1e16 < {0} < 1e16 else {0}",
    "round_even": "ieee.round_even({0})",
    "round_away": "ieee.round_away({0})",
    "pow": "ieee.power({0}, {1})",
    "sqrt": "sqrt({0}) if {0} >= 0.0 else nan",
    "cbrt": "cbrt({0})",
    "exp": "exp({0}) if {0} < 709.0 else ieee.exp({0})",
    "exp2": "exp2({0}) if {0} < 1023.0 else ieee.exp2({0})",
    "expm1": "expm1({0}) if {0} < 709.0 else ieee.expm1({0})",
    "log": "log({0}) if {0} > 0.0 else ieee.log({0})",
    "log2": "log2({0}) if {0} > 0.0 else ieee.log2({0})",
    "log1p": "log1p({0}) if {0} > -1.0 else ieee.log1p({0})",
    "tanh": "tanh({0})",
    "max": "{0} if {0} > {1} else {1} if {0} < {1} else ieee.maximum({0}, {1})",
    "min": "{0} if {0} < {1} else {1} if {0} > {1} else ieee.minimum({0}, {1})",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}",
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
    "and": "{0} and {1}",
    "or": "{0} or {1}",
    "xor": "{0} != {1}",
    "not": "not {0}",
    "select": "{1} if {0} else {2}",
    "is_finite": "isfinite({0})",
    "to_float": "float({0})",
    "to_bool": "{0} != 0",
    "to_int32": "ieee.to_int32({0})",
    "to_int64": "ieee.to_int64({0})",
    "wrap_int32": "ieee.wrap_int32({0})",
    "wrap_int64": "ieee.wrap_int64({0})",
}
_SAFE_DIVISION = "{0} / {1}"
_MATH = ("cbrt", "exp", "exp2", "expm1", "inf", "isfinite", "log", "log1p", "log2", "nan", "sqrt", "tanh")
_TAKEN = frozenset({*_MATH, "abs", "float", "ieee"})


def emit_python(closed_jaxpr: ClosedJaxpr, name: str) -> str:
    """Print a jaxpr of float64 scalars as a module with one function.

    Args:
        closed_jaxpr: as `trace` returns it.
        name: of the function.

    Returns:
        Source of `def name(x0, x1, ...)`, which takes Python floats (not NumPy's: slow, and they warn), returns a tuple
        of floats and raises for none.

    Raises:
        ValueError: `name` is a word that the source itself uses.
        UnknownPrimitive: a result needs something that has no scalar form; the message names it and its source line.
    """
    if name in _TAKEN:
        raise ValueError(f"emitted source uses {name} itself: choose another name for the function")
    program = lower(closed_jaxpr)
    nonzero = _never_zero(program)

    def template(assignment: Assignment) -> str:
        divides_safely = assignment.operation == "div" and nonzero(assignment.operands[1])
        return _SAFE_DIVISION if divides_safely else _TEMPLATES[assignment.operation]

    source = write(program, template, _literal)
    words = set(re.findall(r"(?<![\w.])[a-z]\w*", source.text()))
    imports = [f"from math import {word}" for word in _MATH if word in words]
    imports += ["from model.emit import ieee"] if "ieee" in words else []
    lines = [*imports, f"def {name}({', '.join(source.arguments)}):"]
    lines += [f"    {variable} = {expression}" for variable, expression in source.statements]
    lines += [f"    return ({''.join(f'{result}, ' for result in source.results)})", ""]
    return "\n".join(lines)


def compile_python(source: str, name: str) -> Callable[..., tuple[float, ...]]:
    """Return the function `name` of `source`, which `emit_python` printed."""
    namespace: dict[str, Callable[..., tuple[float, ...]]] = {}
    exec(compile(source, f"<emitted {name}>", "exec"), namespace)
    return namespace[name]


def _literal(constant: Constant) -> str:
    return f"({constant.text})" if constant.text.startswith("-") else constant.text


def _never_zero(program: Program) -> Callable[[Operand], bool]:
    """Tell operands that can't be zero: constants, and choices between such (every gradient of a maximum has one)."""
    known: set[int] = set()

    def nonzero(operand: Operand) -> bool:
        if isinstance(operand, Constant):
            return operand.value != 0.0
        return isinstance(operand, Variable) and operand.index in known

    for assignment in program.assignments:
        if assignment.operation == "select" and all(nonzero(operand) for operand in assignment.operands[1:]):
            known.add(assignment.result.index)
    return nonzero
