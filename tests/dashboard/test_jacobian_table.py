"""The table of elasticities: worked out only while it is open, whole, and right against finite differences."""

import json
import math

import pytest

from dashboard.components.jacobian import JacobianTable
from dashboard.session import Session
from model.evaluate import evaluate
from model.graph import quantities
from model.point import resolve
from model.ties import moved

STEP = 1e-5


def test_it_is_worked_out_only_while_it_is_open() -> None:
    session = Session(resolve(settings={"ici_bandwidth": 2e10}))
    table = JacobianTable(session)
    table.paint(session.state)
    table.rest.finish()
    assert table.body.data == {}
    table.body._handle_msg({"kind": "open"})
    table.rest.finish()
    data = table.body.data
    assert [row["of"] for row in data["rows"]] == list(quantities())
    assert data["chapter"] == "training"
    json.dumps(data, allow_nan=False)
    rows = {row["of"]: row for row in data["rows"]}
    for of, knob in (("step_time", "ici_bandwidth"), ("train_cost", "price_per_chip_hour"), ("mfu", "batch_tokens")):
        x = session.point.numbers_by_name()[knob]
        up, down = (evaluate(moved(session.point, {knob: x * s}), gate=False).bounds[of] for s in (1 + STEP, 1 - STEP))
        slope = math.log(up / down) / math.log((1 + STEP) / (1 - STEP))
        assert rows[of]["elasticities"].get(knob, 0.0) == pytest.approx(slope, abs=1e-6)
    assert "price_per_chip_hour" not in rows["step_time"]["elasticities"]
    table.body._handle_msg({"kind": "choose", "of": "mfu"})
    assert session.state.focus == "mfu"


def test_what_cannot_be_had_has_its_reason_and_no_elasticities() -> None:
    session = Session(resolve(settings={"hbm_capacity": 1e9}))
    table = JacobianTable(session)
    table.body._handle_msg({"kind": "open"})
    table.rest.finish()
    row = next(row for row in table.body.data["rows"] if row["of"] == "step_time")
    assert row["elasticities"] == {}
    assert row["value"] is None
    assert row["reason"].startswith("does not fit")
