"""A long command in a terminal: progress with an ETA on standard error, and Ctrl-C that ends it in order."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from model.lab.sweep import Progress


def clock(seconds: float) -> str:
    """Return a duration as `m:ss`, or `h:mm:ss` from an hour on."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def print_progress(progress: Progress) -> None:
    """Print one line: how far, how long, how long still, and what has just ended."""
    eta = "" if progress.eta_seconds is None or progress.state != "running" else f", {clock(progress.eta_seconds)} left"
    failed = f", {progress.failed} failed" if progress.failed else ""
    far = f"{progress.finished}/{progress.total} runs{failed}, {progress.share:.0%} of the FLOPs"
    print(
        f"{far}, {clock(progress.elapsed_seconds)}{eta}  {progress.last or progress.state}", file=sys.stderr, flush=True
    )


@contextmanager
def stopping_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Give a function that says whether Ctrl-C was pressed; a second one interrupts as usual."""
    pressed = threading.Event()

    def note(_signal: int, _frame: Any) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)
        print("cancelling; what is finished stays in the file", file=sys.stderr, flush=True)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)
