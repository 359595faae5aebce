"""Figures: HoloViews builds each plot once, Bokeh then holds it, and views write columns into it.

HoloViews makes one renderer, with one source, for each element of an overlay. Colours come from the palette only: what
lies on a page gets them from `restyle` and from colour columns, what lies on a map is ink or white in both themes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import holoviews as hv
import numpy as np
from bokeh.core.properties import value
from bokeh.models import Axis, ColumnDataSource, FixedTicker, GlyphRenderer
from bokeh.palettes import Cividis256, interp_palette
from bokeh.plotting import figure
from holoviews.plotting.bokeh import BokehRenderer

from dashboard.palette import COLOURS, Theme
from model.maps.plane import Window

INK, WHITE = "#0B1526", "#FFFFFF"
"""What is written on a map, in both themes: the darker or the lighter by what lies beneath."""

DIVERGING = tuple(interp_palette(("#123A7C", "#3A78D8", "#A9C3EC", "#F4F2EE", "#F0BE8E", "#D97A26", "#7E3F06"), 256))
"""Colours of a scale whose middle makes no difference: blue below, orange above, in both themes."""

FONT = "Inter, Roboto, sans-serif"

TEXT_COLUMNS = ("x", "y", "text", "color", "align", "dx", "dy", "style", "size")
"""Columns of the texts of a figure: position, words, and how each is set."""


def empty_texts() -> hv.Labels:
    """Return the element whose source takes `TEXT_COLUMNS`."""
    return hv.Labels([(0.0, 0.0, "")], ["x", "y"], "text")


def build(overlay: hv.Overlay, *, height: int, borders: tuple[int, int, int, int]) -> figure:
    """Return the Bokeh figure of an overlay: as wide as its column, without tools, its borders fixed.

    Args:
        overlay: the elements, the lowest first.
        height: px.
        borders: px left, right, top and bottom of the frame, so that no label ever moves it.
    """
    fixed = overlay.opts(toolbar=None, default_tools=[], shared_axes=False, show_legend=False, backend="bokeh")
    drawn = BokehRenderer.instance().get_plot(fixed)
    # Only the figure is kept; HoloViews' hook into the end of the visitor's session would break `panel serve --warm`.
    drawn.document = None
    plot = cast(figure, drawn.state)
    plot.update(
        output_backend="canvas",
        sizing_mode="stretch_width",
        width=None,
        height=height,
        min_border_left=borders[0],
        min_border_right=borders[1],
        min_border_top=borders[2],
        min_border_bottom=borders[3],
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
    )
    plot.title = None
    for renderer in renderers(plot):
        # Nothing here is ever selected or muted; the copies would be two thirds of the document.
        renderer.update(selection_glyph=None, nonselection_glyph=None, hover_glyph=None, muted_glyph=None)
    return plot


def renderers(plot: figure) -> list[GlyphRenderer]:
    """Return the renderers of the overlay's elements, the lowest first."""
    return [renderer for renderer in plot.renderers if isinstance(renderer, GlyphRenderer)]


def feed(renderer: GlyphRenderer, columns: Mapping[str, Any]) -> None:
    """Write the columns of a renderer's source."""
    cast(ColumnDataSource, renderer.data_source).data = dict(columns)


def set_text_columns(renderer: GlyphRenderer) -> None:
    """Let a text renderer take every setting from its columns, and write over the frame's edge."""
    renderer.glyph.update(
        text="text",
        text_color="color",
        text_align="align",
        text_baseline="middle",
        text_font=value(FONT),
        text_font_style="style",
        text_font_size="size",
        x_offset="dx",
        y_offset="dy",
    )
    renderer.level = "annotation"
    feed(renderer, text_columns([]))


def text_columns(texts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the columns of texts, each a mapping of `TEXT_COLUMNS`; the last five may be left out."""
    usual = {"align": "left", "dx": 0.0, "dy": 0.0, "style": "normal", "size": "12px"}
    rows = [{**usual, **text} for text in texts]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in TEXT_COLUMNS}
    for name in ("x", "y", "dx", "dy"):
        columns[name] = np.array(columns[name], dtype=float)
    return columns


def restyle(plot: figure, theme: Theme) -> None:
    """Give the axes of a figure the colours of a theme."""
    colours = COLOURS[theme]
    for axis in plot.axis:
        axis.update(
            axis_label=None,
            axis_line_color=None,
            minor_tick_line_color=None,
            major_tick_line_color=colours["track"],
            major_tick_in=0,
            major_tick_out=4,
            major_label_text_color=colours["muted"],
            major_label_text_font=FONT,
            major_label_text_font_size="12px",
            major_label_standoff=4,
        )
    plot.grid.visible = False


def doublings(plot: figure) -> None:
    """Label both axes, which run in log2, by the counts themselves."""
    labels = {float(power): _count(power) for power in range(-24, 41)}
    for axis in plot.axis:
        axis.update(ticker=FixedTicker(ticks=[]), major_label_overrides=labels)


def show_window(plot: figure, window: Window, width: float) -> None:
    """Move both ranges to a window; tick every power upwards and, by the px of width, every second or fourth across.

    None stands so close to the right edge that its label would be cut.
    """
    plot.x_range.update(start=window.left, end=window.right)
    plot.y_range.update(start=window.bottom, end=window.top)
    for axis, low, high, every in (
        (plot.below[0], window.left, window.right - 0.3, 2 if width > 420 else 4),
        (plot.left[0], window.bottom, window.top, 1),
    ):
        first = math.ceil(low / every) * every
        ticks = [float(power) for power in range(first, math.floor(high) + 1, every)]
        cast(FixedTicker, cast(Axis, axis).ticker).update(ticks=ticks)


def _count(power: int) -> str:
    if power < 0:
        return f"1/{2**-power:,}"
    count = 2**power
    for scale, suffix in ((1e9, "G"), (1e6, "M"), (1e5, "k")):
        if count >= scale:
            return f"{count / (1e3 if suffix == 'k' else scale):.3g}\N{THIN SPACE}{suffix}"
    return f"{count:,}"


def on_colour(colour: str) -> str:
    """Return ink or white, whichever stands out more against a colour."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return INK if luminance > 0.19 else WHITE


def palette(*, diverging: bool) -> Sequence[str]:
    """Return the colours of a map, from 0 up."""
    return DIVERGING if diverging else Cividis256


def shade_colour(value: float, highest: float, *, diverging: bool = False) -> str:
    """Return the colour of a value on the scale from 0 to `highest`."""
    share = value / highest if highest > 0 and np.isfinite(value) else 0.0
    return palette(diverging=diverging)[min(max(int(share * 256), 0), 255)]
