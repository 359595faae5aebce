"""Elasticities: against finite differences, exactly zero on slack branches, one-sided at ties."""

import math

import numpy as np
import pytest

from model.evaluate import FILLER, derivative, evaluate, gradient
from model.graph import ancestors, quantities
from model.knobs import KNOBS
from model.point import resolve
from model.programs import DIFFERENTIATED, pullback_program, values_program

STEP = 1e-6
ORDER = list(KNOBS)


def _regime(outputs: dict[str, float]) -> tuple[tuple[str, str], ...]:
    """Which branch binds in every maximum: differences are taken only within one regime."""
    largest: dict[str, tuple[float, str]] = {}
    for name, value in outputs.items():
        owner, _, branch = name.partition(":")
        if branch and (owner not in largest or value > largest[owner][0]):
            largest[owner] = (value, branch)
    return tuple(sorted((owner, branch) for owner, (_, branch) in largest.items()))


def test_every_quantity_by_every_knob_against_central_differences(graph_points):
    """Within one regime the derivative of each quantity and branch is what moving the knob shows, in float64."""
    program, pullback = values_program(), pullback_program()
    compared = set()
    for point in np.where(np.isnan(graph_points), FILLER, graph_points)[:40].tolist():
        here = dict(zip(program.outputs, program.run(*point), strict=True))
        exact = {
            name: dict(zip(DIFFERENTIATED, pullback.run(*point, *one_hot), strict=True))
            for name, one_hot in zip(program.outputs, np.eye(len(program.outputs)).tolist(), strict=True)
        }
        for knob in DIFFERENTIATED:
            position = ORDER.index(knob)
            x = point[position]
            if x == 1 and KNOBS[knob].integer:
                continue  # A mesh axis of size 1 costs exactly 0: a jump, tested apart.
            ends = []
            for sign in (-1, 1):
                moved = list(point)
                moved[position] = x * (1 + sign * STEP)
                ends.append(dict(zip(program.outputs, program.run(*moved), strict=True)))
            if not _regime(ends[0]) == _regime(here) == _regime(ends[1]):
                continue
            for name, value in here.items():
                if not math.isfinite(value):
                    continue
                if value == 0:
                    if ends[0][name] == ends[1][name] == exact[name][knob] == 0:
                        compared.add((name, knob))
                    continue
                measured = (ends[1][name] - ends[0][name]) / (2 * STEP * value)
                elasticity = exact[name][knob] * x / value
                # Rounding of the difference and the third derivative bound what a difference can tell.
                assert measured == pytest.approx(elasticity, rel=2e-5, abs=5e-9 * max(1.0, abs(elasticity))), (
                    name,
                    knob,
                )
                compared.add((name, knob))
    missed = {(name, knob) for name in quantities() for knob in ancestors(name) & set(DIFFERENTIATED)} - compared
    assert not missed


def test_slack_constraints_have_exactly_zero_elasticity():
    compute_bound = resolve("tpu-v5p", "llama-3-70b", {"matmul_efficiency": 0.4})
    evaluation = evaluate(compute_bound)
    assert evaluation.binding("step_time") == {"forward_time": ("math",), "backward_time": ("math",)}
    found = gradient(evaluation, "step_time").elasticities
    for knob in ("ici_bandwidth", "ici_axes", "hbm_bandwidth", "hbm_capacity", "price_per_chip_hour", "gather_bytes"):
        assert found[knob] == 0.0, knob
    assert found["peak_flops"] == pytest.approx(-1, abs=1e-12)
    starved = evaluate(compute_bound.with_settings({"ici_bandwidth": "4G", "tensor_shards": 1, "data_shards": 8960}))
    assert starved.binding("step_time") == {"forward_time": ("fsdp",), "backward_time": ("fsdp",)}
    found = gradient(starved, "forward_time").elasticities
    assert found["ici_bandwidth"] == pytest.approx(-1, abs=1e-12)
    assert found["peak_flops"] == found["batch_tokens"] == found["seq_len"] == 0.0


def test_a_branch_can_be_asked_for_by_name():
    evaluation = evaluate(resolve())
    branch = gradient(evaluation, "forward_time:tp")
    assert branch.elasticities["ici_bandwidth"] == pytest.approx(-1, abs=1e-12)
    assert branch.elasticities["peak_flops"] == 0.0


def test_a_tie_gives_the_gradient_to_one_branch_and_is_visible():
    """Two powers of two meet exactly: never half the gradient each, and both branches marked as binding."""
    settings = {
        "hbm_bandwidth": 2**40,
        "peak_flops": 2**50,
        "matmul_batch": 4096,
        "matmul_inner": 4096,
        "matmul_outer": 4096,
    }
    balanced = evaluate(resolve(settings=settings))
    ratio = balanced.values["matmul_math_time"] / balanced.values["matmul_memory_time"]
    tied = evaluate(resolve(settings={**settings, "hbm_bandwidth": 2**40 / ratio}))
    assert tied.values["matmul_math_time"] == tied.values["matmul_memory_time"]
    assert tied.binding("matmul_time")["matmul_time"] == ("math", "memory")
    slopes = derivative(tied.point, "matmul_time")
    assert slopes["hbm_bandwidth"] == 0.0
    assert slopes["peak_flops"] * 2**50 == pytest.approx(-tied.values["matmul_time"])


def test_zero_value_has_no_elasticity_and_says_so():
    found = gradient(evaluate(resolve(settings={"tensor_shards": 1, "data_shards": 8960})), "forward_tensor_time")
    assert found.value == 0.0
    assert "exactly 0" in found.reason
    assert all(math.isnan(elasticity) for elasticity in found.elasticities.values())
