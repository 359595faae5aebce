"""Quantities held on the way: pinned, as where a book goes on from a number that it rounded, or scaled, as a probe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import jax.numpy as jnp

from model.binding import Scalar

_pins: ContextVar[Mapping[str, Scalar] | None] = ContextVar("pinned quantities", default=None)
_factors: ContextVar[Mapping[str, Scalar] | None] = ContextVar("scaled quantities", default=None)


@contextmanager
def pinning(values: Mapping[str, Scalar]) -> Iterator[None]:
    """Let `values` replace the quantities of those names in whatever is traced within; a NaN pin replaces nothing."""
    token = _pins.set(values)
    try:
        yield
    finally:
        _pins.reset(token)


@contextmanager
def scaling(factors: Mapping[str, Scalar]) -> Iterator[None]:
    """Multiply the quantities of those names in whatever is traced within."""
    token = _factors.set(factors)
    try:
        yield
    finally:
        _factors.reset(token)


def pinned(name: str, computed: Scalar) -> Scalar:
    """Return the pin of the quantity `name` where it has one, else what was computed, scaled where it is."""
    factors = _factors.get()
    if factors is not None and name in factors:
        computed = computed * factors[name]
    pins = _pins.get()
    if pins is None or name not in pins:
        return computed
    pin = pins[name]
    return jnp.where(pin == pin, pin, computed)
