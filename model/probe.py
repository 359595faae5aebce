"""A value and the gates that stop it, looked at again and again with some knobs moved: one small program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from model.feasibility import gates_of
from model.graph import quantities
from model.knobs import KNOBS
from model.point import Point
from model.programs import values_program


class Row(Mapping[str, float]):
    """Knobs, quantities and branches by name at one point."""

    def __init__(self, index: Mapping[str, int], numbers: Sequence[float]) -> None:
        self._index, self._numbers = index, numbers

    def __getitem__(self, name: str) -> float:
        return self._numbers[self._index[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


class Probe:
    """Evaluates a few quantities at a point with some knobs moved, whole or not, the feasibility gate apart.

    Attributes:
        gates: those that stop any of the quantities.
        targets: the quantities evaluated: those asked for and those that the gates read.
    """

    def __init__(self, point: Point, of: Iterable[str], also: Iterable[str] = ()) -> None:
        owners = list(dict.fromkeys(name.partition(":")[0] for name in of))
        self.gates = tuple(dict.fromkeys(gate for owner in owners for gate in gates_of(owner)))
        read = (name for gate in self.gates for name in gate.reads())
        self.targets = tuple(dict.fromkeys([*owners, *(name for name in (*read, *also) if name in quantities())]))
        self.program = values_program(*self.targets)
        self.numbers = point.numbers()
        self._index = {name: position for position, name in enumerate((*KNOBS, *self.program.outputs))}

    def arguments(self, knobs: Mapping[str, float]) -> list[float]:
        """Return the graph's arguments with some knobs moved."""
        numbers = list(self.numbers)
        for name, value in knobs.items():
            numbers[self._index[name]] = value
        return numbers

    def at(self, knobs: Mapping[str, float]) -> Row:
        """Return everything with some knobs moved."""
        numbers = self.arguments(knobs)
        return Row(self._index, [*numbers, *self.program.run(*numbers)])

    def fault(self, row: Row, *, whole: bool) -> str:
        """Return the first reason that stops the quantities there, or the empty string.

        Args:
            row: where.
            whole: whether shards have to be whole and divide.
        """
        faults = (gate.fault(row, row) for gate in self.gates if whole or not gate.whole)
        return next((fault for fault in faults if fault), "")
