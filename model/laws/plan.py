"""A fitted law as quantities: from a compute budget to the best size and data, their loss, and what serving changes.

Pure functions of scalars, each named after what it computes and reading others by name, as the graph wires them.
The budget comes from the training page's chips, peak and MFU; the law's coefficients are knobs of their own.
"""

import inspect
from collections.abc import Callable, Mapping

import numpy as np

from model.laws.intervals import Interval, percentile_interval
from model.laws.surface import Law, Real

SECONDS_A_DAY = 86_400.0
NEWTON_STEPS = 14


def law_training_flops(chips: Real, peak_flops: Real, mfu: Real, law_days: Real) -> Real:
    """Training FLOPs C of a run: chips x peak x MFU x days."""
    return chips * peak_flops * mfu * SECONDS_A_DAY * law_days


def law_model_exponent(law_alpha: Real, law_beta: Real) -> Real:
    """Exponent a of N_opt in C: beta/(alpha+beta)."""
    return law_beta / (law_alpha + law_beta)


def law_allocation(law_A: Real, law_B: Real, law_alpha: Real, law_beta: Real) -> Real:
    """G = (alpha A/(beta B))^(1/(alpha+beta)), the factor of N_opt = G (C/6)^a."""
    return (law_alpha * law_A / (law_beta * law_B)) ** (1 / (law_alpha + law_beta))


def law_optimal_params(law_training_flops: Real, law_allocation: Real, law_model_exponent: Real) -> Real:
    """Parameters of least loss for the budget, N_opt = G (C/6)^a."""
    return law_allocation * (law_training_flops / 6) ** law_model_exponent


def law_optimal_tokens(law_training_flops: Real, law_optimal_params: Real) -> Real:
    """Tokens that the budget then affords, D_opt = C/(6 N_opt)."""
    return law_training_flops / (6 * law_optimal_params)


def law_optimal_loss(
    law_optimal_params: Real,
    law_optimal_tokens: Real,
    law_E: Real,
    law_A: Real,
    law_B: Real,
    law_alpha: Real,
    law_beta: Real,
) -> Real:
    """Loss in nats at the optimum, E + A/N^alpha + B/D^beta."""
    return law_E + law_A * law_optimal_params ** (-law_alpha) + law_B * law_optimal_tokens ** (-law_beta)


def law_loss_elasticity(law_optimal_loss: Real, law_E: Real, law_alpha: Real, law_beta: Real) -> Real:
    """d log L/d log C along the optimum: -(alpha beta/(alpha+beta)) (L - E)/L, shared by chips, peak, MFU and days."""
    return -(law_alpha * law_beta / (law_alpha + law_beta)) * (law_optimal_loss - law_E) / law_optimal_loss


def law_serving_stretch(law_serve_tokens: Real, law_optimal_tokens: Real, law_alpha: Real, law_beta: Real) -> Real:
    """How many times D_opt to train on so that training and serving Q tokens together cost least at the same loss.

    Minimising 6ND + 2NQ at fixed loss leaves z^(1+beta) - z = beta Q/(3 (alpha+beta) D_opt) for z = D/D_opt. The left
    side is convex, so Newton from the upper bound 1 + s/beta falls monotonically to the root.
    """
    surplus = law_beta * law_serve_tokens / (3 * (law_alpha + law_beta) * law_optimal_tokens)
    stretch = 1 + surplus / law_beta
    for _ in range(NEWTON_STEPS):
        power = stretch**law_beta
        stretch = stretch - (stretch * power - stretch - surplus) / ((1 + law_beta) * power - 1)
    return stretch


def law_served_tokens(law_optimal_tokens: Real, law_serving_stretch: Real) -> Real:
    """Training tokens of the cheapest model of the same loss over its life."""
    return law_optimal_tokens * law_serving_stretch


def law_served_params(law_optimal_params: Real, law_serving_stretch: Real, law_alpha: Real, law_beta: Real) -> Real:
    """Parameters of that model: fewer, since the longer training pays back the loss."""
    share = (law_alpha + law_beta - law_alpha * law_serving_stretch ** (-law_beta)) / law_beta
    return law_optimal_params * share ** (-1 / law_alpha)


def law_lifetime_saving(
    law_served_params: Real,
    law_served_tokens: Real,
    law_optimal_params: Real,
    law_optimal_tokens: Real,
    law_serve_tokens: Real,
) -> Real:
    """Share of 6ND + 2NQ that it saves over serving the compute-optimal model of the same loss."""
    cheapest = law_served_params * (6 * law_served_tokens + 2 * law_serve_tokens)
    return 1 - cheapest / (law_optimal_params * (6 * law_optimal_tokens + 2 * law_serve_tokens))


QUANTITIES: tuple[Callable[..., Real], ...] = (
    law_training_flops,
    law_model_exponent,
    law_allocation,
    law_optimal_params,
    law_optimal_tokens,
    law_optimal_loss,
    law_loss_elasticity,
    law_serving_stretch,
    law_served_tokens,
    law_served_params,
    law_lifetime_saving,
)
"""In an order in which each reads only knobs and those before it."""


def evaluate_plan(knobs: Mapping[str, Real]) -> dict[str, Real]:
    """Every quantity that the given knobs (and quantities given in their stead) suffice for, by name."""
    known = dict(knobs)
    found: dict[str, Real] = {}
    for quantity in QUANTITIES:
        inputs = inspect.signature(quantity).parameters
        if quantity.__name__ not in known and all(name in known for name in inputs):
            known[quantity.__name__] = found[quantity.__name__] = quantity(**{name: known[name] for name in inputs})
    return found


def law_knobs(law: Law) -> dict[str, Real]:
    """A law's coefficients under their knobs' names."""
    return {f"law_{name}": value for name, value in law._asdict().items()}


def plan_intervals(law: Law, laws: Law, flop: float, serve_tokens: float = 0.0) -> dict[str, Interval]:
    """The plan of C FLOPs under a fitted law, with intervals from its bootstrap `laws` (coefficients of shape (r,))."""
    budget = {"law_training_flops": flop, "law_serve_tokens": serve_tokens}
    central = evaluate_plan({**budget, **law_knobs(law)})
    draws = evaluate_plan({**budget, **law_knobs(Law(*map(np.asarray, laws)))})
    return {name: percentile_interval(float(value), np.asarray(draws[name])) for name, value in central.items()}
