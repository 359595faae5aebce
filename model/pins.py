"""Pinned quantities: intermediate results taken as given, as where a book goes on from a number that it rounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import jax.numpy as jnp

from model.binding import Scalar

_pins: ContextVar[Mapping[str, Scalar] | None] = ContextVar("pinned quantities", default=None)


@contextmanager
def pinning(values: Mapping[str, Scalar]) -> Iterator[None]:
    """Let `values` replace the quantities of those names in whatever is traced within; a NaN pin replaces nothing."""
    token = _pins.set(values)
    try:
        yield
    finally:
        _pins.reset(token)


def pinned(name: str, computed: Scalar) -> Scalar:
    """Return the pin of the quantity `name` where it has one, else what was computed."""
    pins = _pins.get()
    if pins is None or name not in pins:
        return computed
    pin = pins[name]
    return jnp.where(pin == pin, pin, computed)
