"""What binds, in words, and why an elasticity is zero: each claim is checked by moving the knob that it names."""

import math
import re
from dataclasses import replace

import pytest

from model.evaluate import evaluate, gradient
from model.graph import ancestors
from model.knobs import KNOBS
from model.point import resolve
from model.programs import DIFFERENTIATED, values_program
from model.ties import moved, one_sided, ties
from model.words import BRANCHES, ZERO, binding_sentence, zero_reasons

V5P = resolve("tpu-v5p", "llama-3-70b", {"matmul_efficiency": 0.4})


def test_every_branch_of_the_graph_has_words() -> None:
    assert {name.partition(":")[2] for name in values_program().outputs if ":" in name} == set(BRANCHES)


def test_one_binding_branch_and_the_next_two() -> None:
    """Margins by hand from the book's formulas: math 2 B P/(N_c C e), TP 8BD/(X W), FSDP 2P/(Y W 2)."""
    b, d, n_c, p = 4194304, 8192, 8960, 3 * 8192 * 28672 + 2 * 8192 * 128 * 72
    math_time = b * (2 * p + 2 * 4096 * 64 * 128) / (n_c * 4.59e14 * 0.4)
    tensor, fsdp = 8 * b * d / (1120 * 1.8e11), 2 * p / (8 * 1.8e11 * 2)
    expected = (
        f"Compute-bound. TP comms could slow {math_time / tensor:.2f}× and FSDP comms {math_time / fsdp:.2f}× "
        "before they bind."
    )
    assert binding_sentence(evaluate(V5P), "step_time") == expected
    assert binding_sentence(evaluate(V5P), "train_cost") == expected


def test_passes_that_differ_are_both_told() -> None:
    split = evaluate(resolve(settings={"tensor_shards": 16, "data_shards": 560}))
    assert binding_sentence(split, "mfu") == (
        "Forward: TP-bound. Compute could slow 1.50× and FSDP comms 9.18× before they bind. "
        "Backward: compute-bound. TP comms could slow 1.33× and FSDP comms 6.10× before they bind."
    )


def test_what_does_not_move_the_value_is_not_told() -> None:
    alone = evaluate(resolve(settings={"weight_bytes": "int8", "context_len": 512, "decode_chips": 1}))
    params = 80 * (3 * 8192 * 28672 + 2 * 8192 * 128 * 72) + 2 * 128256 * 8192
    margin = (params + 32 * 512 * 4 * 80 * 8 * 128) / 2.8e12 / (2 * 32 * params / 4.59e14)
    expected = f"HBM-bound. Compute could slow {margin:.2f}× before it binds."
    assert binding_sentence(alone, "decode_step_time") == expected
    assert "AllReduce: bandwidth-bound" in binding_sentence(evaluate(resolve()), "decode_step_time")
    assert binding_sentence(evaluate(resolve()), "total_params") == "Nothing binds: no maximum enters."
    assert binding_sentence(evaluate(resolve(settings={"decode_chips": 1})), "request_time").startswith("Does not fit:")


def test_a_tie_names_both_and_has_two_values() -> None:
    base = {"hbm_bandwidth": 2**40, "peak_flops": 2**50, "matmul_batch": 4096, "matmul_inner": 4096}
    balanced = evaluate(resolve(settings={**base, "matmul_outer": 4096}))
    ratio = balanced.values["matmul_math_time"] / balanced.values["matmul_memory_time"]
    tied = evaluate(resolve(settings={**base, "matmul_outer": 4096, "hbm_bandwidth": 2**40 / ratio}))
    assert ties(tied, "matmul_time") == {"matmul_time": ("math", "memory")}
    assert binding_sentence(tied, "matmul_time") == "Compute and HBM tie; both one-sided values below."
    assert one_sided(tied.point, "matmul_time", "hbm_bandwidth") == pytest.approx((-1, 0), abs=1e-8)
    assert one_sided(tied.point, "matmul_time", "peak_flops") == pytest.approx((-1, 0), abs=1e-8)
    reasons = zero_reasons(tied, gradient(tied, "matmul_time"))
    assert reasons["hbm_bandwidth"] == "enters on one side of the tie only"


def test_zeros_have_their_reasons() -> None:
    evaluation = evaluate(V5P)
    reasons = zero_reasons(evaluation, gradient(evaluation, "step_time"))
    assert reasons["price_per_chip_hour"] == "does not enter"
    assert reasons["ici_bandwidth"] == "TP comms are slack by 3.33×"
    assert reasons["gather_bytes"] == "FSDP comms are slack by 7.63×"
    assert "peak_flops" not in reasons
    reasons = zero_reasons(evaluation, gradient(evaluation, "mfu"))
    assert reasons["peak_flops"] == "its effects cancel"
    one_way = evaluate(resolve(settings={"tensor_shards": 1, "data_shards": 8960}))
    assert zero_reasons(one_way, gradient(one_way, "step_time"))["activation_bytes"] == "enters only where Y > 1"
    bare = evaluate(resolve(settings={"attention_flops": "none"}))
    assert zero_reasons(bare, gradient(bare, "step_time"))["seq_len"] == "is multiplied by a = 0"


@pytest.mark.parametrize("seed", range(4))
def test_reasons_hold_at_random_points(graph_points, seed: int) -> None:
    """Every zero has a reason; `slack` ones end where the factor says, and `does not enter` ones never move it."""
    order = list(KNOBS)
    base = resolve()
    for numbers in graph_points[seed * 8 : seed * 8 + 8].tolist():
        option = {name: {number: word for word, number in KNOBS[name].numbers.items()} for name in order}
        values = {name: option[name].get(number, number) for name, number in zip(order, numbers, strict=True)}
        evaluation = evaluate(replace(base, values=values), gate=False)
        for of in ("step_time", "decode_step_time", "request_time"):
            found = gradient(evaluation, of)
            zeros = {knob for knob in DIFFERENTIATED if abs(found.elasticities[knob]) <= ZERO}
            reasons = zero_reasons(evaluation, found)
            assert set(reasons) == zeros
            for knob, reason in reasons.items():
                _check(evaluation, of, knob, reason)


def _check(evaluation, of: str, knob: str, reason: str) -> None:
    x = float(evaluation.point.values[knob])
    if reason == "does not enter":
        assert knob not in ancestors(of)
    if KNOBS[knob].integer and x == 1:
        return  # From one to more is a jump, which no gradient sees.
    nudged = evaluate(moved(evaluation.point, {knob: x * 1.0001}), gate=False).bounds[of]
    slack = re.search(r"slack by ([\d,.]+)×", reason)
    if slack is None or float(slack[1].replace(",", "")) > 1.01:
        assert math.isclose(nudged, evaluation.bounds[of], rel_tol=1e-9), (of, knob, reason)
