"""A flat program of scalar assignments: what a jaxpr becomes before it is printed in some language.

The operations are those of `ieee.MEANING`, few and free of nesting, so a printer is one table. The builder folds
constants, drops operations that change nothing, gives equal expressions one name, and leaves out what no result needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from model.emit.ieee import MEANING, Number

Kind = Literal["float64", "int32", "int64", "bool"]

_PREDICATES = frozenset({"lt", "le", "gt", "ge", "eq", "ne", "and", "or", "xor", "not", "is_finite", "to_bool"})
_KIND_OF: dict[str, Kind] = {
    "to_float": "float64",
    "to_int32": "int32",
    "to_int64": "int64",
    "wrap_int32": "int32",
    "wrap_int64": "int64",
}


class UnknownPrimitive(NotImplementedError):
    """A node uses something that the emitter has no scalar form for; the message names it and its source line."""


@dataclass(frozen=True)
class Variable:
    """A named value: an argument (the first ones) or the result of one assignment."""

    index: int
    kind: Kind


@dataclass(frozen=True)
class Constant:
    """A number known when the program is emitted. Its text tells 0.0 from -0.0 and 1 from 1.0 and True."""

    text: str
    kind: Kind

    @property
    def value(self) -> Number:
        """The number itself."""
        if self.kind == "bool":
            return self.text == "True"
        return float(self.text) if self.kind == "float64" else int(self.text)


@dataclass(frozen=True)
class Unsupported:
    """A value that scalar source cannot hold; harmless while no result needs it."""

    reason: str


Operand = Variable | Constant | Unsupported


@dataclass(frozen=True)
class Assignment:
    """`result = operation(*operands)`."""

    result: Variable
    operation: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class Program:
    """Arguments 0..n-1 in, `results` out, every needed assignment once and in order."""

    n_arguments: int
    assignments: tuple[Assignment, ...]
    results: tuple[Variable | Constant, ...]


def constant(value: Number, kind: Kind) -> Constant:
    """Return the constant `value` of `kind`."""
    if kind == "bool":
        return Constant(repr(bool(value)), kind)
    return Constant(repr(float(value)) if kind == "float64" else repr(int(value)), kind)


ZERO = constant(0.0, "float64")
ONE = constant(1.0, "float64")
TRUE = constant(True, "bool")


class Builder:
    """Collects assignments; `apply` returns the operand that holds the result."""

    def __init__(self, n_arguments: int) -> None:
        self.arguments = tuple(Variable(index, "float64") for index in range(n_arguments))
        self._assignments: list[Assignment] = []
        self._known: dict[tuple[str, tuple[Operand, ...]], Operand] = {}

    def apply(self, operation: str, *operands: Operand) -> Operand:
        """Assign `operation(*operands)`, unless it is a constant, an operand itself or already known."""
        for operand in operands:
            if isinstance(operand, Unsupported):
                return operand
        simple = _simplified(operation, operands)
        if simple is not None:
            return simple
        key = (operation, operands)
        if key not in self._known:
            result = Variable(len(self.arguments) + len(self._assignments), _result_kind(operation, operands))
            self._assignments.append(Assignment(result, operation, operands))
            self._known[key] = result
        return self._known[key]

    def finish(self, results: Sequence[Operand]) -> Program:
        """Return the program of what `results` need, each of them a float.

        Raises:
            UnknownPrimitive: a result needs a value that scalar source cannot hold.
        """
        floats: list[Variable | Constant] = []
        for result in results:
            value = self.apply("to_float", result)
            if isinstance(value, Unsupported):
                raise UnknownPrimitive(value.reason)
            floats.append(value)
        needed = {value.index for value in floats if isinstance(value, Variable)}
        kept: list[Assignment] = []
        for assignment in reversed(self._assignments):
            if assignment.result.index in needed:
                needed.update(operand.index for operand in assignment.operands if isinstance(operand, Variable))
                kept.append(assignment)
        return Program(len(self.arguments), tuple(reversed(kept)), tuple(floats))


def _kind(operand: Operand) -> Kind:
    if isinstance(operand, Unsupported):
        raise UnknownPrimitive(operand.reason)
    return operand.kind


def _result_kind(operation: str, operands: tuple[Operand, ...]) -> Kind:
    if operation in _PREDICATES:
        return "bool"
    return _KIND_OF.get(operation) or _kind(operands[-1])


def _simplified(operation: str, operands: tuple[Operand, ...]) -> Operand | None:
    """Return what needs no assignment: a folded constant, or an operand that the operation leaves as it is.

    Only identities that hold for every IEEE value are used: x·1, x/1 and x - 0, but not x·0 or x + 0.
    """
    values = [operand.value for operand in operands if isinstance(operand, Constant)]
    if len(values) == len(operands):
        return constant(MEANING[operation](*values), _result_kind(operation, operands))
    first, last = operands[0], operands[-1]
    match operation:
        case "mul" if last == ONE:
            return first
        case "mul" if first == ONE:
            return last
        case "div" if last == ONE:
            return first
        case "sub" if last == ZERO:
            return first
        case "to_float" | "to_bool" | "to_int32" | "to_int64":
            return first if _kind(first) == _result_kind(operation, operands) else None
        case "select" if operands[1] == operands[2]:
            return last
        case "select" if isinstance(first, Constant):
            return operands[1] if first == TRUE else operands[2]
    return None
