"""The lab: tiny transformers on arithmetic, trained over a grid of budgets and sizes (needs the extra `lab`)."""

import importlib.util

PACKAGES = ("flax", "optax", "dask", "distributed")
"""What the extra `lab` brings; nothing here loads them until a module of the lab is imported."""


def missing_packages() -> list[str]:
    """Return those of `PACKAGES` that are not installed."""
    return [package for package in PACKAGES if importlib.util.find_spec(package) is None]
