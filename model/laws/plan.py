"""A fitted law as quantities: from a compute budget to the best size and data, their loss, and what serving changes.

These are the graph's own nodes: chips, peak and MFU come from the training chapter, days and the law's coefficients are
knobs. The same functions plan with a fitted law and its bootstrap (`plan_intervals`), arrays in the scalars' place.
"""

import inspect
from collections.abc import Callable, Mapping

import numpy as np

from model.graph import quantity
from model.laws.intervals import Interval, percentile_interval
from model.laws.surface import Law, Real


@quantity(label="Training budget", symbol="C", unit="FLOP", standing="estimate")
def law_training_flops(chips: Real, peak_flops: Real, mfu: Real, law_days: Real) -> Real:
    """Training FLOPs C of a run: chips x peak x MFU x days."""
    return chips * peak_flops * mfu * 86400 * law_days


@quantity(label="Model exponent", symbol="a", unit="1", standing="estimate")
def law_model_exponent(law_alpha: Real, law_beta: Real) -> Real:
    """Exponent a of N_opt in C: beta/(alpha+beta)."""
    return law_beta / (law_alpha + law_beta)


@quantity(label="Allocation factor", symbol="G", unit="1", standing="estimate")
def law_allocation(law_A: Real, law_B: Real, law_alpha: Real, law_beta: Real) -> Real:
    """G = (alpha A/(beta B))^(1/(alpha+beta)), the factor of N_opt = G (C/6)^a."""
    return (law_alpha * law_A / (law_beta * law_B)) ** (1 / (law_alpha + law_beta))


@quantity(label="Compute-optimal parameters", symbol="N_opt", unit="params", standing="estimate")
def law_optimal_params(law_training_flops: Real, law_allocation: Real, law_model_exponent: Real) -> Real:
    """Parameters of least loss for the budget, N_opt = G (C/6)^a."""
    return law_allocation * (law_training_flops / 6) ** law_model_exponent


@quantity(label="Compute-optimal tokens", symbol="D_opt", unit="tokens", standing="estimate")
def law_optimal_tokens(law_training_flops: Real, law_optimal_params: Real) -> Real:
    """Tokens that the budget then affords, D_opt = C/(6 N_opt)."""
    return law_training_flops / (6 * law_optimal_params)


@quantity(label="Reducible loss", symbol="L_opt,red", unit="nats", standing="estimate")
def law_reducible_loss(
    law_optimal_params: Real, law_optimal_tokens: Real, law_A: Real, law_B: Real, law_alpha: Real, law_beta: Real
) -> Real:
    """Loss in nats at the optimum above the floor, A/N^alpha + B/D^beta."""
    return law_A * law_optimal_params ** (-law_alpha) + law_B * law_optimal_tokens ** (-law_beta)


@quantity(label="Compute-optimal loss", symbol="L_opt", unit="nats", standing="estimate")
def law_optimal_loss(law_E: Real, law_reducible_loss: Real) -> Real:
    """Loss in nats at the optimum, E + A/N^alpha + B/D^beta."""
    return law_E + law_reducible_loss


@quantity(label="Loss per compute", symbol="dlogL/dlogC", unit="1", standing="estimate")
def law_loss_elasticity(law_reducible_loss: Real, law_optimal_loss: Real, law_alpha: Real, law_beta: Real) -> Real:
    """d log L/d log C along the optimum: -(alpha beta/(alpha+beta)) (L - E)/L, shared by chips, peak, MFU and days."""
    return -(law_alpha * law_beta / (law_alpha + law_beta)) * law_reducible_loss / law_optimal_loss


@quantity(label="Weight of serving", symbol="s", unit="1", standing="estimate")
def law_serving_surplus(law_serve_tokens: Real, law_optimal_tokens: Real, law_alpha: Real, law_beta: Real) -> Real:
    """How much the tokens Q to be served weigh against those of training: s = beta Q/(3 (alpha+beta) D_opt)."""
    return law_beta * law_serve_tokens / (3 * (law_alpha + law_beta) * law_optimal_tokens)


@quantity(label="Bound of the stretch", symbol="z_0", unit="1", standing="estimate")
def law_stretch_bound(law_serving_surplus: Real, law_beta: Real) -> Real:
    """An upper bound of the stretch z, exact for small s and close for large: z^(1+beta) = s + z, z <= 1 + s/beta."""
    return (1 + law_serving_surplus * (1 + law_beta) / law_beta) ** (1 / (1 + law_beta))


def _newton_step(stretch: Real, surplus: Real, beta: Real) -> Real:
    return (beta * stretch ** (1 + beta) + surplus) / ((1 + beta) * stretch**beta - 1)


@quantity(label="Stretch of training", symbol="z", unit="1", standing="estimate")
def law_serving_stretch(law_stretch_bound: Real, law_serving_surplus: Real, law_beta: Real) -> Real:
    """How many times D_opt to train on so that training and serving Q tokens together cost least at the same loss.

    Minimising 6ND + 2NQ at fixed loss leaves z^(1+beta) - z = s for z = D/D_opt. The left side is convex, so Newton
    falls monotonically from the bound; four steps leave a relative error below 2e-11 for any beta from .05 to 1.5.
    """
    once = _newton_step(law_stretch_bound, law_serving_surplus, law_beta)
    twice = _newton_step(once, law_serving_surplus, law_beta)
    thrice = _newton_step(twice, law_serving_surplus, law_beta)
    return _newton_step(thrice, law_serving_surplus, law_beta)


@quantity(label="Tokens of the cheapest life", symbol="D_life", unit="tokens", standing="estimate")
def law_served_tokens(law_optimal_tokens: Real, law_serving_stretch: Real) -> Real:
    """Training tokens of the cheapest model of the same loss over its life."""
    return law_optimal_tokens * law_serving_stretch


@quantity(label="Parameters of the cheapest life", symbol="N_life", unit="params", standing="estimate")
def law_served_params(law_optimal_params: Real, law_serving_stretch: Real, law_alpha: Real, law_beta: Real) -> Real:
    """Parameters of that model: fewer, since the longer training pays back the loss."""
    share = (law_alpha + law_beta - law_alpha * law_serving_stretch ** (-law_beta)) / law_beta
    return law_optimal_params * share ** (-1 / law_alpha)


@quantity(label="Cost of the cheapest life", symbol="F_life/F_opt", unit="1", standing="estimate")
def law_lifetime_cost(
    law_served_params: Real,
    law_served_tokens: Real,
    law_optimal_params: Real,
    law_optimal_tokens: Real,
    law_serve_tokens: Real,
) -> Real:
    """Its FLOPs over its life, 6ND + 2NQ, over those of the compute-optimal model of the same loss."""
    cheapest = law_served_params * (6 * law_served_tokens + 2 * law_serve_tokens)
    return cheapest / (law_optimal_params * (6 * law_optimal_tokens + 2 * law_serve_tokens))


QUANTITIES: tuple[Callable[..., Real], ...] = (
    law_training_flops,
    law_model_exponent,
    law_allocation,
    law_optimal_params,
    law_optimal_tokens,
    law_reducible_loss,
    law_optimal_loss,
    law_loss_elasticity,
    law_serving_surplus,
    law_stretch_bound,
    law_serving_stretch,
    law_served_tokens,
    law_served_params,
    law_lifetime_cost,
)
"""In an order in which each reads only knobs and those before it."""


def evaluate_plan(knobs: Mapping[str, Real]) -> dict[str, Real]:
    """Every quantity that the given knobs (and quantities given in their stead) suffice for, by name."""
    known = dict(knobs)
    found: dict[str, Real] = {}
    for node in QUANTITIES:
        inputs = inspect.signature(node).parameters
        if node.__name__ not in known and all(name in known for name in inputs):
            known[node.__name__] = found[node.__name__] = node(**{name: known[name] for name in inputs})
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
