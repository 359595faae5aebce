"""The verifier's page without a browser: what its table says, what a row opens, and where it leads."""

import json
import re

import pytest

import presets
from dashboard.components.verifier import VerifierTable
from dashboard.session import Session
from dashboard.statement import section_link, told
from model.knobs import KNOBS
from model.recomputation import recompute
from model.verify import Verification, verify


@pytest.fixture(scope="module")
def verification() -> Verification:
    return verify()


@pytest.fixture
def table() -> VerifierTable:
    return VerifierTable(Session())


def _line(table: VerifierTable, slug: str) -> dict:
    return next(line for line in table.body.spec["rows"] if line["id"] == slug)


def test_every_statement_has_a_line_and_the_title_counts_them(table: VerifierTable) -> None:
    assert [line["id"] for line in table.body.spec["rows"]] == list(presets.statements())
    assert table.body.spec["title"].startswith(f"{len(presets.statements()):,} statements")
    json.dumps(table.body.spec, allow_nan=False)


def test_the_counts_in_words_add_up(table: VerifierTable) -> None:
    words = "".join(table.body.spec["counts"])
    agree, _, differ, quoted, underived = map(int, re.findall(r"\d+", words)[:5])
    assert agree + differ + quoted + underived == len(presets.statements())


def test_a_line_shows_two_digits_more_than_stated(table: VerifierTable) -> None:
    """Chapter 5 prints 44 days; 6 N T over 8960 chips at 40 % is 44.3 days."""
    line = _line(table, "applied-training-pod-days")
    assert line["stated"] == ("44", "days")
    number, unit = line["found"]
    assert unit == "days"
    assert len(number.replace(".", "")) == 4
    assert 44 <= float(number) < 45


@pytest.mark.parametrize(
    "slug", ["applied-training-pod-days", "roofline-v5e-critical-intensity", "training-adam-bytes"]
)
def test_the_page_stands_still_whatever_the_knobs_say(slug: str) -> None:
    session = Session()
    before = _line(VerifierTable(session), slug)
    session.write({"peak_flops": 1e12, "matmul_efficiency": 0.1, "n_layers": 3})
    assert _line(VerifierTable(session), slug) == before


def test_every_open_row_is_plain_json_and_agrees_with_its_line(verification: Verification) -> None:
    """A third of the rows, every verdict among them: building each program takes a while."""
    rows = list(verification.rows)[::12]
    rows += [next(row for row in verification.rows if row.verdict == verdict) for verdict in presets.VERDICTS]
    for number, row in enumerate(rows, 1):
        shown = told(row, number)
        assert "NaN" not in json.dumps(shown)
        assert "None" not in shown.get("formula", "")
        if row.point is not None:
            assert recompute(row).value(row.statement.quantity) == pytest.approx(row.recomputed, rel=1e-12)


def test_elasticities_of_an_open_row_are_those_of_its_own_point(verification: Verification) -> None:
    """T_min of an AllGather is V/W: +1 in the bytes, -1 in the bandwidth, whatever the point."""
    row = next(row for row in verification.rows if row.statement.id == "applied-training-pod-days")
    found = recompute(row)
    assert found.elasticities["peak_flops"] == pytest.approx(-1)
    assert found.elasticities["train_tokens"] == pytest.approx(1)
    assert set(found.inputs) <= set(KNOBS) | set(row.via) | set(row.statement.settings)


def test_a_quantity_that_is_given_is_an_input_with_an_elasticity(verification: Verification) -> None:
    row = next(
        row
        for row in verification.rows
        if row.point and row.via and set(row.statement.settings) - set(KNOBS) - {"chips", "batch_seqs"}
    )
    (given, *_) = set(row.statement.settings) - set(KNOBS) - {"chips", "batch_seqs"}
    found = recompute(row)
    assert found.value(given) == row.statement.settings[given]
    assert given in found.elasticities


def test_load_moves_to_the_point_and_puts_the_quantity_in_focus(table: VerifierTable) -> None:
    session, row = table._session, verify().rows
    chosen = next(row for row in row if row.statement.id == "inference-tab-mha-step-b1")
    table._hear({"kind": "load", "id": chosen.statement.id})
    assert session.point == chosen.point
    assert session.state.page == "inference"
    assert session.state.focus == chosen.statement.quantity
    session.undo()
    assert session.point == Session().point


def test_a_row_opens_and_closes(table: VerifierTable) -> None:
    table._hear({"kind": "open", "id": "training-dp-threshold"})
    assert table.body.data["open"]["id"] == "training-dp-threshold"
    table._hear({"kind": "open", "id": None})
    assert table.body.data == {"open": None}


def test_links_lead_to_the_section(verification: Verification) -> None:
    row = next(row for row in verification.rows if row.statement.id == "training-dp-threshold")
    assert section_link(row) == "https://jax-ml.github.io/scaling-book/training/#data-parallelism"
