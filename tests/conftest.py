"""Fixtures that every folder of tests shares."""

import os
import pkgutil
from pathlib import Path

import pytest
from beartype import BeartypeConf
from beartype.claw import beartype_packages

# Annotations are checked at run time in every test; an int is a float, as PEP 484 has it. Left out: the kernels and the
# lab, whose JAX and Flax decorators return objects that a wrapped function would hide; formulas, which mix NumPy's
# booleans into numbers; and goal-seek, whose tests hand it wrong words on purpose.
UNCHECKED = {"kernels", "lab", "formula", "seek"}
beartype_packages(
    ["presets"]
    + [
        f"model.{module.name}"
        for module in pkgutil.iter_modules([str(Path(__file__).resolve().parents[1] / "model")])
        if module.name not in UNCHECKED
    ],
    conf=BeartypeConf(is_pep484_tower=True),
)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared facts, which is not part of the project: SCALEGRAD_SHARED, or ../shared beside it."""
    default = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("SCALEGRAD_SHARED", default))
    if not folder.is_dir():
        if os.environ.get("SCALEGRAD_REQUIRE_SHARED"):
            pytest.fail(f"shared facts are required, but {folder} is not a folder; set SCALEGRAD_SHARED")
        pytest.skip("shared facts are not here")
    return folder
