"""Learning rates: a cosine over the run's own horizon, or warm-up, constant and cool-down (WSD); and the size rule."""

from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array

SCHEDULES = ("cosine", "wsd")


@dataclass(frozen=True)
class Schedule:
    """A schedule over any horizon: shares of the run for warm-up and (WSD) cool-down, final share of the peak."""

    kind: str = "cosine"
    warmup: float = 0.1
    cooldown: float = 0.2
    floor: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in SCHEDULES:
            raise ValueError(f"no schedule {self.kind!r}: choose {' or '.join(SCHEDULES)}")
        if not (0 <= self.warmup < 1 and 0 <= self.cooldown < 1 and self.warmup + self.cooldown <= 1):
            raise ValueError(f"warm-up {self.warmup} and cool-down {self.cooldown} do not fit into one run")

    def factor(self, step: Array, horizon: Array) -> Array:
        """Share of the peak learning rate at `step` of `horizon` steps. Cool-down follows 1 - sqrt(progress)."""
        done = step / horizon
        rise = jnp.minimum(1.0, (step + 1) / jnp.maximum(1.0, self.warmup * horizon))
        if self.kind == "cosine":
            progress = jnp.clip((done - self.warmup) / (1 - self.warmup), 0, 1)
            fall = 0.5 * (1 + jnp.cos(jnp.pi * progress))
        else:
            progress = jnp.clip((done - (1 - self.cooldown)) / max(self.cooldown, 1e-9), 0, 1)
            fall = 1 - jnp.sqrt(progress)
        return rise * (self.floor + (1 - self.floor) * fall)


@dataclass(frozen=True)
class SizeRule:
    """Peak learning rate of N active parameters: rate at 10,000 parameters times (N/10,000)^-power, capped at `cap`.

    The default follows scans at 690, 2,532, 16,992 and 37,776 parameters (see docs/scaling-laws.md).
    """

    rate: float = 0.017
    power: float = 0.5
    cap: float = 0.03

    def peak(self, active_params: int) -> float:
        """Peak learning rate."""
        return min(self.cap, self.rate * (active_params / 10_000) ** -self.power)
