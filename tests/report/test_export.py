"""The Export entry of the served page: the present point as a file, handed over once."""

from typing import Any

import pytest

from dashboard.components.header import PageHead
from dashboard.report.document import report
from dashboard.session import Session
from model.errors import BadInput
from model.point import resolve


def test_export_hands_over_the_present_point_once() -> None:
    session = Session(resolve(settings={"peak_flops": 3e14}))
    head, handed = PageHead(session), []

    def watched(event: Any) -> None:
        if "report" in event.new:
            handed.append(event.new["report"])

    head.body.param.watch(watched, "data")
    head.body._handle_msg({"kind": "export"})
    head._rest.finish()
    assert len(handed) == 1
    assert handed[0]["html"].startswith("<!DOCTYPE html>")
    session.write({"peak_flops": 2e14})
    head.paint(session.state)
    assert "report" not in head.body.data
    assert len(handed) == 1


def test_only_a_tile_can_be_in_focus() -> None:
    with pytest.raises(BadInput, match="hfu: no tile of the training page"):
        report(resolve(), focus="hfu")
