"""The graph as programs: traced once by JAX, then emitted as source or compiled by XLA.

A single point runs fastest as Python source emitted from the jaxpr (no dispatch); vmapped work stays in XLA.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import jax
import numpy as np

from model.emit import compile_python, emit_python, trace
from model.graph import Scalar, assemble, knobs_of, quantities
from model.knobs import KNOBS

DIFFERENTIATED: tuple[str, ...] = tuple(name for name, knob in KNOBS.items() if knob.kind != "choice")
"""Knobs that elasticities are taken of, in declaration order."""


@dataclass(frozen=True)
class Program:
    """A function from all knobs' numbers, in declaration order, to the outputs named in order."""

    outputs: tuple[str, ...]
    run: Callable[..., tuple[float, ...]]


def scalar_function(targets: Sequence[str]) -> tuple[tuple[str, ...], Callable[..., tuple[Scalar, ...]]]:
    """Return the output names and the traceable function of all knobs that gives the targets and their branches.

    The function takes one scalar a knob, in declaration order.
    """
    evaluate, used = assemble(targets), knobs_of(targets)
    positions = [list(KNOBS).index(name) for name in used]

    def flat(*numbers: Scalar) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
        return evaluate(**{name: numbers[position] for name, position in zip(used, positions, strict=True)})

    with jax.ensure_compile_time_eval():
        values, branches = jax.eval_shape(flat, *[0.0] * len(KNOBS))
    names = (*targets, *sorted(branches, key=branch_order))

    def function(*numbers: Scalar) -> tuple[Scalar, ...]:
        values, branches = flat(*numbers)
        return tuple(values[name] if name in values else branches[name] for name in names)

    del values
    return names, function


def branch_order(branch: str) -> tuple[int, str]:
    """Sort key of `quantity:branch`: the graph's order of quantities, then the branch's name."""
    owner = branch.partition(":")[0]
    return list(quantities()).index(owner), branch


@functools.cache
def values_program(*targets: str) -> Program:
    """Return the program of the targets and every branch on the way; without targets, of the whole graph."""
    names, function = scalar_function(targets or tuple(quantities()))
    source = emit_python(trace(function, len(KNOBS)), "values")
    return Program(names, compile_python(source, "values"))


def pullback_function() -> tuple[tuple[str, ...], Callable[..., tuple[Scalar, ...]]]:
    """Return the cotangents' names and the traceable pullback: knobs, then one cotangent an output of the graph.

    It gives the derivative by each knob of `DIFFERENTIATED`, so one program serves every focus.
    """
    names, function = scalar_function(tuple(quantities()))
    positions = [list(KNOBS).index(name) for name in DIFFERENTIATED]

    def pullback(*numbers: Scalar) -> tuple[Scalar, ...]:
        knobs, cotangents = numbers[: len(KNOBS)], numbers[len(KNOBS) :]
        gradients = jax.vjp(function, *knobs)[1](cotangents)
        return tuple(gradients[position] for position in positions)

    return names, pullback


@functools.cache
def pullback_program() -> Program:
    """Return the emitted pullback; its `outputs` are the names of the cotangents that follow the knobs."""
    names, pullback = pullback_function()
    source = emit_python(trace(pullback, len(KNOBS) + len(names)), "pullback")
    return Program(names, compile_python(source, "pullback"))


@functools.cache
def gradient_program(of: str) -> Program:
    """Return the emitted gradient of one quantity or branch by each knob of `DIFFERENTIATED`, and of nothing else.

    Slower to build than a call of the shared pullback, but a node that `of` does not hang on can't reach it, not even
    where that node has no derivative.
    """
    names, function = scalar_function((of.partition(":")[0],))
    at = names.index(of)

    def slopes(*numbers: Scalar) -> tuple[Scalar, ...]:
        gradients = jax.grad(lambda *knobs: function(*knobs)[at], argnums=tuple(range(len(KNOBS))))(*numbers)
        return tuple(gradients[list(KNOBS).index(name)] for name in DIFFERENTIATED)

    source = emit_python(trace(slopes, len(KNOBS)), "slopes")
    return Program(DIFFERENTIATED, compile_python(source, "slopes"))


@functools.cache
def batched(*targets: str) -> Callable[[Mapping[str, np.ndarray], Sequence[float]], dict[str, np.ndarray]]:
    """Return a function that evaluates the targets over arrays of some knobs, the others held, in one XLA call.

    Its arguments: `{knob: array}` of arrays that broadcast together (shape S), and the numbers of all knobs in
    declaration order. It gives `{name: array of shape S}` for the targets and their branches.
    """
    names, function = scalar_function(targets)

    @functools.partial(jax.jit, static_argnums=0)
    def run(swept: tuple[str, ...], arrays: Sequence[Scalar], numbers: Sequence[Scalar]) -> tuple[jax.Array, ...]:
        order = list(KNOBS)

        def at(*varied: Scalar) -> tuple[Scalar, ...]:
            point = list(numbers)
            for name, value in zip(swept, varied, strict=True):
                point[order.index(name)] = value
            return function(*point)

        return jax.vmap(at)(*arrays)

    def evaluate(arrays: Mapping[str, np.ndarray], numbers: Sequence[float]) -> dict[str, np.ndarray]:
        shaped = np.broadcast_arrays(*(np.asarray(array, dtype=float) for array in arrays.values()))
        columns = run(tuple(arrays), [array.ravel() for array in shaped], list(numbers))
        return {name: np.asarray(column).reshape(shaped[0].shape) for name, column in zip(names, columns, strict=True)}

    return evaluate
