"""Synthetic sweeps from a known law."""

from collections.abc import Callable

import numpy as np
import pytest

from model.laws import Law, Runs, make_runs


@pytest.fixture(scope="session")
def known() -> Law:
    return Law(E=1.7, A=420.0, B=900.0, alpha=0.36, beta=0.31)


@pytest.fixture(scope="session")
def sweep(known) -> Callable[..., Runs]:
    """Isoflop runs of a law: sizes spread by e^2 each way around the optimum times exp(shift)."""

    def run(law: Law = known, noise: float = 0, seed: int = 0, sizes: int = 7, shift: float = 0) -> Runs:
        flop = np.repeat(np.logspace(18, 21, 9), sizes)
        params = np.asarray(law.optimum(flop)[0]) * np.exp(np.tile(np.linspace(-2, 2, sizes), 9) + shift)
        tokens = flop / (6 * params)
        errors = np.random.default_rng(seed).normal(0, noise, len(flop))
        return make_runs(params, tokens, np.asarray(law.loss(params, tokens)) * np.exp(errors))

    return run
