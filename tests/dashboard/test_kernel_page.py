"""The kernel page in process: tiles, advice, published rows that load, and the map's taps."""

import json
from typing import Any, cast

import pytest
from bokeh.events import Tap

from dashboard.components.advice import PlannerAdvice
from dashboard.components.kernel_evidence import EvidenceTables
from dashboard.components.tiles import TileStrip
from dashboard.pages import PAGES
from dashboard.sections import sections
from dashboard.session import Session
from dashboard.views.fusion_map import FusionMap
from model.point import resolve

LAYER = {"d_model": 1024, "d_expert": 4096, "block_m": 256, "block_f": 512}


@pytest.fixture
def session() -> Session:
    return Session(resolve("tpu-v5e", "mixtral-8x7b", LAYER), page="kernel", focus="fused_moe_speedup")


def shown(view: Any, session: Session) -> Any:
    view.paint(session.state)
    session.param.watch(lambda event: view.paint(event.new), "state")
    return view


def tiles(strip: TileStrip) -> dict[str, dict[str, Any]]:
    return {tile["of"]: tile for tile in strip.body.data["tiles"]}


def test_tiles_give_the_speed_up_and_the_shortfall(session) -> None:
    strip = shown(TileStrip(session, "kernel"), session)
    assert (tiles(strip)["fused_moe_speedup"]["number"], tiles(strip)["fused_moe_speedup"]["unit"]) == ("1.59", "×")
    assert strip.body.data["sentence"].startswith("Compute-bound. HBM could slow ")
    session.write({"block_m": 1024})
    need = tiles(strip)["fused_vmem_need"]
    assert (need["unit"], need["below"].split("\u2009")[1]) == ("of 16.8 MB", "MB too much")
    assert tiles(strip)["fused_moe_speedup"]["number"] == "–"
    assert tiles(strip)["unfused_moe_time"]["number"] != "–"


def test_the_planners_tiles_are_offered_and_taken(session) -> None:
    view = shown(PlannerAdvice(session), session)
    assert view.body.data["use"] == ""
    session.write({"block_m": 16})
    assert "would take 256 rows × 512 columns: 1.59×" in view.body.data["tiles"]
    view.body._handle_msg({"kind": "use"})
    assert session.point.values["block_m"] == 256
    session.write({"peak_flops": None})
    assert view.body.data["tiles"] == "No plan: set the peak compute."


def test_a_published_row_loads_as_it_is_predicted() -> None:
    session = Session(page="kernel")
    view = EvidenceTables(session)
    rows = {row["id"]: row for row in view.body.spec["speedups"]["rows"]}
    json.dumps(view.body.spec, allow_nan=False)
    for name in ("base", "experts-128", "d-256", "d-2048"):
        view.body._handle_msg({"id": name})
        predicted = cast(str, rows[name]["predicted"][0][0])
        assert session.state.evaluation.values["fused_moe_speedup"] == pytest.approx(float(predicted), abs=0.005)
        assert session.notice == ""
    before = session.point
    for name in ("f-sweep-low", "nothing", None):
        view.body._handle_msg({"id": name})
    assert session.point == before
    assert rows["f-sweep-low"]["predicted"] == []
    assert sum(map(sum, view.body.spec["fits"]["fits"])) == 18
    assert view.body.spec["fits"]["intervals"][0] == "block_m 61 to 276 at 12,000,000 B"


def test_a_tap_writes_the_widths_and_their_tiles(session) -> None:
    view = shown(FusionMap(session), session)
    view.figure._trigger_event(Tap(view.figure, x=12.0, y=13.0))
    values = session.point.values
    assert (values["d_model"], values["d_expert"]) == (4096, 8192)
    assert session.state.evaluation.reasons.get("fused_moe_speedup", "") == ""
    assert (values["block_m"], values["block_f"]) != (256, 512)


def test_its_own_knobs_stand_open() -> None:
    opened = [section.title for section in sections(Session(page="kernel").state) if section.open]
    assert opened == ["Hardware", "Kernel", "Model", "Architecture"]
    assert list(PAGES)[-2:] == ["kernel", "limits"]
