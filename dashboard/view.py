"""What a view and a page are: built once, painted from each new state inside one hold."""

from __future__ import annotations

from typing import Protocol

from panel.viewable import Viewable

from dashboard.session import State


class View(Protocol):
    """One part of a page. It reads a state and writes knobs through the session; it never calls another view."""

    @property
    def body(self) -> Viewable:
        """The Panel object to lay out."""
        ...

    def paint(self, state: State) -> None:
        """Show a new state: write new columns and data, build nothing."""
        ...
