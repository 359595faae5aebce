"""Training end to end on tiny budgets: exact budgets, repeatable, learning, and measured by tokens, not by batches."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from model.lab.experts import Experts
from model.lab.flops import counts
from model.lab.measure import HISTOGRAM_EDGES, Tally, tally
from model.lab.recipe import Recipe
from model.lab.tasks import VOCABULARY, Batch, Task, held_out_pairs
from model.lab.train import CHECKPOINTS, steps_for, train
from model.lab.transformer import Shape

TASK = Task("addition", 1, held_out=0.2)
RECIPE = Recipe(batch=16)
SHAPES = {"dense": Shape(8, 1), "moe": Shape(8, 1, experts=Experts(4, 2))}


@pytest.fixture(scope="module", params=SHAPES)
def trained(request):
    shape = SHAPES[request.param]
    return shape, train(shape, TASK, RECIPE, 4e8, seed=0)


def test_a_run_spends_its_budget_learns_and_tells_what_it_saw(trained):
    shape, run = trained
    size = counts(shape, TASK.sequence_length - 1)
    assert run.flop == pytest.approx(4e8, rel=0.01)
    assert run.tokens == run.steps * RECIPE.batch * (TASK.sequence_length - 1)
    assert run.flop == run.tokens * size.flops_per_token
    assert len(run.curve) == CHECKPOINTS
    assert run.curve[-1][0] == run.tokens
    assert run.train_loss < 0.9 * np.log(10), "digits guessed at random cost log(10) each"
    assert run.curve[-1][2] == run.loss
    assert len(run.histogram) == len(HISTOGRAM_EDGES) - 1
    assert sum(run.histogram) == len(held_out_pairs(TASK, 512).T)
    assert not run.diverged
    copies = run.tokens * shape.experts.chosen if shape.experts else 0
    assert [sum(layer) for layer in run.expert_load] == [copies]


def test_the_same_seed_gives_the_same_run_and_another_another(trained):
    shape, run = trained
    again, other = train(shape, TASK, RECIPE, 4e8, seed=0), train(shape, TASK, RECIPE, 4e8, seed=1)
    assert again._replace(seconds=0) == run._replace(seconds=0)
    assert other.loss != run.loss


def test_a_far_too_high_rate_is_flagged_as_diverged():
    run = train(SHAPES["dense"], TASK, RECIPE, 4e7, seed=0, rate_factor=1e6)
    assert run.diverged


def test_a_budget_below_one_step_is_refused():
    with pytest.raises(ValueError, match="less than one step"):
        steps_for(SHAPES["dense"], TASK, RECIPE, 1e3)


def test_progress_may_end_a_run():
    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(SHAPES["dense"], TASK, RECIPE, 4e8, seed=0, progress=stop)


def test_tallies_of_uneven_batches_add_up_to_that_of_the_whole():
    """Averages of batch averages would not: the batches have 1 and 5 examples, and 2 and 15 answer tokens."""
    rng = np.random.default_rng(0)
    logits = jnp.asarray(rng.normal(size=(6, 4, VOCABULARY)))
    batch = Batch(
        jnp.asarray(rng.integers(0, 16, (6, 5))), jnp.asarray(np.arange(5) >= np.array([3, 2, 2, 2, 2, 2])[:, None])
    )
    parts = [slice(0, 1), slice(1, 6)]
    sums = Tally.empty()
    for part in parts:
        sums = sums + tally(logits[part], Batch(batch.tokens[part], batch.answer[part]))
    whole = tally(logits, batch)
    assert sums.loss == pytest.approx(whole.loss, rel=1e-12)
    assert float(sums.tokens) == 17
    averaged = np.mean([tally(logits[part], Batch(batch.tokens[part], batch.answer[part])).loss for part in parts])
    assert abs(averaged - whole.loss) > 1e-3
    logs = np.asarray(jax.nn.log_softmax(logits, axis=-1))
    by_hand = [-logs[i, j - 1, int(batch.tokens[i, j])] for i in range(6) for j in range(1, 5) if batch.answer[i, j]]
    assert whole.loss == pytest.approx(np.mean(by_hand), rel=1e-12)
