"""The limits in a browser: a convention switched there is the knob, and what is shown follows."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.ui
Visit = Callable[..., Page]
Barriers = Callable[[Page], list[str]]


def test_a_convention_is_switched_and_reset(visit: Visit) -> None:
    page = visit("v=1&page=limits")
    row = page.locator("table.conventions tr[data-knob=recompute]")
    expect(row.locator(".changes")).to_contain_text("step time and training bill +")
    row.get_by_role("combobox").select_option("full")
    expect(row.locator(".changes")).to_contain_text("step time and training bill −")
    page.wait_for_url("**recompute=full**")
    row.get_by_role("button", name="Reset Recompute").click()
    expect(row.get_by_role("combobox")).to_have_value("none")


def test_the_books_choice_arrives(visit: Visit) -> None:
    """Found out beside the page; chapter 7's tables leave the collectives out."""
    page = visit("v=1&page=limits")
    book = page.locator("table.conventions tr[data-knob=inference_comms] .book")
    expect(book).to_contain_text("off", timeout=60_000)
    expect(book).to_contain_text("needed by")


def test_a_mesh_beyond_one_fabric_is_announced(visit: Visit) -> None:
    page = visit("v=1&page=limits&chip=h100")
    expect(page.get_by_role("status").get_by_text("H100 SuperPod")).to_be_visible()
    page.locator("[data-of=decode_step_time]").click()
    expect(page.locator("nav a[aria-current]")).to_have_text("Inference")


def test_nothing_stands_in_the_way(visit: Visit, barriers: Barriers) -> None:
    page = visit("v=1&page=limits&chip=h100&recompute=full")
    expect(page.locator("table.conventions tr[data-knob=recompute] .changes")).to_contain_text("%")
    assert barriers(page) == []
