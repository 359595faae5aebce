"""The page of laws in a browser: a table of one's own fitted, its law into the plan, refusals, a phone, axe."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.ui
Visit = Callable[..., Page]
Barriers = Callable[[Page], list[str]]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Nine budgets of seven sizes of L = 1.7 + 420/N^.36 + 900/D^.31, up to 1e24 FLOPs."""
    lines = ["params,flop,loss"]
    for flop in (10 ** (20 + step / 2) for step in range(9)):
        for place in range(7):
            params = 0.09 * flop**0.46 * math.exp(place / 1.5 - 2)
            lines.append(f"{params},{flop},{1.7 + 420 / params**0.36 + 900 / (flop / 6 / params) ** 0.31}")
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(lines))
    return path


def test_a_table_is_fitted_and_its_law_plans(visit: Visit, table: Path) -> None:
    page = visit("v=1&page=laws&law_days=1")
    page.locator("#runs-file").set_input_files(table)
    runs = page.get_by_role("region", name="Runs", exact=True)
    expect(runs.get_by_role("status")).to_contain_text("63 runs, R² 1.000.")
    expect(page.get_by_role("list", name="mine.csv")).to_contain_text("0.463")
    page.get_by_role("button", name="Plan with the law of these runs").click()
    flop = 8960 * 4.59e14 * 86400  # The first point is compute-bound at a matmul efficiency of 1.
    params = (420 * 0.36 / (900 * 0.31)) ** (1 / 0.67) * (flop / 6) ** (0.31 / 0.67)
    loss = 1.7 + 420 / params**0.36 + 900 / (flop / 6 / params) ** 0.31
    expect(page.locator(".tile[data-of=law_optimal_loss] .number")).to_have_text(f"{loss:.2f}")
    page.wait_for_url("**law_alpha=0.36*")
    bad = table.with_name("bad.csv")
    bad.write_text("params,flop\n1,2\n")
    page.locator("#runs-file").set_input_files(bad)
    expect(runs.get_by_role("status")).to_contain_text("bad.csv: no column loss")
    page.get_by_role("combobox", name="Runs").select_option("printed:moe")
    expect(runs.get_by_role("status")).to_contain_text("Printed vertices")
    expect(page.get_by_role("list", name="arithmetic lab, MoE v2")).to_contain_text("0.182")


def test_a_phone_is_not_overflowed_and_nothing_stands_in_the_way(visit: Visit, barriers: Barriers) -> None:
    page = visit("v=1&page=laws")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("region", name="Runs", exact=True).get_by_role("status")).to_contain_text("34 runs, R²")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Dark theme").click()
    assert barriers(page) == []
