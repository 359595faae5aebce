"""An HTML piece of the page: data travel down, messages travel up.

Panel's own extension point for small pieces of HTML. Native inputs, tables and buttons in one model a piece keep the
document small: a redraw costs what the whole document holds, and a message skips the 50 ms that Panel waits for a
widget's next value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

STATIC = Path(__file__).parent / "static"


class Component(JSComponent):
    """Base of every piece: subclasses name an ES module whose `render` paints `model.data` and calls `model.send_msg`.

    The module repaints on `model.on("change:data", ...)`; its messages arrive at `on_message`, if one was given.
    """

    data = param.Dict({}, doc="All that the piece shows: JSON, no NaN.")

    _stylesheets: ClassVar[list[str]] = [str(STATIC / "theme.css")]

    def __init__(self, on_message: Callable[[Mapping[str, Any]], None] | None = None, **params: Any) -> None:
        super().__init__(**params)
        self._on_message = on_message

    def _handle_msg(self, data: Any) -> None:
        if self._on_message is not None:
            self._on_message(data)
