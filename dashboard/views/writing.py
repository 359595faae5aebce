"""The words on a map: the ring's, the marks', the regions' and the regimes', each where it can be read."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.palette import COLOURS, Theme
from dashboard.views.figures import on_colour, shade_colour
from dashboard.views.placement import Box, Cell, Sheet
from model.maps.plane import NOWHERE, Map, Mark, Region

Text = dict[str, Any]

LIFTS = (0, 10, -10, 20, -20, 36, -36)
"""px by which words beside a mark are lifted until they are free."""


class Writing:
    """Writes the words of one map after another; a name stays where it was while it can."""

    def __init__(self) -> None:
        self._places: dict[str, Cell] = {}

    def forget(self) -> None:
        """Forget where names were: the window has moved."""
        self._places.clear()

    def texts(self, drawn: Map, here: str, theme: Theme, frame: tuple[float, float]) -> tuple[list[Text], Sheet]:
        """Return the texts of a map, the first mattering most, and the sheet that they are on.

        Args:
            drawn: the map.
            here: what the ring's second line says.
            theme: whose colours words on hatching take.
            frame: px, width and height.
        """
        colours = COLOURS[theme]
        sheet = Sheet(drawn.regimes != NOWHERE, *frame)
        texts = _ring(drawn, sheet, here, colours["text"])
        for mark in drawn.marks:
            texts += _mark(drawn, sheet, mark)
        for region in drawn.forbidden:
            texts += self._region(drawn, sheet, region, colours)
        for index, name in enumerate(drawn.names):
            cell = self._place(sheet, drawn.regimes == index, name, name, 1)
            if cell is not None:
                colour = ink(drawn, sheet.centred(cell, name, 1))
                texts.append({**_at(drawn, cell), "text": name, "color": colour, "align": "center"})
        return texts, sheet

    def _place(self, sheet: Sheet, part: NDArray[np.bool_], key: str, text: str, lines: int) -> Cell | None:
        cell = sheet.inside(part, text, lines, self._places.get(key)) if part.any() else None
        if cell is None:
            self._places.pop(key, None)
            return None
        self._places[key] = cell
        sheet.take(sheet.centred(cell, text, lines))
        return cell

    def _region(self, drawn: Map, sheet: Sheet, region: Region, colours: Mapping[str, str]) -> list[Text]:
        across, up = drawn.window.across(), drawn.window.up()
        part = (drawn.regimes == NOWHERE) & ((across >= region.across.min()) & (across <= region.across.max()))
        part &= ((up >= region.up.min()) & (up <= region.up.max()))[:, None]
        head, _, tail = region.words.partition(" ")
        for lines in ((region.words, region.limit), (region.words,), (head, tail)):
            cell = self._place(sheet, part, region.words, max(lines, key=len), len(lines))
            if cell is not None:
                both = {**_at(drawn, cell), "align": "center"}
                lift = -8 if len(lines) == 2 else 0
                shown = [{**both, "text": lines[0], "color": colours["text"], "dy": lift}]
                tone = colours["muted" if lines[-1] == region.limit else "text"]
                return [*shown, *({**both, "text": line, "color": tone, "dy": 8} for line in lines[1:])]
        return []


def ink(drawn: Map, box: Box) -> str:
    """Return the colour that stands out against the mean shade of a box."""
    shades = drawn.shade[box.rows, box.columns]
    known = shades[np.isfinite(shades)]
    shade = float(known.mean()) if known.size else np.nan
    return on_colour(shade_colour(shade, drawn.highest, diverging=drawn.diverging))


def _at(drawn: Map, cell: Cell) -> Text:
    return {"x": float(drawn.window.across()[cell[1]]), "y": float(drawn.window.up()[cell[0]])}


def _ring(drawn: Map, sheet: Sheet, here: str, outside: str) -> list[Text]:
    across, up = drawn.ring
    cell = drawn.window.cell(across, up)
    lines, to_left, box = ("here", here), across > (drawn.window.left + drawn.window.right) / 2, None
    for shown, left in itertools.product((lines, lines[:1]), (False, True)):
        box = sheet.beside(cell, max(shown, key=len), len(shown), to_left=left)
        if box is not None:
            lines, to_left = shown, left
            break
    sheet.take(box or sheet.centred(cell, max(lines, key=len), 2))
    sheet.take(sheet.centred(cell, "here", 2))
    colour = outside if drawn.regimes[cell] == NOWHERE else ink(drawn, box or sheet.centred(cell, "here", 2))
    both = {"x": across, "y": up, "color": colour, "dx": -14 if to_left else 14, "align": _align(to_left)}
    styles = ("bold", "normal")
    top = -8 if len(lines) > 1 else 0
    return [
        {**both, "text": text, "style": style, "dy": top + 16 * index}
        for index, (text, style) in enumerate(zip(lines, styles, strict=False))
    ]


def _mark(drawn: Map, sheet: Sheet, mark: Mark) -> list[Text]:
    cell = drawn.window.cell(mark.across, mark.up)
    for lift in LIFTS:
        for to_left in (False, True):
            box = sheet.beside(cell, mark.words, 1, to_left=to_left, lift=lift)
            if box is not None:
                sheet.take(box)
                at = {"x": mark.across, "y": mark.up, "dx": -8 if to_left else 8, "dy": -lift}
                return [{**at, "text": mark.words, "color": ink(drawn, box), "align": _align(to_left)}]
    return []


def _align(to_left: bool) -> str:
    return "right" if to_left else "left"
