"""Elasticities: against finite differences, exactly zero on slack branches, one-sided at ties."""

import inspect
import math
import re

import numpy as np
import pytest

from model.evaluate import FILLER, derivative, evaluate, gradient
from model.graph import ancestors, quantities
from model.knobs import KNOBS
from model.point import resolve
from model.programs import DIFFERENTIATED, pullback_program, values_program

STEP = 3e-5
SHORT_STEP = 1e-6
ORDER = list(KNOBS)


STEPS = [
    name
    for name, node in quantities().items()
    if re.search(r"jnp\.(ceil|floor|round)", inspect.getsource(node.function))
]
"""Nodes that count whole things: flat between jumps."""


def _regime(outputs: dict[str, float]) -> dict[str, object]:
    """Which branch binds in each maximum, and each whole count, by quantity."""
    largest: dict[str, tuple[float, str]] = {}
    for name, value in outputs.items():
        owner, _, branch = name.partition(":")
        if branch and (owner not in largest or value > largest[owner][0]):
            largest[owner] = (value, branch)
    return {owner: branch for owner, (_, branch) in largest.items()} | {name: outputs[name] for name in STEPS}


def _moved(before: dict[str, object], after: dict[str, object]) -> set[str]:
    return {name for name, state in before.items() if state != after[name] and state == state}


def _shown_by(low: float, value: float, high: float, step: float, elasticity: float) -> bool:
    """Whether the values at x(1 - step), x and x(1 + step) show this elasticity, or one side of a kink does."""
    sides = [(value - low) / (step * value), (high - value) / (step * value)]
    size = max(1.0, abs(elasticity))
    if abs(sides[1] - sides[0]) > 1e-2 * size:
        return min(abs(side - elasticity) for side in sides) < 1e-3 * size
    return abs(sum(sides) / 2 - elasticity) <= 2e-5 * abs(elasticity) + 2e-8 * size


def test_every_quantity_by_every_knob_against_central_differences(graph_points):
    """Within one regime the derivative of each quantity and branch is what moving the knob shows, in float64.

    The longer step is for differences that rounding blurs, the shorter for values near a singularity.
    """
    program = values_program()
    compared = set()
    for point in np.where(np.isnan(graph_points), FILLER, graph_points)[:16].tolist():
        here = dict(zip(program.outputs, program.run(*point), strict=True))
        exact = {name: derivative(point, name) for name in program.outputs}
        for knob in DIFFERENTIATED:
            position = ORDER.index(knob)
            x = point[position]
            if x == 1 and KNOBS[knob].integer:
                continue  # A mesh axis of size 1 costs exactly 0: a jump, tested apart.
            ends: dict[float, dict[str, float]] = {}
            for step in (STEP, -STEP, SHORT_STEP, -SHORT_STEP):
                moved = list(point)
                moved[position] = x * (1 + step)
                ends[step] = dict(zip(program.outputs, program.run(*moved), strict=True))
            crossed = _moved(_regime(here), _regime(ends[STEP])) | _moved(_regime(here), _regime(ends[-STEP]))
            for name, value in here.items():
                if not math.isfinite(value) or not crossed.isdisjoint(ancestors(name.partition(":")[0])):
                    continue  # Differences are taken within one regime only.
                slope = exact[name][knob]
                if value == 0:
                    if ends[-STEP][name] == ends[STEP][name] == slope == 0:
                        compared.add((name, knob))
                    continue
                assert any(
                    _shown_by(ends[-step][name], value, ends[step][name], step, slope * x / value)
                    for step in (STEP, SHORT_STEP)
                ), (name, knob)
                compared.add((name, knob))
    # Whole counts of the sizes drawn here jump within any step; what hangs on one may be left out.
    smooth = [name for name in quantities() if ancestors(name).isdisjoint(STEPS)]
    assert {(name, knob) for name in smooth for knob in ancestors(name) & set(DIFFERENTIATED)} <= compared


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
    slopes = derivative(tied.point.numbers(), "matmul_time")
    assert slopes["hbm_bandwidth"] == 0.0
    assert slopes["peak_flops"] * 2**50 == pytest.approx(-tied.values["matmul_time"])


def test_zero_value_has_no_elasticity_and_says_so():
    found = gradient(evaluate(resolve(settings={"tensor_shards": 1, "data_shards": 8960})), "forward_tensor_time")
    assert found.value == 0.0
    assert "exactly 0" in found.reason
    assert all(math.isnan(elasticity) for elasticity in found.elasticities.values())


@pytest.mark.parametrize("chip", ["tpu-v5p", "tpu-v5e", "h100", "b200-superpod"])
@pytest.mark.parametrize("model", ["llama-3-70b", "gpt-3-175b", "deepseek-v3", "gpt-oss-120b"])
def test_no_node_spoils_another_values_gradient(chip, model):
    """The shared pullback is finite at ordinary points: a node without a derivative guards its branch."""
    program = pullback_program()
    numbers = [FILLER if math.isnan(number) else number for number in resolve(chip, model).numbers()]
    nothing = [0.0] * len(program.outputs)
    assert program.run(*numbers, *nothing) == tuple(0.0 for _ in DIFFERENTIATED)
