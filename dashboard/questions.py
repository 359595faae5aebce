"""What can be asked on the goal-seek page: targets, knobs to free for each, and constraints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from dashboard.headlines import HEADLINES, PERCENT
from dashboard.names import knob_row, label_of
from dashboard.session import State
from model.graph import ancestors, quantities
from model.knobs import KNOBS
from model.numerals import show
from model.programs import DIFFERENTIATED

Mode = Literal["reach", "least"]

OBJECTIVES = ("step_time", "train_cost", "decode_step_time", "cost_per_mtok")
"""What can be made least."""

CONSTRAINTS = ("train_days", "train_cost", "decode_step_time")
"""What can be held below a limit; memory always is."""

_PLANNED = ("batch_tokens", "data_shards", "tensor_shards", "decode_batch", "decode_chips")
"""Knobs that a plan chooses, and so the first to be freed."""
_FEW = 2
_SECTIONS = {"Training": "Plan", "Inference": "Plan", "Hardware": "Hardware", "Transformer": "Model"}


@dataclass(frozen=True)
class Question:
    """What is asked: the value typed and the knobs freed; `of` is the value in focus or the objective."""

    mode: Mode = "reach"
    target: str = ""
    objective: str = "step_time"
    freed: tuple[str, ...] = ()
    hold_chips: bool = False
    limits: dict[str, str] = field(default_factory=dict)

    def of(self, state: State) -> str:
        """Return the value asked about."""
        return state.focus if self.mode == "reach" else self.objective


def freeable(of: str, state: State) -> list[str]:
    """Return the numeric knobs that are set and that the value depends on."""
    inside = ancestors(of.partition(":")[0])
    return [name for name in DIFFERENTIATED if name in inside and state.point.values[name] is not None]


def usual(of: str, mode: Mode, state: State) -> tuple[str, ...]:
    """Return the knobs freed unless someone chooses: those of a plan, else those that move the value most."""
    able = freeable(of, state)
    planned = [name for name in _PLANNED if name in able]
    if planned:
        return tuple(planned if mode == "least" else planned[:_FEW])
    moves = state.gradient.elasticities if state.focus == of else {}
    return tuple(sorted(able, key=lambda name: -abs(moves.get(name, 0.0)))[:_FEW])


def targets() -> list[dict[str, str]]:
    """Return every quantity to choose from, those of the tiles first."""
    first = [headline.of for page in HEADLINES.values() for headline in page]
    names = dict.fromkeys([*first, *quantities()])
    return [{"of": name, "label": quantities()[name].label, "chapter": quantities()[name].chapter} for name in names]


def form(question: Question, state: State) -> dict[str, Any]:
    """Return the form as the page's piece takes it."""
    of = question.of(state)
    groups: dict[str, list[dict[str, Any]]] = {"Plan": [], "Hardware": [], "Model": [], "Others": []}
    for name in freeable(of, state):
        section = "Others" if KNOBS[name].names else _SECTIONS.get(KNOBS[name].group, "Others")
        value = KNOBS[name].number(state.point.values[name])
        row = {**knob_row(name), "freed": name in question.freed, "now": show(value, KNOBS[name].unit)}
        groups[section].append(row)
    return {
        "mode": question.mode,
        "of": of,
        "label": label_of(of),
        "target": question.target,
        "now": _now(of, state),
        "objective": question.objective,
        "groups": [{"title": title, "knobs": knobs} for title, knobs in groups.items() if knobs],
        "shards": {"data_shards", "tensor_shards"} <= set(question.freed),
        "hold": question.hold_chips,
        "limits": [
            {"of": name, "text": question.limits.get(name, ""), "now": _now(name, state)} for name in CONSTRAINTS
        ],
    }


def _now(of: str, state: State) -> str:
    value = state.evaluation.bounds[of]
    shown = shown_value(of, value)
    return f"{shown}, {reason.partition(':')[0]}" if (reason := state.evaluation.reasons.get(of, "")) else shown


def shown_value(of: str, value: float) -> str:
    """Return a value with its unit; shares in percent."""
    unit = quantities()[of.partition(":")[0]].unit
    if of in PERCENT and value == value:
        return f"{show(100 * value, '1')}\u2009%"
    return show(value, unit)
