"""Reading what a person types for a knob: `4M`, `2T`, `16k`, `1.8e11`, `8,192`, `bf16`, `causal`, `true`."""

from __future__ import annotations

import math
import re

from model.errors import BadInput
from model.knobs import Knob, KnobValue

SUFFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([kKMGBTPE]?)")
_SWITCH = {"true": 1.0, "yes": 1.0, "on": 1.0, "false": 0.0, "no": 0.0, "off": 0.0}
_EMPTY = {"", "none", "null"}
MAX_LENGTH = 64


def parse_number(text: str) -> float | None:
    """Return the number that `text` spells, with an optional SI suffix, or None where it spells none.

    Commas and underscores between digits are skipped. `NaN`, infinities and hexadecimals are not numbers here.
    """
    match = _NUMBER.fullmatch(text.strip().replace(",", "").replace("_", "")) if len(text) <= MAX_LENGTH else None
    if match is None:
        return None
    number = float(match[1]) * SUFFIXES[match[2]]
    return number if math.isfinite(number) else None


def read(knob: Knob, raw: object) -> KnobValue:
    """Return the value of `knob` that `raw` stands for.

    Args:
        knob: the declaration.
        raw: text, a number, a boolean (for two-way choices), or None for an empty knob.

    Raises:
        BadInput: `raw` is not a value of this knob; the line says which values are.
    """
    return _choice(knob, raw) if knob.kind == "choice" else _number(knob, raw)


def _shown(raw: object) -> str:
    text = raw if isinstance(raw, str) and raw.isprintable() else repr(raw)
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 1]}…"


def _choice(knob: Knob, raw: object) -> str:
    text = str(raw).strip().lower()
    if text in knob.numbers:
        return text
    number = _SWITCH.get(text, parse_number(text))
    matches = [option for option, value in knob.numbers.items() if value == number]
    if len(matches) == 1:
        return matches[0]
    raise BadInput([f"{knob.name}={_shown(raw)}: not an option; use one of {', '.join(knob.numbers)}"])


def _number(knob: Knob, raw: object) -> float | None:
    if raw is None or (isinstance(raw, str) and raw.strip().lower() in _EMPTY):
        if knob.optional:
            return None
        raise BadInput([f"{knob.name}: empty; give a number from {span(knob)}"])
    if isinstance(raw, str):
        number = knob.names.get(raw.strip().lower(), parse_number(raw))
    elif isinstance(raw, int | float) and not isinstance(raw, bool):
        number = float(raw)
    else:
        number = None
    words = f" or {', '.join(knob.names)}" if knob.names else ""
    if number is None or not math.isfinite(number):
        raise BadInput([f"{knob.name}={_shown(raw)}: not a number; write it like 4M, 1.8e11 or 8192{words}"])
    low, high = knob.bounds
    if not low <= number <= high:
        raise BadInput([f"{knob.name}={_shown(raw)}: out of range; give a number from {span(knob)}"])
    if knob.integer and number != round(number):
        raise BadInput([f"{knob.name}={_shown(raw)}: counts {knob.unit}; give a whole number from {span(knob)}"])
    return number


def span(knob: Knob) -> str:
    """Return the knob's range with its unit, for a message."""
    low, high = knob.bounds
    unit = "" if knob.unit == "1" else f" {knob.unit}"
    return f"{low:g} to {high:g}{unit}"
