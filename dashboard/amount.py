"""Reading a target as a person types it, with its unit: `40 %`, `30 days`, `500 ms`, `$10 M`, `4 M tokens/s`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from model.entry import MAX_LENGTH
from model.errors import BadInput

_NUMBER = re.compile(r"([+\-−]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)", re.DOTALL)
_PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_SMALL = {"m": 1e-3, "μ": 1e-6, "µ": 1e-6, "u": 1e-6, "n": 1e-9}
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_WORDS: Mapping[str, Mapping[str, float]] = {
    "1": {"%": 0.01, "×": 1.0, "x": 1.0},
    "s": {"min": _MINUTE, "h": _HOUR, "hours": _HOUR, "days": _DAY, "seconds": 1.0},
    "days": {"day": 1.0, "d": 1.0, "h": _HOUR / _DAY, "hours": _HOUR / _DAY, "weeks": 7.0, "week": 7.0},
    "tokens/s": {"tok/s": 1.0},
    "tokens": {"tok": 1.0},
    "B": {"bytes": 1.0, "GiB": 2.0**30, "MiB": 2.0**20, "KiB": 2.0**10},
}
"""Other words for units, and what each is in the graph's."""


def read_amount(text: str, unit: str) -> float:
    """Return the number in the SI unit `unit` that `text` stands for.

    Raises:
        BadInput: it is no number, or the word after it is no unit or prefix of this quantity.
    """
    entry = text.strip().replace(",", "").replace("_", "").replace("\N{THIN SPACE}", " ")
    if unit.startswith("$"):
        entry = entry.replace("$", "", 1) if entry.lstrip("+-−").startswith("$") else entry
    match = _NUMBER.fullmatch(entry) if len(text) <= MAX_LENGTH else None
    scale = None if match is None else _scale(match[2].strip(), unit)
    if match is None or scale is None:
        shown = text.strip()[:MAX_LENGTH] or "empty"
        raise BadInput([f"target {shown}: write a number{_examples(unit)}"])
    value = float(match[1].replace("−", "-")) * scale
    if not math.isfinite(value):
        raise BadInput([f"target {text.strip()}: out of range"])
    return float(f"{value:.15g}")


def _examples(unit: str) -> str:
    if unit == "1":
        return " such as 0.4 or 40 %"
    return f" in {unit}, such as {'$10 M' if unit == '$' else f'2 {unit}'}"


def _scale(word: str, unit: str) -> float | None:
    words = _WORDS.get(unit, {})
    if word in words:
        return words[word]
    prefixes = {**_PREFIXES, **_SMALL} if unit == "s" else _PREFIXES
    if word == unit:
        return 1.0
    for name in (unit, *words):
        if name != "1" and word.endswith(name) and word[: -len(name)].strip() in prefixes:
            return prefixes[word[: -len(name)].strip()] * words.get(name, 1.0)
    return prefixes.get(word)
