"""Parameters and FLOPs of the lab's models, counted exactly: at 3,500 parameters 6ND is far off."""

from dataclasses import dataclass

from model.lab.tasks import VOCABULARY
from model.lab.transformer import Shape


@dataclass(frozen=True)
class Counts:
    """Parameters, in all and active, and training FLOPs a position: exact, and as six times the active ones."""

    total_params: int
    active_params: int
    flops_per_token: float
    six_n: float


def counts(shape: Shape, positions: int) -> Counts:
    """Counts of one shape on sequences of `positions` inputs.

    FLOPs are those of the matmuls that run, forward times three: projections, the whole positions x positions attention
    (the mask saves nothing here), the router, k experts a token without their padding, and the output matrix.
    """
    d, f, layers = shape.d_model, shape.d_ff, shape.n_layers
    experts = shape.experts
    every, used, router = (experts.count, experts.chosen, d * experts.count) if experts else (1, 1, 0)
    attention = 4 * d * d
    shared = layers * (attention + router + 2 * d) + VOCABULARY * d + d
    active = shared + layers * used * 3 * d * f
    matmul = layers * (attention + router + used * 3 * d * f) + VOCABULARY * d
    scores = layers * 2 * positions * d
    return Counts(shared + layers * every * 3 * d * f, active, 6.0 * (matmul + scores), 6.0 * active)
