"""A live number: a quantity of the graph at a point that the text states, or a statement of the book recomputed.

`{{decode_step_time @ chip=tpu-v5e, decode_batch=8}}` is the quantity there, the feasibility gate off;
`{{= inference-bcrit-int8w}}` is the quantity of that statement at its own point. Neither types a number.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.headlines import PERCENT
from model.errors import BadInput, did_you_mean
from model.evaluate import Evaluation, evaluate
from model.graph import quantities
from model.knobs import KNOBS
from model.numerals import digits, show
from model.point import Point, resolve
from model.verify import Row, verify

_SHARES = (*PERCENT, "attention_flops_share", "mlp_params_share", "pipeline_bubble")


@dataclass(frozen=True)
class LiveNumber:
    """One number of the text.

    Attributes:
        of: the quantity, or the knob.
        label: its name on the screen.
        value: the number, in `unit`.
        unit: unit of the quantity.
        point: where.
        where: the settings in words.
    """

    of: str
    label: str
    value: float
    unit: str
    point: Point
    where: str

    @property
    def percent(self) -> bool:
        """Whether the number is a share, shown in percent."""
        return self.of in _SHARES

    @property
    def shown(self) -> str:
        """Three digits and a unit."""
        return f"{digits(100 * self.value)}\u2009%" if self.percent else show(self.value, self.unit)

    @property
    def full(self) -> str:
        """The whole value with its unit."""
        return f"{self.value!r} {'' if self.unit == '1' else self.unit}".strip()


def read_tag(tag: str) -> LiveNumber:
    """Return the number that a tag stands for.

    Raises:
        BadInput: no such quantity, statement or knob, or no value there; the line names the tag.
    """
    try:
        if tag.startswith("="):
            return _stated(tag[1:].strip())
        name, _, settings = tag.partition("@")
        return _computed(name.strip(), settings)
    except BadInput as error:
        raise BadInput(f"{{{{{tag}}}}}: {fault}" for fault in error.faults) from None


@functools.cache
def rows() -> Mapping[str, Row]:
    """Return every statement's recomputation by its id."""
    return {row.statement.id: row for row in verify().rows}


def _stated(name: str) -> LiveNumber:
    row = rows().get(name)
    if row is None or row.point is None or row.statement.quantity not in quantities():
        raise BadInput([f"{name}: no statement that the graph computes; {did_you_mean(name, rows())}"])
    node = quantities()[row.statement.quantity]
    return LiveNumber(node.name, node.label, row.recomputed, node.unit, row.point, row.statement.text)


def _computed(name: str, settings: str) -> LiveNumber:
    pairs = [pair.split("=", 1) for pair in settings.split(",") if pair.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise BadInput(["write each setting as knob=value"])
    return at_settings(name, {key.strip(): value.strip() for key, value in pairs})


def at_settings(name: str, settings: Mapping[str, float | str]) -> LiveNumber:
    """Return a quantity at a chip, a model and knobs, the feasibility gate off.

    Raises:
        BadInput: no such quantity, a setting can't be used, or there is no value; the line says which.
    """
    if name not in quantities() and name not in KNOBS:
        raise BadInput([f"{name}: no such quantity; {did_you_mean(name, [*quantities(), *KNOBS])}"])
    evaluation = _evaluated(tuple(settings.items()))
    where = ", ".join(f"{key}={value}" for key, value in settings.items()) or "at the presets"
    if name in KNOBS:
        value = evaluation.point.numbers_by_name()[name]
        return LiveNumber(name, KNOBS[name].label, value, KNOBS[name].unit, evaluation.point, where)
    if name in evaluation.reasons:
        raise BadInput([evaluation.reasons[name]])
    node = quantities()[name]
    return LiveNumber(name, node.label, evaluation.bounds[name], node.unit, evaluation.point, where)


@functools.cache
def _evaluated(given: tuple[tuple[str, float | str], ...]) -> Evaluation:
    knobs = dict(given)
    chip, model = (str(knobs.pop(key)) if key in knobs else None for key in ("chip", "model"))
    return evaluate(resolve(chip, model, knobs), gate=False)
