"""A sweep started from the page: a child process that reports line by line and ends when it is told to, or with us."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dashboard.compiled import cache_folder

ROOT = Path(__file__).resolve().parents[1]


def results_file(plan: str) -> Path:
    """Return where a plan's results are kept: `sweeps/PLAN.sqlite` in the user's cache folder."""
    return cache_folder().parent / "sweeps" / f"{plan}.sqlite"


class Sweeping:
    """One running sweep; `hear` is called in a thread with each report, and at last with `{"state": "ended"}`."""

    def __init__(self, plan: str, hear: Callable[[Mapping[str, Any]], None]) -> None:
        path = results_file(plan)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._hear = hear
        self._child = subprocess.Popen(
            [sys.executable, "-m", "model.lab.child", plan, str(path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Ask the sweep to end; what is finished stays in the file."""
        if self._child.stdin and not self._child.stdin.closed:
            self._child.stdin.close()

    def wait(self, seconds: float) -> None:
        """Wait until the last report was heard."""
        self._thread.join(seconds)

    def _listen(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as lines:
            for line in lines:
                self._hear(json.loads(line))
        code = self._child.wait()
        self.cancel()
        self._hear({"state": "ended", "code": code})
