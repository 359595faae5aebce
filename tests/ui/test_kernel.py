"""The kernel page in a browser: a published row loads, the map moves the point, nothing stands in the way."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.ui


def test_a_row_loads_and_a_click_on_the_map_moves(
    visit: Callable[..., Page], barriers: Callable[[Page], list[str]]
) -> None:
    page = visit("v=1&page=kernel")
    page.get_by_role("button", name="base", exact=True).click()
    speedup = page.locator("[data-of=fused_moe_speedup] .number")
    expect(speedup).to_have_text("1.59")
    plot = page.locator(".bk-Figure").first
    plot.click(position={"x": 380, "y": 120})
    expect(speedup).not_to_have_text("1.59")
    page.wait_for_url("**d_model=**")
    expect(page.get_by_text("Nothing here has been timed on our own hardware")).to_be_visible()
    assert page.evaluate("(main => main.scrollHeight <= main.clientHeight)(document.querySelector('main'))")
    assert barriers(page) == []
