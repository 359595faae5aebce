"""What a tenth more is worth, against arithmetic by hand."""

import math

import pytest

from model.errors import BadInput
from model.evaluate import evaluate
from model.point import resolve
from model.worth import SERVING, worth

POINT = resolve("tpu-v5p", "llama-3-70b", {"matmul_efficiency": 0.4})


def _by_knob(evaluation, *args, **kwargs):
    return {row.knob: row for row in worth(evaluation, *args, **kwargs)}


def test_compute_bound_training_gains_a_share_of_eleven() -> None:
    """All of a compute-bound step is 1/C: a tenth more saves 1/11 of time, days and bill."""
    evaluation = evaluate(POINT)
    rows = _by_knob(evaluation)
    for name in ("step_time", "train_days", "train_cost"):
        assert rows["peak_flops"].effects[name].change == pytest.approx(-evaluation.values[name] / 11, rel=1e-12)
        assert rows["ici_bandwidth"].effects[name].change == 0.0
    price = rows["price_per_chip_hour"].effects
    assert price["step_time"].change == 0.0
    assert price["train_cost"].change == pytest.approx(evaluation.values["train_cost"] / 10, rel=1e-12)
    assert rows["hbm_capacity"].nothing
    assert not rows["price_per_chip_hour"].nothing
    assert [row.knob for row in worth(evaluation)][:2] == ["peak_flops", "matmul_efficiency"]


def test_a_kink_on_the_way_is_felt() -> None:
    """At the edge of compute-bound a tenth more compute gains only what comms allow, not e times .1."""
    edge = evaluate(resolve(settings={"matmul_efficiency": 1.0, "tensor_shards": 8, "peak_flops": 4.59e14 * 1.3}))
    gain = _by_knob(edge)["peak_flops"].effects["step_time"]
    forward_limited = edge.bounds["forward_tensor_time"] - edge.bounds["forward_math_time"]
    assert forward_limited < 0
    expected = 80 * (forward_limited - edge.bounds["backward_math_time"] / 11) - edge.bounds["head_time"] / 11
    assert gain.change == pytest.approx(expected, rel=1e-9)
    assert gain.change > -edge.values["step_time"] / 11


def test_a_knob_at_its_end_says_so() -> None:
    full = _by_knob(evaluate(resolve()))["matmul_efficiency"]
    assert (full.factor, full.note, full.nothing) == (1.0, "knob ends at 1.00", True)
    nearly = _by_knob(evaluate(resolve(settings={"matmul_efficiency": 0.95})))["matmul_efficiency"]
    assert nearly.factor == pytest.approx(1 / 0.95)
    axes = _by_knob(evaluate(resolve(settings={"ici_axes": 2})))["ici_axes"]
    assert (axes.value, axes.note) == (3.0, "a whole number: 3 instead of 2")


def test_serving_and_what_does_not_fit() -> None:
    evaluation = evaluate(resolve(settings={"inference_comms": "off"}))
    hbm = _by_knob(evaluation, SERVING)["hbm_bandwidth"].effects
    assert hbm["decode_step_time"].change == pytest.approx(-evaluation.values["decode_step_time"] / 11, rel=1e-12)
    assert hbm["tokens_per_second_per_chip"].change == pytest.approx(
        evaluation.values["tokens_per_second_per_chip"] / 10, rel=1e-12
    )
    tight = evaluate(resolve(settings={"hbm_capacity": "4.9G"}))
    capacity = _by_knob(tight)["hbm_capacity"].effects["step_time"]
    assert math.isnan(capacity.before)
    assert capacity.after > 0
    assert "does not fit" in capacity.reason


@pytest.mark.parametrize("factor", [0, -1, 1, math.nan, math.inf])
def test_bad_factors_and_names_are_refused(factor: float) -> None:
    with pytest.raises(BadInput, match="give a positive number"):
        worth(evaluate(POINT), factor=factor)
    with pytest.raises(BadInput, match="no such quantity"):
        worth(evaluate(POINT), ["step_tim"])
