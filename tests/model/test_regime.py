"""How far each knob can move: against closed forms, and by looking just before and just past each place."""

import math
from itertools import groupby

import pytest

from model.evaluate import Evaluation, evaluate
from model.knobs import KNOBS
from model.point import resolve
from model.regime import Reach, regime
from model.ties import moved

V5P = evaluate(resolve("tpu-v5p", "llama-3-70b", {"matmul_efficiency": 0.4}))


def _reach(evaluation: Evaluation, of: str, knob: str, up: bool) -> Reach:
    found = [reach for reach in regime(evaluation, of) if reach.knob == knob]
    (one,) = (reach for reach in found if (reach.factor > 1 if up else reach.factor < 1))
    return one


def test_distances_are_the_margins() -> None:
    """Math is proportional to 1/(X Y C) and B, TP to B/(X W), FSDP to 1/(Y W): the margins are the distances."""
    margins = {branch.name: branch.margin for branch in V5P.branches["forward_time"]}
    for knob, factor, after in (
        ("tensor_shards", margins["tp"], "TP-bound"),
        ("peak_flops", margins["tp"], "TP-bound"),
        ("ici_bandwidth", 1 / margins["tp"], "TP-bound"),
        ("data_shards", margins["fsdp"], "FSDP-bound"),
        ("batch_tokens", 1 / margins["fsdp"], "FSDP-bound"),
    ):
        reach = _reach(V5P, "step_time", knob, factor > 1)
        assert reach.factor == pytest.approx(factor, rel=1e-9)
        assert (reach.before, reach.after, reach.kind) == ("compute-bound", after, "binds")
    assert _reach(V5P, "step_time", "tensor_shards", True).words == "TP-bound at Y = 26.6"
    assert _reach(V5P, "step_time", "tensor_shards", True).whole == 27


def test_memory_ends_a_knob_where_it_no_longer_fits() -> None:
    factor = V5P.values["memory_per_chip"] / 96e9
    reach = _reach(V5P, "train_cost", "data_shards", False)
    assert (reach.factor, reach.kind) == (pytest.approx(factor, rel=1e-9), "does not fit")
    assert reach.whole == math.floor(1120 * factor)
    assert _reach(V5P, "step_time", "hbm_capacity", False).factor == pytest.approx(factor, rel=1e-9)
    assert all(reach.kind != "does not fit" for reach in regime(V5P, "total_params") if reach.knob == "d_ff")
    too_big = evaluate(resolve(settings={"hbm_capacity": "4G"}))
    reach = _reach(too_big, "step_time", "hbm_capacity", True)
    assert (reach.kind, reach.value) == ("fits", pytest.approx(V5P.values["memory_per_chip"], rel=1e-9))


def test_knob_ends() -> None:
    reach = _reach(V5P, "step_time", "matmul_efficiency", True)
    assert (reach.value, reach.kind, reach.words) == (1.0, "knob ends", "knob ends at 1.00")
    reach = _reach(V5P, "step_time", "tensor_shards", False)
    assert (reach.factor, reach.kind) == (1 / 8, "knob ends")


def test_jumps_are_whole_steps() -> None:
    """FSDP-bound at Y = 1: the second tensor shard takes an axis away, which no gradient sees."""
    one = evaluate(resolve(settings={"tensor_shards": 1, "data_shards": 8960}))
    reach = _reach(one, "step_time", "tensor_shards", True)
    assert (reach.kind, reach.factor, reach.whole) == ("jump", 2.0, 2.0)
    assert reach.words.startswith("jumps to ")
    # A second tensor shard halves the weights gathered, but leaves two axes of three: 3/4 of FSDP's time.
    two = evaluate(moved(one.point, {"tensor_shards": 2.0}), gate=False)
    assert two.bounds["forward_fsdp_time"] == pytest.approx(one.bounds["forward_fsdp_time"] * 3 / 4)
    torus = _reach(one, "step_time", "ici_axes", False)
    assert (torus.kind, torus.value) == ("jump", 1.0)
    bare = _reach(evaluate(resolve()), "forward_time:tp", "tensor_shards", False)
    assert (bare.kind, bare.value) == ("jump", 1.0)
    serving = _reach(
        evaluate(resolve(settings={"weight_bytes": "int4", "decode_batch": 1})),
        "decode_step_time",
        "decode_chips",
        False,
    )
    assert (serving.kind, serving.value) == ("jump", 1.0)


@pytest.mark.parametrize("of", ["step_time", "decode_step_time", "request_time"])
@pytest.mark.parametrize(
    ("chip", "settings"),
    [("tpu-v5p", {}), ("tpu-v5p", {"tensor_shards": 16, "data_shards": 560}), ("h100", {"data_shards": 64})],
)
def test_just_before_nothing_has_changed_and_just_past_it_has(chip: str, settings: dict, of: str) -> None:
    evaluation = evaluate(resolve(chip, settings=settings))
    found = regime(evaluation, of)
    for knob, reaches in groupby(sorted(found, key=lambda reach: reach.knob), key=lambda reach: reach.knob):
        assert len(list(reaches)) <= 2, knob
    here = evaluation.binding(of)
    for reach in found:
        x = float(evaluation.point.values[reach.knob] or 0.0)
        if reach.kind == "knob ends":
            assert reach.value in KNOBS[reach.knob].bounds
            continue
        side = 1 if reach.factor > 1 else -1
        just_before = evaluate(moved(evaluation.point, {reach.knob: reach.value * (1 - side * 1e-6)}), gate=False)
        just_past = evaluate(moved(evaluation.point, {reach.knob: reach.value * (1 + side * 1e-6)}), gate=False)
        if reach.kind == "binds":
            changed = {name for name in here if just_past.binding(of)[name] != here[name]}
            assert changed, reach
            assert all(just_before.binding(of)[name] == here[name] for name in changed), reach
            middle = evaluate(moved(evaluation.point, {reach.knob: math.sqrt(x * reach.value)}), gate=False)
            assert all(middle.binding(of)[name] == here[name] for name in changed), reach
        elif reach.kind == "does not fit" and reach.after == "does not fit":
            headroom = "memory_headroom" if of == "step_time" else "decode_memory_headroom"
            assert just_before.bounds[headroom] >= 0 > just_past.bounds[headroom], reach


def test_an_exact_tie_ends_at_once() -> None:
    base = {"hbm_bandwidth": 2**40, "peak_flops": 2**50, "matmul_batch": 4096, "matmul_inner": 4096}
    balanced = evaluate(resolve(settings={**base, "matmul_outer": 4096}))
    ratio = balanced.values["matmul_math_time"] / balanced.values["matmul_memory_time"]
    tied = evaluate(resolve(settings={**base, "matmul_outer": 4096, "hbm_bandwidth": 2**40 / ratio}))
    reach = _reach(tied, "matmul_time", "hbm_bandwidth", True)
    assert (reach.factor, reach.after) == (pytest.approx(1, abs=1e-9), "compute-bound")
    assert reach.before == "compute-bound and HBM-bound"
