"""The verifier in a browser: filters and rows by keyboard, a row at length, its point loaded, a phone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

import presets

pytestmark = pytest.mark.ui
Visit = Callable[..., Page]
Barriers = Callable[[Page], list[str]]


def _rows(page: Page) -> int:
    return page.locator("tr[data-id]:visible").count()


def test_filters_leave_what_passes_them(visit: Visit) -> None:
    page = visit("v=1&page=verifier")
    statements = presets.statements().values()
    expect(page.get_by_role("status").get_by_text(f"{len(statements)} of {len(statements)} shown")).to_be_visible()
    page.get_by_role("combobox", name="Verdict").select_option("differs")
    assert _rows(page) == sum(statement.verdict == "differs" for statement in statements)
    page.get_by_role("combobox", name="Verdict").select_option("")
    page.get_by_role("combobox", name="Chapter").select_option("5 Training")
    assert _rows(page) == sum(statement.chapter == "5 Training" for statement in statements)
    page.get_by_role("searchbox", name="Search", exact=True).fill("training-dp-threshold-3axes")
    expect(page.locator("tr[data-id]:visible")).to_have_count(1)


def test_a_row_opens_by_keyboard_and_its_point_loads(visit: Visit) -> None:
    page = visit("v=1&page=verifier")
    page.get_by_role("searchbox", name="Search", exact=True).fill("inference-tab-mha")
    first = page.locator("tr[data-id]:visible .open").first
    first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(first).to_have_attribute("aria-expanded", "true")
    detail = page.get_by_role("complementary", name="The open statement")
    expect(detail.get_by_role("heading", level=2)).to_have_text(first.inner_text())
    expect(detail.locator("[data-name=n_kv_heads]")).to_contain_text("40")
    expect(detail.get_by_role("link")).to_have_attribute(
        "href", "https://jax-ml.github.io/scaling-book/inference/#modeling-throughput-and-latency-for-llama-2-13b"
    )
    detail.get_by_role("button", name="Load this point in Inference").click()
    expect(page.locator("nav a[aria-current]")).to_have_text("Inference")
    page.wait_for_url("**model=llama-2-13b**")


def test_on_a_phone_the_statement_opens_below_its_row(visit: Visit) -> None:
    page = visit("v=1&page=verifier")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("complementary", name="The open statement")).to_be_hidden()
    row = page.locator("tr[data-id]:visible").nth(1)
    row.get_by_role("button").click()
    detail = page.get_by_role("complementary", name="The open statement")
    expect(detail.get_by_role("heading", level=2)).to_have_text(row.get_by_role("button").inner_text())
    above, below = row.bounding_box(), detail.bounding_box()
    assert above is not None
    assert below is not None
    assert below["y"] == pytest.approx(above["y"] + above["height"], abs=4)
    assert below["x"] + below["width"] <= 390
    detail.get_by_role("button", name="Close the statement").click()
    expect(detail).to_be_hidden()


def test_nothing_stands_in_the_way(visit: Visit, barriers: Barriers) -> None:
    page = visit("v=1&page=verifier")
    page.get_by_role("button", name="Dark theme").click()
    page.get_by_role("searchbox", name="Search", exact=True).fill("published")
    assert barriers(page) == []
