"""Models that the tests of counting share."""

import json
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PUBLISHED = tomllib.loads((HERE / "published.toml").read_text())["model"]
LIBRARY = [json.loads(line) for line in (HERE / "library.jsonl").read_text().splitlines()]


def _nulls(value):
    """TOML has no null: the word stands for it."""
    if isinstance(value, dict):
        return {k: _nulls(v) for k, v in value.items()}
    return None if value == "null" else value


def pytest_generate_tests(metafunc):
    if "published" in metafunc.fixturenames:
        metafunc.parametrize("published", PUBLISHED, ids=[m["name"] for m in PUBLISHED])
    if "library" in metafunc.fixturenames:
        ids = [f"{row['config']['model_type']}-{i % 2}" for i, row in enumerate(LIBRARY)]
        metafunc.parametrize("library", LIBRARY, ids=ids)


@pytest.fixture
def config():
    """A fresh configuration of the published table, by name, with changes."""

    def build(name, **changes):
        (model,) = [m for m in PUBLISHED if m["name"] == name]
        return {**_nulls(model["config"]), **changes}

    return build


@pytest.fixture(scope="session")
def library_configs():
    """The small configurations of every class of the library."""
    return [row["config"] for row in LIBRARY]
