"""The operating point: a chip, a model, and the value of every knob."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import presets
from model.entry import read
from model.errors import BadInput, did_you_mean
from model.knobs import KNOBS, KnobValue

DEFAULT_CHIP = "tpu-v5p"
DEFAULT_MODEL = "llama-3-70b"

TYPED = ("chips", "batch_seqs")
"""Names that may be typed though they are no knobs: each sets another knob (see `resolve`)."""


@dataclass(frozen=True)
class Point:
    """One operating point. `values` holds every knob by name; an empty optional knob is None."""

    chip: str
    model: str
    values: Mapping[str, KnobValue]

    def numbers(self) -> tuple[float, ...]:
        """Return the graph's arguments in declaration order; an empty knob is NaN."""
        return tuple(knob.number(self.values[name]) for name, knob in KNOBS.items())

    def numbers_by_name(self) -> dict[str, float]:
        """Return the graph's arguments by knob; an empty knob is NaN."""
        return dict(zip(KNOBS, self.numbers(), strict=True))

    def preset(self) -> Mapping[str, KnobValue]:
        """Return the values of this chip, model and compute dtype before anything was changed by hand."""
        return preset_values(self.chip, self.model, str(self.values["compute_dtype"]))

    def typed(self) -> dict[str, float]:
        """Return what may be typed though it is no knob: chips of the mesh, and sequences a batch."""
        shards = [float(self.values[name] or 1) for name in ("data_shards", "tensor_shards")]
        sequences = float(self.values["batch_tokens"] or 0) / float(self.values["seq_len"] or 1)
        return dict(zip(TYPED, (shards[0] * shards[1], sequences), strict=True))

    def changes(self) -> dict[str, KnobValue]:
        """Return the knobs that differ from the presets; the compute dtype differs from `bf16`."""
        preset = dict(self.preset(), compute_dtype=KNOBS["compute_dtype"].default)
        changed = {name for name, value in self.values.items() if value != preset[name]}
        if "compute_dtype" in changed and preset["peak_flops"] is None:
            changed.add("peak_flops")  # No rate is printed for this dtype: an empty one was chosen, too.
        return {name: value for name, value in self.values.items() if name in changed}

    def with_settings(self, settings: Mapping[str, object]) -> Point:
        """Return this point with `settings` on top of its own changes, read and checked as in `resolve`."""
        kept = {name: value for name, value in self.changes().items() if name not in settings}
        if "chips" in settings and not {"data_shards", "tensor_shards"} & set(settings):
            kept.pop("data_shards", None)
            settings = {"tensor_shards": self.values["tensor_shards"], **settings}
        if "batch_seqs" in settings:
            kept.pop("batch_tokens", None)
        if "compute_dtype" in settings:
            kept.pop("peak_flops", None)
        return resolve(self.chip, self.model, {**kept, **settings})


@functools.lru_cache(maxsize=256)
def preset_values(chip: str, model: str, compute_dtype: str) -> Mapping[str, KnobValue]:
    """Return every knob's value for a chip and a model: printed figures, published dimensions, else the default.

    A figure that the chip's source does not print is empty (None), never the default of another chip.

    Raises:
        presets.PresetError: no such chip or model.
    """
    hardware, transformer = presets.chip(chip), presets.model(model)
    values: dict[str, KnobValue] = {name: knob.default for name, knob in KNOBS.items()}
    rate = hardware.peak_flops.get(compute_dtype)
    values["compute_dtype"] = compute_dtype
    values["peak_flops"] = None if rate is None else rate.value
    for name in presets.FIGURES:
        if name in KNOBS:
            figure = hardware.figures.get(name)
            if figure is not None:
                values[name] = float(figure.value)
            elif KNOBS[name].optional:
                values[name] = None
    for name, dimension in transformer.dimensions.items():
        values[name] = read(KNOBS[name], dimension)
    return values


def resolve(chip: str | None = None, model: str | None = None, settings: Mapping[str, object] | None = None) -> Point:
    """Return the point of a chip, a model and settings on top of them.

    Besides knobs, `settings` may hold `chips` (with X or Y following: X = chips/Y unless only X was given) and
    `batch_seqs` (sequences a batch). All faults are collected before anything is refused.

    Raises:
        BadInput: an unknown chip, model or knob, an unreadable or out-of-range value, or settings that contradict.
    """
    chip, model, settings = chip or DEFAULT_CHIP, model or DEFAULT_MODEL, dict(settings or {})
    faults: list[str] = []
    for find, slug in ((presets.chip, chip), (presets.model, model)):
        try:
            find(slug)
        except presets.PresetError as error:
            faults.append(str(error))
    given: dict[str, KnobValue] = {}
    typed: dict[str, float] = {}
    for name, raw in settings.items():
        try:
            if name in TYPED:
                typed[name] = _typed_count(name, raw)
            elif name in KNOBS:
                given[name] = read(KNOBS[name], raw)
            else:
                hint = did_you_mean(name, [*KNOBS, *TYPED])
                faults.append(f"{name}: no such knob; {hint or '`scalegrad values` lists them'}")
        except BadInput as error:
            faults.extend(error.faults)
    if faults:
        raise BadInput(faults)
    dtype = str(given.get("compute_dtype", KNOBS["compute_dtype"].default))
    _check_rate(chip, dtype, given)
    values = {**preset_values(chip, model, dtype), **given}
    if "chips" in typed:
        _split_chips(typed["chips"], given, values)
    if "batch_seqs" in typed:
        if "batch_tokens" in given:
            raise BadInput(["batch_seqs and batch_tokens both set the batch: give one of them"])
        tokens = typed["batch_seqs"] * float(values["seq_len"] or 0)
        values["batch_tokens"] = read(KNOBS["batch_tokens"], tokens)
    return Point(chip, model, values)


def _typed_count(name: str, raw: object) -> float:
    knob = KNOBS["data_shards"] if name == "chips" else KNOBS["batch_tokens"]
    try:
        value = read(knob, raw)
    except BadInput as error:
        raise BadInput(fault.replace(knob.name, name, 1) for fault in error.faults) from None
    return float(value or 0)


def _check_rate(chip: str, dtype: str, given: Mapping[str, KnobValue]) -> None:
    printed = presets.chip(chip).peak_flops
    if "compute_dtype" in given and "peak_flops" not in given and dtype not in printed and printed:
        raise BadInput(
            [f"compute_dtype={dtype}: no rate is printed for {chip} (only {', '.join(printed)}); set peak_flops too"]
        )


def _split_chips(chips: float, given: Mapping[str, KnobValue], values: dict[str, KnobValue]) -> None:
    fixed, free = "tensor_shards", "data_shards"
    if "data_shards" in given and "tensor_shards" not in given:
        fixed, free = free, fixed
    ways = float(values[fixed] or 1)
    if free in given and float(given[free] or 0) * ways != chips:
        raise BadInput(
            [f"chips={chips:g} is not data_shards x tensor_shards = {float(given[free] or 0) * ways:g}: leave one out"]
        )
    if chips % ways:
        below = int(chips // ways * ways)
        near = f"{below} or {int(below + ways)}" if below else f"{int(ways)}"
        raise BadInput([f"chips={chips:g} does not divide by {fixed}={ways:g}: give {near} chips, or set {fixed}"])
    values[free] = read(KNOBS[free], chips / ways)
