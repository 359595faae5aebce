"""An HTML piece of the page: data travel down, messages travel up.

Panel's own extension point for small pieces of HTML. Native inputs, tables and buttons in one model a piece keep the
document small: a redraw costs what the whole document holds, and a message skips the 50 ms that Panel waits for a
widget's next value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

FOLDER = Path(__file__).parent / "components"


class Component(JSComponent):
    """Base of every piece: a subclass has an ES module and a style sheet of its own name in `components/`.

    The module's `render` builds the piece from `model.spec`, paints `model.data`, repaints on
    `model.on("change:data", ...)` and calls `model.send_msg`; its messages arrive at `on_message`, if one was given.
    Each module starts with `kit.js`, each style sheet with `kit.css`.
    """

    spec = param.Dict({}, doc="What never changes: labels, options. JSON, no NaN.")
    data = param.Dict({}, doc="All that the piece shows now. JSON, no NaN.")

    def __init__(self, on_message: Callable[[Mapping[str, Any]], None] | None = None, **params: Any) -> None:
        styles = [(FOLDER / name).read_text(encoding="utf-8") for name in ("kit.css", f"{self._piece()}.css")]
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, "stylesheets": styles, **params})
        self._on_message = on_message

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        modules = (FOLDER / name for name in ("kit.js", f"{cls._piece()}.js"))
        cls._esm = "\n".join(module.read_text(encoding="utf-8") for module in modules)

    @classmethod
    def _piece(cls) -> str:
        return cls.__module__.rpartition(".")[2]

    def _handle_msg(self, data: Any) -> None:
        if self._on_message is not None:
            self._on_message(data)
