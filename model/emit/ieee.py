"""What each operation of an emitted program means on Python numbers, exactly as IEEE 754 and XLA have it.

Python raises where IEEE has a value (`1 / 0`, `log(0)`, `exp(1e4)`), and makes `(-8) ** (1 / 3)` complex. Emitted
source inlines the ordinary case and calls one of these functions for the rest; constants are folded with `MEANING`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from math import copysign, inf, nan
from typing import Any

Number = float | int | bool


def div(a: float, b: float) -> float:
    """Quotient; x/0 is an infinity with the sign of both, 0/0 is NaN."""
    try:
        return a / b
    except ZeroDivisionError:
        return nan if a == 0.0 or a != a else copysign(inf, a) * copysign(1.0, b)


def rem(a: float, b: float) -> float:
    """Remainder with the sign of the dividend (C's `fmod`); NaN for a zero divisor or an infinite dividend."""
    try:
        return math.fmod(a, b)
    except ValueError:
        return nan


def power(a: float, b: float) -> float:
    """C's `pow`: NaN for a negative base with a fractional exponent, infinity for a zero base with a negative one."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return -inf if a < 0.0 and math.fmod(b, 2.0) else inf
    except ValueError:
        if a != 0.0:
            return nan
        return copysign(inf, a) if math.fmod(b, 2.0) in (1.0, -1.0) else inf


def sqrt(a: float) -> float:
    """Square root; NaN below zero."""
    return math.sqrt(a) if a >= 0.0 else nan


def log(a: float) -> float:
    """Natural logarithm; minus infinity at zero, NaN below."""
    return math.log(a) if a > 0.0 else -inf if a == 0.0 else nan


def log2(a: float) -> float:
    """Logarithm to base 2; minus infinity at zero, NaN below."""
    return math.log2(a) if a > 0.0 else -inf if a == 0.0 else nan


def log1p(a: float) -> float:
    """Natural logarithm of 1 + a; minus infinity at a = -1, NaN below."""
    return math.log1p(a) if a > -1.0 else -inf if a == -1.0 else nan


def _infinite_on_overflow(function: Callable[[float], float]) -> Callable[[float], float]:
    def safe(a: float) -> float:
        try:
            return function(a)
        except OverflowError:
            return inf

    return safe


exp = _infinite_on_overflow(math.exp)
exp2 = _infinite_on_overflow(math.exp2)
expm1 = _infinite_on_overflow(math.expm1)


def maximum(a: float, b: float) -> float:
    """Larger of two; NaN if either is, and +0 above -0."""
    return a if a > b or a != a else b if b > a or b != b or a != 0.0 else a + b


def minimum(a: float, b: float) -> float:
    """Smaller of two; NaN if either is, and -0 below +0."""
    return -maximum(-a, -b)


def sign(a: float) -> float:
    """-1, 0 or 1; a zero keeps its sign and NaN stays NaN."""
    return copysign(1.0, a) if a > 0.0 or a < 0.0 else a


def floor(a: float) -> float:
    """Largest whole number not above; infinities and NaN unchanged."""
    return a // 1.0 if -inf < a < inf else a


def ceil(a: float) -> float:
    """Smallest whole number not below; infinities and NaN unchanged."""
    return -floor(-a)


def round_even(a: float) -> float:
    """Nearest whole number, halves to the even one; a result of zero keeps the sign."""
    return copysign(float(round(a)), a) if -inf < a < inf else a


def round_away(a: float) -> float:
    """Nearest whole number, halves away from zero; a result of zero keeps the sign."""
    if not -inf < a < inf:
        return a
    whole = math.trunc(a)
    return copysign(abs(whole) + (abs(a - whole) >= 0.5), a)


def select(predicate: bool, when_true: Number, when_false: Number) -> Number:
    """One of two values."""
    return when_true if predicate else when_false


def _to_integer(bits: int) -> Callable[[float], int]:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1

    def convert(a: float) -> int:
        if a != a:
            return 0
        return low if a <= low else high if a >= high else int(a)

    return convert


def _wrap(bits: int) -> Callable[[int], int]:
    half = 1 << bits - 1
    return lambda a: (a + half) % (2 * half) - half


to_int32 = _to_integer(32)
to_int64 = _to_integer(64)
wrap_int32 = _wrap(32)
wrap_int64 = _wrap(64)

MEANING: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": div,
    "rem": rem,
    "neg": operator.neg,
    "abs": abs,
    "sign": sign,
    "floor": floor,
    "ceil": ceil,
    "round_even": round_even,
    "round_away": round_away,
    "pow": power,
    "sqrt": sqrt,
    "cbrt": math.cbrt,
    "exp": exp,
    "exp2": exp2,
    "expm1": expm1,
    "log": log,
    "log2": log2,
    "log1p": log1p,
    "tanh": math.tanh,
    "max": maximum,
    "min": minimum,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "xor": operator.ne,
    "not": operator.not_,
    "select": select,
    "is_finite": math.isfinite,
    "to_float": float,
    "to_bool": bool,
    "to_int32": to_int32,
    "to_int64": to_int64,
    "wrap_int32": wrap_int32,
    "wrap_int64": wrap_int64,
}
"""Every operation of a `Program`, by name. Booleans are `bool`, integers `int`, all else `float`."""
