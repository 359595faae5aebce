"""The parity gate: emitted Python and JavaScript against `jax.jit` of the same graph, values and elasticities."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import playwright
import pytest

from model.emit import emit_javascript, trace
from model.evaluate import FILLER
from model.graph import quantities
from model.knobs import KNOBS
from model.programs import DIFFERENTIATED, pullback_function, pullback_program, scalar_function, values_program

UNFUSED = {
    "xla_disable_hlo_passes": "fusion,cpu-instruction-fusion,multi_output_fusion",
    "xla_backend_optimization_level": 0,
}
ROWS = 16384
"""Pairs of a point and a quantity that one call differentiates."""


def _node() -> str:
    return shutil.which("node") or str(Path(playwright.__file__).parent / "driver" / "node")


def _javascript(function: Callable[..., object], rows: np.ndarray, tmp_path: Path) -> np.ndarray:
    """Run the emitted JavaScript of `function` under node at rows of shape (rows, arguments)."""
    (tmp_path / "graph.js").write_text(emit_javascript(trace(function, rows.shape[1]), "emitted"))
    rows.tofile(tmp_path / "rows")
    script = Path(__file__).with_name("run_points.mjs")
    files = [str(tmp_path / "graph.js"), str(tmp_path / "rows"), str(tmp_path / "result")]
    subprocess.run([_node(), str(script), *files, str(rows.shape[1])], check=True, timeout=300)
    return np.fromfile(tmp_path / "result").reshape(len(rows), -1)


def _oracle(function: Callable[..., object], rows: np.ndarray) -> np.ndarray:
    compiled = jax.jit(jax.vmap(function), compiler_options=UNFUSED)
    return np.stack([np.asarray(column) for column in compiled(*rows.T)], axis=1)


def test_every_quantity_agrees_with_jit(graph_points, tmp_path):
    names, function = scalar_function(tuple(quantities()))
    expected = _oracle(function, graph_points)
    program = values_program()
    assert program.outputs == names
    python = np.array([program.run(*point) for point in graph_points.tolist()])
    javascript = _javascript(function, graph_points, tmp_path)
    for found in (python, javascript):
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


def _agree_on_elasticities(points: np.ndarray, pairs: list[tuple[int, int]], tmp_path: Path) -> None:
    """(x/y) dy/dx within 1e-11, at pairs of the index of a point and of a quantity or branch."""
    names, pullback = pullback_function()
    positions = [list(KNOBS).index(name) for name in DIFFERENTIATED]
    outputs = np.array([values_program().run(*point) for point in points.tolist()])
    run, defined_pairs = pullback_program().run, 0.0
    for start in range(0, len(pairs), ROWS):
        at, of = np.array(pairs[start : start + ROWS]).T
        rows = np.hstack([points[at], np.eye(len(names))[of]])
        expected = _oracle(pullback, rows)
        with np.errstate(all="ignore"):
            scale = points[at][:, positions] / outputs[at, of][:, None]
            defined = np.isfinite(scale) & np.isfinite(expected)
            elasticity = np.where(defined, expected * scale, 0.0)
        defined_pairs += defined.mean() * len(at) / len(pairs)
        for found in (np.array([run(*row) for row in rows.tolist()]), _javascript(pullback, rows, tmp_path)):
            np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
            with np.errstate(all="ignore"):
                gap = np.where(defined, found * scale - elasticity, 0.0)
            # Absolute for the elasticities that people see; relative for the huge ones of a cancelled difference.
            assert np.all(np.abs(gap) <= 1e-11 * np.maximum(1.0, np.abs(elasticity)))
    assert defined_pairs > 0.7


def test_elasticities_agree_with_jit(graph_points, tmp_path):
    """Every point, each with a thirtieth of the quantities in turn."""
    points = np.where(np.isnan(graph_points), FILLER, graph_points)
    count = len(pullback_program().outputs)
    _agree_on_elasticities(
        points, [(at, of) for at in range(len(points)) for of in range(at % 30, count, 30)], tmp_path
    )


@pytest.mark.slow
def test_every_elasticity_at_every_point_agrees_with_jit(graph_points, tmp_path):
    points = np.where(np.isnan(graph_points), FILLER, graph_points)
    count = len(pullback_program().outputs)
    _agree_on_elasticities(points, [(at, of) for at in range(len(points)) for of in range(count)], tmp_path)
