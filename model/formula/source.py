"""Reads a node's source into an expression tree.

Local assignments and the chapter's private functions are written out in place. A guard that only keeps a discarded
case finite (`where(used, x / where(used, y, 1), 0)`) is dropped: it changes no value.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from model.errors import BadInput, did_you_mean
from model.formula.tree import (
    Call,
    Cases,
    Comparison,
    Constant,
    Expression,
    Logic,
    Maximum,
    Name,
    Negation,
    Operation,
    Present,
    names,
    walk,
)
from model.graph import quantities


class UnreadableNode(TypeError):
    """A node uses Python that has no form on paper; the message names the node and the source."""


@dataclass(frozen=True)
class Formula:
    """What one quantity, or one branch of its maximum, equals.

    Attributes:
        name: the quantity, or `quantity:branch`.
        expression: its right-hand side, in the names that the node reads.
    """

    name: str
    expression: Expression

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the quantities and knobs read, in the order written."""
        return names(self.expression)


@functools.cache
def formula(name: str) -> Formula:
    """Return the formula of a quantity or of a `quantity:branch`.

    Raises:
        BadInput: `name` has none; the line names the nearest.
        UnreadableNode: the node is written in a way that can't be shown.
    """
    owner, _, branch = name.partition(":")
    if owner not in quantities():
        hint = did_you_mean(owner, quantities()) or "`scalegrad values` lists them"
        raise BadInput([f"{name}: no such quantity; {hint}"])
    function = quantities()[owner].function
    expression = read_function(function, [Name(parameter) for parameter in inspect.signature(function).parameters])
    if not branch:
        return Formula(name, expression)
    branches = {key: part for inner in walk(expression) if isinstance(inner, Maximum) for key, part in inner.branches}
    if branch not in branches:
        raise BadInput([f"{name}: {owner} has no such branch; it has {', '.join(branches) or 'none'}"])
    found = branches[branch]
    return Formula(name, found.value if isinstance(found, Present) else found)


def read_function(function: Callable[..., Any], arguments: list[Expression]) -> Expression:
    """Return what `function` returns, with `arguments` in the place of its parameters.

    Raises:
        UnreadableNode: its body is more than assignments and one `return` of scalar arithmetic.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    reader = _Reader(function, dict(zip(inspect.signature(function).parameters, arguments, strict=True)))
    if not isinstance(tree, ast.FunctionDef):
        raise reader.unreadable(tree)
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                continue
            case ast.Assign(targets=[ast.Name(id=local)], value=assigned):
                reader.known[local] = reader.read(assigned)
            case ast.Return(value=ast.expr() as returned):
                return _without_guards(reader.read(returned))
            case _:
                raise reader.unreadable(statement)
    raise reader.unreadable(tree)


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.BitAnd: "and",
    ast.BitOr: "or",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
ELEMENTARY = frozenset({"sqrt", "exp", "log", "log2", "abs", "floor", "ceil", "round"})
"""Functions of one argument that a formula may hold, by their NumPy name."""


class _Reader:
    """Reads expressions of one function; `known` maps its parameters and locals to what they stand for."""

    def __init__(self, function: Callable[..., Any], known: dict[str, Expression]) -> None:
        self.function, self.known = function, known

    def unreadable(self, node: ast.AST) -> UnreadableNode:
        return UnreadableNode(f"{self.function.__name__}: no formula for `{ast.unparse(node)}`")

    def read(self, node: ast.expr) -> Expression:
        match node:
            case ast.Constant(value=int() | float() as number):
                return Constant(float(number))
            case ast.Name(id=name) if name in self.known:
                return self.known[name]
            case ast.Attribute(value=ast.Name(id="jnp"), attr="nan" | "inf" as number):
                return Constant(float(number))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Negation(self.read(operand))
            case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATORS:
                return self._binary(_OPERATORS[type(operation)], self.read(left), self.read(right))
            case ast.Compare(left=left, ops=[operation], comparators=[right]) if type(operation) in _COMPARISONS:
                sign: Any = _COMPARISONS[type(operation)]
                return Comparison(sign, self.read(left), self.read(right))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="jnp"), attr=function)):
                return self._library(function, node)
            case ast.Call(func=ast.Name(id=function)):
                return self._own(function, node)
        raise self.unreadable(node)

    def _binary(self, sign: Any, left: Expression, right: Expression) -> Expression:
        return Logic(sign, left, right) if sign in ("and", "or") else Operation(sign, left, right)

    def _library(self, function: str, node: ast.Call) -> Expression:
        arguments = [self.read(argument) for argument in node.args]
        if function == "where" and len(arguments) == 3:
            return Cases(*arguments)
        if function in ELEMENTARY and len(arguments) == 1:
            return Call(function, arguments[0])
        raise self.unreadable(node)

    def _own(self, function: str, node: ast.Call) -> Expression:
        if function == "binding_max":
            return Maximum(tuple((word.arg or "", self.read(word.value)) for word in node.keywords))
        arguments = [self.read(argument) for argument in node.args]
        if function == "present" and len(arguments) == 2:
            return Present(*arguments)
        called = self.function.__globals__.get(function)
        if not inspect.isfunction(called) or node.keywords:
            raise self.unreadable(node)
        return read_function(called, arguments)


def _without_guards(expression: Expression) -> Expression:
    """Resolve cases whose condition an outer case has already settled."""
    if isinstance(expression, Cases):
        then = _settled(expression.then, expression.condition, True)
        otherwise = _settled(expression.otherwise, expression.condition, False)
        expression = Cases(expression.condition, then, otherwise)
    return _rebuilt(expression, _without_guards)


def _settled(expression: Expression, condition: Expression, holds: bool) -> Expression:
    if isinstance(expression, Cases) and expression.condition == condition:
        return _settled(expression.then if holds else expression.otherwise, condition, holds)
    return _rebuilt(expression, lambda part: _settled(part, condition, holds))


def _rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with `change` applied to each one directly inside."""
    if isinstance(expression, Maximum):
        return Maximum(tuple((name, change(branch)) for name, branch in expression.branches))
    inner = {field.name: getattr(expression, field.name) for field in fields(expression)}
    return replace(expression, **{name: change(part) for name, part in inner.items() if isinstance(part, Expression)})
