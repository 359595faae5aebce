"""The planner against what others printed: the seed's table, and speed-ups measured on a TPU v5e."""

import re
from pathlib import Path

import numpy as np
import pytest

from model.kernels.evidence import (
    block_m_interval,
    compare_speedups,
    fit_ragged_dot_efficiency,
    printed_fits,
    published_speedups,
    whole_weight_need,
)

DECIMAL, BINARY = 12_000_000, 12 * 2**20


@pytest.mark.shared
def test_the_committed_table_is_the_seeds(shared):
    text = (shared / "seeds" / "scaling-laws-lab.txt").read_text(encoding="utf-8")
    header = re.search(r"^D \\ F +(.*)$", text, re.MULTILINE)
    rows = re.findall(r"^(\d+) +((?:O\w+ *){5})$", text, re.MULTILINE)
    assert header is not None
    table = printed_fits()
    assert table.d_ff == tuple(map(int, header[1].split()))
    assert table.d_model == tuple(int(width) for width, _ in rows)
    assert table.fits == tuple(tuple(cell == "OK" for cell in cells.split()) for _, cells in rows)


@pytest.mark.parametrize(("budget", "expected"), [(DECIMAL, (61, 276)), (BINARY, (97, 384))])
def test_the_rule_gives_all_25_cells_for_an_interval_of_block_m(budget, expected):
    """Every block_m is tried; the interval is where no cell is wrong."""
    table = printed_fits()
    printed = np.array(table.fits)
    assert printed.size == 25
    assert printed.sum() == 18
    right = [
        block_m
        for block_m in range(1, 2000)
        if (
            np.array([[whole_weight_need(block_m, d, f) <= budget for f in table.d_ff] for d in table.d_model])
            == printed
        ).all()
    ]
    assert right == list(range(right[0], right[-1] + 1))
    assert (right[0], right[-1]) == block_m_interval(table, budget) == expected


def test_a_budget_that_no_block_explains_is_refused():
    with pytest.raises(ValueError, match="no block_m gives the table"):
        block_m_interval(printed_fits(), 10_000_000)


def test_one_efficiency_is_fitted_to_the_one_row_of_known_shape():
    """By hand: at 16 MiB the kernel makes 71 visits of 256 rows; three dots fill what the speed-up leaves."""
    base = published_speedups()[0]
    fused = 6 * 71 * 256 * 1024 * 4096 / 1.97e14
    dots = 1.59 * fused - 3 * 16384 * 4096 * 2 / 8.2e11
    by_hand = 6 * 16384 * 1024 * 4096 / 1.97e14 / dots
    assert fit_ragged_dot_efficiency(base) == pytest.approx(by_hand, rel=1e-12)
    assert 0.5 < by_hand < 1


def test_errors_on_the_other_rows_are_reported_and_unknown_shapes_left_out():
    rows = published_speedups()
    compared = {each.row.id: each for each in compare_speedups(rows, fit_ragged_dot_efficiency(rows[0]))}
    assert compared["base"].fitted
    assert compared["base"].error == pytest.approx(0, abs=1e-12)
    assert {name for name, each in compared.items() if each.skipped} == {
        "f-sweep-low",
        "f-sweep-high",
        "f-over-d-16",
        "f-over-d-64",
    }
    assert all(each.predicted is None and each.error is None for each in compared.values() if each.skipped)
    assert abs(compared["experts-128"].error) < 0.25
    for bad_tiles in ("d-256", "d-2048"):
        assert compared[bad_tiles].row.assumed
        assert compared[bad_tiles].error > 0, "well-chosen tiles are predicted to beat the reported bad ones"


def test_a_row_without_a_shape_cannot_be_fitted():
    unknown = next(row for row in published_speedups() if row.shape is None)
    with pytest.raises(ValueError, match="widths of the sweep are not reported"):
        fit_ragged_dot_efficiency(unknown)


def test_the_table_of_the_guide_is_what_is_computed():
    guide = (Path(__file__).parents[2] / "docs" / "fused-moe.md").read_text(encoding="utf-8")
    rows = published_speedups()
    named = {"128 experts": "experts-128", "d = 256": "d-256", "d = 2048": "d-2048"}
    for limit, columns, stated in ((16 * 2**20, (4, 5), ".654"), (128 * 2**20, (6, 7), ".693")):
        efficiency = fit_ragged_dot_efficiency(rows[0], limit)
        assert f"{efficiency:.3f}".lstrip("0") == stated
        assert f"{limit // 2**20} MiB, efficiency {stated}" in guide
        compared = {each.row.id: each for each in compare_speedups(rows, efficiency, limit)}
        for name, row in named.items():
            cells = next(line for line in guide.splitlines() if line.startswith(f"| {name} |")).split("|")
            assert float(cells[columns[0]]) == pytest.approx(compared[row].predicted, abs=0.005)
            assert float(cells[columns[1]].replace("%", "")) == pytest.approx(100 * compared[row].error, abs=0.5)
            assert float(cells[3]) == compared[row].row.speedup
