"""The graph: nodes registered by name and wired by the names of their parameters.

A node is a pure function of scalars. Its name is the quantity; each parameter is another quantity or a knob.
Registering a function is all that it takes to add a quantity everywhere.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import dags

from model.binding import Scalar as Scalar
from model.binding import recorded_branches, tracing_node
from model.knobs import KNOBS
from model.pins import pinned

Standing = Literal["exact", "lower bound", "estimate", "threshold"]
CHAPTERS = (
    "rooflines",
    "tpus",
    "sharding",
    "mixture",
    "attention",
    "transformers",
    "accounting",
    "training",
    "thresholds",
    "pods",
    "inference",
    "serving",
    "cost",
    "gpus",
    "fabric",
    "gpu_collectives",
    "gpu_thresholds",
    "pipeline",
    "fusion",
    "laws.plan",
)
"""Chapter modules of `model/`, in the book's order; importing one registers its nodes."""


@dataclass(frozen=True)
class Quantity:
    """One node: the function that computes it and what a person needs to know of it."""

    name: str
    function: Callable[..., Scalar]
    label: str
    symbol: str
    unit: str
    chapter: str
    standing: Standing
    doc: str

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the quantities and knobs that the node reads."""
        return tuple(inspect.signature(self.function).parameters)


_registry: dict[str, Quantity] = {}


def quantity(
    *, label: str, symbol: str, unit: str, standing: Standing = "exact"
) -> Callable[[Callable[..., Scalar]], Callable[..., Scalar]]:
    """Register the decorated function as the quantity of its own name.

    Args:
        label: the name on the screen, sentence case.
        symbol: the book's symbol, `T_comms` for a subscript.
        unit: SI unit, `1` for a ratio.
        standing: what the number is: exact arithmetic, a roofline lower bound, an estimate, or a threshold.

    Raises:
        ValueError: the name is taken by another quantity or a knob, or the function has no docstring.
    """

    def register(function: Callable[..., Scalar]) -> Callable[..., Scalar]:
        name = function.__name__
        if name in _registry or name in KNOBS:
            raise ValueError(f"{name} is already a quantity or a knob")
        if not function.__doc__:
            raise ValueError(f"{name} has no docstring")
        _registry[name] = Quantity(
            name=name,
            function=function,
            label=label,
            symbol=symbol,
            unit=unit,
            chapter=function.__module__.rpartition(".")[2],
            standing=standing,
            doc=inspect.cleandoc(function.__doc__),
        )
        return function

    return register


@functools.cache
def quantities() -> Mapping[str, Quantity]:
    """Return every quantity by name, chapter by chapter.

    Raises:
        ValueError: a node reads a name that is neither a quantity nor a knob.
    """
    for chapter in CHAPTERS:
        importlib.import_module(f"model.{chapter}")
    for node in _registry.values():
        unknown = [name for name in node.inputs if name not in _registry and name not in KNOBS]
        if unknown:
            raise ValueError(f"{node.name} reads {', '.join(unknown)}: neither a quantity nor a knob")
    return _registry


@functools.cache
def _functions() -> dict[str, Callable[..., Scalar]]:
    def traced(node: Quantity) -> Callable[..., Scalar]:
        @functools.wraps(node.function)
        def call(*args: Scalar, **kwargs: Scalar) -> Scalar:
            with tracing_node(node.name):
                return pinned(node.name, node.function(*args, **kwargs))

        return call

    return {name: traced(node) for name, node in quantities().items()}


@functools.cache
def ancestors(name: str) -> frozenset[str]:
    """Return every quantity and knob that `name` depends on, itself included."""
    if name in KNOBS:
        return frozenset({name})
    return frozenset({name}).union(*(ancestors(parent) for parent in quantities()[name].inputs))


def knobs_of(targets: Iterable[str]) -> tuple[str, ...]:
    """Return the knobs that any target depends on, in declaration order."""
    reached = frozenset().union(*(ancestors(target) for target in targets))
    return tuple(name for name in KNOBS if name in reached)


def assemble(targets: Iterable[str]) -> Callable[..., tuple[dict[str, Scalar], dict[str, Scalar]]]:
    """Return a function of `knobs_of(targets)` as keywords that gives the targets and every branch on the way.

    The second mapping holds the branches of each `binding_max` met, by the name `quantity:branch`.
    """
    wanted = list(targets)
    combined = dags.concatenate_functions(
        functions=_functions(), targets=wanted, return_type="dict", enforce_signature=False
    )

    def evaluate(**knobs: Scalar) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
        with recorded_branches() as branches:
            values = combined(**knobs)
        return values, dict(branches)

    return evaluate
