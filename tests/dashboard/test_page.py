"""The page without a browser: what its parts say after a message, and that every part is painted from one state."""

import json
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.app import assemble
from dashboard.component import Component
from dashboard.components.all_values import ValueList
from dashboard.components.gradient import MOST, GradientBars
from dashboard.components.knobs import KnobColumn
from dashboard.components.tiles import TileStrip
from dashboard.pages import PAGES
from dashboard.sections import sections
from dashboard.session import Session
from model.graph import quantities
from model.knobs import KNOBS
from model.point import TYPED, Point, resolve


def _column(session: Session) -> KnobColumn:
    column = KnobColumn(session)
    session.param.watch(lambda event: column.paint(event.new), "state")
    return column


def _tell(column: KnobColumn, **message: Any) -> dict[str, Any]:
    column.body._handle_msg({"serial": 1, **message})
    json.dumps(column.body.data, allow_nan=False)
    data = column.body.data
    return {**data, "rows": {**column.body.spec["rows"], **data["rows"]}}


def _tile(strip: TileStrip, of: str) -> dict[str, Any]:
    return next(tile for tile in strip.body.data["tiles"] if tile["of"] == of)


@pytest.mark.parametrize("slug", ["training", "inference"])
def test_every_knob_stands_in_exactly_one_section(slug: str) -> None:
    rows = [row for section in sections(Session(page=slug).state) for row in section.rows]
    assert sorted(rows) == sorted([*KNOBS, *TYPED])


def test_sliding_writes_a_round_value_and_answers() -> None:
    session = Session()
    data = _tell(_column(session), kind="slide", name="peak_flops", place=0.5, continues=False)
    assert data["answered"] == 1
    assert session.point.values["peak_flops"] == 1e14
    assert data["rows"]["peak_flops"]["text"] == "100"
    assert data["rows"]["peak_flops"]["preset"] == "459"


def test_a_bad_entry_stays_under_its_row_until_the_next_message() -> None:
    session = Session()
    column, before = _column(session), session.state
    data = _tell(column, kind="type", name="batch_tokens", text="lots", unit="tok")
    assert data["fault"]["name"] == "batch_tokens"
    assert data["fault"]["text"] == "lots"
    assert "not a number" in data["fault"]["line"]
    assert session.state is before
    assert _tell(column, kind="type", name="batch_tokens", text="4M", unit="tok")["fault"] is None
    assert session.point.values["batch_tokens"] == 4e6


def test_typed_chips_and_sequences_set_shards_and_batch() -> None:
    session = Session()
    column = _column(session)
    _tell(column, kind="type", name="chips", text="256", unit="")
    _tell(column, kind="type", name="batch_seqs", text="512", unit="")
    assert session.point.values["data_shards"] == 32
    assert session.point.values["batch_tokens"] == 512 * 4096
    assert column.body.data["rows"]["chips"]["text"] == "256"


def test_an_empty_knob_takes_an_arrow_key_without_harm() -> None:
    session = Session(resolve(None, None, {"price_per_chip_hour": None}))
    data = _tell(_column(session), kind="nudge", name="price_per_chip_hour", steps=1, continues=False)
    assert data["rows"]["price_per_chip_hour"]["place"] is None


def test_tiles_show_the_evaluation_and_a_reason_where_there_is_no_value() -> None:
    session = Session()
    strip = TileStrip(session, "training")
    strip.paint(session.state)
    assert _tile(strip, "step_time")["number"] == "442"
    assert _tile(strip, "step_time")["bound"]
    session.write({"hbm_capacity": "1e9", "price_per_chip_hour": "none"})
    strip.paint(session.state)
    assert (_tile(strip, "step_time")["number"], _tile(strip, "step_time")["below"]) == ("–", "does not fit")
    assert _tile(strip, "train_cost")["number"] == "–"
    assert "does not fit" in strip.body.data["sentence"].lower()


def test_a_tile_puts_its_value_in_focus_and_the_bars_follow() -> None:
    session = Session()
    strip, bars = TileStrip(session, "training"), GradientBars(session)
    strip.paint(session.state)
    strip.body._handle_msg({"of": "train_cost"})
    bars.paint(session.state)
    shown = [bar["name"] for bar in bars.body.data["bars"]]
    assert "price_per_chip_hour" in shown
    assert len(shown) <= MOST
    sizes = [abs(bar["e"]) for bar in bars.body.data["bars"]]
    assert sizes == sorted(sizes, reverse=True)


def test_bars_smaller_ones_and_zeros_are_all_knobs_that_enter() -> None:
    session = Session()
    bars = GradientBars(session)
    bars.paint(session.state)
    data = bars.body.data
    named = {row["name"] for part in ("bars", "smaller", "zeros") for row in data[part]}
    moving = {name for name, elasticity in session.state.gradient.elasticities.items() if abs(elasticity) > 1e-12}
    assert moving <= named
    assert {"ici_bandwidth", "price_per_chip_hour"} <= {row["name"] for row in data["zeros"]}
    bars.body._handle_msg({"explain": True})
    why = {row["name"]: row["why"] for row in bars.body.data["zeros"]}
    assert "slack" in why["ici_bandwidth"]
    assert why["price_per_chip_hour"] == "does not enter"


def test_all_values_are_listed_only_while_open() -> None:
    session = Session()
    values = ValueList(session)
    values.paint(session.state)
    assert values.body.data == {}
    values.body._handle_msg({"kind": "open"})
    listed = {row["of"] for chapter in values.body.data["chapters"] for row in chapter["rows"]}
    assert set(quantities()) <= listed
    assert "forward_time:fsdp" in listed
    values.body._handle_msg({"kind": "choose", "of": "forward_time:fsdp"})
    assert session.state.focus == "forward_time:fsdp"


@pytest.mark.parametrize("slug", [slug for slug, page in PAGES.items() if page.knobs])
def test_every_page_paints_at_any_point(slug: str, points: st.SearchStrategy[Point]) -> None:
    session = Session(page=slug)
    view, column = PAGES[slug].build(session), KnobColumn(session)

    @settings(max_examples=40, deadline=None)
    @given(point=points)
    def paint(point: Point) -> None:
        assert session.jump(point)
        view.paint(session.state)
        column.paint(session.state)
        json.dumps(column.body.data, allow_nan=False)

    paint()


def _head(template: Any) -> Component:
    return template._render_items["head"][0]


def test_only_the_open_page_is_built_and_painted() -> None:
    session, template = assemble()
    book = template._render_items["main"][0]
    assert len(book.objects) == 1
    _head(template)._handle_msg({"kind": "open", "page": "inference"})
    assert [page.visible for page in book.objects] == [False, True]
    assert session.state.page == "inference"


def test_the_head_gives_the_address_and_the_command_of_the_point() -> None:
    session, template = assemble("chip=tpu-v5e&tensor_shards=4&page=inference")
    session.write({"seq_len": 8192})
    data = _head(template).data
    assert data["query"] == "v=1&page=inference&chip=tpu-v5e&tensor_shards=4&seq_len=8192"
    assert shlex.split(data["command"])[:4] == ["scalegrad", "gradient", "--of", "decode_step_time"]
    assert "seq_len=8192" in data["command"]
    assert set(data["links"]) == set(PAGES)


def test_back_in_the_browser_returns_to_that_place() -> None:
    session, template = assemble()
    _head(template)._handle_msg({"kind": "travel", "query": "?v=1&page=inference&decode_batch=64&what=1"})
    assert (session.state.page, session.point.values["decode_batch"]) == ("inference", 64)
    assert "what" in session.notice


def test_a_hostile_link_opens_with_a_notice() -> None:
    session, template = assemble("peak_flops=%00&chip=<script>&focus=__class__&data_shards=1e300", theme="solarized")
    assert session.point == resolve()
    assert session.state.theme == "light"
    for key in ("peak_flops", "<script>", "__class__", "data_shards"):
        assert key in template._render_items["notice"][0].data["line"]
