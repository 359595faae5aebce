"""A browser that has no network, for files opened from disk."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from dashboard.report.document import report
from model.point import resolve

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    """Use the system's Chromium, where there is one."""
    if not CHROMIUM.is_file():
        return browser_type_launch_args
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": QUIET}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict) -> dict:
    """The window that the page is designed for, the network cut."""
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}, "offline": True}


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the opening point, as a file that carries everything."""
    path = tmp_path_factory.mktemp("report") / "page.html"
    path.write_text(report(resolve()), encoding="utf-8")
    return path


@pytest.fixture
def visit(context: BrowserContext, written: Path) -> Iterator[Callable[..., Page]]:
    """A function that opens the file; afterwards nothing may have gone wrong in the browser."""
    faults: list[str] = []

    def opened(query: str = "") -> Page:
        page = context.new_page()
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith("file:") else faults.append(asked.url))
        page.goto(f"file://{written}#{query}")
        page.locator("body[data-ready]").wait_for(timeout=60_000)
        return page

    yield opened
    assert faults == []
