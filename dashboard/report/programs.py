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


SHOWN = (
    "total_params",
    "chips",
    "tokens_per_chip",
    "train_tokens_per_second_per_chip",
    "memory_headroom",
    "shared_wire",
    *(f"{way}_{part}_time" for way in ("forward", "backward") for part in ("math", "fsdp", "tensor")),
    *(f"forward_{part}_time" for part in ("mlp", "projection", "attention")),
    "forward_time",
    "backward_time",
    "head_time",
    "checkpoint_bytes",
    "state_bytes",
    "tokens_per_second_per_chip",
    "prefill_tokens",
    "decode_memory_headroom",
    *(f"decode_{part}_time" for part in ("weights", "kv", "flops", "comms", "roofline")),
    *(f"prefill_{part}_time" for part in ("weights", "flops", "comms", "roofline")),
    "decode_batch_limit",
    "weight_store_bytes",
    "kv_cache_bytes",
)
"""Quantities that the report shows somewhere beside its tiles."""


@functools.cache
def evaluated() -> tuple[str, ...]:
    """Return the quantities that the report evaluates: tiles, what else it shows, and what the gates read."""
    read = (name for gate in GATES for name in gate.reads() if name in quantities())
    tiles = (name for page in MAPS for name in headline_names(page))
    return tuple(dict.fromkeys((*tiles, *SHOWN, *read)))


@functools.cache
def outputs() -> tuple[str, ...]:
    """Return the names of the values that the program gives: `evaluated` and every branch on the way."""
    return scalar_function(evaluated())[0]


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
    """Return the function from knobs and `outputs` to every gate's excess, then the numbers in every gate's line."""

    def gates(*numbers: Scalar) -> tuple[Scalar, ...]:
        knobs = dict(zip(KNOBS, numbers, strict=False))
        values = dict(zip(outputs(), numbers[len(KNOBS) :], strict=True))
        found = [gate.excess(knobs, values) for gate in GATES]
        return (*found, *(part for gate in GATES for part in gate.parts(knobs, values)))

    return gates


@functools.cache
def emitted(pages: tuple[str, ...]) -> str:
    """Return the source of one JavaScript object `programs`, for the pages in the report."""
    count = len(KNOBS)
    sources = {
        "values": _emit(scalar_function(evaluated())[1], count),
        "gates": _emit(_gates(), count + len(outputs())),
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
