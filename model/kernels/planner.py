"""The planner's quantities by name, for shapes and tiles that no operating point holds: `model.fusion` outside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from types import MappingProxyType

import dags
from jax.typing import ArrayLike

from model.graph import Scalar, quantities

QUANTITIES: Mapping[str, Callable[..., Scalar]] = MappingProxyType(
    {name: node.function for name, node in quantities().items() if node.chapter == "fusion"}
)
"""Every function of `model.fusion` that is a quantity, in the order of the text."""


@cache
def _inputs(targets: tuple[str, ...], given: frozenset[str]) -> frozenset[str]:
    """Names that the targets depend on and that no function here computes."""
    inputs: frozenset[str] = frozenset()
    for name in targets:
        if name in given or name not in QUANTITIES:
            inputs |= {name}
        else:
            inputs |= _inputs(tuple(signature(QUANTITIES[name]).parameters), given)
    return inputs


@cache
def _assembled(targets: tuple[str, ...], given: frozenset[str]) -> Callable[..., dict[str, Scalar]]:
    functions = {name: function for name, function in QUANTITIES.items() if name not in given}
    return dags.concatenate_functions(
        functions=functions, targets=list(targets), return_type="dict", enforce_signature=False
    )


def evaluate(*targets: str, **knobs: ArrayLike) -> dict[str, Scalar]:
    """Return the target quantities by name.

    Args:
        targets: names of `QUANTITIES`.
        knobs: every knob that a target depends on; arrays broadcast. A quantity may be given in place of its knobs.

    Raises:
        ValueError: a knob is missing.
    """
    given = frozenset(knobs)
    missing = _inputs(targets, given) - given
    if missing:
        raise ValueError(f"{', '.join(targets)}: missing {', '.join(sorted(missing))}")
    return _assembled(targets, given)(**knobs)
