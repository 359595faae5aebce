"""A browser that has no network, for files opened from disk."""

import os
from pathlib import Path

import pytest

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
