"""Sequences say what they mean, nothing is cut, and training can never draw what is held out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from model.lab.recipe import SEED_TASK
from model.lab.tasks import EOS, FORMATS, SOS, VOCABULARY, Task, is_held_out, text_of, training_batch, validation_batch

TASKS = [
    SEED_TASK,
    Task("addition", 3, "plain"),
    Task("addition", 7, "fixed"),
    Task("multiplication", 6, "fixed"),
    Task("multiplication", 2, "three-variant", swap=True),
]


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_every_example_is_a_true_equation_and_the_mask_marks_its_answer(task):
    batch = jax.jit(lambda key: training_batch(task, key, 200))(jax.random.key(1))
    assert batch.tokens.shape == (200, task.sequence_length)
    for tokens, mask in zip(np.asarray(batch.tokens), np.asarray(batch.answer), strict=True):
        question, answer = text_of(task, tokens).split("=")
        left, right = (int(number) for number in question.replace("×", "+").split("+"))
        assert int(answer) == task.answer(left, right)
        assert tokens[0] == SOS
        assert (tokens == EOS).sum() == 1, "an example that was cut has no end"
        marked = [int(token) for token in tokens[mask]]
        assert marked == [int(digit) for digit in answer] + ([] if task.form == "fixed" else [EOS])


def test_the_seeds_format_is_three_paddings_and_both_orders():
    batch = training_batch(SEED_TASK, jax.random.key(0), 2000)
    questions = [text_of(SEED_TASK, tokens).split("=")[0] for tokens in np.asarray(batch.tokens)]
    pairs = [question.split("+") for question in questions]
    short = [pair for pair in pairs if len(pair[0].strip()) < 3]
    assert VOCABULARY == 16
    assert SEED_TASK.sequence_length == 30
    assert {("left" if left[0] == " " else "right" if left[-1] == " " else "none") for left, _ in short} == {
        "left",
        "right",
        "none",
    }
    swapped = np.mean([int(left) > int(right) for left, right in pairs])
    assert swapped == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("form", FORMATS)
def test_a_length_that_would_cut_an_example_is_refused(form):
    with pytest.raises(ValueError, match="length 13 would cut examples of 14 tokens"):
        Task("addition", 3, form, length=13)


@pytest.mark.parametrize(
    "bad",
    [{"operation": "division"}, {"form": "loose"}, {"digits": 0}, {"digits": 10}, {"held_out": 0.0}, {"held_out": 1.0}],
)
def test_bad_tasks_are_refused(bad):
    with pytest.raises(ValueError, match="choose"):
        Task(**bad)


def test_held_out_pairs_are_the_same_in_either_order_and_as_many_as_asked():
    task = Task("addition", 3, held_out=0.2)
    low, high = np.triu_indices(1000)
    held = is_held_out(task, low.astype(np.int64), high.astype(np.int64))
    assert held.mean() == pytest.approx(0.2, abs=0.005)
    assert np.array_equal(held, is_held_out(task, high.astype(np.int64), low.astype(np.int64)))
    assert np.array_equal(held, np.asarray(is_held_out(task, jnp.asarray(low), jnp.asarray(high))))
    sums = np.bincount(low[held] + high[held], minlength=1999)
    assert np.corrcoef(sums, np.bincount(low + high, minlength=1999))[0, 1] > 0.96, "held-out pairs are like the others"


@pytest.mark.parametrize("task", [Task("addition", 1, held_out=0.3), SEED_TASK], ids=str)
def test_training_never_draws_a_held_out_pair(task):
    """One-digit addition has 55 unordered pairs: 20,000 draws meet every one that is allowed, and none that is not."""
    batch = jax.jit(lambda key: training_batch(task, key, 20_000))(jax.random.key(3))
    drawn = {frozenset(map(int, text_of(task, tokens).split("=")[0].split("+"))) for tokens in np.asarray(batch.tokens)}
    validation = validation_batch(task, 10_000)
    held = {
        frozenset(map(int, text_of(task, tokens).split("=")[0].split("+"))) for tokens in np.asarray(validation.tokens)
    }
    assert not drawn & held
    if task.digits == 1:
        assert len(drawn | held) == 55
    assert all(" " not in text_of(task, tokens) for tokens in np.asarray(validation.tokens)), (
        "validation is not augmented"
    )
    assert len(held) == validation.tokens.shape[0], "validation pairs are different"


def test_a_task_with_nothing_held_out_is_refused():
    with pytest.raises(ValueError, match="holds no pair out"):
        validation_batch(Task("addition", 1, held_out=1e-6), 10)
