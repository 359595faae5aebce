"""How a knob is declared: a numeric parameter or a convention, with unit, symbol, scale and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import param

Scale = Literal["log", "linear"]


class Number(param.Number):
    """A numeric knob.

    `names` are words that a person may type for a value (`bf16` for 2 bytes). `integer` knobs count things.
    """

    __slots__ = ["integer", "names", "scale", "symbol", "unit"]
    _slot_defaults: ClassVar[dict[str, Any]] = dict(
        param.Number._slot_defaults, unit="1", symbol="", scale="log", integer=False, names={}
    )

    def __init__(
        self,
        default: float | None,
        *,
        unit: str,
        symbol: str,
        scale: Scale = "log",
        integer: bool = False,
        names: Mapping[str, float] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(default, **params)
        self.unit, self.symbol, self.scale, self.integer, self.names = unit, symbol, scale, integer, dict(names or {})


class Choice(param.Selector):
    """A convention: `options` maps what a person picks to the number that enters the graph."""

    __slots__ = ["numbers", "symbol"]
    _slot_defaults: ClassVar[dict[str, Any]] = dict(param.Selector._slot_defaults, symbol="", numbers={})

    def __init__(self, default: str, *, symbol: str, options: Mapping[str, float], **params: Any) -> None:
        super().__init__(default=default, objects=list(options), **params)
        self.symbol, self.numbers = symbol, dict(options)


BYTES = {"fp32": 4.0, "bf16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5, "fp4": 0.5}
"""Words for bytes an element."""
