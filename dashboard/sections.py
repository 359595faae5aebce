"""The sections of the knob column: which knobs stand together on a page, and which sections open with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.headlines import shown_quantities
from dashboard.session import State
from model.graph import knobs_of
from model.knobs import KNOBS
from model.numerals import show
from model.point import TYPED

_BYTE_CONVENTIONS = ("state_bytes_per_param", "gather_bytes", "gradient_bytes", "activation_bytes")
_ORDER = ("Hardware", "Model", "Training", "Inference", "Conventions", "More hardware", "Architecture")
_FIRST: Mapping[str, tuple[str, ...]] = {
    "training": ("Hardware", "Model", "Training"),
    "inference": ("Hardware", "Model", "Inference"),
    "kernel": ("Hardware", "Kernel", "Model", "Architecture"),
    "laws": ("Law", "Hardware", "Training"),
}
"""Sections that stand first and open, by page."""
_PLACES = {TYPED[0]: "tensor_shards", TYPED[1]: "seq_len"}
"""Knob after which each typed count stands."""


@dataclass(frozen=True)
class Section:
    """One section: its title, a remark beside it, whether it opens with the page, and its rows."""

    title: str
    remark: str
    changed: int
    open: bool
    rows: tuple[str, ...]


def sections(state: State) -> tuple[Section, ...]:
    """Return the sections of the state's page, the page's own first; every knob is in exactly one."""
    page_knobs = frozenset(knobs_of(shown_quantities(state.page)))
    members: dict[str, list[str]] = {title: [] for title in _ORDER}
    for name in KNOBS:
        rows = members.setdefault(_title(name, page_knobs), [])
        rows.append(name)
        rows.extend(typed for typed, after in _PLACES.items() if after == name)
    first = _FIRST.get(state.page, _FIRST["training"])
    changes = state.point.changes()
    found = []
    for title, rows in sorted(members.items(), key=lambda item: _rank(item[0], first)):
        changed = sum(name in changes for name in rows)
        remark = f"{changed} changed" if changed else _remark(title, state)
        found.append(Section(title, remark, changed, title in first, tuple(rows)))
    return tuple(found)


def _rank(title: str, first: tuple[str, ...]) -> int:
    return first.index(title) if title in first else len(first)


def _title(name: str, page_knobs: frozenset[str]) -> str:
    knob = KNOBS[name]
    if knob.kind == "choice" or name in _BYTE_CONVENTIONS:
        return "Conventions"
    if knob.group == "Hardware":
        return "Hardware" if name in page_knobs else "More hardware"
    return {"Transformer": "Model", "Matmul": "Matmul lab"}.get(knob.group, knob.group)


def _remark(title: str, state: State) -> str:
    values, knobs = state.evaluation.bounds, state.point.values
    remarks: Mapping[str, str] = {
        "Model": show(values["total_params"], "params").replace("params", "parameters"),
        "Conventions": f"{knobs['attention_flops']}, {knobs['state_bytes_per_param']:g} B a parameter",
    }
    return remarks.get(title, "")
