"""The verifier: every stated number recomputed by the graph, at the printed specs, the feasibility gate off.

A statement names a quantity, a chip, a model and settings; nothing of ours stands in for the answer. A setting is a
knob, or a quantity that the source gives instead of deriving it ("a model of 30B parameters"), which is pinned. Where a
source goes on from numbers that it rounded, those are pinned as well, and the same graph computes the rest.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import presets
from model.emit import compile_python, emit_python, trace
from model.errors import BadInput
from model.graph import Scalar, assemble, knobs_of, quantities
from model.knobs import KNOBS
from model.pins import pinning
from model.point import TYPED, Point, resolve
from presets import Setting, Statement

NOISE_DIGITS = 12
"""Significant digits that double precision carries through a chain of the graph; the rest is noise."""


@dataclass(frozen=True)
class Row:
    """One statement beside its recomputation.

    Attributes:
        statement: what is stated, and the verdict on record.
        point: chip, model and knobs at which it is recomputed; None where nothing derives it.
        recomputed: the quantity there, exactly; NaN where nothing derives it.
        from_rounded: the quantity from the source's rounded intermediates; NaN where it states none.
        verdict: one of `presets.VERDICTS`.
        difference: (recomputed - stated)/stated; NaN where there is no such thing.
        via: quantities on the way from the knobs to this one, each after those that it reads.
    """

    statement: Statement
    point: Point | None
    recomputed: float
    from_rounded: float
    verdict: str
    difference: float
    via: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the verdict is not the recorded one."""
        return self.verdict != self.statement.verdict


@dataclass(frozen=True)
class Verification:
    """All rows, in the book's order."""

    rows: tuple[Row, ...]

    @property
    def changed(self) -> tuple[Row, ...]:
        """Rows whose verdict is not the recorded one."""
        return tuple(row for row in self.rows if row.changed)

    @property
    def counts(self) -> dict[str, int]:
        """Rows by verdict, every verdict named."""
        found = Counter(row.verdict for row in self.rows)
        return {verdict: found[verdict] for verdict in presets.VERDICTS}


def agrees_to(recomputed: float, stated: float, digits: int) -> bool:
    """Return whether `recomputed` rounds or truncates to `stated` at its significant digits.

    Decimal throughout: both numbers are taken as they are written, less the noise beyond `NOISE_DIGITS`.

    Args:
        recomputed: what the graph gives.
        stated: what the source gives, with at most `digits` significant digits.
        digits: significant digits of `stated`, at least 1.
    """
    if not (math.isfinite(recomputed) and math.isfinite(stated)):
        return False
    given, found = _significant(stated, digits), _significant(recomputed, NOISE_DIGITS)
    if given == 0 or found == 0:
        return given == found
    place = Decimal(1).scaleb(found.adjusted() - digits + 1)
    return any((found / place).to_integral_value(rounding) * place == given for rounding in (ROUND_HALF_UP, ROUND_DOWN))


def _significant(number: float, digits: int) -> Decimal:
    return Decimal(f"{number:.{digits - 1}e}")


def verify(statements: Mapping[str, Statement] | None = None) -> Verification:
    """Recompute every statement.

    Args:
        statements: by id; those of the presets when None.

    Raises:
        BadInput: a statement names no quantity, or a setting can't be used; the line names the statement.
    """
    chosen = presets.statements() if statements is None else statements
    program = _program(tuple(chosen.values()))
    return Verification(tuple(_row(program, statement) for statement in chosen.values()))


@dataclass(frozen=True)
class _Program:
    outputs: Mapping[str, int]
    pins: tuple[str, ...]
    run: Callable[..., tuple[float, ...]]

    def value(self, quantity: str, point: Point, pins: Mapping[str, float]) -> float:
        if quantity in KNOBS:
            return KNOBS[quantity].number(point.values[quantity])
        numbers = (pins.get(name, math.nan) for name in self.pins)
        return float(self.run(*point.numbers(), *numbers)[self.outputs[quantity]])


def _program(statements: tuple[Statement, ...]) -> _Program:
    stated = {statement.quantity: statement.id for statement in statements if statement.quantity}
    pinned = {name: statement.id for statement in statements for name in given(statement, rounded=True)[1]}
    for name, where in (*stated.items(), *pinned.items()):
        if name not in quantities() and name not in KNOBS:
            raise BadInput([f"{where}: {name} is neither a quantity nor a knob"])
    targets = tuple(name for name in quantities() if name in stated)
    return _emitted(targets, tuple(name for name in quantities() if name in pinned))


@functools.cache
def _emitted(targets: tuple[str, ...], pins: tuple[str, ...]) -> _Program:
    """One program for all statements: the knobs and then the pins, NaN where a quantity is computed, to the targets."""
    evaluate, used = assemble(targets), knobs_of(targets)
    positions = {name: position for position, name in enumerate(KNOBS)}

    def function(*numbers: Scalar) -> tuple[Scalar, ...]:
        knobs = {name: numbers[positions[name]] for name in used}
        with pinning(dict(zip(pins, numbers[len(KNOBS) :], strict=True))):
            values, _ = evaluate(**knobs)
        return tuple(values[name] for name in targets)

    source = emit_python(trace(function, len(KNOBS) + len(pins)), "verified")
    outputs = {name: position for position, name in enumerate(targets)}
    return _Program(outputs, pins, compile_python(source, "verified"))


def _row(program: _Program, statement: Statement) -> Row:
    if not statement.quantity or statement.stated is None:
        return Row(statement, None, math.nan, math.nan, "not derivable", math.nan, ())
    point, pins = at(statement)
    recomputed = program.value(statement.quantity, point, pins)
    from_rounded = program.value(statement.quantity, *at(statement, rounded=True)) if statement.rounded else math.nan
    return Row(
        statement=statement,
        point=point,
        recomputed=recomputed,
        from_rounded=from_rounded,
        verdict=verdict_of(statement, recomputed, from_rounded),
        difference=(recomputed - statement.stated) / statement.stated if statement.stated else math.nan,
        via=tuple(_chain(statement.quantity, set(pins))),
    )


def given(statement: Statement, *, rounded: bool = False) -> tuple[dict[str, Setting], dict[str, float]]:
    """Return the knobs and the pins that a statement sets, with the source's rounded numbers on top or without."""
    settings = {**statement.settings, **(statement.rounded if rounded else {})}
    knobs = {name: value for name, value in settings.items() if name in KNOBS or name in TYPED}
    return knobs, {name: float(value) for name, value in settings.items() if name not in knobs}


def at(statement: Statement, *, rounded: bool = False) -> tuple[Point, dict[str, float]]:
    """Return the point of a statement and its pins, with the source's rounded numbers or without.

    Raises:
        BadInput: a setting can't be used; the line names the statement.
    """
    knobs, pins = given(statement, rounded=rounded)
    return _resolved(statement.id, statement.chip, statement.model, tuple(knobs.items())), pins


@functools.cache
def _resolved(where: str, chip: str, model: str, settings: tuple[tuple[str, Setting], ...]) -> Point:
    try:
        return resolve(chip, model, dict(settings))
    except BadInput as error:
        raise BadInput(f"{where}: {fault}" for fault in error.faults) from None


def verdict_of(statement: Statement, recomputed: float, from_rounded: float) -> str:
    """Return the verdict on a statement that the graph recomputes, exactly and from the source's rounded numbers."""
    stated, digits = statement.stated, statement.digits
    assert stated is not None
    if agrees_to(recomputed, stated, digits):
        return "quoted" if statement.quantity in KNOBS else "agrees"
    if agrees_to(from_rounded, stated, digits):
        return "agrees with the book's rounded inputs"
    return "differs"


def _chain(name: str, seen: set[str]) -> Iterator[str]:
    """Yield the quantities that `name` depends on, each after those that it reads, and `name` last.

    Knobs and what is `seen` already, pinned quantities at first, are left out.
    """
    if name in KNOBS or name in seen:
        return
    seen.add(name)
    for parent in quantities()[name].inputs:
        yield from _chain(parent, seen)
    yield name
