"""The report's feeders against the served page's: the same words, columns and cells at the same points."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from dashboard.components.tiles import TileStrip
from dashboard.link import write_query
from dashboard.session import Session
from dashboard.views.heatmap import HeatMap
from dashboard.views.inference_map import InferenceMap
from dashboard.views.memory_bars import MemoryBars
from dashboard.views.time_bars import TimeBars
from dashboard.views.training_map import TrainingMap
from model.point import Point, resolve

pytestmark = pytest.mark.ui

POINTS = {
    "opening": resolve(),
    "slow links": resolve(settings={"ici_bandwidth": 2e10}),
    "a torus of two axes": resolve("tpu-v5e", "llama-3-8b", {"chips": 256, "batch_tokens": 1 << 20}),
    "GPUs": resolve("h100", "deepseek-v3", {"decode_chips": 64, "data_shards": 2048}),
    "no capacity to spare": resolve("tpu-v5e", "llama-3.1-405b", {"data_shards": 8, "tensor_shards": 1}),
    "no price": resolve("tpu-v4p", settings={"decode_batch": 480, "decode_chips": 16}),
    "one chip": resolve("tpu-v5p", "llama-3-8b", {"data_shards": 1, "tensor_shards": 1, "decode_chips": 1}),
    "eleven shards": resolve(settings={"tensor_shards": 11, "data_shards": 814, "decode_chips": 9}),
}

READ = """page => {
    const inside = (id) => document.getElementById(`${page}-${id}`).shadowRoot
    const text = (root, selector) => [...root.querySelectorAll(selector)].map((each) => each.textContent)
    const plots = Object.fromEntries(Bokeh.documents.flatMap((doc) => doc.roots()).map((plot) => [plot.name, plot]))
    const layer = (plot, name) => plots[`${page}-${plot}`].renderers.find((each) => each.name === name).data_source.data
    const boxes = (plot) => {
        const {left, right, top, bottom, color} = layer(plot, "boxes")
        return {left: [...left], right: [...right], top: [...top], bottom: [...bottom], color}
    }
    const tiles = inside("values")
    const {reason, elasticities} = window.scalegrad.gradient
    return {
        gradient: {reason, elasticities},
        number: text(tiles, ".number"), unit: text(tiles, ".unit"), below: text(tiles, ".below"),
        sentence: text(tiles, ".sentence")[0],
        remarks: ["time", "memory"].map((part) => text(inside(`${part}-head`), "small")[0]),
        captions: ["time", "memory"].map((part) => text(inside(`${part}-caption`), "p").filter((line) => line)),
        time: boxes("time"), memory: boxes("memory"),
        image: [...layer("heatmap", "cells").image[0]],
        ring: [layer("heatmap", "ring").x[0], layer("heatmap", "ring").y[0]],
        names: layer("heatmap", "texts").text,
    }
}"""


def _boxes(view: TimeBars | MemoryBars) -> dict[str, list[Any]]:
    data = view.figure.renderers[0].data_source.data
    return {name: list(data[name]) for name in ("left", "right", "top", "bottom", "color")}


def _same_boxes(found: dict[str, list[Any]], view: TimeBars | MemoryBars) -> None:
    expected = _boxes(view)
    assert found.pop("color") == expected.pop("color")
    for name, column in expected.items():
        np.testing.assert_allclose(found[name], column, rtol=1e-9, atol=1e-12)


def _same_map(found: dict[str, Any], view: HeatMap, session: Session) -> None:
    layers = {layer.name: layer.data_source.data for layer in view.figure.renderers}
    image, expected = np.array(found["image"], dtype=float), layers["cells"]["image"][0].ravel()
    # Cells on the very edge of memory may fall on either side of it.
    assert np.mean(np.isnan(image) == np.isnan(expected)) > 0.99
    both = ~np.isnan(image) & ~np.isnan(expected)
    np.testing.assert_allclose(image[both], expected[both], rtol=1e-6)
    np.testing.assert_allclose(found["ring"], [layers["ring"]["x"][0], layers["ring"]["y"][0]], rtol=1e-12)
    # Where each stands depends on the browser's frame; what may be said does not.
    drawn = view.draw(session.state.evaluation, None)
    limits = [part for region in drawn.forbidden for part in (region.words, region.limit)]
    here = view.words(session.state, drawn)["here"]
    assert found["names"][0] == "here"
    assert set(found["names"]) <= {"here", here, *drawn.names, *limits, *(mark.words for mark in drawn.marks)}


@pytest.mark.parametrize("kind", ["training", "inference"])
def test_every_feeder_agrees_with_the_served_page(visit: Callable[..., Page], kind: Any) -> None:
    page = visit()
    for name, point in POINTS.items():
        _agrees(page, kind, name, point)


def _agrees(page: Page, kind: Any, name: str, point: Point) -> None:
    focus = {"training": "step_time", "inference": "decode_step_time"}[kind]
    session = Session(point, page=kind, focus=focus)
    page.evaluate("query => { location.hash = query }", write_query(point, kind, focus) or "v=1")
    page.wait_for_function(
        "([page, chip, shards]) => window.scalegrad.page === page && window.scalegrad.point.chip === chip"
        " && window.scalegrad.point.values.tensor_shards === shards",
        arg=[kind, point.chip, point.values["tensor_shards"]],
    )
    page.wait_for_timeout(50)
    found = page.evaluate(READ, kind)
    gradient = session.state.gradient
    assert found["gradient"]["reason"] == gradient.reason, name
    for knob, elasticity in found["gradient"]["elasticities"].items():
        assert elasticity == pytest.approx(gradient.elasticities[knob], rel=1e-9, abs=1e-12), (name, knob)
    tiles = TileStrip(session, kind)
    tiles.paint(session.state)
    for part in ("number", "unit", "below"):
        assert found[part] == [tile[part] for tile in tiles.body.data["tiles"]], (name, part)
    assert found["sentence"] == tiles.body.data["sentence"], name
    bars = TimeBars(session, kind), MemoryBars(session, kind)
    drawn: HeatMap = TrainingMap(session) if kind == "training" else InferenceMap(session)
    for view in (*bars, drawn):
        view.paint(session.state)
    heads = [view.body.objects for view in bars]
    assert found["remarks"] == [head.data["remark"] for head, *_ in heads], name
    assert found["captions"] == [caption.data["lines"] for *_, caption in heads], name
    for part, view in zip(("time", "memory"), bars, strict=True):
        _same_boxes(found[part], view)
    _same_map(found, drawn, session)
