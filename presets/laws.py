"""Scaling laws as printed: surfaces, exponents, the small lab's tables and grids, and mixture-of-experts parameters."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class PrintedSurface:
    """Coefficients of L = E + A/N^alpha + B/D^beta, in nats."""

    source: str
    E: float
    A: float
    B: float
    alpha: float
    beta: float


@dataclass(frozen=True)
class PrintedExponent:
    """The exponent a of N_opt in C, with its printed interval where there is one."""

    source: str
    a: float
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True)
class LabTable:
    """A table of isoflop vertices as printed: one mapping of `columns` a budget, and the exponents stated beside it."""

    source: str
    surface: str
    stated_exponents: Mapping[str, float]
    rows: tuple[Mapping[str, float], ...]


@dataclass(frozen=True)
class LabGrid:
    """A grid of runs as stated (`sizes` is a range of counts) and as listed; `sizes` is empty if only a range is."""

    source: str
    kind: str
    stated: Mapping[str, Any]
    budgets: tuple[float, ...]
    sizes: tuple[float, ...]
    size_range: tuple[float, float]


@dataclass(frozen=True)
class PrintedLaws:
    """All of `laws.toml`, by slug."""

    surfaces: Mapping[str, PrintedSurface]
    exponents: tuple[PrintedExponent, ...]
    tables: Mapping[str, LabTable]
    grids: Mapping[str, LabGrid]
    clark: Mapping[str, Mapping[str, float]]
    krajewski: Mapping[str, Mapping[str, float]]
    abnar: Mapping[str, Mapping[str, float]]


@cache
def printed_laws() -> PrintedLaws:
    """The packaged file, read once."""
    content = tomllib.loads(resources.files("presets").joinpath("laws.toml").read_text(encoding="utf-8"))
    return PrintedLaws(
        surfaces=_frozen({slug: PrintedSurface(**entry) for slug, entry in content["surface"].items()}),
        exponents=tuple(PrintedExponent(**entry) for entry in content["exponent"]),
        tables=_frozen({slug: _table(entry) for slug, entry in content["lab"].items()}),
        grids=_frozen({slug: _grid(entry) for slug, entry in content["grid"].items()}),
        **{family: _parameters(content[family]) for family in ("clark", "krajewski", "abnar")},
    )


@cache
def shipped_runs() -> Mapping[str, str]:
    """The tables of runs that come with the package, as CSV text by slug; each says in its first line what it is."""
    folder = resources.files("presets").joinpath("runs")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".csv"))
    return _frozen({name.removesuffix(".csv"): folder.joinpath(name).read_text(encoding="utf-8") for name in names})


def _frozen(entries: dict[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(entries)


def _parameters(family: dict[str, dict[str, Any]]) -> Mapping[str, Mapping[str, float]]:
    return _frozen(
        {
            slug: _frozen({key: value for key, value in entry.items() if key != "source"})
            for slug, entry in family.items()
        }
    )


def _table(entry: dict[str, Any]) -> LabTable:
    rows = tuple(_frozen(dict(zip(entry["columns"], row, strict=True))) for row in entry["rows"])
    return LabTable(entry["source"], entry["surface"], _frozen(entry["stated_exponents"]), rows)


def _grid(entry: dict[str, Any]) -> LabGrid:
    sizes = tuple(entry.get("sizes", ()))
    low, high = entry.get("size_range", (min(sizes, default=0.0), max(sizes, default=0.0)))
    return LabGrid(
        entry["source"], entry["kind"], _frozen(entry["stated"]), tuple(entry["budgets"]), sizes, (low, high)
    )
