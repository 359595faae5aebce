"""The feasibility gate: which quantities can't be had at a point, and the reason in words.

The gate lies outside the differentiated graph. It takes plain values and never changes them; who wants the bound
anyway, and the verifier, leave the gate off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from model.graph import ancestors, quantities
from model.knobs import KNOBS
from model.numerals import show
from model.point import Point


@dataclass(frozen=True)
class Gate:
    """One condition: the quantities it stops (with all that follow from them), and when, with the shortfall."""

    stops: tuple[str, ...]
    fault: Callable[[Mapping[str, float], Mapping[str, float]], str | None]


def _training_memory(knobs: Mapping[str, float], values: Mapping[str, float]) -> str | None:
    need, have = values["memory_per_chip"], knobs["hbm_capacity"]
    return _does_not_fit(need, have, "use more chips or a smaller batch")


def _serving_memory(knobs: Mapping[str, float], values: Mapping[str, float]) -> str | None:
    need, have = values["decode_memory_per_chip"], knobs["hbm_capacity"]
    return _does_not_fit(need, have, "use more chips, a smaller batch or a shorter context")


def _does_not_fit(need: float, have: float, mend: str) -> str | None:
    if not need > have:  # An empty capacity is no proof that it does not fit.
        return None
    return f"does not fit: {show(need, 'B')} of {show(have, 'B')} a chip, {show(need - have, 'B')} too much; {mend}"


def _whole_sequences(knobs: Mapping[str, float], _: Mapping[str, float]) -> str | None:
    batch, length = knobs["batch_tokens"], knobs["seq_len"]
    if batch >= length:
        return None
    return f"the batch of {batch:,.0f} tokens is shorter than one sequence of {length:,.0f}; raise batch_tokens"


def _whole_shards(knobs: Mapping[str, float], _: Mapping[str, float]) -> str | None:
    batch, shards = knobs["batch_tokens"], knobs["data_shards"]
    if batch >= shards:
        return None
    return f"{batch:,.0f} tokens do not divide over {shards:,.0f} data shards; raise batch_tokens"


def _divides_mlp(shards: str) -> Callable[[Mapping[str, float], Mapping[str, float]], str | None]:
    def fault(knobs: Mapping[str, float], _: Mapping[str, float]) -> str | None:
        width, ways = knobs["d_ff"], knobs[shards]
        left = math.fmod(width, ways)
        if left == 0:
            return None
        return f"FFN width {width:,.0f} does not divide by {shards}={ways:g} (remainder {left:g}); use a divisor"

    return fault


_TRAINING = ("forward_time", "backward_time", "head_time")
_SERVING = ("decode_roofline_time", "prefill_roofline_time")

GATES: tuple[Gate, ...] = (
    Gate(_TRAINING, _whole_sequences),
    Gate(_TRAINING, _whole_shards),
    Gate(_TRAINING, _divides_mlp("tensor_shards")),
    Gate(_TRAINING, _training_memory),
    Gate(_SERVING, _divides_mlp("decode_chips")),
    Gate(_SERVING, _serving_memory),
)


def gate_faults(point: Point, values: Mapping[str, float]) -> dict[str, str]:
    """Return `{quantity: reason}` for everything that the gate stops at `point`.

    Args:
        point: where the graph was evaluated.
        values: every quantity there, gate off.
    """
    knobs = dict(zip(KNOBS, point.numbers(), strict=True))
    stopped: dict[str, str] = {}
    for gate in GATES:
        reason = gate.fault(knobs, values)
        if reason is not None:
            for name in quantities():
                if name not in stopped and not ancestors(name).isdisjoint(gate.stops):
                    stopped[name] = reason
    return stopped


_UNDEFINED = {
    "step_critical_batch": "no batch is critical: a sequence's KV cache takes longer to read than its FLOPs",
    "matmul_exact_critical_batch": "no batch is critical: activations alone need more bytes a FLOP than HBM can feed",
}
"""Why a quantity is NaN though every knob that it needs is set."""


def _called(knob: str) -> str:
    label = KNOBS[knob].label
    if label[1].islower():
        label = label[0].lower() + label[1:]
    return f"a {label}" if KNOBS[knob].unit.startswith("$") else f"the {label}"


def undefined_reasons(point: Point, values: Mapping[str, float]) -> dict[str, str]:
    """Return `{quantity: reason}` for every quantity that is not finite: an empty knob, or no solution."""
    empty = [name for name, value in point.values.items() if value is None]
    reasons: dict[str, str] = {}
    for name in quantities():
        if math.isfinite(values[name]):
            continue
        missing = [_called(knob) for knob in empty if knob in ancestors(name)]
        if missing:
            reasons[name] = f"set {' and '.join(missing)}"
            continue
        causes = [cause for cause in _UNDEFINED if cause in ancestors(name)]
        reasons[name] = _UNDEFINED[causes[0]] if causes else "outside the range of double precision"
    return reasons
