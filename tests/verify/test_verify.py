"""Every statement is recomputed by the graph, and the verdict is the one on record."""

import dataclasses
import math
import re
import time
from decimal import Decimal

import pytest

import presets
from model.errors import BadInput
from model.graph import quantities
from model.knobs import KNOBS
from model.verify import Verification, agrees_to, verify

FIRST = {
    "roofline-v5e-critical-intensity": 240.24,
    "roofline-q2-int8w-bf16": 120.12,
    "roofline-q5-h100-bcrit": 295.22,
    "sharding-q2-1-axis": 23.3e-6,
    "training-q1-total": 13.015e9,
    "applied-training-total-params": 70.552e9,
    "training-q2-acts": 41.943e12,
    "training-dp-threshold-3axes": 850.0,
    "training-q3-mixed": 235.19,
    "applied-training-xopt": 1618.3,
    "applied-training-pod-days": 44.67,
    "inference-tab-mha-step-b1": 4.9911e-3,
    "applied-inference-tput-chip-4x2": 231.19,
}
"""The first thirteen statements, with what a hand calculation gives (the shared facts' own, unrounded)."""


@pytest.fixture(scope="module")
def verification() -> Verification:
    return verify()


def test_no_verdict_differs_from_the_recorded_one(verification: Verification) -> None:
    assert [(row.statement.id, row.verdict, row.recomputed) for row in verification.changed] == []


def test_the_first_statements_give_what_a_hand_calculation_gives(verification: Verification) -> None:
    found = {row.statement.id: row.recomputed for row in verification.rows}
    assert {name: found[name] for name in FIRST} == pytest.approx(FIRST, rel=1e-3)


def test_counts_published_by_two_vendors_differ_by_the_norms_alone(verification: Verification) -> None:
    rows = {row.statement.id: row for row in verification.rows}
    for slug, layers, width in (("llama-3-70b", 80, 8192), ("mistral-7b", 32, 4096)):
        row, with_norms = rows[f"published-{slug}"], rows[f"published-{slug}-norms"]
        norms = (2 * layers + 1) * width
        assert row.statement.stated == row.recomputed + norms
        assert f"{norms:,}" in row.statement.reason
        assert row.statement.stated in {model.published_params for model in presets.models().values()}
        assert (row.verdict, with_norms.verdict) == ("differs", "agrees")


def test_units_are_those_of_the_quantities() -> None:
    for statement in presets.statements().values():
        if statement.quantity:
            node = quantities().get(statement.quantity) or KNOBS[statement.quantity]
            assert (statement.id, statement.unit) == (statement.id, node.unit)


def test_verdicts_earn_their_names(verification: Verification) -> None:
    for row in verification.rows:
        statement = row.statement
        if row.verdict == "quoted":
            assert statement.quantity in KNOBS, statement.id
        if row.verdict == "agrees with the book's rounded inputs":
            assert statement.rounded, statement.id
            assert not agrees_to(row.recomputed, statement.stated or 0, statement.digits), statement.id
        if row.verdict in ("differs", "not derivable"):
            assert statement.reason, statement.id
        else:
            assert not statement.reason, statement.id
    assert verification.counts["not derivable"] <= 30


def test_why_a_statement_differs_names_the_number_that_we_get(verification: Verification) -> None:
    """The explanation is a sentence; its number must not drift from the graph's."""
    for row in verification.rows:
        if row.verdict == "differs":
            named = re.findall(r"\d[\d,]*(?:\.\d+)?(?:e\d+)?", row.statement.reason)
            assert any(_same_leading_digits(number, row.recomputed) for number in named), row.statement.id


def _same_leading_digits(written: str, number: float) -> bool:
    shown = Decimal(written.replace(",", ""))
    digits = len(shown.as_tuple().digits)
    mantissa = float(f"{number:.14e}".split("e")[0])
    return shown != 0 and agrees_to(mantissa, float(shown.scaleb(-shown.adjusted())), digits)


def test_no_statement_pins_what_it_states() -> None:
    for statement in presets.statements().values():
        assert statement.quantity not in {**statement.settings, **statement.rounded}, statement.id


def test_the_chain_leads_from_the_knobs_to_the_quantity(verification: Verification) -> None:
    for row in verification.rows:
        known = set(KNOBS)
        known |= set(row.statement.settings)
        for name in row.via:
            assert set(quantities()[name].inputs) <= known, (row.statement.id, name)
            known.add(name)
        if row.via:
            assert row.via[-1] == row.statement.quantity


def test_a_wrong_stated_value_is_caught(verification: Verification) -> None:
    wrong = {
        row.statement.id: dataclasses.replace(row.statement, stated=row.statement.stated * 3)
        for row in verification.rows
        if row.statement.stated
    }
    caught = {row.statement.id for row in verify(wrong).rows if row.verdict == "differs"}
    assert caught == set(wrong)


def test_a_printed_figure_set_by_nobody_is_used_whatever_the_default_point_is(verification: Verification) -> None:
    row = next(row for row in verification.rows if row.statement.id == "roofline-v5e-critical-intensity")
    assert row.point is not None
    assert row.point.values["hbm_bandwidth"] == 8.2e11
    assert row.point.preset()["hbm_bandwidth"] == 8.2e11


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"quantity": "flux"}, "probe: flux is neither a quantity nor a knob"),
        ({"settings": {"batch": 3}}, "probe: batch is neither a quantity nor a knob"),
        ({"settings": {"n_layers": 0.5}}, "probe: n_layers=0.5: out of range"),
        ({"rounded": {"flux": 3.0}}, "probe: flux is neither a quantity nor a knob"),
        ({"chip": "tpu-v99"}, "probe: no chip 'tpu-v99'"),
    ],
)
def test_a_statement_that_cannot_be_used_is_named(change: dict[str, object], line: str) -> None:
    good = presets.statements()["roofline-v5e-critical-intensity"]
    bad = dataclasses.replace(good, id="probe", **change)
    with pytest.raises(BadInput, match=line):
        verify({"probe": bad})


def test_a_pin_replaces_an_intermediate_and_only_there() -> None:
    row = next(row for row in verify().rows if row.statement.id == "inference-tab-mha-step-b1")
    assert row.recomputed == pytest.approx((2 * 13015449600 + 6710886400) / (8 * 8.2e11), rel=1e-12)
    assert row.from_rounded == pytest.approx((26e9 + 6.7e9) / (8 * 8.2e11), rel=1e-12)
    assert math.isnan(next(row for row in verify().rows if row.statement.id == "training-q1-total").from_rounded)


def test_all_rows_take_well_under_a_second() -> None:
    verify()
    begin = time.process_time()
    verify()
    assert time.process_time() - begin < 0.5
