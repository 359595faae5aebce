"""Knobs of a plan by a scaling law: the law's coefficients, how long the run may take, and what will be served."""

import param

from model.knobs.declare import Number
from presets.laws import printed_laws

REFERENCE = printed_laws().surfaces["besiroglu"]
"""Besiroglu et al. 2024: the fit to Chinchilla's runs that is the best one; Hoffmann's own print stopped early."""


class Law(param.Parameterized):
    """L(N, D) = E + A/N^alpha + B/D^beta, in nats, and the run that it plans."""

    law_days = Number(
        30,
        bounds=(0.01, 1e5),
        unit="days",
        symbol="t",
        label="Days of training",
        doc="How long the chips of the training page train at its MFU; with them it is the compute of the plan.",
    )
    law_serve_tokens = Number(
        1e12,
        bounds=(1, 1e19),
        unit="tokens",
        symbol="Q",
        label="Tokens served",
        doc="Tokens that the model reads and writes over its life, at 2N FLOPs each.",
    )
    law_E = Number(
        REFERENCE.E,
        bounds=(0, 20),
        unit="nats",
        symbol="E",
        scale="linear",
        label="Floor of the loss",
        doc=f"Loss of endless data and parameters; the default law is {REFERENCE.source}.",
    )
    law_A = Number(
        REFERENCE.A,
        bounds=(1e-3, 1e9),
        unit="1",
        symbol="A",
        label="Model term",
        doc=f"Factor of N^-alpha; the default law is {REFERENCE.source}.",
    )
    law_B = Number(
        REFERENCE.B,
        bounds=(1e-3, 1e9),
        unit="1",
        symbol="B_L",
        label="Data term",
        doc=f"Factor of D^-beta; the default law is {REFERENCE.source}.",
    )
    law_alpha = Number(
        REFERENCE.alpha,
        bounds=(0.05, 1.5),
        unit="1",
        symbol="alpha",
        scale="linear",
        label="Model power",
        doc=f"Power of 1/N in the loss; the default law is {REFERENCE.source}.",
    )
    law_beta = Number(
        REFERENCE.beta,
        bounds=(0.05, 1.5),
        unit="1",
        symbol="beta",
        scale="linear",
        label="Data power",
        doc=f"Power of 1/D in the loss; the default law is {REFERENCE.source}.",
    )
