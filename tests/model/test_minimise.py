"""The least of a quantity: against brute force on whole lattices, closed forms, and constraints nobody can keep."""

import math

import pytest

from model.errors import BadInput
from model.evaluate import evaluate
from model.point import resolve
from model.seek import minimise
from model.ties import moved


def test_best_mesh_against_every_mesh() -> None:
    point = resolve(settings={"tensor_shards": 1, "data_shards": 8960, "batch_tokens": 1000000})
    ways = [way for way in range(1, 8961) if 8960 % way == 0]
    times = {
        way: evaluate(moved(point, {"tensor_shards": way, "data_shards": 8960 / way})).values["step_time"]
        for way in ways
    }
    least = min((time, way) for way, time in times.items() if time == time)
    found = minimise(point, "step_time", ["data_shards", "tensor_shards"], hold_chips=True)
    assert found.found
    assert (found.value, found.knobs["tensor_shards"]) == least
    assert found.knobs["tensor_shards"] * found.knobs["data_shards"] == 8960
    assert evaluate(found.point).values["step_time"] == found.value < found.before


def test_cheapest_serving_under_a_latency_limit_against_every_whole_point() -> None:
    point = resolve(settings={"context_len": 8192})
    limit = 0.02
    chips = [way for way in range(4, 33) if 28672 % way == 0]
    least = math.inf, 0, 0
    for way in chips:
        for batch in range(100, 300):
            there = evaluate(moved(point, {"decode_chips": float(way), "decode_batch": float(batch)}))
            if there.values["decode_step_time"] <= limit and there.values["cost_per_mtok"] < least[0]:
                least = there.values["cost_per_mtok"], way, batch
    found = minimise(point, "cost_per_mtok", ["decode_chips", "decode_batch"], [("decode_step_time", "<=", "0.02")])
    assert found.found
    assert found.value <= least[0] * (1 + 1e-12)
    assert (found.knobs["decode_chips"], found.knobs["decode_batch"]) == least[1:]
    (kept,) = found.limits
    assert kept.kept
    assert kept.tight


def test_a_continuous_optimum_lies_on_its_constraint() -> None:
    """The least compute that meets a deadline: days are proportional to 1/C."""
    point = resolve(settings={"matmul_efficiency": 0.4})
    days = evaluate(point).values["train_days"]
    found = minimise(point, "reachable_flops", ["peak_flops"], [("train_days", "<=", days / 1.5)])
    assert found.found
    assert found.knobs["peak_flops"] == pytest.approx(4.59e14 * 1.5, rel=1e-6)


def test_what_does_not_matter_stays() -> None:
    point = resolve(settings={"matmul_efficiency": 0.4})
    found = minimise(point, "train_days", ["ici_bandwidth"])
    assert found.knobs == {"ici_bandwidth": 1.8e11}
    assert found.value == found.before


def test_the_gate_is_always_a_constraint() -> None:
    point = resolve("h100", "llama-3.1-405b", {"decode_chips": 1})
    assert math.isnan(evaluate(point).values["cost_per_mtok"])
    point = point.with_settings({"price_per_chip_hour": 3})
    found = minimise(point, "cost_per_mtok", ["decode_chips", "decode_batch"])
    assert found.found
    assert evaluate(found.point).values["cost_per_mtok"] == found.value
    alone = minimise(point, "cost_per_mtok", ["decode_batch"])
    assert not alone.found
    assert alone.reason.startswith("does not fit")


def test_a_limit_that_cannot_be_kept_is_named() -> None:
    found = minimise(resolve(), "train_days", ["data_shards"], [("train_cost", "<=", 1), ("mfu", ">=", 0.1)])
    assert not found.found
    assert found.reason.startswith("Training bill ≤ $1.00 can't be kept: ")
    assert [limit.kept for limit in found.limits] == [False, True]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("step_tim", ["data_shards"], []), "did you mean step_time"),
        (("step_time", ["recompute"], []), "a choice has no elasticity"),
        (("step_time", ["data_shards"], [("train_days", "<", 3)]), "write <= or >="),
        (("step_time", ["data_shards"], [("train_days", "<=", "soon")]), "target=soon: not a number"),
        (("step_time", ["data_shards"], [("train_days", "<=", -1)]), "train_days is never negative"),
    ],
)
def test_bad_questions_are_refused(arguments, line: str) -> None:
    with pytest.raises(BadInput) as error:
        minimise(resolve(), *arguments)
    assert line in str(error.value)
