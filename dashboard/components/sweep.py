"""The sweep that runs beside the page: which grid, how far it is, how long still, and a way to cancel it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import panel as pn

from dashboard.component import Component
from dashboard.sweeping import Sweeping
from model.lab import missing_packages

PLANS = (
    ("quick", "Quick: 15 small dense models"),
    ("default", "Default: 56 dense models"),
    ("moe", "Dense and MoE: 36 models"),
)
"""Grids that a page may start, each with its words."""

_LINES = 4
"""Ended runs that stay listed."""

_ENDS = {
    "finished": "Finished",
    "cancelled": "Cancelled; start it again to go on",
    "failed": "Ended, with runs that failed",
}


class SweepPanel(Component):
    """`spec`: `plans`, each a name and words, and `missing`, a line where no sweep can run.

    `data`: `running`, `share`, `words`, `lines`, `refused`. Sends `start` with a `plan`, and `cancel`.
    """


class SweepRunner:
    """Starts a sweep in a process of its own and tells how it goes; `advanced(plan, ended)` is called on the page.

    A visitor who leaves cancels the sweep; its finished runs stay, and the next start goes on from there.
    """

    def __init__(self, advanced: Callable[[str, bool], None]) -> None:
        self._advanced = advanced
        self._sweeping: Sweeping | None = None
        self._plan, self._state = "", ""
        self._lines: deque[str] = deque(maxlen=_LINES)
        missing = missing_packages()
        said = (
            f"A sweep needs {', '.join(missing)}, not installed here: pip install 'scalegrad[lab]'." if missing else ""
        )
        self.body = SweepPanel(self._hear, spec={"plans": [list(plan) for plan in PLANS], "missing": said})
        self._show(None, "")

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message["kind"] == "cancel" and self._sweeping:
            self._sweeping.cancel()
        elif message["kind"] == "start" and not self._sweeping and message["plan"] in dict(PLANS):
            self._start(message["plan"])

    def _start(self, plan: str) -> None:
        document = pn.state.curdoc
        self._plan, self._state = plan, ""
        self._lines.clear()

        def hear(report: Mapping[str, Any]) -> None:
            if document is None:
                self.report(report)
            else:
                document.add_next_tick_callback(lambda: self.report(report))

        sweeping = self._sweeping = Sweeping(plan, hear)
        if document is not None:
            document.on_session_destroyed(lambda _: sweeping.cancel())
        self._show(0.0, "Starting…")

    def report(self, report: Mapping[str, Any]) -> None:
        """Show one report of the running sweep."""
        if "refused" in report:
            self._state = "refused"
            self._show(None, report["refused"], refused=True)
        elif report["state"] == "ended":
            self._sweeping = None
            self._end(report["code"])
        else:
            self._state = report["state"]
            if report["last"]:
                self._lines.appendleft(report["last"])
            self._show(report["share"], _words(report))
            if report["last"]:
                self._advanced(self._plan, False)

    def _end(self, code: int) -> None:
        shown = self.body.data
        if self._state == "refused":
            self._show(None, shown["words"], refused=True)
            return
        if self._state not in _ENDS:
            self._show(None, f"The sweep ended by itself (exit code {code}); start it again to go on.", refused=True)
            return
        self._show(shown["share"], f"{_ENDS[self._state]}. {shown['words']}")
        self._advanced(self._plan, True)

    def _show(self, share: float | None, words: str, *, refused: bool = False) -> None:
        self.body.data = {
            "running": self._sweeping is not None,
            "share": share,
            "words": words,
            "refused": refused,
            "lines": list(self._lines),
        }


def _words(report: Mapping[str, Any]) -> str:
    far = f"{report['finished']} of {report['total']} runs, {report['share']:.0%} of the FLOPs"
    failed = f", {report['failed']} failed" if report["failed"] else ""
    eta = report["eta_seconds"]
    if report["state"] == "starting":
        return f"{far}; starting two workers…"
    return f"{far}{failed}" + (f"; {_minutes(eta)} left" if eta is not None and report["state"] == "running" else "")


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
