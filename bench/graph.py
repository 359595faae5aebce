"""The graph: vmapped value and gradient beside two rivals, one point's latency, start-up cold and warm.

Rates are points for each CPU-second of one process, so that they can be held beside a rival's on a busy machine.
Run: python -m bench.graph
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np

from model.evaluate import evaluate, gradient
from model.graph import knobs_of, quantities
from model.knobs import KNOBS
from model.point import resolve
from model.programs import DIFFERENTIATED, pullback_program, scalar_function, values_program

VIEWS = {
    "training map: mfu": ("mfu",),
    "inference map: useful_flops_fraction": ("useful_flops_fraction",),
    "step_time": ("step_time",),
    "whole graph, one pullback": tuple(quantities()),
}


def rate(call: Callable[[], object], points: int, seconds: float = 1.0) -> float:
    """Return points for each CPU-second of repeated calls, after one call that is not counted."""
    call()
    start, calls = time.process_time(), 0
    while time.process_time() - start < seconds:
        call()
        calls += 1
    return calls * points / (time.process_time() - start)


def vmapped_rates(points: int = 65536) -> None:
    """Value, and gradient by every knob that the target depends on, over random points, in one XLA call."""
    random = np.random.default_rng(0)
    base = np.nan_to_num(np.array(resolve().numbers()), nan=1.0)
    columns = [base[i] * random.uniform(0.7, 1.4, points) for i in range(len(base))]
    print(f"vmapped value + gradient, {points:,} points a call")
    for view, targets in VIEWS.items():
        _, function = scalar_function(targets)
        used = [list(KNOBS).index(name) for name in knobs_of(targets) if name in DIFFERENTIATED]

        def both(
            *numbers: jax.Array, function: Callable[..., tuple[jax.Array, ...]] = function, used: list[int] = used
        ) -> object:
            outputs, pullback = jax.vjp(function, *numbers)
            slopes = pullback(tuple(jax.numpy.ones_like(output) for output in outputs))
            return outputs, [slopes[position] for position in used]

        run = jax.jit(jax.vmap(both))
        start = time.perf_counter()
        jax.block_until_ready(run(*columns))
        compiled = time.perf_counter() - start

        def call(run: Callable[..., object] = run) -> object:
            return jax.block_until_ready(run(*columns))

        print(f"  {view:38} {rate(call, points):12,.0f} /CPU-s   {len(used)} knobs, compiled in {compiled:.1f} s")


PEERS = Path(__file__).resolve().parents[1] / ".venv-peers" / "bin" / "python"


def rivals() -> None:
    """Time two rivals' own training call in this same run, in their own environment."""
    print("rivals, one configuration a call, value only, no gradient")
    if not PEERS.exists():
        print("  not installed: `make bench` installs them")
        return
    script = Path(__file__).with_name("rivals.py")
    done = subprocess.run([str(PEERS), str(script)], check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        name, calls = line.split("\t")
        print(f"  {name:45} {float(calls):12,.0f} /CPU-s")


def one_point() -> None:
    """One point: emitted Python against XLA of the same graph, and the whole evaluation that a page makes."""
    point = resolve()
    numbers = point.numbers()
    values, pullback = values_program(), pullback_program()
    cotangents = [1.0, *[0.0] * (len(pullback.outputs) - 1)]
    filled = [1.0 if number != number else number for number in numbers]
    _, function = scalar_function(tuple(quantities()))
    compiled = jax.jit(function)
    start = time.perf_counter()
    jax.block_until_ready(compiled(*numbers))
    compile_time = time.perf_counter() - start
    evaluation = evaluate(point)
    rows = {
        "all values, emitted Python": lambda: values.run(*numbers),
        f"all values, XLA (compiled in {compile_time:.1f} s)": lambda: jax.block_until_ready(compiled(*numbers)),
        "one pullback, emitted Python": lambda: pullback.run(*filled, *cotangents),
        "evaluate: values, reasons, branches": lambda: evaluate(point),
        "gradient of step_time": lambda: gradient(evaluation, "step_time"),
    }
    print("one point")
    for name, call in rows.items():
        print(f"  {name:45} {1e3 / rate(call, 1, 0.5):8.3f} ms of CPU")


def start_up() -> None:
    """Seconds from a new process to the first evaluation with its gradient, cold and with a warm compile cache."""
    code = "from model.evaluate import evaluate, gradient; from model.point import resolve;"
    code += "e = evaluate(resolve()); gradient(e, 'step_time')"
    with tempfile.TemporaryDirectory() as cache:
        for temperature in ("cold", "warm"):
            start = time.perf_counter()
            environment = {**os.environ, "JAX_COMPILATION_CACHE_DIR": cache}
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            print(f"  first value and gradient, {temperature:25} {time.perf_counter() - start:8.2f} s")


def main() -> None:
    """Run all of it."""
    vmapped_rates()
    rivals()
    one_point()
    start_up()


if __name__ == "__main__":
    main()
