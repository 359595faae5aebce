"""Pipeline parallelism (chapters 5 and 12): what its bubble idles and what its sends cost; not part of the step time.

Each stage holds consecutive layers. Microbatches follow one another, so that a stage waits only for the first to
arrive and the last to leave.
"""

import jax.numpy as jnp

from model.graph import Scalar, quantity


@quantity(label="Layers a stage", symbol="L/N_stages", unit="layers")
def stage_layers(n_layers: Scalar, pipeline_stages: Scalar) -> Scalar:
    """Layers of one stage."""
    return n_layers / pipeline_stages


@quantity(label="Pipeline bubble", symbol="r_bubble", unit="1")
def pipeline_bubble(pipeline_stages: Scalar, microbatches: Scalar) -> Scalar:
    """Share of a pass that a stage idles: (N_stages - 1)/(N_MB + N_stages - 1); 0 without a pipeline."""
    return (pipeline_stages - 1) / (microbatches + pipeline_stages - 1)


@quantity(label="Pipeline comms", symbol="T_comms,pp", unit="s", standing="lower bound")
def pipeline_comms_time(
    activation_bytes: Scalar,
    batch_tokens: Scalar,
    d_model: Scalar,
    node_egress: Scalar,
    microbatches: Scalar,
    pipeline_stages: Scalar,
) -> Scalar:
    """Sends between stages in one pass of a batch: 2BD/(W_node N_MB)(N_MB + N_stages - 2); 0 without a pipeline."""
    one = activation_bytes * batch_tokens * d_model / (node_egress * microbatches)
    return jnp.where(pipeline_stages > 1, one * (microbatches + pipeline_stages - 2), 0.0)
