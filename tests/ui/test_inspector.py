"""The inspector, the table of elasticities and goal-seek in a browser."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.ui

Visit = Callable[..., Page]
TRAPPED = """() => {
    let at = document.activeElement
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
    return at === document.body || at.closest('dialog') != null
}"""
"""Whether the keyboard focus is in a dialog, or in the browser's own bar."""
COLUMN = """(dialog, knob) => {
    const heads = [...dialog.querySelectorAll('thead th')]
    const at = heads.findIndex((head) => head.querySelector(`[data-by=${knob}]`))
    const cells = [...dialog.querySelectorAll('tbody tr')].map((row) => row.children[at]?.textContent ?? '0')
    return cells.filter((text) => /^[−+]?[0-9.]+$/.test(text))
}"""
"""The numbers of one column, downwards."""


def test_the_short_form_tells_and_nothing_scrolls_or_jumps(visit: Visit) -> None:
    page = visit("page=training")
    short = page.get_by_role("region", name="Inspector")
    expect(short.get_by_text("TP-bound at").first).to_be_visible()
    expect(short.locator(".worth")).to_contain_text("saves 1.66")
    assert page.evaluate("(e => e.scrollHeight <= e.clientHeight)(document.querySelector('main'))")
    before = short.bounding_box()
    page.get_by_role("textbox", name="Peak compute").fill("500T")
    page.get_by_role("textbox", name="Peak compute").press("Enter")
    expect(short.locator(".found")).to_have_attribute("aria-busy", "true")
    assert short.bounding_box() == pytest.approx(before, abs=1)  # A line of dots and a line of text round apart.
    expect(short.locator(".found")).not_to_have_attribute("aria-busy", "true")
    assert short.bounding_box() == pytest.approx(before, abs=1)  # A line of dots and a line of text round apart.


def test_the_drawer_walks_down_the_graph_and_closes_with_escape(visit: Visit) -> None:
    page = visit("page=training")
    more = page.get_by_role("button", name="More", exact=True)
    more.click()
    drawer = page.get_by_role("dialog", name="Inspector")
    expect(drawer.get_by_text("Compute-bound.")).to_be_visible()
    drawer.locator(".input[data-of=layer_time]").click()
    drawer.locator(".input[data-of=forward_time]").click()
    expect(drawer.get_by_role("heading", name="Forward time, a layer")).to_be_focused()
    expect(drawer.locator(".formula .binds")).to_have_text("Tmath,fwd")
    expect(drawer.locator(".branch[data-of='forward_time:tp'] .note")).to_have_text("1.33× slack")
    expect(drawer.locator(".reaches [data-knob=peak_flops]").first).to_contain_text("TP-bound at")
    for _ in range(60):
        page.keyboard.press("Tab")
        assert page.evaluate(TRAPPED)
    drawer.get_by_role("button", name="Layer time").first.click()
    expect(drawer.get_by_role("heading", name="Layer time")).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(more).to_be_focused()
    expect(page).to_have_url(re.compile("focus=layer_time"))


def test_the_table_sorts_filters_saves_and_sets_the_focus(visit: Visit, tmp_path: Path) -> None:
    page = visit("page=training&ici_bandwidth=20000000000")
    page.get_by_role("button", name="All elasticities").click()
    table = page.get_by_role("dialog", name="All elasticities")
    table.locator("[data-by=ici_bandwidth]").click()
    expect(table.locator("th[aria-sort=descending]")).to_have_count(1)
    sizes = [abs(float((text or "0").replace("−", "-"))) for text in table.evaluate(COLUMN, "ici_bandwidth")]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) > 0.9
    with page.expect_download() as saved:
        table.get_by_role("button", name="CSV").click()
    lines = Path(saved.value.path()).read_text().splitlines()
    assert lines[0].startswith("quantity,unit,value,peak_flops")
    with page.expect_download() as saved:
        table.get_by_role("button", name="JSON").click()
    rows = json.loads(Path(saved.value.path()).read_text())
    assert len(rows) == len(lines) - 1
    assert next(row for row in rows if row["quantity"] == "train_cost")["elasticities"][
        "price_per_chip_hour"
    ] == pytest.approx(1)
    table.get_by_role("searchbox").fill("training bill")
    expect(table.locator("tbody tr")).to_have_count(1)
    table.get_by_role("button", name="Training bill").click()
    expect(table).to_be_hidden()
    expect(page.get_by_role("heading", name="What moves training bill")).to_be_visible()


def test_goal_seek_reaches_applies_and_undoes(visit: Visit) -> None:
    page = visit("page=seek&matmul_efficiency=0.41")
    value = page.get_by_role("combobox", name="Value")
    value.fill("Time to train")
    value.press("Enter")
    expect(page.get_by_role("region", name="Question").get_by_text("now 44.6").first).to_be_visible()
    page.get_by_label("Wanted").fill("30 days")
    page.get_by_label("Wanted").press("Enter")
    answer = page.get_by_role("region", name="Answer")
    expect(answer.get_by_text("Reached.", exact=True)).to_be_visible(timeout=60_000)
    expect(answer.locator("tr[data-of=data_shards] td").last).to_have_text("1,665")
    answer.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("textbox", name="Data shards")).to_have_value("1,665")
    expect(answer.get_by_text("Applied; undo takes it back.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("textbox", name="Data shards")).to_have_value("1,120")


def test_goal_seek_says_why_it_is_stuck(visit: Visit) -> None:
    page = visit("page=seek&matmul_efficiency=0.41")
    page.get_by_label("Wanted").fill("60 %")
    page.get_by_role("button", name="Search").click()
    answer = page.get_by_role("region", name="Answer")
    expect(answer.get_by_text("Not reached.")).to_be_visible(timeout=60_000)
    expect(answer.get_by_text("comes no nearer")).to_contain_text("compute-bound")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_serious_bars_the_way(visit: Visit, barriers: Callable[[Page], list[str]], theme: str) -> None:
    page = visit("page=training")
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("dialog", name="Inspector").get_by_text("TP-bound at").first).to_be_visible()
    assert barriers(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="All elasticities").click()
    expect(page.locator("tr.focus")).to_be_visible()
    assert barriers(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Goal-seek").click()
    page.get_by_label("Wanted").fill("35 %")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("Reached.", exact=True)).to_be_visible(timeout=60_000)
    assert barriers(page) == []
