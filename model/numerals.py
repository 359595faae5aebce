"""Numbers for people: three significant digits and an SI or everyday unit."""

from __future__ import annotations

import math

_SI = ((1e24, "Y"), (1e21, "Z"), (1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALL = ((1.0, "s"), (1e-3, "ms"), (1e-6, "μs"), (1e-9, "ns"))
_COUNTS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SCALED = {"B", "B/s", "FLOP", "FLOP/s", "FLOP/B", "FLOP/$", "FLOP/token", "B/token"}
_COUNTED = {"tokens", "params", "tokens/s"}
MISSING = "–"


def digits(value: float, significant: int = 3) -> str:
    """Return `value` with `significant` digits, thousands commas, a true minus and no exponent below 1e6."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 1e-4:
        return f"{value:.{significant - 1}e}".replace("-", "−")
    rounded = float(f"{value:.{significant - 1}e}")
    decimals = max(0, significant - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}".replace("-", "−")


def _scaled(value: float, steps: tuple[tuple[float, str], ...], significant: int) -> tuple[str, str]:
    rounded = abs(float(f"{value:.{significant - 1}e}"))
    for scale, prefix in steps:
        if rounded >= scale or scale == steps[-1][0]:
            return digits(value / scale, significant), prefix
    raise AssertionError("the last step always matches")


def parts(value: float | None, unit: str, significant: int = 3) -> tuple[str, str]:
    """Return `(number, unit)` as shown on the screen; a value that can't be had is an en dash without a unit.

    Args:
        value: in the SI unit that `unit` names.
        unit: a unit of the graph (`s`, `B`, `$`, `1`, ...).
        significant: digits shown.
    """
    if value is None or not math.isfinite(value):
        return MISSING, ""
    if unit == "s":
        return _scaled(value, _SMALL, significant) if value else ("0", "s")
    if unit in _SCALED:
        number, prefix = _scaled(value, _SI, significant)
        return number, f"{prefix}{unit}"
    if unit in _COUNTED:
        if value == round(value) and abs(value) < 1e6:
            return f"{value:,.0f}".replace("-", "−"), unit
        number, prefix = _scaled(value, _COUNTS, significant)
        return number, f"{prefix} {unit}".strip()
    if unit == "$":
        number, prefix = _scaled(value, _COUNTS, significant)
        return f"${number}".replace("$−", "−$"), prefix
    if unit == "1":
        return digits(value, significant), ""
    if value == round(value) and abs(value) < 1e9:
        return f"{value:,.0f}".replace("-", "−"), unit
    return digits(value, significant), unit


def show(value: float | None, unit: str, significant: int = 3) -> str:
    """Return number and unit as one string with a thin space: `1.08 s`, `96 GB`, `$40.3 M`."""
    number, name = parts(value, unit, significant)
    return f"{number}\u2009{name}" if name else number
