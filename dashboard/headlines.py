"""The headline values of a page: which quantities stand above everything else, and in which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboard.session import State
from model.graph import quantities
from model.numerals import digits, parts, show

PERCENT = ("mfu", "hfu", "useful_flops_fraction", "law_lifetime_cost")
"""Shares, shown in percent."""
_FACTORS = ("fused_moe_speedup",)
_MEMORY = {
    "memory_per_chip": ("memory_headroom", "hbm_capacity"),
    "decode_memory_per_chip": ("decode_memory_headroom", "hbm_capacity"),
    "fused_vmem_need": ("fused_vmem_headroom", "vmem_limit"),
}
"""The headroom of each need, and the knob that limits both."""


@dataclass(frozen=True)
class Headline:
    """One tile: the quantity, its name there, the line below, made from the state, and its share of the width."""

    of: str
    label: str
    below: Callable[[State], str]
    share: float = 1.0


def _knob(name: str, unit: str, words: str = "{}") -> Callable[[State], str]:
    def below(state: State) -> str:
        value = state.point.values[name]
        return words.format(show(value, unit)) if isinstance(value, float) else ""

    return below


def _value(name: str, words: str) -> Callable[[State], str]:
    def below(state: State) -> str:
        number, unit = parts(state.evaluation.bounds[name], quantities()[name].unit)
        return words.format(number=number, unit=unit, scale=unit.removesuffix("tokens/s").strip())

    return below


def _room(name: str) -> Callable[[State], str]:
    def below(state: State) -> str:
        free = state.evaluation.bounds[name]
        return (
            f"{show(abs(free), 'B')} {'too much' if free < 0 else 'free'}" if free == free else "capacity not printed"
        )

    return below


def _price(state: State) -> str:
    price = state.point.values["price_per_chip_hour"]
    return f"${digits(price)} per chip-hour" if isinstance(price, float) else ""


def _always(words: str) -> Callable[[State], str]:
    return lambda _: words


HEADLINES: Mapping[str, tuple[Headline, ...]] = {
    "training": (
        Headline("step_time", "Step time", _knob("batch_tokens", "tokens")),
        Headline("mfu", "MFU", _knob("peak_flops", "FLOP/s", "of {}")),
        Headline(
            "tokens_per_second", "Throughput", _value("train_tokens_per_second_per_chip", "{number} {scale} per chip")
        ),
        Headline("train_days", "Time to train", _knob("train_tokens", "tokens")),
        Headline("train_cost", "Cost", _price),
        Headline("memory_per_chip", "Memory per chip", _room("memory_headroom")),
    ),
    "inference": (
        Headline("decode_step_time", "Decode step", _always("one token a sequence"), 1.25),
        Headline(
            "decode_tokens_per_second",
            "Throughput",
            _value("tokens_per_second_per_chip", "{number} {scale} per chip"),
            1.2,
        ),
        Headline("cost_per_mtok", "Cost", _price, 1.2),
        Headline("useful_flops_fraction", "Useful FLOPs", _always("of the step"), 0.85),
        Headline("prefill_time", "Prefill", _value("prefill_tokens", "{number} {unit}"), 1.1),
        Headline("decode_memory_per_chip", "Memory per chip", _room("decode_memory_headroom"), 1.1),
        Headline("step_critical_batch", "Critical batch", _always("compute-bound above")),
    ),
    "kernel": (
        Headline("fused_moe_speedup", "Speed-up, predicted", _always("fused over unfused"), 1.05),
        Headline("fused_moe_time", "Fused kernel", _value("padded_rows", "{number} {unit}, padded")),
        Headline("unfused_moe_time", "Three ragged_dots", _value("routed_rows", "{number} {unit}"), 0.9),
        Headline("fused_vmem_need", "VMEM need", _room("fused_vmem_headroom"), 1.1),
        Headline("fused_moe_traffic", "Fused traffic", _value("fusion_reread_traffic", "{number} {unit} reread"), 0.85),
        Headline(
            "unfused_moe_traffic", "Unfused traffic", _value("fusion_saved_traffic", "{number} {unit} saved"), 1.2
        ),
    ),
    "laws": (
        Headline("law_training_flops", "Compute", _knob("law_days", "days", "of {}")),
        Headline("law_optimal_params", "Optimal size", _always("of least loss"), 1.05),
        Headline("law_optimal_tokens", "Optimal data", _always("tokens of training")),
        Headline("law_optimal_loss", "Loss", _value("law_reducible_loss", "{number} above the floor"), 1.2),
        Headline("law_served_params", "To serve", _knob("law_serve_tokens", "tokens", "for {}"), 1.05),
        Headline("law_served_tokens", "Its data", _value("law_serving_stretch", "{number}× the optimum")),
        Headline("law_lifetime_cost", "Its life", _always("of optimal FLOPs")),
    ),
}
"""Tiles by page, left to right."""

BINDING: Mapping[str, str] = {
    "training": "step_time",
    "inference": "decode_roofline_time",
    "kernel": "fused_moe_speedup",
    "laws": "law_optimal_loss",
}
"""The quantity whose maxima the sentence below the tiles is about, by page."""


def shown_quantities(page: str) -> tuple[str, ...]:
    """Return the quantities that a page's headlines and the lines below show; training's where a page has none."""
    shown = [headline.of for headline in HEADLINES.get(page, HEADLINES["training"])]
    return (*shown, *(_MEMORY[name][0] for name in shown if name in _MEMORY))


def number_and_unit(of: str, state: State) -> tuple[str, str]:
    """Return a value as its tile shows it: shares in percent, memory beside the capacity."""
    value, unit = state.evaluation.values[of.partition(":")[0]], quantities()[of].unit
    if value != value:
        return parts(None, unit)
    if of in PERCENT:
        return digits(100 * value), "%"
    if of in _FACTORS:
        return digits(value), "×"
    if unit == "$/Mtok":
        return f"${digits(value)}", "per M tok"
    number, name = parts(value, unit)
    capacity = state.point.values[_MEMORY[of][1]] if of in _MEMORY else None
    if isinstance(capacity, float):
        whole, whole_name = parts(capacity, "B")
        return number, f"{name} of {whole} {whole_name}".removeprefix(f"{name} " if name == whole_name else "")
    return number, name


def short(reason: str) -> str:
    """Return the first clause of a reason, for a tile."""
    return reason.partition(";")[0].partition(":")[0]
