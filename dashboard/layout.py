"""How a page's parts stand: a CSS grid with named areas, one column where the window is narrow."""

from __future__ import annotations

from collections.abc import Mapping

import panel as pn
from panel.viewable import Viewable


def grid(parts: Mapping[str, Viewable], *, areas: str, columns: str, gaps: str = "24px 40px") -> pn.Column:
    """Lay out `parts` by their areas.

    Args:
        parts: what stands in each area, in the reading order (and the order on a narrow window).
        areas: the value of CSS `grid-template-areas`.
        columns: the value of CSS `grid-template-columns`.
        gaps: rows' and columns' gap.
    """
    style = f"""
        :host {{
            display: grid !important; grid-template-areas: {areas}; grid-template-columns: {columns};
            gap: {gaps}; align-items: start;
        }}
        @media (max-width: 1199px) {{
            :host {{ display: flex !important; flex-direction: column; align-items: stretch; }}
        }}
    """
    for area, part in parts.items():
        part.styles = {**(part.styles or {}), "grid-area": area, "min-width": "0"}
    return pn.Column(*parts.values(), sizing_mode="stretch_width", margin=0, stylesheets=[style])
