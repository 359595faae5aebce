"""The sorted, block-padded layer against every expert computed for every token, and against `ragged_dot`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from model.lab.experts import Experts, MoE, capacity_rows, route

WIDTH, HIDDEN, TOKENS = 6, 10, 90


def layer(**options) -> tuple[MoE, jax.Array]:
    moe = MoE(WIDTH, HIDDEN, Experts(**options), nnx.Rngs(0))
    return moe, jax.random.normal(jax.random.key(1), (TOKENS, WIDTH), jnp.float32)


def every_expert(moe: MoE, x: jax.Array) -> jax.Array:
    """All experts for all tokens, gated afterwards: the definition, with no sorting in it. (t, e, d)."""
    hidden = jax.nn.silu(jnp.einsum("td,edf->tef", x, moe.gate[...])) * jnp.einsum("td,edf->tef", x, moe.up[...])
    return jnp.einsum("tef,efd->ted", hidden, moe.down[...])


def oracle(moe: MoE, x: jax.Array) -> jax.Array:
    """Each token's top-k, softmaxed among themselves, taken in token order up to each expert's capacity."""
    logits = np.asarray(x @ moe.router[...], np.float64)
    outputs = np.asarray(every_expert(moe, x), np.float64)
    room = capacity_rows(moe.options, len(x) * moe.options.chosen) if moe.options.capacity else len(x)
    taken = np.zeros(moe.options.count, int)
    result = np.zeros(x.shape)
    for token in range(len(x)):
        chosen = np.argsort(-logits[token], kind="stable")[: moe.options.chosen]
        gates = np.exp(logits[token, chosen]) / np.exp(logits[token, chosen]).sum()
        for expert, gate in zip(chosen, gates, strict=True):
            taken[expert] += 1
            if taken[expert] <= room:
                result[token] += gate * outputs[token, expert]
    return result


@pytest.mark.parametrize(
    "options",
    [
        {"capacity": 0.0},
        {"capacity": 0.0, "count": 3, "chosen": 1},
        {"capacity": 0.0, "count": 4, "chosen": 4},
        {"capacity": 1.25},
        {"capacity": 0.5},
        {"count": 1, "chosen": 1},
    ],
    ids=str,
)
def test_equals_the_oracle_that_computes_every_expert(options):
    moe, x = layer(**options)
    output, routing = jax.jit(moe.__call__)(x)
    assert np.asarray(output) == pytest.approx(oracle(moe, x), abs=2e-6)
    assert int(routing.load.sum()) == TOKENS * moe.options.chosen


def test_dropless_equals_ragged_dot():
    moe, x = layer(capacity=0.0)

    @jax.jit
    def ragged(x):
        routing = route(moe.options, x @ moe.router[...], None)
        order = jnp.argsort(routing.expert.reshape(-1), stable=True)
        rows = x[order // moe.options.chosen]
        gate, up = (jax.lax.ragged_dot(rows, weight[...], routing.load) for weight in (moe.gate, moe.up))
        out = jax.lax.ragged_dot(jax.nn.silu(gate) * up, moe.down[...], routing.load)
        return jnp.zeros_like(x).at[order // moe.options.chosen].add(out * routing.gate.reshape(-1)[order][:, None])

    assert np.asarray(jax.jit(moe.__call__)(x)[0]) == pytest.approx(np.asarray(ragged(x)), abs=2e-6)


def test_experts_that_no_token_chose_get_a_zero_gradient_not_nan():
    moe, x = layer(capacity=0.0, count=8, chosen=1)
    moe.router[...] = jnp.zeros_like(moe.router[...]).at[:, 2].set(100 * jnp.sign(x[0]))
    one = x[:1]
    gradient = jax.jit(jax.grad(lambda weight: jnp.sum(_with_down(moe, weight)(one)[0] ** 2)))(moe.down[...])
    assert bool(jnp.all(jnp.isfinite(gradient)))
    assert float(jnp.abs(gradient[2]).max()) > 0
    assert float(jnp.abs(gradient.at[2].set(0)).max()) == 0


def _with_down(moe: MoE, weight: jax.Array) -> MoE:
    copy = nnx.clone(moe)
    copy.down[...] = weight
    return copy


def test_auxiliary_losses_are_the_published_ones():
    """Uniform logits: balance is exactly 1 whatever the shares, and the z-loss is log(e)^2."""
    logits = jnp.zeros((32, 8), jnp.float32)
    balance = route(Experts(balance_weight=1, z_weight=0), logits, None).auxiliary
    z = route(Experts(balance_weight=0, z_weight=1), logits, None).auxiliary
    assert float(balance) == pytest.approx(1.0, rel=1e-6)
    assert float(z) == pytest.approx(np.log(8) ** 2, rel=1e-6)
    skewed = jnp.zeros((32, 8), jnp.float32).at[:, 0].set(30.0)
    one = route(Experts(chosen=1, balance_weight=1, z_weight=0), skewed, None)
    assert float(one.auxiliary) == pytest.approx(8.0, rel=1e-6), (
        "all tokens on one of 8 experts cost 8 times even balance"
    )
    assert one.load.tolist() == [32] + [0] * 7


def test_noise_changes_choices_only_with_a_key():
    moe, x = layer(noise=5.0)
    logits = x @ moe.router[...]
    quiet = route(moe.options, logits, None).expert
    assert np.array_equal(quiet, np.argsort(-np.asarray(logits), axis=1, kind="stable")[:, :2])
    assert not np.array_equal(quiet, route(moe.options, logits, jax.random.key(0)).expert)


@pytest.mark.parametrize("bad", [{"chosen": 9}, {"chosen": 0}, {"capacity": -1.0}])
def test_impossible_choices_are_refused(bad):
    with pytest.raises(ValueError, match="choose"):
        Experts(**bad)
