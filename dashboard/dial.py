"""How a numeric knob is shown and turned: its words, its place on the slider, and what a person types for it.

A slider runs from 0 to 1 over the knob's bounds, on a log or a linear scale, and stops only at round values: three
significant digits, whole counts, powers of two for ways of splitting. The exact preset is a stop as well.
"""

from __future__ import annotations

import math
import re

from model.knobs import Knob, KnobValue
from model.numerals import MISSING, digits, parts

PRESET_PULL = 0.006
"""Share of the slider's length within which the preset pulls the thumb to itself."""

NUDGE = 10 ** (1 / 24)
"""What one press of an arrow key multiplies a continuous log knob by, before rounding."""

_EXACT_BELOW = 1e9
_PLAIN = re.compile(r"[\d.,_]+")
_PREFIXES = {"k": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "m": 1e-3, "μ": 1e-6, "n": 1e-9}
_SPLITS = {"shards", "chips"}
_SHORT_UNITS = {
    "elements": "",
    "layers": "",
    "heads": "",
    "shards": "",
    "tokens": "tok",
    "sequences": "seqs",
    "$/h": "$/h",
}


def words(knob: Knob, value: KnobValue) -> tuple[str, str]:
    """Return `(number, unit)` as the knob's row shows them; an empty knob is the empty string."""
    if value is None or isinstance(value, str):
        return value or "", _SHORT_UNITS.get(knob.unit, knob.unit)
    if knob.integer and value < _EXACT_BELOW:
        return f"{value:,.0f}", _SHORT_UNITS.get(knob.unit, knob.unit)
    if knob.scale == "linear":
        return _on_grid(knob, value), "" if knob.unit == "1" else knob.unit
    number, unit = parts(value, knob.unit)
    return number, unit.replace("tokens", "tok")


def _on_grid(knob: Knob, value: float) -> str:
    step = _step(knob)
    decimals = len(f"{step:g}".partition(".")[2])
    return f"{value:.{decimals}f}" if math.isclose(round(value / step) * step, value) else digits(value)


def _step(knob: Knob) -> float:
    """Step of a linear slider: its lower bound, which is the smallest value that makes sense; else a hundredth."""
    return knob.bounds[0] or (1.0 if knob.integer else knob.bounds[1] / 100)


def full(knob: Knob, value: KnobValue) -> str:
    """Return the whole value with the knob's own unit, for a hover."""
    if value is None:
        return MISSING
    number = value if isinstance(value, str) else f"{value:,.0f}" if value == round(value) else f"{value!r}"
    return number if knob.unit in ("", "1") else f"{number} {knob.unit}"


def position(knob: Knob, value: float) -> float:
    """Return where on the slider a value lies, 0 to 1."""
    low, high = (_scaled(knob, bound) for bound in knob.bounds)
    return min(1.0, max(0.0, (_scaled(knob, value) - low) / (high - low)))


def value_at(knob: Knob, place: float, preset: KnobValue) -> float:
    """Return the round value nearest to a place on the slider, or the preset where that is close."""
    if isinstance(preset, float) and abs(place - position(knob, preset)) < PRESET_PULL:
        return preset
    low, high = (_scaled(knob, bound) for bound in knob.bounds)
    raw = low + min(1.0, max(0.0, place)) * (high - low)
    return _clipped(knob, _rounded(knob, 10**raw if knob.scale == "log" else raw))


def nudged(knob: Knob, value: float, steps: int) -> float:
    """Return the value that many stops further up (or down, if negative)."""
    way = 1 if steps > 0 else -1
    for _ in range(abs(steps)):
        value = _clipped(knob, _next_stop(knob, value, way))
    return value


def _next_stop(knob: Knob, value: float, way: int) -> float:
    if knob.scale == "linear":
        step = _step(knob)
        return round(value / step + way) * step
    if not knob.integer:
        return _significant(value * NUDGE**way)
    octave = math.frexp(value)[1] - 1
    stops = [_whole(k * 2.0 ** (o - 2)) for o in range(octave - 1, octave + 3) for k in _steps_of_octave(knob)]
    beyond = [stop for stop in stops if (stop - value) * way > 0]
    return (min(beyond) if way > 0 else max(beyond)) if beyond else value


def _steps_of_octave(knob: Knob) -> tuple[int, ...]:
    return (4,) if knob.unit in _SPLITS else (4, 5, 6, 7)


def _rounded(knob: Knob, value: float) -> float:
    if knob.scale == "linear":
        return round(value / _step(knob)) * _step(knob)
    if not knob.integer:
        return _significant(value)
    octave = math.frexp(value)[1] - 1
    stops = [_whole(k * 2.0 ** (o - 2)) for o in (octave, octave + 1) for k in _steps_of_octave(knob)]
    return min(stops, key=lambda stop: abs(math.log(stop / value)))


def _whole(value: float) -> float:
    return float(max(1, round(value)))


def _significant(value: float) -> float:
    return float(f"{value:.2e}")


def _clipped(knob: Knob, value: float) -> float:
    return min(knob.bounds[1], max(knob.bounds[0], float(f"{value:.12g}")))


def _scaled(knob: Knob, value: float) -> float:
    return math.log10(max(value, knob.bounds[0])) if knob.scale == "log" else value


def typed(knob: Knob, text: str, unit: str) -> object:
    """Return what typed text stands for, to be checked as any entry: a plain number counts in the unit beside it.

    Args:
        knob: the knob.
        text: `500`, `500 TFLOP/s`, `4M`, `1.8e11`, `2 μs`, `bf16`.
        unit: the unit that stood beside the entry.
    """
    entry = text.strip().removeprefix("$")
    if _PLAIN.fullmatch(entry):
        prefix = unit.removesuffix(knob.unit).removesuffix("tok").strip()
        return _times(knob, entry, _PREFIXES.get(prefix, 1.0), text)
    if knob.unit not in ("", "1"):
        entry = entry.removesuffix(knob.unit).strip()
    if knob.unit == "s" and entry[-1:] in ("m", "μ", "u", "n"):
        return _times(knob, entry[:-1], _PREFIXES[entry[-1].replace("u", "μ")], text)
    return entry


def _times(knob: Knob, number: str, factor: float, text: str) -> object:
    try:
        value = float(number.replace(",", "").replace("_", "")) * factor
    except ValueError:
        return text
    return float(f"{value:.15g}") if knob.bounds[0] <= value <= knob.bounds[1] else text
