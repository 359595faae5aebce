"""The served page in headless Chromium: knob to last pixel, server CPU an update, page load.

A knob is set as a drag sets it; every later call that draws on a canvas, and every change of the page's text, is noted
with its time. The latency of an update is the last of them, to the frame after it. The same on an empty page (one
text set by script) is the harness's own share, printed beside.
Run: python -m bench.page
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
UPDATES = 40
WITHIN_MS = 240
"""Paints later than this belong to what the inspector finds once the point has rested 250 ms, off the drag path."""
REST_MS = 900
SHARES = [0.45 + 0.2 * ((step * 7) % 20) / 20 for step in range(UPDATES)]
CHROMIUM = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]

WATCH = """
() => {
  window.lastPaint = 0;
  const note = () => { window.lastPaint = performance.now(); };
  for (const name of ["drawImage", "putImageData", "fill", "stroke", "fillRect", "fillText"]) {
    const draw = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...a) { note(); return draw.apply(this, a); };
  }
  const watch = root => {
    new MutationObserver(note).observe(root, {subtree: true, childList: true, characterData: true, attributes: true});
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) watch(element.shadowRoot);
  };
  watch(document);
}
"""

MOVE = """
async ([label, share, within, rest]) => {
  const named = (root, input) => {
    const by = input.getAttribute("aria-labelledby");
    return by ? root.getElementById(by).textContent : input.labels[0].textContent;
  };
  const find = root => {
    for (const input of root.querySelectorAll('input[type="range"]'))
      if (named(root, input).trim().startsWith(label)) return input;
    for (const element of root.querySelectorAll("*")) {
      const found = element.shadowRoot && find(element.shadowRoot);
      if (found) return found;
    }
    return null;
  };
  const slider = find(document);
  const start = performance.now();
  slider.value = Number(slider.min) + share * (Number(slider.max) - Number(slider.min));
  slider.dispatchEvent(new Event("input", {bubbles: true, composed: true}));
  await new Promise(done => setTimeout(done, within));
  const took = window.lastPaint - start;
  await new Promise(done => setTimeout(done, rest));
  return took;
}
"""


def free_port() -> int:
    """Return a loopback port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_seconds(pid: int) -> float:
    """Return the CPU that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quantiles(times: Sequence[float]) -> str:
    """Return median and 95th percentile in words."""
    return f"median {statistics.median(times):6.1f} ms, p95 {sorted(times)[int(0.95 * len(times))]:6.1f} ms"


def latency(page: Page, label: str) -> list[float]:
    """Return the milliseconds of `UPDATES` moves of one slider, back and forth."""
    return [float(page.evaluate(MOVE, [label, share, WITHIN_MS, REST_MS])) for share in SHARES]


def drag(page: Page, server: subprocess.Popen[bytes], label: str) -> float:
    """Return the server's CPU milliseconds an update while a slider moves without rest."""
    before = cpu_seconds(server.pid)
    for share in SHARES:
        page.evaluate(MOVE, [label, share, 0, 100])
    return 1e3 * (cpu_seconds(server.pid) - before) / UPDATES


def empty_page(page: Page) -> list[float]:
    """Return the harness's own milliseconds: a text set in the input's handler, noted by the same watchers."""
    page.set_content('<label>Knob<input type="range" min="0" max="1" step="any"></label><output></output>')
    page.evaluate(
        "() => document.querySelector('input').addEventListener('input', e => "
        "{ document.querySelector('output').textContent = e.target.value; })"
    )
    page.evaluate(WATCH)
    return [time_ for time_ in latency(page, "Knob") if time_ > 0]


def served_page(page: Page, server: subprocess.Popen[bytes], url: str) -> None:
    """Print load time, latency and server CPU of the training page."""
    bytes_in: list[int] = []
    page.on("response", lambda response: bytes_in.append(int(response.headers.get("content-length", 0))))
    start = time.perf_counter()
    page.goto(url)
    page.get_by_text("Step time").first.wait_for()
    print(
        f"  page load to first values   {time.perf_counter() - start:6.2f} s, {len(bytes_in)} responses, "
        f"{sum(bytes_in) / 1e6:.2f} MB with a stated length"
    )
    page.wait_for_timeout(3000)
    page.evaluate(WATCH)
    for label in ("Peak compute", "ICI bandwidth", "Batch"):
        times = [time_ for time_ in latency(page, label) if time_ > 0]
        print(f"  {label:27} {quantiles(times)}, server CPU {drag(page, server, label):5.1f} ms an update")


def main() -> None:
    """Serve, open, drag, print."""
    port = free_port()
    command: list[Any] = [sys.executable, "-m", "panel", "serve", "dashboard", "--port", str(port), "--warm"]
    command += ["--address", "127.0.0.1", "--allow-websocket-origin", f"127.0.0.1:{port}"]
    start = time.perf_counter()
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        print(f"served page, headless Chromium\n  server warm and listening   {time.perf_counter() - start:6.2f} s")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
            print(f"  harness on an empty page    {quantiles(empty_page(browser.new_page()))}")
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script("localStorage.setItem('scalegrad-toured', 'yes')")
            served_page(page, server, f"http://127.0.0.1:{port}/dashboard")
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
