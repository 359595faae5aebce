"""Hardware figures: printed ratios typed here from the book, and the whole file against the shared hardware facts."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

import presets

# Ratios that the book prints, with the significant digits it gives: what the dashboard's thresholds stand on.
PRINTED_RATIOS = {
    # slug, numerator, denominator: printed value, significant digits
    ("tpu-v5e", "bf16", "hbm_bandwidth"): (240, 3),
    ("tpu-v5e", "int8", "hbm_bandwidth"): (480, 3),
    ("tpu-v5e", "bf16", "ici_bandwidth"): (2200, 2),
    ("tpu-v5p", "bf16", "ici_bandwidth"): (2550, 4),
    ("tpu-v5p", "int8", "ici_bandwidth"): (5100, 4),
    ("tpu-v5p", "bf16", "dcn_bandwidth"): (73440, 5),
    ("h100", "bf16", "hbm_bandwidth"): (295, 3),
    ("h100", "bf16", "ici_bandwidth"): (2200, 2),
    ("h100-superpod", "bf16", "ici_bandwidth"): (2475, 4),
    ("h800", "bf16", "ici_bandwidth"): (3300, 4),
    ("b200", "bf16", "hbm_bandwidth"): (281, 3),
    ("b200", "fp8", "hbm_bandwidth"): (562, 3),
    ("b200", "bf16", "ici_bandwidth"): (2500, 4),
    ("b200-superpod", "bf16", "ici_bandwidth"): (5625, 4),
}


@pytest.mark.parametrize(("ratio", "printed"), PRINTED_RATIOS.items(), ids=lambda part: "-".join(map(str, part)))
def test_critical_ratio_is_the_printed_one(ratio: tuple[str, str, str], printed: tuple[int, int]) -> None:
    slug, dtype, bandwidth = ratio
    expected, digits = printed
    chip = presets.chip(slug)
    half_a_digit = 0.5 * 10 ** (len(str(expected)) - digits)
    assert abs(chip.peak_flops[dtype].value / chip.figures[bandwidth].value - expected) <= half_a_digit


def test_h100_critical_batch_is_calculated_from_the_figures_of_the_roofline_chapter() -> None:
    h100 = presets.chip("h100")
    assert (h100.peak_flops["bf16"].value, h100.figures["hbm_bandwidth"].value) == (989e12, 3.35e12)


def test_vmem_of_the_v5e_is_22_times_as_fast_as_its_hbm() -> None:
    figures = presets.chip("tpu-v5e").figures
    assert figures["vmem_bandwidth"].value / figures["hbm_bandwidth"].value == pytest.approx(22, abs=0.5)


@pytest.mark.parametrize(
    ("slug", "chips"), [("tpu-v4p", 4096), ("tpu-v5p", 8960), ("h100", 8), ("h100-superpod", 1024), ("gb200-nvl72", 72)]
)
def test_pod_size(slug: str, chips: int) -> None:
    assert presets.chip(slug).figures["pod_chips"].value == chips


@pytest.mark.parametrize("slug", ["tpu-v2", "v100"])
def test_a_chip_without_a_printed_peak_has_none_and_says_why(slug: str) -> None:
    chip = presets.chip(slug)
    assert not chip.peak_flops
    assert "the book prints" in chip.note


# The book's figures by the keys of the shared facts. Fabric and pod of a GPU stand elsewhere: `FABRICS`.
KEYS = {
    "peak_flops.bf16": ("flops_bf16", "flops_bf16_used"),
    "peak_flops.int8": ("ops_int8",),
    "peak_flops.fp8": ("flops_fp8",),
    "peak_flops.fp4": ("flops_fp4",),
    "hbm_capacity": ("hbm_capacity",),
    "hbm_bandwidth": ("hbm_bandwidth",),
    "ici_bandwidth": ("ici_bidi_per_link", "ici_bidi", "nvlink_egress"),
    "ici_axes": ("torus_dims",),
    "pod_chips": ("pod_chips",),
    "dcn_bandwidth": ("dcn_per_chip", "nic"),
    "vmem_capacity": ("vmem",),
    "vmem_bandwidth": ("vmem_bandwidth",),
    "pcie_bandwidth": ("pcie_per_chip",),
    "price_per_chip_hour": ("price",),
}
CHIPS = {
    "tpu-v2": ("tpus", "tpu_v2"),
    "tpu-v3": ("tpus", "tpu_v3"),
    "tpu-v4p": ("tpus", "tpu_v4p"),
    "tpu-v5p": ("tpus", "tpu_v5p"),
    "tpu-v5e": ("tpus", "tpu_v5e"),
    "tpu-v6e": ("tpus", "tpu_v6e"),
    "tpu7x": ("tpus", "tpu7x"),
    "v100": ("gpus", "v100"),
    "a100": ("gpus", "a100"),
    "h100": ("gpus", "h100"),
    "h100-superpod": ("gpus", "h100"),
    "h200": ("gpus", "h200"),
    "h800": ("gpus", "h800"),
    "b200": ("gpus", "b200"),
    "b200-superpod": ("gpus", "b200"),
    "gb200-nvl72": ("gpus", "b200"),
}
# Figures of the fabric, by their path in the shared facts; None where this entry leaves the chip's own figure out.
FABRICS: dict[str, dict[str, tuple[str, ...] | None]] = {
    "a100": {
        "ici_bandwidth": ("gpu_nodes", "a100", "gpu_to_gpu"),
        "pod_chips": ("gpu_nodes", "a100", "gpus_per_node"),
    },
    "h100": {"pod_chips": ("gpu_nodes", "h100", "gpus_per_node")},
    "h100-superpod": {
        "ici_bandwidth": ("gpu_nodes", "h100", "node_egress"),
        "pod_chips": ("h100_superpod", "spine", "gpus"),
        "dcn_bandwidth": None,  # InfiniBand is this entry's own fabric
    },
    "b200": {"pod_chips": ("gpu_nodes", "b200", "gpus_per_node")},
    "b200-superpod": {"ici_bandwidth": ("gpu_nodes", "b200", "node_egress")},
    "gb200-nvl72": {
        "ici_bandwidth": ("gpu_nodes", "gb200_nvl72", "gpu_egress"),
        "pod_chips": ("gpu_nodes", "gb200_nvl72", "gpus_per_node"),
    },
}
# Where the book prints several figures: the chapter whose figure it calculates with.
CALCULATED_WITH = {
    ("h100", "peak_flops.bf16"): "9.89e14",
    ("h100", "hbm_bandwidth"): "3.35TB/s",
    ("h100-superpod", "peak_flops.bf16"): "990e12",
    ("h100-superpod", "hbm_bandwidth"): "3.35TB/s",
    ("b200", "peak_flops.bf16"): "2250e12",
    ("b200-superpod", "peak_flops.bf16"): "2250e12",
    ("gb200-nvl72", "peak_flops.bf16"): "2250e12",
}
AXES_OF_A_SWITCH = (1, "(not printed)", "gpus.md, At the node level")


@pytest.fixture(scope="module")
def book(shared: Path) -> dict[str, Any]:
    return yaml.safe_load((shared / "book" / "hardware.yaml").read_text(encoding="utf-8"))


def every_figure(chip: presets.Chip) -> dict[str, presets.Figure]:
    return {f"peak_flops.{dtype}": figure for dtype, figure in chip.peak_flops.items()} | dict(chip.figures)


def facts(book: dict[str, Any], slug: str) -> dict[str, dict[str, Any]]:
    """The entries of the shared facts that chip `slug` should carry, by our names."""
    family, key = CHIPS[slug]
    row = book[family][key]
    found = {name: row[key] for name, keys in KEYS.items() for key in keys if key in row}
    if "pod_chips" in found:  # derived there from the printed axes
        found["pod_chips"] = row["pod_topology"] | {"value": found["pod_chips"]["value"]}
    for name, path in FABRICS.get(slug, {}).items():
        found.pop(name, None)
        if path:
            node: Any = book
            for step in path:
                node = node[step]
            found[name] = node
    return {name: fact for name, fact in found.items() if fact["value"] is not None}


def printings(fact: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The figure of the rendered edition, then those of other places and of older editions."""
    yield fact
    yield from fact.get("also", [])
    yield from fact.get("older", [])


@pytest.mark.shared
def test_every_chip_of_the_book_is_here(book: dict[str, Any]) -> None:
    assert set(CHIPS) == set(presets.chips())
    assert set(CHIPS.values()) == {(family, key) for family in ("tpus", "gpus") for key in book[family]}
    nodes = {path[1] for fabric in FABRICS.values() for path in fabric.values() if path and path[0] == "gpu_nodes"}
    assert nodes == set(book["gpu_nodes"])


@pytest.mark.shared
@pytest.mark.parametrize("slug", CHIPS)
def test_figures_are_those_of_the_book_and_no_others(book: dict[str, Any], slug: str) -> None:
    expected = {}
    for name, fact in facts(book, slug).items():
        wanted = CALCULATED_WITH.get((slug, name), fact["printed"])
        chosen = next(printing for printing in printings(fact) if printing["printed"] == wanted)
        expected[name] = (chosen["value"], chosen["printed"], f"{chosen['chapter']}, {chosen['section']}")
    if CHIPS[slug][0] == "gpus" and "ici_bandwidth" in expected:
        expected["ici_axes"] = AXES_OF_A_SWITCH
    here = every_figure(presets.chip(slug))
    assert {name: (figure.value, figure.printed, figure.source) for name, figure in here.items()} == expected


@pytest.mark.shared
@pytest.mark.parametrize("slug", CHIPS)
def test_notes_name_every_other_printed_figure(book: dict[str, Any], slug: str) -> None:
    here = every_figure(presets.chip(slug))
    for name, fact in facts(book, slug).items():
        for printing in printings(fact):
            if printing["value"] != here[name].value:
                assert printing["printed"].split()[0] in here[name].note, (name, printing["printed"])


@pytest.mark.shared
def test_no_peak_is_a_sparse_figure(book: dict[str, Any]) -> None:
    sparse = {fact["value"] for row in book["gpus"].values() for key, fact in row.items() if key.endswith("_sparse")}
    dense = {figure.value for chip in presets.chips().values() for figure in chip.peak_flops.values()}
    assert len(sparse) == 2
    assert not sparse & dense
