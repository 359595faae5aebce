"""What a batch says of a model: sums of nats over answer tokens, never an average of averages."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from model.lab.tasks import Batch

HISTOGRAM_EDGES = (0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 3, np.inf)
"""Edges, in nats an answer token, of the histogram of held-out examples by their own loss."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Tally:
    """Sums over answer tokens and examples: exact over batches of any size; a loss is only ever their ratio."""

    nats: Array
    tokens: Array
    correct: Array
    examples: Array

    @staticmethod
    def empty() -> "Tally":
        """Nothing seen."""
        return Tally(*jnp.zeros((4,), jnp.float64))

    def __add__(self, other: "Tally") -> "Tally":
        return jax.tree.map(jnp.add, self, other)

    @property
    def loss(self) -> float:
        """Nats an answer token."""
        return float(self.nats / self.tokens)

    @property
    def accuracy(self) -> float:
        """Share of examples whose every answer token is the likeliest."""
        return float(self.correct / self.examples)


def answer_losses(logits: Array, batch: Batch) -> tuple[Array, Array, Array]:
    """Nats and counts of each example's answer tokens, (b,) and (b,), and whether it got all of them right, (b,)."""
    targets, mask = batch.tokens[:, 1:], batch.answer[:, 1:]
    logs = jax.nn.log_softmax(logits, axis=-1)
    nats = -jnp.take_along_axis(logs, targets[..., None].astype(jnp.int32), axis=-1)[..., 0]
    right = jnp.all((jnp.argmax(logits, axis=-1) == targets) | ~mask, axis=1)
    return jnp.sum(nats * mask, axis=1), jnp.sum(mask, axis=1), right


def tally(logits: Array, batch: Batch) -> Tally:
    """The sums of one batch."""
    nats, tokens, right = answer_losses(logits, batch)
    nats, tokens, right = (jnp.sum(part, dtype=jnp.float64) for part in (nats, tokens, right))
    return Tally(nats, tokens, right, jnp.array(batch.tokens.shape[0], jnp.float64))
