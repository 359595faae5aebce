"""Expression trees: the few forms that a node's arithmetic takes, and their value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from model.binding import ABSENT


@dataclass(frozen=True)
class Constant:
    """A number written in the node."""

    value: float


@dataclass(frozen=True)
class Name:
    """A quantity or a knob that the node reads."""

    name: str


@dataclass(frozen=True)
class Operation:
    """Arithmetic on two operands."""

    sign: Literal["+", "-", "*", "/", "**"]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Negation:
    """Minus the operand."""

    operand: Expression


@dataclass(frozen=True)
class Call:
    """An elementary function of one argument, by its NumPy name."""

    function: str
    argument: Expression


@dataclass(frozen=True)
class Comparison:
    """A condition on two numbers."""

    sign: Literal["<", "<=", ">", ">=", "==", "!="]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Logic:
    """Two conditions at once."""

    word: Literal["and", "or"]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Cases:
    """`then` where the condition holds, else `otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Present:
    """A branch of a maximum that only some configurations have."""

    condition: Expression
    value: Expression


@dataclass(frozen=True)
class Maximum:
    """A maximum over named branches."""

    branches: tuple[tuple[str, Expression], ...]


Expression = Constant | Name | Operation | Negation | Call | Comparison | Logic | Cases | Present | Maximum

_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def value(expression: Expression, numbers: Mapping[str, float]) -> float:
    """Return the value where `numbers` holds every name read; IEEE arithmetic, and a condition gives 1.0 or 0.0."""
    with np.errstate(all="ignore"):
        return float(_value(expression, numbers))


def holds(condition: Expression, numbers: Mapping[str, float]) -> bool:
    """Return whether a condition is true."""
    return bool(value(condition, numbers))


def _value(expression: Expression, numbers: Mapping[str, float]) -> float:
    match expression:
        case Constant(number):
            return np.float64(number)
        case Name(name):
            return np.float64(numbers[name])
        case Operation(sign, left, right):
            return _ARITHMETIC[sign](_value(left, numbers), _value(right, numbers))
        case Negation(operand):
            return -_value(operand, numbers)
        case Call(function, argument):
            return getattr(np, function)(_value(argument, numbers))
        case Comparison(sign, left, right):
            return _COMPARE[sign](_value(left, numbers), _value(right, numbers))
        case Logic("and", left, right):
            return _value(left, numbers) and _value(right, numbers)
        case Logic(_, left, right):
            return _value(left, numbers) or _value(right, numbers)
        case Cases(condition, then, otherwise):
            return _value(then if _value(condition, numbers) else otherwise, numbers)
        case Present(condition, inner):
            return _value(inner, numbers) if _value(condition, numbers) else ABSENT
        case Maximum(branches):
            return np.maximum.reduce([_value(branch, numbers) for _, branch in branches])


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions directly inside, in order."""
    if isinstance(expression, Maximum):
        return tuple(branch for _, branch in expression.branches)
    found = (getattr(expression, field.name) for field in fields(expression))
    return tuple(item for item in found if isinstance(item, Expression))


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all within, outermost first."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def names(expression: Expression) -> tuple[str, ...]:
    """Return the names that the expression reads, each once, in the order written."""
    return tuple(dict.fromkeys(part.name for part in walk(expression) if isinstance(part, Name)))
