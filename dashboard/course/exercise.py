"""Exercises: the book's worked problems as numbers to find, checked against the graph.

An exercise is a statement that belongs to a numbered problem and that the graph confirms. The question, what is given,
the hints and the worked answer come from the statement and the chain of quantities behind it; no answer is typed in.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import presets
from dashboard.amount import read_amount
from dashboard.course.live import rows
from model.errors import BadInput
from model.formula import formula, html
from model.graph import quantities
from model.knobs import KNOBS
from model.numerals import show
from model.verify import Row
from model.words import capital, times

TOLERANCE = 0.02
"""Relative distance within which an answer is right: two digits, however they were rounded on the way."""

_NUMBERED = re.compile(r"-qz?\d")
_NUMBER = re.compile(r"^\$?[+\-−]?[\d.,_]+(?:[eE][+-]?\d+)?")
_PREFIXES = frozenset(("", "k", "K", "M", "G", "B", "T", "P", "E", "m", "μ", "µ", "u", "n"))
"""What does not name a unit on its own: 4 M of what?"""

Verdict = Literal["right", "low", "high", "unread"]


@dataclass(frozen=True)
class Exercise:
    """One exercise and the recomputation behind it."""

    row: Row

    @property
    def id(self) -> str:
        """The statement's slug."""
        return self.row.statement.id

    @property
    def chapter(self) -> int:
        """Number of the chapter that sets it."""
        return int(self.row.statement.chapter.split()[0])

    @property
    def unit(self) -> str:
        """Unit of the answer."""
        return self.row.statement.unit

    @property
    def answer(self) -> float:
        """The graph's value, in `unit`."""
        return self.row.recomputed

    @property
    def question(self) -> str:
        """What is asked, and in which unit."""
        unit = "" if self.unit == "1" else f" Answer in {self.unit}."
        return f"{capital(self.row.statement.text)}: how much is it?{unit}"

    @property
    def given(self) -> tuple[str, ...]:
        """What the problem gives, in words."""
        statement = self.row.statement
        named = [presets.chip(statement.chip).name] if statement.chip else []
        named += [presets.model(statement.model).name] if statement.model else []
        return (*named, *(_setting(name, value) for name, value in statement.settings.items()))

    @property
    def hints(self) -> tuple[str, str]:
        """The idea in words, then the formula as HTML."""
        node = quantities()[self.row.statement.quantity]
        return f"{node.label}: {node.doc.splitlines()[0]}", html(formula(node.name))

    def check(self, text: str) -> tuple[Verdict, str]:
        """Return the verdict on what was typed, and a line for the person who typed it."""
        try:
            value = self._read(text)
        except BadInput as error:
            return "unread", f"{capital('; '.join(error.faults))}."
        if abs(value - self.answer) <= TOLERANCE * abs(self.answer):
            return "right", f"Right: {show(self.answer, self.unit, 4)}."
        ratio = value / self.answer
        if ratio <= 0:
            return "low", "Too low: the answer is above 0."
        return ("low", f"Too low by {times(1 / ratio)}.") if ratio < 1 else ("high", f"Too high by {times(ratio)}.")

    def _read(self, text: str) -> float:
        word = _NUMBER.sub("", text.strip(), count=1).strip()
        if self.unit != "1" and word != self.unit and word in _PREFIXES:
            raise BadInput([f"{text.strip() or 'empty'}: write number and unit, such as {show(1.0, self.unit)}"])
        try:
            return read_amount(text, self.unit)
        except BadInput as error:
            raise BadInput(fault.removeprefix("target ") for fault in error.faults) from None


def _setting(name: str, value: float | str) -> str:
    if name in KNOBS:
        knob = KNOBS[name]
        words = next((word for word, number in knob.names.items() if number == value), "")
        shown = words or (value if isinstance(value, str) else show(float(value), knob.unit or "1"))
        return f"{knob.label.lower() if knob.label[1:2].islower() else knob.label} {shown}"
    if name in quantities():
        node = quantities()[name]
        return f"{node.label.lower() if node.label[1:2].islower() else node.label} {show(float(value), node.unit)}"
    return f"{name.replace('_', ' ')} {float(value):,.0f}"


@functools.cache
def exercises() -> Mapping[str, Exercise]:
    """Return every exercise by its id, in the book's order."""
    return {name: Exercise(row) for name, row in rows().items() if _NUMBERED.search(name) and _is_exercise(row)}


def _is_exercise(row: Row) -> bool:
    return row.verdict.startswith("agrees") and row.statement.quantity in quantities() and row.recomputed != 0
