"""Reads `chips.toml` and `models.toml`, and refuses a bad entry with one line that says what, where and the mend."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from presets.table import PresetError, Range, Table, entries


@dataclass(frozen=True)
class Figure:
    """One hardware figure.

    `value` is in the unit of `FIGURES`, `printed` is how the book writes it, `source` is the book's chapter and
    section, and `note` names other figures printed for the same thing, or what to know before using this one.
    """

    value: float
    printed: str
    source: str
    note: str = ""


@dataclass(frozen=True)
class Chip:
    """The printed figures of one chip; what the book does not print is absent.

    `peak_flops` maps a compute dtype to the dense peak in FLOP/s, `figures` maps the other names of `FIGURES`.
    """

    slug: str
    name: str
    edition: str
    peak_flops: Mapping[str, Figure]
    figures: Mapping[str, Figure]
    note: str = ""


@dataclass(frozen=True)
class Model:
    """The dimensions of one transformer, by the names of `DIMENSIONS` and `ARCHITECTURE`.

    `published_params` is the count that a vendor or a paper gives, where one is known.
    """

    slug: str
    name: str
    source: str
    dimensions: Mapping[str, float | int | bool | str]
    published_params: int | None = None
    published_source: str = ""


COMPUTE_DTYPES = ("bf16", "int8", "fp8", "fp4")
PEAK_FLOPS = Range("FLOP/s", 1e12, 1e17)
FIGURES: Mapping[str, Range] = MappingProxyType(
    {
        "hbm_capacity": Range("B", 1e9, 1e13),
        "hbm_bandwidth": Range("B/s", 1e11, 1e14),
        "ici_bandwidth": Range("B/s", 1e10, 1e13),
        "ici_axes": Range("axes", 1, 6, whole=True),
        "pod_chips": Range("chips", 1, 1e6, whole=True),
        "dcn_bandwidth": Range("B/s", 1e8, 1e12),
        "vmem_capacity": Range("B", 1e6, 1e10),
        "vmem_bandwidth": Range("B/s", 1e12, 1e15),
        "pcie_bandwidth": Range("B/s", 1e9, 1e12),
        "price_per_chip_hour": Range("USD/hour", 0.01, 1000),
    }
)
DIMENSIONS: Mapping[str, Range | type[bool]] = MappingProxyType(
    {
        "n_layers": Range("layers", 1, 10_000, whole=True),
        "d_model": Range("elements", 1, 1e6, whole=True),
        "d_ff": Range("elements", 1, 1e7, whole=True),
        "n_heads": Range("heads", 1, 1e5, whole=True),
        "n_kv_heads": Range("heads", 1, 1e5, whole=True),
        "d_head": Range("elements", 1, 1e5, whole=True),
        "vocab_size": Range("tokens", 1, 1e7, whole=True),
        "mlp_matrices": Range("matrices", 2, 3, whole=True),
        "tied_embeddings": bool,
        "parallel_block": bool,
    }
)
ARCHITECTURE: Mapping[str, Range | tuple[str, ...]] = MappingProxyType(
    {
        "n_experts": Range("experts", 2, 8192, whole=True),
        "active_experts": Range("experts", 1, 1024, whole=True),
        "shared_experts": Range("experts", 0, 64),
        "d_expert": Range("elements", 1, 1e7, whole=True),
        "dense_layers": Range("layers", 0, 10_000, whole=True),
        "window_layers": Range("layers", 1, 10_000, whole=True),
        "window": Range("tokens", 1, 1e8, whole=True),
        "attention_kind": ("latent",),
        "kv_rank": Range("elements", 1, 1e5, whole=True),
        "q_rank": Range("elements", 0, 1e5, whole=True),
        "rope_dim": Range("elements", 0, 1e4, whole=True),
        "d_value": Range("elements", 1, 1e5, whole=True),
    }
)
TOGETHER = (
    ("n_experts", "active_experts", "d_expert"),
    ("window_layers", "window"),
    ("attention_kind", "kv_rank", "q_rank", "rope_dim", "d_value"),
)
"""Keys that mean something only together: a model has all of a row or none."""
PUBLISHED_PARAMS = Range("parameters", 1e5, 1e14, whole=True)


def _figure(table: Table, allowed: Range) -> Figure:
    table.permit(("value", "printed", "source"), ("note",))
    return Figure(table.number("value", allowed), table.text("printed"), table.text("source"), table.text("note"))


def _chip(slug: str, table: Table) -> Chip:
    table.permit(("name", "edition"), ("note", "peak_flops", *FIGURES))
    peaks: dict[str, Figure] = {}
    if "peak_flops" in table.content:
        by_dtype = table.at("peak_flops")
        by_dtype.permit((), COMPUTE_DTYPES)
        peaks = {dtype: _figure(by_dtype.at(dtype), PEAK_FLOPS) for dtype in by_dtype.content}
    figures = {key: _figure(table.at(key), allowed) for key, allowed in FIGURES.items() if key in table.content}
    return Chip(
        slug=slug,
        name=table.text("name"),
        edition=table.text("edition"),
        peak_flops=MappingProxyType(peaks),
        figures=MappingProxyType(figures),
        note=table.text("note"),
    )


def _architecture(table: Table) -> dict[str, float | int | str]:
    for keys in TOGETHER:
        given = [key for key in keys if key in table.content]
        if given and len(given) < len(keys):
            missing = ", ".join(key for key in keys if key not in given)
            raise PresetError(f"{table.where}.{given[0]}: goes together with {missing}; give all or none")
    found: dict[str, float | int | str] = {}
    for key, kind in ARCHITECTURE.items():
        if key in table.content:
            found[key] = table.number(key, kind) if isinstance(kind, Range) else table.one_of(key, kind)
    return found


def _model(slug: str, table: Table) -> Model:
    table.permit(("name", "source", *DIMENSIONS), ("published_params", "published_source", *ARCHITECTURE))
    dimensions: dict[str, float | int | bool | str] = {
        key: table.number(key, kind) if isinstance(kind, Range) else table.flag(key) for key, kind in DIMENSIONS.items()
    }
    dimensions |= _architecture(table)
    if int(dimensions["n_heads"]) % int(dimensions["n_kv_heads"]):
        raise PresetError(
            f"{table.where}.n_kv_heads: {dimensions['n_kv_heads']} does not divide n_heads {dimensions['n_heads']}"
        )
    has_count = "published_params" in table.content
    if has_count != ("published_source" in table.content):
        raise PresetError(f"{table.where}: published_params and published_source go together; give both or neither")
    return Model(
        slug=slug,
        name=table.text("name"),
        source=table.text("source"),
        dimensions=MappingProxyType(dimensions),
        published_params=int(table.number("published_params", PUBLISHED_PARAMS)) if has_count else None,
        published_source=table.text("published_source"),
    )


def parse_chips(text: str, file: str = "chips.toml") -> Mapping[str, Chip]:
    """The chips of a TOML text by slug; raises `PresetError` at its first fault, naming `file`, entry and key."""
    return MappingProxyType({slug: _chip(slug, table) for slug, table in entries(text, file).items()})


def parse_models(text: str, file: str = "models.toml") -> Mapping[str, Model]:
    """The models of a TOML text by slug; raises `PresetError` at its first fault, naming `file`, entry and key."""
    return MappingProxyType({slug: _model(slug, table) for slug, table in entries(text, file).items()})


def _packaged(file: str) -> str:
    return resources.files("presets").joinpath(file).read_text(encoding="utf-8")


@cache
def chips() -> Mapping[str, Chip]:
    """Every chip of `chips.toml` by slug, in the order of the file."""
    return parse_chips(_packaged("chips.toml"))


@cache
def models() -> Mapping[str, Model]:
    """Every model of `models.toml` and `sparse.toml` by slug, in the order of the files."""
    files = ("models.toml", "sparse.toml")
    return MappingProxyType(
        {slug: found for file in files for slug, found in parse_models(_packaged(file), file).items()}
    )


def chip(slug: str) -> Chip:
    """The chip of that slug; raises `PresetError` naming near matches."""
    if slug not in chips():
        raise PresetError(_no_such("chip", slug, chips()))
    return chips()[slug]


def model(slug: str) -> Model:
    """The model of that slug; raises `PresetError` naming near matches."""
    if slug not in models():
        raise PresetError(_no_such("model", slug, models()))
    return models()[slug]


def _no_such(kind: str, slug: str, known: Iterable[str]) -> str:
    slugs = list(known)
    asked = slug.lower()
    longer = sorted(known_slug for known_slug in slugs if asked and asked in known_slug)
    near = longer or difflib.get_close_matches(asked, slugs)
    mend = f"did you mean {', '.join(near)}?" if near else f"known: {', '.join(slugs)}"
    return f"no {kind} {slug!r}; {mend}"
