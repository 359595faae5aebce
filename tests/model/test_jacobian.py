"""The whole table of elasticities agrees with its rows, knows laws of the graph, and travels as JSON."""

import json

import numpy as np
import pytest

from model.errors import BadInput
from model.evaluate import evaluate, gradient
from model.graph import quantities
from model.jacobian import jacobian, jacobian_records
from model.point import resolve
from model.programs import DIFFERENTIATED


def test_rows_are_quantities_and_columns_are_knobs() -> None:
    evaluation = evaluate(resolve())
    table = jacobian(evaluation)
    assert list(table.index) == list(quantities())
    assert list(table.columns) == list(DIFFERENTIATED)
    assert table.loc["chips", "data_shards"] == pytest.approx(1)
    assert table.loc["embedding_params", "vocab_size"] == pytest.approx(1)
    assert table.loc["step_time", "price_per_chip_hour"] == 0.0
    expected = list(gradient(evaluation, "step_time").elasticities.values())
    filled = [evaluation.point.values[knob] is not None for knob in DIFFERENTIATED]
    np.testing.assert_array_equal(table.loc["step_time"].to_numpy()[filled], np.array(expected)[filled])


def test_products_have_summed_rows() -> None:
    """MFU is F/(N_c C T): its row is the sum of logs, whatever binds."""
    for settings in ({}, {"tensor_shards": 64, "data_shards": 140}, {"ici_bandwidth": "9G"}):
        table = jacobian(evaluate(resolve(settings=settings), gate=False), ["mfu", "step_flops", "chips", "step_time"])
        summed = table.loc["step_flops"] - table.loc["chips"] - table.loc["step_time"]
        summed["peak_flops"] -= 1
        np.testing.assert_allclose(table.loc["mfu"], summed, atol=1e-12)


def test_what_has_no_elasticity_is_null_with_its_reason() -> None:
    evaluation = evaluate(resolve("h100", settings={"price_per_chip_hour": None, "decode_chips": 1}), gate=True)
    records = {record["quantity"]: record for record in jacobian_records(evaluation)}
    json.dumps(list(records.values()), allow_nan=False)
    assert records["train_cost"]["value"] is None
    assert records["decode_step_time"]["reason"].startswith("does not fit")
    assert set(records["decode_step_time"]["elasticities"].values()) == {None}
    assert records["total_params"]["elasticities"]["price_per_chip_hour"] is None
    with pytest.raises(BadInput, match="did you mean step_time"):
        jacobian(evaluation, ["step_tme"])
