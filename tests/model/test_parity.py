"""The parity gate: emitted Python and JavaScript against `jax.jit` of the same graph, values and elasticities."""

import shutil
import subprocess
from pathlib import Path

import jax
import numpy as np
import playwright

from model.emit import emit_javascript, trace
from model.evaluate import FILLER
from model.graph import quantities
from model.knobs import KNOBS
from model.programs import DIFFERENTIATED, pullback_function, pullback_program, scalar_function, values_program

UNFUSED = {
    "xla_disable_hlo_passes": "fusion,cpu-instruction-fusion,multi_output_fusion",
    "xla_backend_optimization_level": 0,
}


def _node() -> str:
    return shutil.which("node") or str(Path(playwright.__file__).parent / "driver" / "node")


def _javascript(function, points: np.ndarray, tmp_path: Path, cotangents: int = 0) -> np.ndarray:
    """Run the emitted JavaScript of `function` under node at points of shape (points, knobs)."""
    source = emit_javascript(trace(function, len(KNOBS) + cotangents), "emitted")
    (tmp_path / "graph.js").write_text(source)
    points.tofile(tmp_path / "points")
    script = Path(__file__).with_name("run_points.mjs")
    files = [str(tmp_path / "graph.js"), str(tmp_path / "points"), str(tmp_path / "result")]
    subprocess.run([_node(), str(script), *files, str(len(KNOBS)), str(cotangents)], check=True, timeout=300)
    return np.fromfile(tmp_path / "result")


def test_every_quantity_agrees_with_jit(graph_points, tmp_path):
    names, function = scalar_function(tuple(quantities()))
    oracle = jax.jit(jax.vmap(function), compiler_options=UNFUSED)
    expected = np.stack([np.asarray(column) for column in oracle(*graph_points.T)], axis=1)
    program = values_program()
    assert program.outputs == names
    python = np.array([program.run(*point) for point in graph_points.tolist()])
    javascript = _javascript(function, graph_points, tmp_path).reshape(expected.shape)
    for found in (python, javascript):
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


def test_every_elasticity_agrees_with_jit(graph_points, tmp_path):
    """(x/y) dy/dx of every quantity and branch by every knob, within 1e-11, at every point."""
    names, pullback = pullback_function()
    points = np.where(np.isnan(graph_points), FILLER, graph_points)
    one_hot = np.eye(len(names))
    by_cotangent = jax.vmap(lambda point, cotangent: pullback(*point, *cotangent), in_axes=(None, 0))
    oracle = jax.jit(jax.vmap(by_cotangent, in_axes=(0, None)), compiler_options=UNFUSED)
    expected = np.stack([np.asarray(column) for column in oracle(points, one_hot)], axis=-1)
    run = pullback_program().run
    python = np.array([[run(*point, *one) for one in one_hot.tolist()] for point in points.tolist()])
    javascript = _javascript(pullback, points, tmp_path, len(names)).reshape(expected.shape)

    outputs = np.array([values_program().run(*point) for point in points.tolist()])
    positions = [list(KNOBS).index(name) for name in DIFFERENTIATED]
    with np.errstate(all="ignore"):
        scale = points[:, None, positions] / outputs[:, :, None]
        defined = np.isfinite(scale) & np.isfinite(expected)
        elasticity = np.where(defined, expected * scale, 0.0)
    assert defined.mean() > 0.9
    for found in (python, javascript):
        np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
        with np.errstate(all="ignore"):
            gap = np.where(defined, found * scale - elasticity, 0.0)
        # Absolute for the elasticities that people see; relative for the huge ones of a nearly cancelled difference.
        assert np.all(np.abs(gap) <= 1e-11 * np.maximum(1.0, np.abs(elasticity)))
