"""The report opened from disk with the network cut: drag, type, click, and the graph's own numbers everywhere."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from dashboard.report.document import report
from model.errors import BadInput
from model.evaluate import evaluate, gradient
from model.point import Point, resolve

pytestmark = pytest.mark.ui

INLINE_BYTES, CDN_BYTES = 2_500_000, 250_000
expect.set_options(timeout=30_000)
Visit = Callable[..., Page]


def shown(page: Page) -> dict[str, Any]:
    return page.evaluate(
        """() => {
            const {point, page, focus, evaluation, gradient} = window.scalegrad
            const {values, reasons} = evaluation
            return {point, page, focus, values, reasons, elasticities: gradient.elasticities}
        }"""
    )


def agrees(page: Page, point: Point) -> None:
    """The page's point, values, reasons and elasticities are those of the graph, to 1e-9."""
    found, evaluation = shown(page), evaluate(point)
    assert found["point"]["values"] == dict(point.values)
    for name, value in found["values"].items():
        expected = evaluation.bounds[name] if name not in evaluation.values else evaluation.values[name]
        if name in found["reasons"] or name not in evaluation.reasons:
            assert value == pytest.approx(expected, rel=1e-9, nan_ok=True), name
    for name, reason in found["reasons"].items():
        assert reason == evaluation.reasons[name], name
    elasticities = gradient(evaluation, found["focus"]).elasticities
    for name, elasticity in found["elasticities"].items():
        assert elasticity == pytest.approx(elasticities[name], rel=1e-9, abs=1e-12), name


def test_it_opens_at_the_graphs_numbers(visit: Visit) -> None:
    page = visit()
    agrees(page, resolve())
    expect(page.get_by_role("button", name="Step time")).to_contain_text("442")


def test_a_dragged_knob_recomputes_every_number(visit: Visit) -> None:
    page = visit()
    slider = page.get_by_role("slider", name="Peak compute")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.58, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    peak = shown(page)["point"]["values"]["peak_flops"]
    assert peak < 4e14
    agrees(page, resolve(settings={"peak_flops": peak}))
    page.get_by_role("button", name="Undo").click()
    agrees(page, resolve())


def test_a_clicked_value_shows_its_own_gradient(visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="Cost").click()
    assert shown(page)["focus"] == "train_cost"
    agrees(page, resolve())
    bar = page.locator('ul.bars li[data-knob="price_per_chip_hour"]').first
    assert float(bar.get_attribute("data-e") or "nan") == pytest.approx(1)


def test_what_does_not_fit_is_refused_with_the_graphs_reason(visit: Visit) -> None:
    page = visit("v=1&model=llama-3.1-405b&chip=tpu-v5e&data_shards=8&tensor_shards=1")
    point = resolve("tpu-v5e", "llama-3.1-405b", {"data_shards": 8, "tensor_shards": 1})
    agrees(page, point)
    assert math.isnan(shown(page)["values"]["step_time"])
    expect(page.get_by_text("Does not fit").first).to_be_visible()


def test_a_part_that_does_not_exist_is_named() -> None:
    with pytest.raises(BadInput, match="heatmpa: no such part of a report; did you mean"):
        report(resolve(), only=["heatmpa"])


def test_it_stays_within_its_size(written: Path) -> None:
    assert written.stat().st_size <= INLINE_BYTES
    assert len(report(resolve(), cdn=True).encode()) <= CDN_BYTES


def test_a_click_on_the_map_and_its_arrow_keys_move_the_point(visit: Visit) -> None:
    page = visit()
    frame = page.locator("section[data-page=training] .bk-Figure, section[data-page=training] .bk-Canvas").first
    box = frame.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.5)
    page.wait_for_function("window.scalegrad.point.values.batch_tokens < 4e6")
    moved = shown(page)["point"]["values"]
    assert moved["data_shards"] * moved["tensor_shards"] == 8960
    assert moved["batch_tokens"] % moved["seq_len"] == 0
    agrees(page, resolve(settings={name: moved[name] for name in ("data_shards", "tensor_shards", "batch_tokens")}))
    page.get_by_role("application").first.press("ArrowDown")
    assert shown(page)["point"]["values"]["tensor_shards"] < moved["tensor_shards"]


def test_both_pages_are_in_the_file_and_a_link_opens_either(visit: Visit) -> None:
    page = visit("v=1&page=inference&decode_batch=240&nonsense=1")
    assert shown(page)["page"] == "inference"
    agrees(page, resolve(settings={"decode_batch": 240}))
    expect(page.get_by_text("nonsense: no such knob")).to_be_visible()
    page.get_by_role("link", name="Training").click()
    assert shown(page)["page"] == "training"
    expect(page.get_by_role("button", name="Step time")).to_be_visible()
    page.wait_for_function("location.hash.includes('decode_batch=240')")


def test_parts_stand_alone(context: BrowserContext, tmp_path: Path) -> None:
    path = tmp_path / "parts.html"
    path.write_text(report(resolve(), only=["gradient", "training-heatmap"]), encoding="utf-8")
    page = context.new_page()
    page.goto(f"file://{path}")
    page.locator("body[data-ready]").wait_for(timeout=60_000)
    expect(page.get_by_role("heading", name="MFU over the mesh")).to_be_visible()
    expect(page.get_by_role("heading", name="What moves step time")).to_be_visible()
    assert page.get_by_role("slider").count() == 0


def test_it_follows_the_readers_theme(visit: Visit) -> None:
    page = visit()
    background = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{background} === 'rgb(15, 18, 22)'")
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function(f"{background} === 'rgb(255, 255, 255)'")
    expect(page.get_by_role("slider").first).to_be_hidden()


def test_a_phone_shows_it_without_scrolling_sideways(visit: Visit) -> None:
    page = visit()
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    page.get_by_role("button", name="Knobs").click()
    expect(page.get_by_role("slider", name="Peak compute")).to_be_visible()
