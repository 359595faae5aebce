"""The feasibility gate: which quantities can't be had at a point, and the reason in words.

The gate lies outside the differentiated graph. It takes plain values and never changes them; who wants the bound
anyway, and the verifier, leave the gate off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from model.graph import ancestors, quantities
from model.knobs import KNOBS
from model.knobs.kernel import SMEM_LIMIT
from model.numerals import show
from model.point import Point

Numbers = Mapping[str, Any]
"""Knobs or quantities by name: floats, or NumPy arrays of one shape."""


class _Read(dict[str, float]):
    """Stands for every knob and quantity, and keeps those that were asked for."""

    def __missing__(self, name: str) -> float:
        return self.setdefault(name, 1.0)


_TRAINING = ("forward_time", "backward_time", "head_time")
_SERVING = ("decode_roofline_time", "prefill_roofline_time")


class _Shown(float):
    """A number in a gate's line: `{:B}` shows it with its unit, any other format as Python does."""

    def __format__(self, form: str) -> str:
        return show(self, form) if form == "B" else super().__format__(form)


@dataclass(frozen=True)
class Gate:
    """One condition on a point. All numbers come from plain operators, so that a condition can be traced as well.

    Attributes:
        stops: the quantities that can't be had where it fails, with all that follow from them.
        excess: how much is too much, from knobs and quantities (floats or arrays); it fails where this is above 0.
        line: the reason and the mend, with a place for each of `parts`: `{0:B}`, `{1:,.0f}` or `{1:g}`.
        parts: the numbers in the line, from knobs and quantities at one point where it fails.
        whole: whether it asks for whole shards only, so that a knob moved continuously may ignore it.
    """

    stops: tuple[str, ...]
    excess: Callable[[Numbers, Numbers], Any]
    line: str
    parts: Callable[[Numbers, Numbers], tuple[Any, ...]]
    whole: bool = False

    def fault(self, knobs: Mapping[str, float], values: Mapping[str, float]) -> str | None:
        """Return the reason at one point where the condition fails, else None."""
        # An empty capacity (NaN) is no proof that it does not fit.
        if not self.excess(knobs, values) > 0:
            return None
        return self.line.format(*map(_Shown, self.parts(knobs, values)))

    def reads(self) -> tuple[str, ...]:
        """Return the knobs and quantities that the condition depends on."""
        read = _Read()
        self.excess(read, read)
        return tuple(read)


def _need(need: str, limit: Callable[[Numbers], Any]) -> Callable[[Numbers, Numbers], tuple[Any, ...]]:
    return lambda knobs, values: (values[need], limit(knobs), values[need] - limit(knobs))


def _fits(memory: str, mend: str, stops: tuple[str, ...]) -> Gate:
    parts = _need(memory, lambda knobs: knobs["hbm_capacity"])
    line = f"does not fit: {{0:B}} of {{1:B}} a chip, {{2:B}} too much; {mend}"
    return Gate(stops, lambda knobs, values: values[memory] - knobs["hbm_capacity"], line, parts)


def _on_chip(memory: str, need: str, limit: Callable[[Numbers], Any], mend: str) -> Gate:
    line = f"does not fit: {{0:B}} of {{1:B}} {memory}, {{2:B}} too much; {mend}"
    return Gate(("fused_moe_time",), lambda knobs, values: values[need] - limit(knobs), line, _need(need, limit))


def _divides(width: str, shards: str, used: Callable[[Numbers, Numbers], Any], stops: tuple[str, ...]) -> Gate:
    def left(knobs: Numbers, values: Numbers) -> Any:
        return used(knobs, values) * (knobs[width] % knobs[shards])

    def parts(knobs: Numbers, values: Numbers) -> tuple[Any, ...]:
        return knobs[width], knobs[shards], left(knobs, values)

    line = f"{KNOBS[width].label} {{0:,.0f}} does not divide by {shards}={{1:g}} (remainder {{2:g}}); use a divisor"
    return Gate(stops, left, line, parts, whole=True)


def _has_dense_layers(knobs: Numbers, values: Numbers) -> Any:
    return values["sparse_layers"] < knobs["n_layers"]


def _has_experts(_: Numbers, values: Numbers) -> Any:
    return values["sparse_layers"] > 0


def _at_most(part: str, whole: str, stops: tuple[str, ...]) -> Gate:
    line = f"{part}={{0:g}} is more than {whole}={{1:g}}; lower {part}"
    return Gate(stops, lambda knobs, _: knobs[part] - knobs[whole], line, lambda knobs, _: (knobs[part], knobs[whole]))


GATES: tuple[Gate, ...] = (
    _at_most("active_experts", "n_experts", ("active_sparse_mlp_params", "decode_experts_hit", "prefill_experts_hit")),
    _at_most("dense_layers", "n_layers", ("sparse_layers",)),
    _at_most(
        "window_layers",
        "n_layers",
        ("attended_tokens", "prefill_attended_tokens", "cached_tokens", "kv_bytes_per_token_beyond_window"),
    ),
    Gate(
        _TRAINING,
        lambda knobs, _: knobs["seq_len"] - knobs["batch_tokens"],
        "the batch of {0:,.0f} tokens is shorter than one sequence of {1:,.0f}; raise batch_tokens",
        lambda knobs, _: (knobs["batch_tokens"], knobs["seq_len"]),
    ),
    Gate(
        _TRAINING,
        lambda knobs, _: knobs["data_shards"] - knobs["batch_tokens"],
        "{0:,.0f} tokens do not divide over {1:,.0f} data shards; raise batch_tokens",
        lambda knobs, _: (knobs["batch_tokens"], knobs["data_shards"]),
    ),
    _divides("d_ff", "tensor_shards", _has_dense_layers, _TRAINING),
    _divides("d_expert", "tensor_shards", _has_experts, _TRAINING),
    _fits("memory_per_chip", "use more chips or a smaller batch", _TRAINING),
    _divides("d_ff", "decode_chips", _has_dense_layers, _SERVING),
    _divides("d_expert", "decode_chips", _has_experts, _SERVING),
    _fits("decode_memory_per_chip", "use more chips, a smaller batch or a shorter context", _SERVING),
    _divides("n_experts", "expert_shards", lambda *_: 1.0, ("local_experts",)),
    _divides("d_expert", "block_f", lambda knobs, _: knobs["n_experts"] > 1, ("fused_moe_time",)),
    _divides("d_ff", "block_f", lambda knobs, _: knobs["n_experts"] <= 1, ("fused_moe_time",)),
    _on_chip("VMEM", "fused_vmem_need", lambda knobs: knobs["vmem_limit"], "use smaller tiles or raise vmem_limit"),
    _on_chip("SMEM", "fused_smem_need", lambda _: SMEM_LIMIT, "use larger row tiles or fewer experts a chip"),
)


def gates_of(name: str) -> tuple[Gate, ...]:
    """Return the gates that stop a quantity, in their order."""
    return tuple(gate for gate in GATES if not ancestors(name).isdisjoint(gate.stops))


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


UNDEFINED = {
    "step_critical_batch": "no batch is critical: a sequence's KV cache takes longer to read than its FLOPs",
    "matmul_exact_critical_batch": "no batch is critical: activations alone need more bytes a FLOP than HBM can feed",
    "matmul_vmem_critical_batch": "no batch is critical: activations alone need more bytes a FLOP than VMEM can feed",
}
"""Why a quantity is NaN though every knob that it needs is set."""


def called(knob: str) -> str:
    """Return a knob in the words of a reason: `the HBM capacity`, `a price`."""
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
        missing = [called(knob) for knob in empty if knob in ancestors(name)]
        if missing:
            reasons[name] = f"set {' and '.join(missing)}"
            continue
        causes = [cause for cause in UNDEFINED if cause in ancestors(name)]
        reasons[name] = UNDEFINED[causes[0]] if causes else "outside the range of double precision"
    return reasons
