"""Knobs of pipeline parallelism, for the chapters on training and GPUs (5 and 12)."""

import param

from model.knobs.declare import Number


class Pipeline(param.Parameterized):
    """Stages that the layers are split into, and the pieces that each batch is cut into."""

    pipeline_stages = Number(
        8,
        bounds=(1, 4096),
        unit="stages",
        symbol="N_stages",
        integer=True,
        label="Pipeline stages",
        doc="Groups of consecutive layers, each on chips of its own (1: no pipeline).",
    )
    microbatches = Number(
        32,
        bounds=(1, 1e6),
        unit="batches",
        symbol="N_MB",
        integer=True,
        label="Microbatches",
        doc="Pieces of a batch that follow one another through the stages.",
    )
