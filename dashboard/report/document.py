"""Writes the report: one HTML file with the figures, the pieces, the emitted programs and all that they need."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Literal, cast

from bokeh.core.json_encoder import serialize_json
from bokeh.document import Document
from bokeh.embed.util import standalone_docs_json_and_render_items
from bokeh.plotting import figure
from bokeh.resources import Resources
from bokeh.util.paths import bokehjs_path

from dashboard.component import FOLDER
from dashboard.pages import PAGES as BOOK
from dashboard.palette import custom_properties
from dashboard.report.facts import facts
from dashboard.report.programs import emitted, headline_names
from dashboard.session import Session, State
from dashboard.views.heatmap import HeatMap
from dashboard.views.inference_map import InferenceMap
from dashboard.views.memory_bars import MemoryBars
from dashboard.views.time_bars import TimeBars
from dashboard.views.training_map import TrainingMap
from model.errors import BadInput, did_you_mean
from model.point import Point

Kind = Literal["training", "inference"]

PAGES: tuple[Kind, ...] = ("training", "inference")
PARTS = ("values", "heatmap", "gradient", "time", "memory")
"""Parts of a page, in reading order: `training-heatmap` in full, `heatmap` for the one of the opening page."""

_SCRIPTS = ("numerals", "dial", "point", "graph", "words", "feeds", "bars", "map", "moves", "figures", "page")
_PIECES = ("knobs", "tiles", "gradient", "plot_head", "map_foot", "caption")
_FIGURES = ("heatmap", "time", "memory")


def report(
    point: Point, *, page: str = "training", focus: str = "", only: Sequence[str] = (), cdn: bool = False
) -> str:
    """Return the report as HTML.

    Args:
        point: what it opens with.
        page: the page that it opens with.
        focus: the tile in focus; the page's own when empty.
        only: parts to show, such as `gradient` or `training-heatmap`, without the page around them; all when empty.
        cdn: load BokehJS from its CDN in place of carrying it: small, but it needs the network once.

    Raises:
        BadInput: no such page or part.
    """
    if page not in PAGES:
        raise BadInput([f"{page}: no such page of a report; use one of {', '.join(PAGES)}"])
    if focus and focus not in headline_names(page):
        raise BadInput([f"{focus}: no tile of the {page} page; use one of {', '.join(headline_names(page))}"])
    parts = _chosen(only, page)
    pages = tuple(each for each in PAGES if any(part.startswith(each) for part in parts))
    if page not in pages:
        page, focus = pages[0], ""
    session = Session(point, page=page, focus=focus or BOOK[page].focus)
    maps: dict[str, HeatMap] = {"training": TrainingMap(session), "inference": InferenceMap(session)}
    known = facts(session, maps, pages)
    places: dict[str, str] = {}
    for each in pages:
        shown = [name for name in _FIGURES if f"{each}-{name}" in parts]
        if shown:
            known["pages"][each]["figures"], ids = _figures(session, each, maps[each], shown)
            places |= ids
    return _TEMPLATE.format(
        style=f"{custom_properties()}\n{_own('report.css')}",
        bokeh=_bokeh_from_cdn() if cdn else _bokeh_inline(),
        body=_body(parts, pages, places, whole=not only),
        script=_script(known, pages),
    )


def report_of(state: State) -> str:
    """Return the report that opens where a page of the dashboard stands, as far as the report has it."""
    page = state.page if state.page in PAGES else PAGES[0]
    return report(state.point, page=page, focus=state.focus if state.focus in headline_names(page) else "")


def _chosen(only: Sequence[str], page: str) -> tuple[str, ...]:
    every = tuple(f"{each}-{part}" for each in PAGES for part in PARTS)
    if not only:
        return every
    named = [part if part in every else f"{page}-{part}" for part in only]
    listed = f"parts are {', '.join(every)}"
    faults = [
        f"{part}: no such part of a report; {did_you_mean(part, [*PARTS, *every]) or listed}"
        for part, name in zip(only, named, strict=True)
        if name not in every
    ]
    if faults:
        raise BadInput(faults)
    return tuple(part for part in every if part in named)


def _figures(
    session: Session, page: str, drawn: HeatMap, shown: Sequence[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the figures of a page as Bokeh embeds them, and the element that each goes into, by `page-name`."""
    kind = cast(Kind, page)
    views = {"heatmap": drawn, "time": TimeBars(session, kind), "memory": MemoryBars(session, kind)}
    document = Document()
    plots: list[figure] = []
    for name in shown:
        views[name].paint(session.state)
        plot = views[name].figure
        plot.name = f"{page}-{name}"
        document.add_root(plot)
        plots.append(plot)
    docs, items = standalone_docs_json_and_render_items(plots, suppress_callback_warning=True)
    (item,) = (found.to_json() for found in items)
    places = {str(plot.name): item["roots"][plot.id] for plot in plots}
    return {"docs": json.loads(serialize_json(docs)), "items": [item]}, places


def _body(parts: Sequence[str], pages: Sequence[str], places: dict[str, str], *, whole: bool) -> str:
    sections = []
    for page in pages:
        inside = "".join(_part(page, part, places) for part in PARTS if f"{page}-{part}" in parts)
        sections.append(f'<section data-page="{page}" aria-label="{page.capitalize()}" hidden>{inside}</section>')
    notice = '<p id="notice" role="status"></p>'
    main = f"<main>{''.join(sections)}{notice}</main>"
    if not whole:
        return f'<body class="figures">{main}'
    tabs = "".join(f'<a href="#page={page}" data-page="{page}">{page.capitalize()}</a>' for page in pages)
    tools = '<span class="tools"><button id="undo">Undo</button><button id="redo">Redo</button></span>'
    head = f'<header><strong>Scalegrad</strong><nav aria-label="Pages">{tabs}</nav>{tools}</header>'
    return f'<body>{head}<aside aria-label="Knobs"><div id="knobs"></div></aside>{main}'


def _part(page: str, part: str, places: dict[str, str]) -> str:
    name = f"{page}-{part}"
    if part not in _FIGURES:
        return f'<div id="{name}" class="{"plot" if part == "gradient" else "tiles"}"></div>'
    above, below = (
        (f"{page}-map-head", f"{page}-map-foot") if part == "heatmap" else (f"{name}-head", f"{name}-caption")
    )
    return f'<div class="plot"><div id="{above}"></div><div id="{places[name]}"></div><div id="{below}"></div></div>'


def _bokeh_from_cdn() -> str:
    # Only BokehJS itself: Panel's models add addresses of their own to the list once Panel is imported.
    hashes = Resources(mode="cdn", components=["bokeh"]).hashes
    tag = '<script src="{}" integrity="sha384-{}" crossorigin="anonymous"></script>'
    return "".join(tag.format(address, digest) for address, digest in hashes.items())


def _bokeh_inline() -> str:
    source = (bokehjs_path() / "js" / "bokeh.min.js").read_text(encoding="utf-8")
    return f"<script>{_closed_nowhere(source)}</script>"


def _packed(known: dict[str, Any]) -> str:
    """Return JSON, compressed and as base64: a fifth of its length."""
    text = json.dumps(known, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def _closed_nowhere(source: str) -> str:
    """Return a script in which no text ends the element around it."""
    return source.replace("</", "<\\/")


def _script(known: dict[str, Any], pages: tuple[str, ...]) -> str:
    kit = (FOLDER / "kit.js").read_text(encoding="utf-8")
    styles = {name: _lean((FOLDER / f"{name}.css").read_text(encoding="utf-8")) for name in ("kit", *_PIECES)}
    # Their list is a dialog of the served page.
    styles["gradient"] += ".all { display: none; }"
    pieces = [f"pieces.{name} = (() => {{\n{_module(name)}\nreturn render\n}})()" for name in _PIECES]
    source = [
        _own("unpacked.js"),
        f'const facts = await unpacked("{_packed(known)}")',
        f"const styles = {json.dumps(styles, ensure_ascii=False)}",
        emitted(pages),
        kit,
        "const pieces = {}",
        *pieces,
        *(_own(f"{name}.js") for name in _SCRIPTS),
    ]
    return _closed_nowhere(_lean("\n".join(source)))


def _lean(source: str) -> str:
    """Return a script or style sheet without indents, empty lines and lines of comment."""
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(("//", "/*", "* ")))


def _module(name: str) -> str:
    return (FOLDER / f"{name}.js").read_text(encoding="utf-8").replace("export function render", "function render")


def _own(name: str) -> str:
    return (files("dashboard.report") / name).read_text(encoding="utf-8")


_TEMPLATE = """<!DOCTYPE html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Scalegrad</title>
<style>{style}</style>
{bokeh}
</head>
{body}
<script>(async () => {{
{script}
}})()</script>
</body>
</html>
"""
