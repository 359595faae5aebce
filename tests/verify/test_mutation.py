"""A change of 1 % in any node that a statement's value hangs on flips the verdict of at least one statement.

Where a book prints two digits, or another number, no verdict can notice; those nodes are held to plain arithmetic in
`tests/verify/test_by_hand.py`.
"""

import ast
import functools
import math
from collections.abc import Callable
from pathlib import Path

import pytest

import model.graph
from model.emit import compile_python, emit_python, trace
from model.graph import Scalar, assemble, knobs_of
from model.knobs import KNOBS
from model.pins import pinned, pinning
from model.verify import Row, at, given, verdict_of, verify

Mutated = Callable[[Row, str, float], tuple[float, str]]


@pytest.fixture(scope="module")
def mutated() -> Mutated:
    """Value and verdict of a row with one registered function's result multiplied by a factor."""
    rows = verify().rows
    nodes = sorted({name for row in rows for name in row.via})
    targets = sorted({row.via[-1] for row in rows if row.via})
    pins = sorted({name for row in rows for name in given(row.statement, rounded=True)[1]})
    factors: dict[str, Scalar] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model.graph, "pinned", lambda name, value: pinned(name, value * factors.get(name, 1.0)))
        evaluate, used = assemble(targets), knobs_of(targets)

        def function(*numbers: Scalar) -> tuple[Scalar, ...]:
            knobs = dict(zip(KNOBS, numbers, strict=False))
            factors.update(zip(nodes, numbers[len(KNOBS) + len(pins) :], strict=True))
            with pinning(dict(zip(pins, numbers[len(KNOBS) :], strict=False))):
                values, _ = evaluate(**{name: knobs[name] for name in used})
            return tuple(values[name] for name in targets)

        source = emit_python(trace(function, len(KNOBS) + len(pins) + len(nodes)), "mutated")
    program = compile_python(source, "mutated")

    @functools.cache
    def numbers(identity: str, rounded: bool) -> list[float]:
        statement = next(row.statement for row in rows if row.statement.id == identity)
        point, pinned_here = at(statement, rounded=rounded)
        return [*point.numbers(), *(pinned_here.get(name, math.nan) for name in pins)]

    def run(row: Row, node: str, factor: float) -> tuple[float, str]:
        change = [factor if name == node else 1.0 for name in nodes]
        position = targets.index(row.via[-1])
        exact = program(*numbers(row.statement.id, False), *change)[position]
        from_rounded = math.nan
        if row.statement.rounded:
            from_rounded = program(*numbers(row.statement.id, True), *change)[position]
        return exact, verdict_of(row.statement, exact, from_rounded)

    return run


def test_without_a_change_every_verdict_stands(mutated: Mutated) -> None:
    for row in verify().rows:
        if row.via:
            assert mutated(row, "", 1.0) == (row.recomputed, row.verdict), row.statement.id


def by_hand() -> set[str]:
    tree = ast.parse(Path(__file__).with_name("test_by_hand.py").read_text())
    table = next(node for node in tree.body if isinstance(node, ast.AnnAssign))
    assert isinstance(table.value, ast.Dict)
    return {ast.literal_eval(key) for key in table.value.keys if key is not None}


def test_one_percent_anywhere_flips_a_verdict(mutated: Mutated) -> None:
    rows = [row for row in verify().rows if row.via]
    unnoticed: list[str] = []
    for node in sorted({name for row in rows for name in row.via}):
        moved = False
        for row in (row for row in rows if node in row.via):
            outcomes = [mutated(row, node, factor) for factor in (1.01, 0.99)]
            if any(verdict != row.verdict for _, verdict in outcomes):
                break
            moved |= any(value != row.recomputed for value, _ in outcomes)
        else:
            if moved:
                unnoticed.append(node)
    assert sorted(unnoticed) == sorted(by_hand())
