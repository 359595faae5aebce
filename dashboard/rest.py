"""Work that waits until the point rests, and then runs beside the page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import panel as pn

REST = 250
"""ms without another request after which work starts."""

_Found = TypeVar("_Found")


class Rest:
    """Keeps the latest request of one view; a newer one cancels it, even while it runs.

    Without a document (in a test, in a script) nothing waits and nothing runs by itself: see `finish`.
    """

    def __init__(self) -> None:
        self._timer: Callable[[], None] | None = None
        self._pending: Callable[[], None] | None = None
        self._serial = 0

    def ask(self, work: Callable[[], _Found], show: Callable[[_Found], None]) -> None:
        """Run `work` in a thread once nothing else was asked for `REST` ms, then `show` what it found on the page."""
        self.cancel()
        serial, document = self._serial, pn.state.curdoc
        if document is None:
            self._pending = lambda: show(work())
            return

        def deliver(found: _Found) -> None:
            if serial == self._serial:
                show(found)

        def run() -> None:
            found = work()
            document.add_next_tick_callback(lambda: deliver(found))

        def start() -> None:
            self._timer = None
            threading.Thread(target=run, daemon=True).start()

        def wait() -> None:
            if serial == self._serial:
                timer: Any = document.add_timeout_callback(start, REST)
                self._timer = lambda: document.remove_timeout_callback(timer)

        if pn.state.loaded:
            wait()
        else:
            pn.state.onload(wait)  # What is shown before the browser is there does not reach it.

    def cancel(self) -> None:
        """Forget what was asked for: its result will not be shown."""
        self._serial += 1
        self._pending = None
        if self._timer is not None:
            self._timer()
            self._timer = None

    def finish(self) -> None:
        """Do at once what waits, where there is no document to wait on."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending()
