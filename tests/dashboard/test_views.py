"""Plots of the page, in process: states fill columns, taps and keys write knobs, words stay where they can be read."""

from typing import Any

import numpy as np
import pytest
from bokeh.events import Tap
from bokeh.models import GlyphRenderer

from dashboard.palette import COLOURS
from dashboard.session import Session
from dashboard.views.figures import INK, WHITE, on_colour
from dashboard.views.inference_map import InferenceMap
from dashboard.views.memory_bars import MemoryBars
from dashboard.views.placement import Sheet
from dashboard.views.time_bars import TimeBars
from dashboard.views.training_map import TrainingMap
from model.point import resolve


def columns(view: Any, glyph: str) -> dict[str, Any]:
    """Return the columns of the first renderer of a kind of glyph."""
    found = [r for r in view.figure.renderers if isinstance(r, GlyphRenderer) and type(r.glyph).__name__ == glyph]
    return dict(found[0].data_source.data)


def texts(view: Any) -> list[str]:
    return list(columns(view, "Text")["text"])


def tap(view: Any, x: float, y: float) -> None:
    view.figure._trigger_event(Tap(view.figure, x=x, y=y))


def shown(view: Any, session: Session) -> Any:
    view.paint(session.state)
    session.param.watch(lambda event: view.paint(event.new), "state")
    return view


@pytest.fixture
def session() -> Session:
    return Session(resolve(settings={"matmul_efficiency": 0.41}))


def test_training_map_paints_the_graphs_values(session) -> None:
    view = shown(TrainingMap(session), session)
    before = columns(view, "Image")["image"][0]
    assert before.dtype == np.float32
    assert np.nanmax(before) == pytest.approx(0.41, rel=1e-6)
    assert {"here", "MFU 41.0\N{THIN SPACE}%", "FSDP-bound", "TP-bound", "compute-bound", "does not fit"} < set(
        texts(view)
    )
    session.write({"ici_bandwidth": 9e10})
    after = columns(view, "Image")["image"][0]
    assert np.nanmean(after) < np.nanmean(before)


def test_a_tap_on_the_training_map_moves_the_point_and_the_ring(session) -> None:
    view = shown(TrainingMap(session), session)
    tap(view, 10.0, 4.0)
    values = session.point.values
    assert (values["tensor_shards"], values["data_shards"]) == (16, 560)
    assert values["batch_tokens"] == pytest.approx(1024 * 8960, rel=1e-3)
    ring = columns(view, "Scatter")
    rings = [r.data_source.data for r in view.figure.renderers if r.level == "annotation" and "y" in r.data_source.data]
    assert any(list(data["y"]) == [4.0] for data in rings), ring


def test_taps_outside_the_frame_and_broken_messages_do_nothing(session) -> None:
    view = shown(TrainingMap(session), session)
    before = session.point
    for x, y in ((-3.0, 2.0), (8.0, 40.0), (None, None)):
        tap(view, x, y)
    foot = view.body[2]
    for message in ({}, {"right": "far"}, {"up": 1e9}, {"right": 3}):
        foot._handle_msg(message)
    assert session.point == before


def test_arrow_keys_move_the_ring(session) -> None:
    view = shown(TrainingMap(session), session)
    view.body[2]._handle_msg({"right": 0, "up": 1})
    assert session.point.values["tensor_shards"] == 14
    assert "14 tensor shards" in view.body[2].data["sentence"]
    other = shown(InferenceMap(session), session)
    other.body[2]._handle_msg({"right": 1, "up": 0})
    assert session.point.values["decode_batch"] == 38


def test_what_does_not_change_is_not_sent_again(session) -> None:
    views = [
        TrainingMap(session),
        InferenceMap(session),
        TimeBars(session, "training"),
        MemoryBars(session, "training"),
    ]
    for view in views:
        shown(view, session)
    sources = [r.data_source for view in views for r in view.figure.renderers]
    changes: list[str] = []
    for source in sources:
        source.on_change("data", lambda attr, old, new: changes.append(attr))
    session.look_at("mfu")
    assert changes == []
    session.write({"batch_tokens": 8388608})
    assert changes


def test_a_tap_on_the_inference_map_writes_batch_and_chips(session) -> None:
    view = shown(InferenceMap(session), session)
    assert "HBM-bound" in texts(view)
    assert {"cheap tokens", "low latency"} < set(texts(view))
    tap(view, 6.02, 4.1)
    assert (session.point.values["decode_batch"], session.point.values["decode_chips"]) == (65, 16)


def test_a_point_that_does_not_fit_says_so_and_keeps_its_ring(session) -> None:
    maps, bars = shown(TrainingMap(session), session), shown(TimeBars(session, "training"), session)
    memory = shown(MemoryBars(session, "training"), session)
    session.write({"batch_tokens": "400M"})
    assert texts(maps)[:2] == ["here", "does not fit"]
    assert len(columns(bars, "Quad")["left"]) == 0
    assert bars.body[2].data["lines"][0].startswith("Does not fit: ")
    assert "does not fit" in texts(memory)
    assert "too much" in memory.body[2].data["lines"][0]


def test_dark_changes_what_lies_on_the_page_not_the_map(session) -> None:
    view, bars = shown(TrainingMap(session), session), shown(TimeBars(session, "training"), session)
    light, image = view.figure.xaxis[0].major_label_text_color, columns(view, "Image")["image"][0]
    session.paint_in("dark")
    assert view.figure.xaxis[0].major_label_text_color == COLOURS["dark"]["muted"] != light
    assert np.array_equal(image, columns(view, "Image")["image"][0], equal_nan=True)
    assert columns(bars, "Quad")["color"][0] == COLOURS["dark"]["bar"]


def test_bars_fill_the_step_and_open_their_quantity(session) -> None:
    view = shown(TimeBars(session, "training"), session)
    boxes = columns(view, "Quad")
    assert max(boxes["right"]) == pytest.approx(1)
    assert "Math: MLP 841\N{THIN SPACE}ms, projections 180\N{THIN SPACE}ms" in view.body[2].data["lines"][0]
    tap(view, 0.05, (boxes["top"][0] + boxes["bottom"][0]) / 2)
    assert session.state.focus == "forward_mlp_time"


def test_inference_bars_show_prefill_beside_decode(session) -> None:
    view = shown(TimeBars(session, "inference"), session)
    assert {"HBM", "FLOPs", "ICI comms", "Prefill"} < set(texts(view))
    memory = shown(MemoryBars(session, "inference"), session)
    assert memory.body[0].data["remark"].endswith("; 233 sequences fit")


def test_a_narrow_frame_has_fewer_words(session) -> None:
    view = shown(TrainingMap(session), session)
    wide = set(texts(view))
    view.figure.trigger("inner_width", 563, 300)
    assert "over 96.0\N{THIN SPACE}GB" in wide - set(texts(view))
    assert list(view.figure.xaxis[0].ticker.ticks) == [4.0, 8.0, 12.0]


def test_names_stay_while_they_can_and_lie_in_their_part() -> None:
    allowed = np.ones((20, 60), dtype=bool)
    part = np.zeros_like(allowed)
    part[2:18, 5:50] = True
    sheet = Sheet(allowed, 600, 200)
    first = sheet.inside(part, "compute-bound", 1, None)
    assert first is not None
    assert sheet.inside(np.roll(part, 5, axis=1), "compute-bound", 1, first) == first
    sheet.take(sheet.centred(first, "compute-bound", 1))
    second = sheet.inside(part, "compute-bound", 1, first)
    assert second is not None
    assert second != first
    part[:, 12:] = False
    assert sheet.inside(part, "compute-bound", 1, None) is None


@pytest.mark.parametrize(("colour", "expected"), [("#00204C", WHITE), ("#FFE945", INK), ("#4A5564", WHITE)])
def test_words_stand_out(colour, expected) -> None:
    assert on_colour(colour) == expected
