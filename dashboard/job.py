"""Long work beside the page: a generator run in a thread, its steps shown as they come, and stopped when asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import panel as pn

from model.errors import BadInput

_Step = TypeVar("_Step")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Told(Generic[_Step, _Result]):
    """What a view does with each step, with the result, and with a refusal."""

    step: Callable[[_Step], None]
    done: Callable[[_Result], None]
    refused: Callable[[BadInput], None]


class Job:
    """Runs one piece of work at a time; starting another, or `cancel`, drops the one before.

    Without a document (in a test, in a script) the work is done at once.
    """

    def __init__(self) -> None:
        self._serial = 0

    def start(self, work: Generator[Any, None, Any], told: Told[Any, Any]) -> None:
        """Run `work` to its end, and say what comes on the page's own thread."""
        self.cancel()
        serial, document = self._serial, pn.state.curdoc

        def say(call: Callable[[], None]) -> None:
            if document is None:
                call()
            else:
                document.add_next_tick_callback(lambda: call() if serial == self._serial else None)

        def run() -> None:
            try:
                while serial == self._serial:
                    step = next(work)
                    say(lambda step=step: told.step(step))
            except StopIteration as stop:
                found = stop.value
                say(lambda: told.done(found))
            except BadInput as error:
                fault = error
                say(lambda: told.refused(fault))
            finally:
                work.close()

        if document is None:
            run()
        else:
            threading.Thread(target=run, daemon=True).start()

    def cancel(self) -> None:
        """Drop the work: nothing more of it is said."""
        self._serial += 1
