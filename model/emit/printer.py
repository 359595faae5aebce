"""What the printers share: expressions from templates, and which of them need a name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from model.emit.program import Assignment, Constant, Operand, Program, Variable

_MAX_DEPTH = 20
"""Deepest nesting of one printed expression; parsers limit theirs to a few hundred."""
_CALL = re.compile(r"[\w.]+\([^()]*\)")


@dataclass(frozen=True)
class Source:
    """Named expressions in order, and the expressions of the results; `arguments` are the names of the inputs."""

    arguments: tuple[str, ...]
    statements: tuple[tuple[str, str], ...]
    results: tuple[str, ...]

    def text(self) -> str:
        """Every expression, one a line: for finding which library functions the source needs."""
        return "\n".join([*(expression for _, expression in self.statements), *self.results])


def write(program: Program, template: Callable[[Assignment], str], literal: Callable[[Constant], str]) -> Source:
    """Print `program`, nesting each value that is written once in the expression that uses it.

    Operations have no effects, so nesting changes neither value nor meaning, and a branch not taken costs nothing.

    Args:
        program: what to print.
        template: an assignment's expression, with {0}, {1}, {2} for its operands.
        literal: how a constant is written.
    """
    templates = [template(assignment) for assignment in program.assignments]
    uses = Counter(result.index for result in program.results if isinstance(result, Variable))
    for assignment, form in zip(program.assignments, templates, strict=True):
        for position, operand in enumerate(assignment.operands):
            if isinstance(operand, Variable):
                uses[operand.index] += form.count(f"{{{position}}}")

    arguments = tuple(f"x{index}" for index in range(program.n_arguments))
    written: dict[int, tuple[str, int]] = {index: (name, 0) for index, name in enumerate(arguments)}

    def read(operand: Operand) -> tuple[str, int]:
        if isinstance(operand, Constant):
            return literal(operand), 0
        assert isinstance(operand, Variable)
        return written[operand.index]

    statements: list[tuple[str, str]] = []
    for assignment, form in zip(program.assignments, templates, strict=True):
        operands = [read(operand) for operand in assignment.operands]
        expression = form.format(*(text for text, _ in operands))
        depth = 1 + max(depth for _, depth in operands)
        if uses[assignment.result.index] == 1 and depth < _MAX_DEPTH:
            written[assignment.result.index] = expression if _CALL.fullmatch(form) else f"({expression})", depth
        else:
            name = f"v{len(statements)}"
            statements.append((name, expression))
            written[assignment.result.index] = name, 0
    return Source(arguments, tuple(statements), tuple(read(result)[0] for result in program.results))
