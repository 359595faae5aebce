"""The graph as JavaScript for the report: values, gradients, gates, what is live, and the cells of the maps."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

import jax

from dashboard.headlines import BINDING, HEADLINES
from model.emit import emit_javascript, trace
from model.feasibility import GATES
from model.graph import Scalar, ancestors, quantities
from model.knobs import KNOBS
from model.pins import scaling
from model.programs import DIFFERENTIATED, scalar_function, values_program

Function = Callable[..., tuple[Scalar, ...]]

MAPS: Mapping[str, tuple[str, ...]] = {
    "training": ("mfu", "memory_headroom"),
    "inference": (
        "useful_flops_fraction",
        "decode_memory_headroom",
        "decode_step_time",
        "decode_roofline_time",
        "decode_comms_time",
    ),
}
"""Quantities that a page's map needs in each cell."""


def headline_names(page: str) -> tuple[str, ...]:
    """Return the quantities of a page's tiles."""
    return tuple(headline.of for headline in HEADLINES[page])


def maxima_of(of: str) -> tuple[str, ...]:
    """Return the quantities with a maximum that `of` can depend on, nearest first."""
    with_branches = {name.partition(":")[0] for name in values_program().outputs if ":" in name}
    found, ahead = [of], [of]
    while ahead:
        name = ahead.pop(0)
        inputs = quantities()[name].inputs if name in quantities() else ()
        new = [each for each in inputs if each not in found]
        found += new
        ahead += new
    return tuple(name for name in found if name in with_branches and name in ancestors(of))


def pullback_of(targets: Sequence[str]) -> tuple[tuple[str, ...], Function]:
    """Return the cotangents' names and the pullback of a few quantities: knobs, then one cotangent a name."""
    names, function = scalar_function(targets)

    def pullback(*numbers: Scalar) -> tuple[Scalar, ...]:
        gradients = jax.vjp(function, *numbers[: len(KNOBS)])[1](numbers[len(KNOBS) :])
        return tuple(gradients[list(KNOBS).index(name)] for name in DIFFERENTIATED)

    return names, pullback


def _live(of: str) -> Function:
    """Return the function from knobs to how much `of` moves with each of its maxima: exactly 0 where it does not."""
    maxima = maxima_of(of)

    def moved(factors: Sequence[Scalar], knobs: Sequence[Scalar]) -> Scalar:
        with scaling(dict(zip(maxima, factors, strict=True))):
            return scalar_function((of,))[1](*knobs)[0]

    def live(*knobs: Scalar) -> tuple[Scalar, ...]:
        return tuple(jax.grad(moved)([1.0] * len(maxima), knobs))

    return live


def _gates() -> Function:
    """Return the function from knobs and quantities to every gate's excess, then the numbers in every gate's line."""

    def gates(*numbers: Scalar) -> tuple[Scalar, ...]:
        knobs = dict(zip(KNOBS, numbers, strict=False))
        values = dict(zip(values_program().outputs, numbers[len(KNOBS) :], strict=True))
        found = [gate.excess(knobs, values) for gate in GATES]
        return (*found, *(part for gate in GATES for part in gate.parts(knobs, values)))

    return gates


@functools.cache
def emitted(pages: tuple[str, ...]) -> str:
    """Return the source of one JavaScript object `programs`, for the pages in the report."""
    count = len(KNOBS)
    sources = {
        "values": _emit(scalar_function(tuple(quantities()))[1], count),
        "gates": _emit(_gates(), count + len(values_program().outputs)),
    }
    for page in pages:
        names, pullback = pullback_of(headline_names(page))
        sources[f"{page}_pullback"] = _emit(pullback, count + len(names))
        sources[f"{page}_live"] = _emit(_live(BINDING[page]), count)
        sources[f"{page}_map"] = _emit(scalar_function(MAPS[page])[1], count)
    return "const programs = {};\n" + "".join(
        f"{{\n{source}programs.{name} = program;\n}}\n" for name, source in sources.items()
    )


def _emit(function: Function, arguments: int) -> str:
    return emit_javascript(trace(function, arguments), "program")
