"""The key counts of two models side by side, each chosen in the head of its column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.component import Component
from model.numerals import parts
from model.picture import Picture


class Counts(Component):
    """`data`: `sides` (key, title, `load`), `groups` of the pickers, `rows`, `remark`. Sends `pick` and `load`."""


@dataclass(frozen=True)
class _Row:
    label: str
    unit: str
    of: Callable[[Picture], float]
    kind: str = ""


_COPIES = (8, 64)
"""Tensor-parallel groups whose copies have a row."""


def _rows(pictures: Sequence[Picture]) -> list[_Row]:
    rows = [
        _Row("Total parameters", "params", lambda p: p.total_params, "first"),
        _Row("Active parameters", "params", lambda p: p.active_params),
        _Row("without input embedding", "params", lambda p: p.active_without_embedding, "under"),
        _Row("KV cache a token", "B", lambda p: p.kv_bytes),
        _Row("beyond the window", "B", lambda p: p.kv_bytes_beyond, "under"),
        *(_Row(f"copies on {n} tensor shards", "×", _copies(n), "under") for n in _COPIES),
        _Row("Fixed state a sequence", "B", lambda p: p.state_bytes),
        _Row("Training FLOPs a token", "FLOP", lambda p: p.training_flops["causal"]),
        _Row("without a causal mask", "FLOP", lambda p: p.training_flops["full"], "under"),
        _Row("without attention scores", "FLOP", lambda p: p.training_flops["none"], "under"),
        _Row("Weights", "weights", lambda p: p.weight_bytes),
    ]
    return [row for row in rows if row.label != "Fixed state a sequence" or any(map(row.of, pictures))]


def _copies(shards: int) -> Callable[[Picture], float]:
    return lambda picture: picture.kv_copies.get(shards, float("nan"))


def count_rows(pictures: Sequence[Picture]) -> list[dict[str, Any]]:
    """Return the rows of the table: a label and, for each picture, number, unit and full value."""
    return [
        {"label": row.label, "kind": row.kind, "cells": [_cell(row, picture) for picture in pictures]}
        for row in _rows(pictures)
    ]


def _cell(row: _Row, picture: Picture) -> tuple[str, str, str]:
    value = row.of(picture)
    if row.unit == "×":
        return (f"{value:.3g}×", "", f"{value:g}") if picture.kv_copies else ("none", "", "no cache")
    if row.unit == "weights":
        number, unit = parts(value, "B")
        return number, f"{unit} {'as stored' if picture.stored else 'in bf16'}", f"{value:,.0f} B"
    number, unit = parts(value, row.unit)
    return number, unit.removesuffix("params").strip(), f"{value:,.0f} {row.unit}"
