"""A served page and a browser for the tests that need both."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Response, expect

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90
"""Seconds that a start may take on a busy machine."""

LEFT_BEFORE_THE_ANSWER = re.compile(
    r"[^\n]*Task exception was never retrieved\n"
    r"(?:(?!\d{4}-\d\d-\d\d)[^\n]*\n)*?"
    r"tornado\.websocket\.WebSocketClosedError\n"
)
"""What Tornado logs when a browser leaves while the server writes to it: no fault of the page."""

expect.set_options(timeout=30_000)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def server_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the server says while the tests run."""
    return tmp_path_factory.mktemp("server") / "log.txt"


@pytest.fixture(scope="session")
def served(server_log: Path) -> Iterator[str]:
    """The address of the page, served as a person serves it: `panel serve dashboard`."""
    port = _free_port()
    address = f"http://127.0.0.1:{port}/dashboard"
    command = [sys.executable, "-m", "panel", "serve", "dashboard", "--port", str(port), "--address", "127.0.0.1"]
    origin = ["--allow-websocket-origin", f"127.0.0.1:{port}", "--warm"]
    with (
        server_log.open("w") as log,
        subprocess.Popen([*command, *origin], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT) as server,
    ):
        try:
            _wait_for(address, server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=PATIENCE).close()
        except (URLError, ConnectionError):
            time.sleep(0.2)
        else:
            return
    pytest.fail("the server did not start")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    """Use the system's Chromium, where there is one."""
    chromium = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
    if not chromium.is_file():
        return browser_type_launch_args
    return {**browser_type_launch_args, "executable_path": str(chromium), "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict) -> dict:
    """The window that the page is designed for."""
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}}


@pytest.fixture
def visit(context: BrowserContext, served: str, server_log: Path) -> Iterator[Callable[..., Page]]:
    """A function that opens the page at a query; afterwards nothing may have gone wrong, in browser or server."""
    faults: list[str] = []
    said = server_log.stat().st_size

    def heard(response: Response) -> None:
        if response.status >= 400:
            faults.append(f"{response.status} {response.url}")

    def asked(request: Request) -> None:
        if urlsplit(request.url).hostname not in (None, "127.0.0.1"):
            faults.append(f"asked for {request.url}")

    def opened(query: str = "", *, toured: bool = True) -> Page:
        if toured:
            context.add_init_script("localStorage.setItem('scalegrad-toured', 'yes')")
        page = context.new_page()
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("response", heard)
        page.on("request", asked)
        page.goto(f"{served}?{query}" if query else served)
        page.locator("nav a[aria-current]").wait_for(timeout=PATIENCE * 1000)
        return page

    yield opened
    log = LEFT_BEFORE_THE_ANSWER.sub("", server_log.read_text()[said:])
    faults += [line for line in log.splitlines() if "Traceback" in line or "ERROR" in line or "Error running" in line]
    assert faults == []


@pytest.fixture(scope="session")
def barriers() -> Callable[[Page], list[str]]:
    """A function that lists what axe finds serious or critical on a page: each rule, and where it fails."""
    axe = (files("axe_playwright_python") / "axe.min.js").read_text()

    def found(page: Page) -> list[str]:
        page.evaluate(axe)
        violations = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            f"{barrier['id']}: {[node['target'] for node in barrier['nodes']][:3]}"
            for barrier in violations
            if barrier["impact"] in ("serious", "critical")
        ]

    return found
