"""The knobs: every input of the graph, declared once.

A knob is a parameter of one of the groups below, with a unit, a symbol, bounds, a scale and a sentence. Widgets, URL
keys, command-line flags, documentation and graph inputs all derive from these declarations.

There are three kinds. *Continuous* knobs are numbers. *Integer* knobs are counts: differentiated as if continuous,
shown as marginal rates. *Choices* are conventions: each option stands for the number that enters the graph, and a
choice has no elasticity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import param

from model.knobs.architecture import Architecture
from model.knobs.array import Array
from model.knobs.budget import Budget
from model.knobs.declare import Choice, Number, Scale
from model.knobs.gpu import Fabric, Gpu, Reference
from model.knobs.hardware import Hardware
from model.knobs.inference import Inference
from model.knobs.kernel import Kernel
from model.knobs.law import Law
from model.knobs.matmul import Matmul
from model.knobs.pipeline import Pipeline
from model.knobs.serving import Serving
from model.knobs.silicon import Silicon
from model.knobs.training import Training
from model.knobs.transformer import Transformer

KnobValue = float | str | None

GROUPS: tuple[type[param.Parameterized], ...] = (
    Hardware,
    Transformer,
    Architecture,
    Training,
    Inference,
    Matmul,
    Array,
    Silicon,
    Budget,
    Serving,
    Gpu,
    Fabric,
    Reference,
    Pipeline,
    Kernel,
    Law,
)


@dataclass(frozen=True)
class Knob:
    """What the rest of the program knows of one input.

    `numbers` maps the options of a choice to graph values and is empty for numeric knobs.
    """

    name: str
    group: str
    label: str
    symbol: str
    unit: str
    doc: str
    kind: Literal["continuous", "integer", "choice"]
    default: KnobValue
    bounds: tuple[float, float]
    scale: Scale
    optional: bool
    names: Mapping[str, float]
    numbers: Mapping[str, float]

    @property
    def integer(self) -> bool:
        """Whether the knob counts things."""
        return self.kind == "integer"

    def number(self, value: KnobValue) -> float:
        """Return the float that enters the graph: an option's number, or NaN for an empty knob."""
        if self.kind == "choice":
            return self.numbers[str(value)]
        return math.nan if value is None else float(value)


def _knob(group: type[param.Parameterized], name: str) -> Knob:
    declared = group.param[name]
    common = {"name": name, "group": group.__name__, "label": declared.label, "doc": declared.doc or ""}
    if isinstance(declared, Choice):
        return Knob(
            **common,
            symbol=declared.symbol,
            unit="",
            kind="choice",
            default=declared.default,
            bounds=(min(declared.numbers.values()), max(declared.numbers.values())),
            scale="linear",
            optional=False,
            names={},
            numbers=declared.numbers,
        )
    low, high = declared.bounds
    return Knob(
        **common,
        symbol=declared.symbol,
        unit=declared.unit,
        kind="integer" if declared.integer else "continuous",
        default=None if declared.default is None else float(declared.default),
        bounds=(float(low), float(high)),
        scale=declared.scale,
        optional=bool(declared.allow_None),
        names=declared.names,
        numbers={},
    )


def _declared() -> dict[str, Knob]:
    knobs: dict[str, Knob] = {}
    for group in GROUPS:
        for name, declared in group.param.objects("existing").items():
            if isinstance(declared, Number | Choice):
                if name in knobs:
                    raise ValueError(f"knob {name} is declared twice: {knobs[name].group} and {group.__name__}")
                knobs[name] = _knob(group, name)
    return knobs


KNOBS: Mapping[str, Knob] = _declared()
"""Every knob by name, in declaration order: the order of the graph's arguments."""
