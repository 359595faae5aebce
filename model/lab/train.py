"""Train one model on one task for a FLOP budget, on fresh batches, and measure it on held-out pairs."""

import itertools
import math
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax import Array

from model.lab.flops import counts
from model.lab.measure import HISTOGRAM_EDGES, Tally, answer_losses, tally
from model.lab.recipe import Recipe
from model.lab.tasks import VOCABULARY, Batch, Task, training_batch, validation_batch
from model.lab.transformer import Shape, Transformer

CHECKPOINTS = 12
VALIDATION_EXAMPLES = 512
SOLVED_ACCURACY = 0.99


class Trained(NamedTuple):
    """What one run leaves behind. Losses are nats an answer token; arrays are as plain lists, ready for a database."""

    steps: int
    tokens: int
    flop: float
    total_params: int
    active_params: int
    peak_rate: float
    loss: float
    accuracy: float
    train_loss: float
    solved: bool
    diverged: bool
    curve: list[tuple[int, float, float]]
    histogram: list[int]
    expert_load: list[list[int]]
    seconds: float


class _State(NamedTuple):
    params: Any
    optimiser: Any
    key: Array


class _Totals(NamedTuple):
    tally: Tally
    load: Array


class _Program(NamedTuple):
    begin: Callable[[int], _State]
    advance: Callable[..., tuple[_State, _Totals]]
    evaluate: Callable[[Any, Batch], tuple[Tally, Array]]


@lru_cache(maxsize=32)
def _program(shape: Shape, task: Task, recipe: Recipe) -> _Program:
    """The compiled functions of one shape: any horizon, seed and learning rate run through the same ones."""
    graph, _ = nnx.split(nnx.eval_shape(lambda: Transformer(shape, nnx.Rngs(0))), nnx.Param)
    optimiser = optax.chain(
        optax.clip_by_global_norm(recipe.clip),
        optax.scale_by_adam(recipe.b1, recipe.b2),
        optax.add_decayed_weights(
            recipe.weight_decay, mask=lambda tree: jax.tree.map(lambda leaf: leaf.ndim > 1, tree)
        ),
    )

    def begin(seed: int) -> _State:
        params = nnx.state(Transformer(shape, nnx.Rngs(seed)), nnx.Param)
        return _State(params, optimiser.init(params), jax.random.key(seed))

    def loss(params: Any, batch: Batch, key: Array) -> tuple[Array, _Totals]:
        logits, aside = nnx.merge(graph, params)(batch.tokens[:, :-1], key)
        sums = tally(logits, batch)
        return (sums.nats / sums.tokens).astype(jnp.float32) + aside.auxiliary, _Totals(sums, aside.load)

    def step(index: Array, carry: tuple[_State, _Totals], horizon: Array, peak: Array) -> tuple[_State, _Totals]:
        state, totals = carry
        key, data_key, model_key = jax.random.split(state.key, 3)
        batch = training_batch(task, data_key, recipe.batch)
        gradient, seen = jax.grad(loss, has_aux=True)(state.params, batch, model_key)
        update, inner = optimiser.update(gradient, state.optimiser, state.params)
        rate = (peak * recipe.schedule.factor(index, horizon)).astype(jnp.float32)
        params = jax.tree.map(lambda weight, change: weight - rate * change, state.params, update)
        return _State(params, inner, key), jax.tree.map(jnp.add, totals, seen)

    @jax.jit
    def advance(state: _State, first: Array, last: Array, horizon: Array, peak: Array) -> tuple[_State, _Totals]:
        experts = shape.experts.count if shape.experts else 0
        nothing = _Totals(Tally.empty(), jnp.zeros((shape.n_layers, experts), jnp.int32))
        return jax.lax.fori_loop(first, last, lambda i, carry: step(i, carry, horizon, peak), (state, nothing))

    @jax.jit
    def evaluate(params: Any, batch: Batch) -> tuple[Tally, Array]:
        logits, _ = nnx.merge(graph, params)(batch.tokens[:, :-1])
        nats, tokens, _ = answer_losses(logits, batch)
        return tally(logits, batch), nats / tokens

    return _Program(begin, advance, evaluate)


def steps_for(shape: Shape, task: Task, recipe: Recipe, flop: float) -> int:
    """Steps whose exact FLOPs come nearest to a budget. Raises ValueError where that is none."""
    positions = task.sequence_length - 1
    steps = round(flop / (counts(shape, positions).flops_per_token * recipe.batch * positions))
    if steps < 1:
        raise ValueError(f"{flop:.3g} FLOPs are less than one step of d_model {shape.d_model}: raise the budget")
    return steps


def train(
    shape: Shape,
    task: Task,
    recipe: Recipe,
    flop: float,
    seed: int,
    rate_factor: float = 1.0,
    progress: Callable[[float], None] = lambda _: None,
) -> Trained:
    """Train for `flop` exact FLOPs; D counts every position the model reads, padding included, L only answer tokens.

    `progress` is called with the share done after each checkpoint; whatever it raises ends the run.
    """
    begun = time.perf_counter()
    positions = task.sequence_length - 1
    size = counts(shape, positions)
    steps = steps_for(shape, task, recipe, flop)
    peak = recipe.size_rule.peak(size.active_params) * rate_factor
    program = _program(shape, task, recipe)
    validation = validation_batch(task, VALIDATION_EXAMPLES)
    state = program.begin(seed)
    marks = np.unique(np.linspace(0, steps, CHECKPOINTS + 1).round().astype(int))
    curve: list[tuple[int, float, float]] = []
    load = np.zeros((shape.n_layers, shape.experts.count if shape.experts else 0), np.int64)
    train_loss, diverged = float("nan"), False
    for first, last in itertools.pairwise(marks):
        state, totals = program.advance(state, int(first), int(last), float(steps), peak)
        train_loss = totals.tally.loss
        load += np.asarray(totals.load)
        held_out, _ = program.evaluate(state.params, validation)
        curve.append((int(last) * recipe.batch * positions, train_loss, held_out.loss))
        progress(last / steps)
        diverged = not math.isfinite(train_loss)
        if diverged:
            break
    final, each = program.evaluate(state.params, validation)
    return Trained(
        steps=steps,
        tokens=steps * recipe.batch * positions,
        flop=steps * recipe.batch * positions * size.flops_per_token,
        total_params=size.total_params,
        active_params=size.active_params,
        peak_rate=peak,
        loss=final.loss,
        accuracy=final.accuracy,
        train_loss=train_loss,
        solved=final.accuracy >= SOLVED_ACCURACY,
        diverged=bool(diverged or final.loss > np.log(VOCABULARY)),
        curve=curve,
        histogram=np.histogram(np.asarray(each), HISTOGRAM_EDGES)[0].tolist(),
        expert_load=load.tolist(),
        seconds=time.perf_counter() - begun,
    )
