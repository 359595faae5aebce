"""Fixtures that every folder of tests shares."""

import os
from pathlib import Path

import pytest


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
