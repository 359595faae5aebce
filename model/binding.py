"""The maximum over resources: names its branches, records them, and routes the gradient to the one that binds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import jax.numpy as jnp

Scalar = Any
"""A scalar of the graph: a Python float, or a JAX tracer of shape () and dtype float64."""

ABSENT = float("-inf")
"""Value of a branch that a configuration does not have (a GPU has no separate FSDP lane): it never binds."""

_recorder: ContextVar[dict[str, Scalar] | None] = ContextVar("branch recorder", default=None)
_node: ContextVar[str] = ContextVar("node being traced", default="")


def present(condition: Scalar, value: Scalar) -> Scalar:
    """Return `value` where the configuration has this branch, else `ABSENT`."""
    return jnp.where(condition, value, ABSENT)


def binding_max(**branches: Scalar) -> Scalar:
    """Return the largest branch; its gradient is that branch's alone, so a slack constraint gets exactly 0.

    At an exact tie the branch named first takes the whole gradient (`jnp.maximum` would give each half); the tie is
    visible as a margin of exactly 1, and `model.ties` gives both one-sided values. NaN propagates.
    """
    recorded = _recorder.get()
    if recorded is not None:
        recorded.update({f"{_node.get()}:{name}": value for name, value in branches.items()})
    values = iter(branches.values())
    largest = next(values)
    for value in values:
        # The first is kept where it is NaN; a NaN second fails the comparison and is taken.
        largest = jnp.where((largest >= value) | (largest != largest), largest, value)
    return largest


@contextmanager
def recorded_branches() -> Iterator[dict[str, Scalar]]:
    """Collect every branch of every `binding_max` called within, by the name `quantity:branch`."""
    branches: dict[str, Scalar] = {}
    token = _recorder.set(branches)
    try:
        yield branches
    finally:
        _recorder.reset(token)


@contextmanager
def tracing_node(name: str) -> Iterator[None]:
    """Say which quantity is being traced, so that its branches carry its name."""
    token = _node.set(name)
    try:
        yield
    finally:
        _node.reset(token)
