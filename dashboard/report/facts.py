"""What the report's JavaScript has to know: knobs, presets, words and colours, all read off the same declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import presets
from dashboard.component import Component
from dashboard.components.knobs import KnobColumn
from dashboard.components.tiles import TileStrip
from dashboard.headlines import BINDING, HEADLINES, shown_quantities
from dashboard.link import VERSION
from dashboard.pages import PAGES
from dashboard.palette import COLOURS
from dashboard.report.programs import MAPS, evaluated, headline_names, maxima_of, outputs, pullback_of
from dashboard.sections import sections
from dashboard.session import OWN_KNOBS, Session
from dashboard.views.heatmap import HeatMap
from model.feasibility import GATES, UNDEFINED, called, gates_of
from model.graph import ancestors, knobs_of, quantities
from model.knobs import KNOBS, Knob
from model.point import DEFAULT_CHIP, DEFAULT_MODEL, Point, preset_values
from model.programs import DIFFERENTIATED, scalar_function
from model.words import BRANCHES, subject

Facts = dict[str, Any]

_WAYS = {"training": ("tensor_shards", "step_time"), "inference": ("decode_chips", "decode_step_time")}
"""By page: the knob upwards on its map, and the quantity whose gates say which of its values divide."""
_PARTS = ("checkpoint_bytes", "state_bytes", "weight_store_bytes", "kv_cache_bytes", "decode_roofline_time")
"""Quantities that have no tile and a reason on the page all the same."""


def facts(session: Session, maps: Mapping[str, HeatMap], pages: Sequence[str]) -> Facts:
    """Return the facts of a report as JSON, without its figures.

    Args:
        session: at the point, page and focus that the report opens with.
        maps: the map of each page.
        pages: the pages in the report.
    """
    names = dict.fromkeys(name for page in pages for name in (*headline_names(page), BINDING[page]))
    state = session.state
    return {
        "version": VERSION,
        "opening": {"chip": DEFAULT_CHIP, "model": DEFAULT_MODEL},
        "start": {"point": _point(state.point), "page": state.page, "focus": state.focus},
        "knobs": {name: _knob(knob) for name, knob in KNOBS.items()},
        "defaults": {name: knob.default for name, knob in KNOBS.items()},
        "chips": {slug: _chip(slug) for slug in presets.chips()},
        "models": {slug: _model(slug) for slug in presets.models()},
        "own": {kind: sorted(own) for kind, own in OWN_KNOBS.items()},
        "called": {name: called(name) for name, knob in KNOBS.items() if knob.optional},
        "outputs": outputs(),
        "units": {name: node.unit for name, node in quantities().items() if name in evaluated()},
        "differentiated": DIFFERENTIATED,
        "quantities": {name: _quantity(name) for name in dict.fromkeys((*names, *_PARTS))},
        "gates": [{"line": gate.line, "parts": gate.line.count("{")} for gate in GATES],
        "branches": {
            name: {"label": words.label, "state": words.state, "plural": words.plural, "verb": words.verb}
            for name, words in BRANCHES.items()
        },
        "colours": COLOURS,
        "knobSpec": _knob_spec(session),
        "pages": {page: _page(session, page, maps[page]) for page in pages},
    }


def _point(point: Point) -> Facts:
    return {"chip": point.chip, "model": point.model, "values": dict(point.values)}


def _knob(knob: Knob) -> Facts:
    return {
        "label": knob.label,
        "symbol": knob.symbol,
        "unit": knob.unit,
        "kind": knob.kind,
        "integer": knob.integer,
        "bounds": knob.bounds,
        "scale": knob.scale,
        "optional": knob.optional,
        "names": dict(knob.names),
        "numbers": dict(knob.numbers),
    }


def _knob_spec(session: Session) -> Facts:
    """Return what the knob column shows beyond `knobs`."""
    spec = KnobColumn(session).body.spec
    rest = {
        name: {key: value for key, value in row.items() if name not in KNOBS or key in ("doc", "hint")}
        for name, row in spec["knobs"].items()
    }
    return {"chips": spec["chips"], "models": spec["models"], "knobs": rest}


def _chip(slug: str) -> Facts:
    chip = presets.chip(slug)
    values = preset_values(slug, DEFAULT_MODEL, str(KNOBS["compute_dtype"].default))
    return {
        "name": chip.name,
        "rates": {dtype: figure.value for dtype, figure in chip.peak_flops.items()},
        "figures": {name: values[name] for name in presets.FIGURES if name in KNOBS},
    }


def _model(slug: str) -> Facts:
    model = presets.model(slug)
    values = preset_values(DEFAULT_CHIP, slug, str(KNOBS["compute_dtype"].default))
    return {"name": model.name, "dimensions": {name: values[name] for name in model.dimensions}}


def _quantity(name: str) -> Facts:
    node, above = quantities()[name], ancestors(name)
    causes = [UNDEFINED[cause] for cause in UNDEFINED if cause in above]
    return {
        "label": node.label,
        "symbol": node.symbol,
        "bound": node.standing == "lower bound",
        "optional": [knob for knob in KNOBS if KNOBS[knob].optional and knob in above],
        "undefined": causes[0] if causes else "outside the range of double precision",
        "gates": [GATES.index(gate) for gate in gates_of(name)],
        "inside": knobs_of((name,)),
    }


def _page(session: Session, page: str, drawn: HeatMap) -> Facts:
    opened = Session(session.point, page=page, focus=PAGES[page].focus)
    knob, target = _WAYS[page]
    head, foot = (piece.spec for piece in drawn.body.objects if isinstance(piece, Component))
    return {
        "focus": PAGES[page].focus,
        "headlines": headline_names(page),
        "labels": [headline.label for headline in HEADLINES[page]],
        "tiles": TileStrip(opened, page).body.spec,
        "binding": BINDING[page],
        "maxima": [(name, subject(name)) for name in maxima_of(BINDING[page])],
        "cotangents": pullback_of(headline_names(page))[0],
        "knobs": knobs_of(shown_quantities(page)),
        "sections": [
            {"title": section.title, "open": section.open, "rows": section.rows} for section in sections(opened.state)
        ],
        "mapOutputs": scalar_function(MAPS[page])[0],
        "map": {"spec": {"head": head, "foot": foot}},
        "ways": {
            "knob": knob,
            "gates": [GATES.index(gate) for gate in gates_of(target) if gate.whole and knob in gate.reads()],
        },
    }
