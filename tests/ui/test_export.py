"""Export in a browser: the file that comes down opens at the point that was on the page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.ui


def test_the_exported_file_computes_what_the_page_showed(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit("peak_flops=3e14")
    with page.expect_download(timeout=120_000) as waiting:
        page.get_by_role("button", name="Export as one file").click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    shown = page.locator(".tile .number").first.text_content()
    exported = page.context.new_page()
    exported.goto(f"file://{path}")
    exported.locator("body[data-ready]").wait_for(timeout=60_000)
    assert exported.evaluate("window.scalegrad.point.values.peak_flops") == 3e14
    assert exported.locator(".tile .number").first.text_content() == shown
