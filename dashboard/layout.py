"""How a page's parts stand: a CSS grid with named areas, one column where the window is narrow."""

from __future__ import annotations

from collections.abc import Mapping

import panel as pn
from panel.viewable import Viewable

from dashboard.session import State
from dashboard.view import View


class Board:
    """A page made of views: each stands in its area, and all are painted from one state.

    Args:
        views: the view of each area, in the reading order (and the order on a narrow window).
        areas: the rows of CSS `grid-template-areas`; a hairline stands above the second and the third.
        columns: the value of CSS `grid-template-columns`.
    """

    def __init__(self, views: Mapping[str, View], *, areas: tuple[str, ...], columns: str) -> None:
        self._views = tuple(views.values())
        self._body = grid({area: view.body for area, view in views.items()}, areas, columns)

    @property
    def body(self) -> Viewable:
        """The grid."""
        return self._body

    def paint(self, state: State) -> None:
        """Paint every view."""
        for view in self._views:
            view.paint(state)


def grid(parts: Mapping[str, Viewable], areas: tuple[str, ...], columns: str) -> pn.Column:
    """Return a grid of parts by the names of their areas; see `Board`."""
    named = " ".join(f'"{row}"' for row in areas)
    style = f"""
        :host {{
            display: grid !important; grid-template-areas: {named}; grid-template-columns: {columns};
            gap: 20px 40px; align-items: start;
        }}
        :host::before, :host::after {{
            content: ""; grid-column: 1 / -1; align-self: start; height: 1px; margin-top: -10px;
            background: var(--line);
        }}
        :host::before {{ grid-row: 2; }}
        :host::after {{ grid-row: 3; display: {"block" if len(areas) > 2 else "none"}; }}
        .scroll-button {{ display: none; }}
        @media (max-width: 1199px) {{
            :host {{ display: flex !important; flex-direction: column; align-items: stretch; }}
            :host::before, :host::after {{ display: none; }}
        }}
    """
    for area, part in parts.items():
        part.styles = {**(part.styles or {}), "grid-area": area, "min-width": "0"}
    return pn.Column(*parts.values(), sizing_mode="stretch_width", margin=0, stylesheets=[style])
