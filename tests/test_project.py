"""The project's own rules: two lists of dependencies that agree, floors with arrows only downwards."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
FLOORS = ("presets", "model", "dashboard", "scalegrad")


def test_environment_yml_lists_what_pyproject_lists():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    pip = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert environment["name"] == project["name"]
    assert [line for line in pip if line != "-e ."] == project["dependencies"]
    assert f"python{project['requires-python']}" in environment["dependencies"]


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any(node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)), f"relative in {path}"
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize(
    ("floor", "forbidden"),
    [
        ("presets", {"model", "dashboard", "scalegrad", "jax", "panel", "bokeh", "holoviews"}),
        ("model", {"dashboard", "scalegrad", "panel", "panel_material_ui", "bokeh", "holoviews"}),
        ("dashboard", {"scalegrad"}),
    ],
)
def test_floors_import_only_downwards(floor, forbidden):
    for path in (ROOT / floor).rglob("*.py"):
        assert not _imports(path) & forbidden, path


def test_no_module_is_long_and_none_is_called_after_nothing():
    for path in (path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")):
        assert len(path.read_text().splitlines()) <= 500, path
        assert not re.fullmatch(r"(utils?|helpers?|misc|common)\.py", path.name), path


def test_a_users_own_model_module_is_not_shadowed(tmp_path):
    """`import scalegrad` from a folder that holds a model.py finds the package's own modules."""
    (tmp_path / "model.py").write_text("raise RuntimeError('the wrong model')\n")
    import subprocess
    import sys

    code = "import sys; sys.path.append(''); import scalegrad; print(scalegrad.values(of=['mfu'])['values'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "mfu" in done.stdout, done.stderr
