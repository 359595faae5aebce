"""What can't be had is refused with the reason; hostile points never give infinity, negative time or a traceback."""

import math

from model.evaluate import evaluate, gradient
from model.graph import quantities
from model.knobs import KNOBS
from model.point import Point, resolve


def test_a_run_that_does_not_fit_has_no_time_and_says_the_shortfall():
    evaluation = evaluate(resolve("tpu-v5e", "llama-3.1-405b", {"data_shards": 8, "tensor_shards": 1}))
    assert math.isnan(evaluation.values["step_time"])
    assert evaluation.reasons["mfu"].startswith("does not fit:")
    assert "too much" in evaluation.reasons["train_days"]
    assert evaluation.values["memory_per_chip"] > 16e9
    assert evaluation.values["memory_headroom"] < 0
    assert math.isfinite(evaluate(evaluation.point, gate=False).values["step_time"])
    assert gradient(evaluation, "step_time").reason == evaluation.reasons["step_time"]


def test_serving_that_does_not_fit_has_no_latency():
    """models/cases.md C8: Llama-3.1 405B on one 80 GB GPU has no latency; its weights alone are 811.7 GB."""
    evaluation = evaluate(resolve("h100", "llama-3.1-405b", {"decode_chips": 1}))
    for name in ("decode_step_time", "prefill_time", "cost_per_mtok", "request_time"):
        assert math.isnan(evaluation.values[name]), name
        assert "does not fit" in evaluation.reasons[name]
    assert evaluation.values["train_days"] > 0


def test_shards_that_do_not_divide_are_refused():
    evaluation = evaluate(resolve(settings={"tensor_shards": 11, "data_shards": 814}))
    assert "does not divide by tensor_shards=11" in evaluation.reasons["step_time"]
    evaluation = evaluate(resolve(settings={"decode_chips": 9}))
    assert "does not divide by decode_chips=9" in evaluation.reasons["decode_step_time"]


def test_an_empty_price_says_set_a_price():
    evaluation = evaluate(resolve("tpu-v4p"))
    assert evaluation.reasons["train_cost"] == "set a price"
    assert math.isfinite(evaluation.values["train_days"])


def test_a_missing_fabric_figure_is_never_guessed():
    evaluation = evaluate(resolve("h200", settings={"chips": 8192}))
    assert "set the ICI bandwidth" in evaluation.reasons["step_time"]
    alone = evaluate(resolve("h200", "llama-3-8b", {"data_shards": 1, "tensor_shards": 1, "decode_chips": 1}))
    assert math.isfinite(alone.values["decode_step_time"])


def test_a_batch_that_can_not_be_split_is_refused():
    assert "shorter than one sequence" in evaluate(resolve(settings={"batch_tokens": 2048})).reasons["step_time"]
    settings = {"batch_tokens": 1024, "seq_len": 512}
    assert "do not divide over" in evaluate(resolve(settings=settings)).reasons["step_time"]


def test_hostile_points_give_null_with_a_reason_or_a_sane_number(graph_points):
    times = [name for name, quantity in quantities().items() if quantity.unit in {"s", "days", "$", "$/Mtok"}]
    base = resolve()
    for numbers in graph_points.tolist():
        values = {}
        for (name, knob), number in zip(KNOBS.items(), numbers, strict=True):
            options = {value: option for option, value in knob.numbers.items()}
            values[name] = options[number] if knob.kind == "choice" else (None if math.isnan(number) else number)
        evaluation = evaluate(Point(base.chip, base.model, values))
        for name, value in evaluation.values.items():
            assert not math.isinf(value), name
            assert math.isnan(value) == (name in evaluation.reasons), name
            assert evaluation.reasons.get(name, "x").strip(), name
        for name in times:
            assert not evaluation.values[name] < 0, name
        for name in ("mfu", "hfu", "useful_flops_fraction"):
            assert not evaluation.values[name] > 1 + 1e-12, name
