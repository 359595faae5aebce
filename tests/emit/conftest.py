"""Runs emitted source, in process and under node, and holds it against `jax.jit` of the same function."""

import json
import math
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import jax
import numpy as np
import playwright
import pytest

from model.emit import compile_python, emit_javascript, emit_python, trace

RunJavaScript = Callable[[str, str, Sequence[Sequence[float]]], list[list[float]]]
Agree = Callable[..., None]
SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


def _node() -> str:
    return shutil.which("node") or str(Path(playwright.__file__).parent / "driver" / "node")


@pytest.fixture(scope="session")
def run_javascript() -> RunJavaScript:
    """`run_javascript(source, name, points)`: results of the emitted function at every point, in one node process."""

    def run(source: str, name: str, points: Sequence[Sequence[float]]) -> list[list[float]]:
        encoded = [
            [value if math.isfinite(value) else _NAMES[str(value)] for value in map(float, point)] for point in points
        ]
        request = json.dumps({"source": source, "name": name, "points": encoded})
        command = [_node(), str(Path(__file__).with_name("run.mjs"))]
        done = subprocess.run(command, input=request, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return [[float(value) for value in row] for row in json.loads(done.stdout)]

    return run


_NAMES = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


@pytest.fixture(scope="session")
def agree(run_javascript: RunJavaScript) -> Agree:
    """`agree(function, points)`: Python and JavaScript emitted from `function` give what `jax.jit` gives.

    Same NaN, same infinities, 1e-12 relative (and `atol`) elsewhere; with `zeros`, the same sign of zero too.
    With `jit=False` JAX runs one primitive at a time, which is what IEEE arithmetic means: a compiled graph may differ
    from that where an intermediate overflows, because XLA rewrites (a/b)/c as a/(b·c).
    """

    def check(
        function, points, *, rtol: float = 1e-12, atol: float = 0.0, zeros: bool = False, jit: bool = True
    ) -> None:
        points = np.asarray(points, dtype=np.float64)
        jaxpr = trace(function, points.shape[1])
        mapped = jax.vmap(lambda point: jax.tree.leaves(function(*point)))
        leaves = jax.jit(mapped)(points) if jit else mapped(points)
        expected = np.stack([np.asarray(leaf, dtype=np.float64) for leaf in leaves], axis=1)
        python = compile_python(emit_python(jaxpr, "emitted"), "emitted")
        found = {
            "Python": [python(*point) for point in points.tolist()],
            "JavaScript": run_javascript(emit_javascript(jaxpr, "emitted"), "emitted", points.tolist()),
        }
        for language, rows in found.items():
            actual = np.asarray(rows, dtype=np.float64)
            assert actual.shape == expected.shape
            wrong = ~_same(actual, expected, rtol, atol)
            if zeros:
                wrong |= (actual == 0.0) & (expected == 0.0) & (np.signbit(actual) != np.signbit(expected))
            if wrong.any():
                row, column = np.argwhere(wrong)[0]
                raise AssertionError(
                    f"{language}: {wrong.sum()} of {wrong.size} differ; output {column} at {points[row].tolist()} is "
                    f"{actual[row, column]!r}, jax.jit has {expected[row, column]!r}"
                )

    return check


def _same(actual: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> np.ndarray:
    """Elementwise; subnormal numbers count as zero, because XLA flushes them."""
    with np.errstate(invalid="ignore"):
        near = np.abs(actual - expected) <= atol + rtol * np.abs(expected)
    both_nan = np.isnan(actual) & np.isnan(expected)
    both_tiny = (np.abs(actual) < SMALLEST_NORMAL) & (np.abs(expected) < SMALLEST_NORMAL)
    return near & np.isfinite(expected) | (actual == expected) | both_nan | both_tiny
