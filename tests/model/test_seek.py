"""Goal-seek: against closed forms, targets taken from known points, and every way of getting stuck."""

import math
import random

import numpy as np
import pytest

from model.errors import BadInput
from model.evaluate import evaluate
from model.knobs import KNOBS
from model.point import resolve
from model.seek import SeekResult, descent, seek, seek_steps
from model.seek.descent import Landscape, Look, descend
from model.seek.space import Space
from model.ties import moved

POINT = resolve("tpu-v5p", "llama-3-70b", {"matmul_efficiency": 0.4})


def _value(result: SeekResult) -> float:
    """Evaluate the continuous answer anew; whole shards are not asked of it."""
    return evaluate(moved(POINT, dict(result.knobs)), gate=False).bounds[result.of]


def test_a_power_law_is_one_step() -> None:
    """Compute-bound, days are proportional to 1/X."""
    result = seek(POINT, "train_days", 30, ["data_shards"])
    days = evaluate(POINT).values["train_days"]
    assert result.reached
    assert result.knobs["data_shards"] == pytest.approx(1120 * days / 30, rel=1e-9)
    assert result.iterations == 1
    assert result.reason == ""
    assert result.rounded is not None
    assert result.rounded.values["data_shards"] == 1706
    assert result.rounded_value == evaluate(result.rounded).values["train_days"]
    assert [step.iteration for step in result.path] == [0, 1]
    assert result.path[0].knobs == {"data_shards": 1120.0}


def test_freed_knobs_share_the_way() -> None:
    """The least move in logs: two knobs of equal elasticity move by the same factor."""
    result = seek(POINT, "train_days", "30", ["data_shards", "peak_flops"])
    factors = result.knobs["data_shards"] / 1120, result.knobs["peak_flops"] / 4.59e14
    assert factors[0] == pytest.approx(factors[1], rel=1e-6)
    assert result.rounded is not None
    assert result.rounded.numbers_by_name()["data_shards"].is_integer()
    assert result.rounded_value == pytest.approx(30, rel=1e-9)  # Compute takes up what rounding left.


@pytest.mark.parametrize("seed", range(12))
def test_what_some_point_has_is_found(seed: int) -> None:
    """The target is the value at random settings of the freed knobs, so it can be reached."""
    draw = random.Random(seed)
    of = ["step_time", "mfu", "tokens_per_second", "decode_step_time", "cost_per_mtok", "memory_headroom"][seed % 6]
    knobs = (
        ["batch_tokens", "data_shards", "ici_bandwidth"]
        if seed % 6 in (0, 1, 2, 5)
        else ["decode_batch", "context_len"]
    )
    aim = {knob: POINT.numbers_by_name()[knob] * math.exp(draw.uniform(-0.7, 0.7)) for knob in knobs}
    target = evaluate(moved(POINT, aim), gate=False).bounds[of]
    if of == "mfu":
        target = min(target, 0.399)
    result = seek(POINT, of, target, knobs)
    assert result.reached, result.reason
    assert _value(result) == pytest.approx(target, rel=1e-6)
    assert all(KNOBS[name].bounds[0] <= value <= KNOBS[name].bounds[1] for name, value in result.knobs.items())


def test_a_plateau_is_crossed() -> None:
    """Compute-bound, ICI bandwidth moves nothing until comms bind: only the scan gets there."""
    result = seek(POINT, "mfu", 0.3, ["ici_bandwidth"])
    assert result.reached
    assert result.knobs["ici_bandwidth"] < 1.8e11 / 3.3
    assert _value(result) == pytest.approx(0.3, rel=1e-7)


def test_a_headroom_may_be_zero_or_negative() -> None:
    exact = (96e9 * 8960 - 10 * evaluate(POINT).values["total_params"]) / (2 * 80 * (8192 + 2 * 28672))
    result = seek(POINT, "memory_headroom", 0, ["batch_tokens"])
    assert result.reached
    assert result.knobs["batch_tokens"] == pytest.approx(exact, rel=1e-9)
    assert seek(POINT, "memory_headroom", "-1e9", ["batch_tokens"]).reached


def test_mfu_cannot_pass_the_matmul_efficiency() -> None:
    result = seek(POINT, "mfu", 0.5, ["batch_tokens", "data_shards"])
    assert not result.reached
    assert result.reason.startswith("MFU comes no nearer to 0.500 than 0.400: compute-bound")
    assert result.value == pytest.approx(0.4)
    assert result.value <= 0.4 * (1 + 1e-12)


def test_stuck_and_why() -> None:
    assert seek(POINT, "step_time", 0.1, ["price_per_chip_hour"]).reason == (
        "price_per_chip_hour does not enter step_time"
    )
    slack = seek(POINT, "step_time", 0.1, ["ici_bandwidth"])
    assert "compute-bound; ICI bandwidth: TP comms are slack by 3.33×" in slack.reason
    end = seek(POINT, "decode_step_time", 0.005, ["decode_batch"])
    assert not end.reached
    assert end.knobs == {"decode_batch": 1.0}
    assert "Decode batch ends at" in end.reason
    memory = seek(POINT, "cost_per_mtok", 0.1, ["decode_batch"])
    assert not memory.reached
    assert "does not fit" in memory.reason
    assert (
        evaluate(moved(POINT, {"decode_batch": math.floor(memory.knobs["decode_batch"])})).values["cost_per_mtok"] > 0
    )
    forbidden = seek(POINT.with_settings({"hbm_capacity": "4G"}), "step_time", 2, ["data_shards"])
    assert not forbidden.reached
    assert forbidden.reason.startswith("Step time is 2.00\u2009s only where it can't be had: does not fit")


def test_a_jump_over_the_target_is_told() -> None:
    """On one chip there are no collectives at all; on two there are 160: nothing lies between."""
    result = seek(POINT, "decode_comms_time", 1e-4, ["decode_chips"])
    assert not result.reached
    one = POINT.with_settings({"tensor_shards": 1, "data_shards": 8960})
    at_one, at_two = (
        evaluate(moved(one, {"tensor_shards": float(ways)}), gate=False).bounds["fsdp_axes"] for ways in (1, 2)
    )
    assert (at_one, at_two) == (3, 2)
    result = seek(one, "fsdp_axes", 2.5, ["tensor_shards"])
    assert not result.reached
    assert "jumps over the target, from 2\u2009axes to 3\u2009axes, at Y near 1" in result.reason


def test_what_does_not_fit_now_may_be_sought() -> None:
    tight = POINT.with_settings({"hbm_capacity": "4G"})
    assert math.isnan(evaluate(tight).values["step_time"])
    result = seek(tight, "step_time", 0.5, ["data_shards"])
    assert result.reached
    assert evaluate(moved(tight, {"data_shards": math.ceil(result.knobs["data_shards"])})).values["step_time"] > 0


def test_shards_round_to_divisors_of_the_held_chips() -> None:
    result = seek(POINT, "mfu", 0.35, ["tensor_shards", "data_shards"], hold_chips=True)
    assert result.reached
    assert result.knobs["tensor_shards"] * result.knobs["data_shards"] == pytest.approx(8960)
    assert result.rounded is not None
    x, y = (result.rounded.numbers_by_name()[name] for name in ("data_shards", "tensor_shards"))
    assert x * y == 8960
    assert 28672 % y == 0
    there = evaluate(result.rounded)
    assert there.values["mfu"] == result.rounded_value
    divisors = [ways for ways in range(1, 8961) if 8960 % ways == 0 and 28672 % ways == 0]
    mfus = [evaluate(moved(POINT, {"tensor_shards": way, "data_shards": 8960 / way})).values["mfu"] for way in divisors]
    near = [(abs(math.log(mfu / 0.35)), way) for mfu, way in zip(mfus, divisors, strict=True)]
    assert y == min(near)[1]


class _Valley(Landscape):
    """r = max(u0 + k u1, u0 - k u1) + 5: the target lies down a crease, across which single gradients zigzag."""

    def __init__(self, steepness: float) -> None:
        wide = np.full(2, 50.0)
        self.space = Space(POINT, (), (), None, (), -wide, wide)
        self.steepness = steepness

    def look(self, u: np.ndarray) -> Look:
        residual = u[0] + self.steepness * abs(u[1]) + 5
        return Look(u, math.exp(residual), residual, "")

    def slopes(self, look: Look) -> np.ndarray:
        return np.array([1.0, math.copysign(self.steepness, look.u[1])])


@pytest.mark.parametrize("steepness", [2, 5, 10, 30])
def test_along_a_kink(steepness: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both gradients together lead down the crease in a few steps; one at a time takes hundreds."""
    valley = _Valley(steepness)
    path = list(descend(valley, valley.look(np.array([0.0, 0.37]))))
    assert path[-1].distance <= 1e-10
    assert len(path) <= 8
    monkeypatch.setattr(descent, "POOR", math.inf)
    assert len(list(descend(valley, valley.look(np.array([0.0, 0.37]))))) > 2 * len(path)


def test_both_maxima_of_a_step() -> None:
    edge = resolve(settings={"tensor_shards": 32, "data_shards": 280})
    before = evaluate(edge).values["step_time"]
    result = seek(edge, "step_time", before / 4, ["peak_flops", "ici_bandwidth"])
    assert result.reached
    assert result.iterations < 20
    assert result.knobs["peak_flops"] > 4.59e14
    assert result.knobs["ici_bandwidth"] > 1.8e11


def test_already_there() -> None:
    value = evaluate(POINT).values["step_time"]
    result = seek(POINT, "step_time", value, ["data_shards"])
    assert (result.reached, result.reason, result.iterations) == (True, "it has that value already", 0)


def test_steps_can_be_watched_and_cancelled() -> None:
    steps = seek_steps(POINT, "memory_headroom", 1e9, ["batch_tokens"])
    first, second = next(steps), next(steps)
    assert (first.iteration, second.iteration) == (0, 1)
    assert abs(second.residual) < abs(first.residual)
    steps.close()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("step_tim", 1, ["data_shards"]), "step_tim: no such quantity; did you mean step_time"),
        (("step_time", 1, []), "no knob is freed"),
        (("step_time", 1, ["data_shard"]), "data_shard: no such knob to free; did you mean data_shards"),
        (("step_time", 1, ["recompute"]), "recompute: can't be freed, a choice has no elasticity"),
        (("step_time", 1, ["chips"]), "chips: can't be freed, it sets other knobs; free data_shards"),
        (("step_time", 1, ["vmem_bandwidth"]), "vmem_bandwidth: can't be freed while it is empty"),
        (("step_time", -1, ["data_shards"]), "step_time is never negative"),
        (("step_time", 0, ["data_shards"]), "step_time is never 0"),
        (("step_time", math.nan, ["data_shards"]), "target=nan: not a number"),
        (("step_time", "soon", ["data_shards"]), "target=soon: not a number"),
        (("vmem_critical_intensity", 1, ["peak_flops"]), "has no value yet; set "),
    ],
)
def test_bad_questions_are_refused(arguments, line: str) -> None:
    with pytest.raises(BadInput) as error:
        seek(POINT, *arguments)
    assert line in str(error.value)


def test_held_chips_need_both_shards() -> None:
    with pytest.raises(BadInput, match="free both data_shards and tensor_shards, or neither"):
        seek(POINT, "mfu", 0.3, ["tensor_shards"], hold_chips=True)
