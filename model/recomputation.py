"""One statement looked into: the values of its chain at its own point, and the elasticities there.

The point's knobs are the printed specs and the statement's settings; a quantity that the source gives instead of
deriving it is pinned, and has an elasticity like a knob.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import jax

from model.emit import compile_python, emit_python, trace
from model.errors import BadInput
from model.evaluate import FILLER, Evaluation
from model.graph import Scalar, assemble, knobs_of, quantities
from model.knobs import KNOBS
from model.pins import pinning
from model.verify import Row, at


@dataclass(frozen=True)
class Recomputation:
    """What stands behind one recomputed number.

    Attributes:
        evaluation: values and branches of the chain, and the given quantities, at the row's point, no gate; other
            quantities and the grouping of branches are left out.
        inputs: knobs and given quantities that the chain reads; the quantity itself where that is a knob.
        elasticities: (x/y) dy/dx by input; choices, empty knobs and a y of 0 have none.
    """

    evaluation: Evaluation
    inputs: tuple[str, ...]
    elasticities: Mapping[str, float]

    def value(self, name: str) -> float:
        """Return the value of an input or of a quantity on the chain; NaN for an empty knob."""
        if name in KNOBS:
            return KNOBS[name].number(self.evaluation.point.values[name])
        return self.evaluation.bounds[name]


def recompute(row: Row) -> Recomputation:
    """Evaluate and differentiate the chain of one row of the verifier at its point, without rounding anything.

    Raises:
        BadInput: nothing derives the statement.
    """
    if row.point is None:
        raise BadInput([f"{row.statement.id}: nothing derives it"])
    quantity, pins = row.statement.quantity, at(row.statement)[1]
    read = {name for link in row.via for name in quantities()[link].inputs} | {quantity}
    inputs = tuple(name for name in (*KNOBS, *pins) if name in read)
    numbers = row.point.numbers_by_name() | pins
    bounds, slopes = dict(pins), {quantity: 1.0}
    if row.via:
        program = _program(row.via, tuple(pins))
        found = program.run(*(FILLER if math.isnan(numbers[name]) else numbers[name] for name in program.inputs))
        bounds |= dict(zip(program.outputs, found, strict=False))
        slopes = dict(zip(program.inputs, found[len(program.outputs) :], strict=True))
    stated = numbers[quantity] if quantity in numbers else bounds[quantity]
    moving = [name for name in inputs if _differentiable(name) and not math.isnan(numbers[name])]
    elasticities = {name: slopes[name] * numbers[name] / stated + 0.0 for name in moving} if stated else {}
    values = {name: value for name, value in bounds.items() if ":" not in name}
    return Recomputation(Evaluation(row.point, values, bounds, {}, {}), inputs, elasticities)


def _differentiable(name: str) -> bool:
    return name not in KNOBS or KNOBS[name].kind != "choice"


@dataclass(frozen=True)
class _Program:
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    run: Callable[..., tuple[float, ...]]


@functools.lru_cache(maxsize=1024)
def _program(chain: tuple[str, ...], pins: tuple[str, ...]) -> _Program:
    """Return the program of the chain's values and branches, then the derivatives of its last by each input."""
    evaluate, knobs = assemble(chain), knobs_of(chain)
    inputs = (*knobs, *pins)

    def whole(*numbers: Scalar) -> dict[str, Scalar]:
        known = dict(zip(inputs, numbers, strict=True))
        with pinning({name: known[name] for name in pins}):
            values, branches = evaluate(**{name: known[name] for name in knobs})
        return {**values, **branches}

    outputs = tuple(jax.eval_shape(whole, *[1.0] * len(inputs)))

    def function(*numbers: Scalar) -> tuple[Scalar, ...]:
        values, pullback = jax.vjp(whole, *numbers)
        cotangents = {name: jax.numpy.full((), float(name == chain[-1])) for name in outputs}
        return (*(values[name] for name in outputs), *pullback(cotangents))

    return _Program(inputs, outputs, compile_python(emit_python(trace(function, len(inputs)), "looked"), "looked"))
