"""Arithmetic as sequences of 16 tokens: fresh training batches, and a held-out set that they can never touch.

A pair of operands, whatever its order, is held out or not by a hash of the pair: disjointness needs no bookkeeping.
Only the answer's tokens count in the loss, since the operands are random digits that nothing can predict.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

SYMBOLS = [*"0123456789", " ", "+", "=", "<pad>", "<sos>", "<eos>"]
SPACE, OPERATOR, EQUALS, PAD, SOS, EOS = range(10, 16)
VOCABULARY = len(SYMBOLS)

OPERATIONS = ("addition", "multiplication")
FORMATS = ("plain", "fixed", "three-variant")
"""plain: digits as written, and the end token counts as answer; fixed: zero-padded, so only digits are to be predicted;
three-variant: plain, operands as written, or padded with spaces on the left, or on the right (the seed's way)."""

_MAX_DIGITS = 9


class Batch(NamedTuple):
    """Tokens (b, length) and a mask (b, length) of those that belong to the answer."""

    tokens: Array
    answer: Array


@dataclass(frozen=True)
class Task:
    """One arithmetic task. `length` 0 means just as long as needed; a length that would cut an example is refused.

    Attributes:
        operation: `addition` or `multiplication`.
        digits: digits of each operand, which is drawn evenly from 0 to 10^digits - 1.
        form: one of `FORMATS`.
        swap: draw unordered pairs and swap half of them, instead of drawing ordered pairs.
        length: tokens a sequence, padding included.
        held_out: share of the unordered pairs that training never sees.
    """

    operation: str = "multiplication"
    digits: int = 3
    form: str = "fixed"
    swap: bool = False
    length: int = 0
    held_out: float = 0.1

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS:
            raise ValueError(f"no operation {self.operation!r}: choose {' or '.join(OPERATIONS)}")
        if self.form not in FORMATS:
            raise ValueError(f"no format {self.form!r}: choose one of {', '.join(FORMATS)}")
        if not 1 <= self.digits <= _MAX_DIGITS:
            raise ValueError(f"{self.digits} digits: choose 1 to {_MAX_DIGITS}")
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out is {self.held_out}: choose a share between 0 and 1")
        if self.length and self.length < self.needed_length:
            raise ValueError(f"length {self.length} would cut examples of {self.needed_length} tokens: raise it")

    @property
    def answer_digits(self) -> int:
        """Digits of the largest answer."""
        return self.digits + 1 if self.operation == "addition" else 2 * self.digits

    @property
    def needed_length(self) -> int:
        """Tokens of the longest example: sos, operands, operator, equals, answer, eos."""
        return 2 * self.digits + self.answer_digits + 4

    @property
    def sequence_length(self) -> int:
        """Tokens a sequence."""
        return self.length or self.needed_length

    def answer(self, a: Any, b: Any) -> Any:
        """The right answer to integers of any shape."""
        return a + b if self.operation == "addition" else a * b


def is_held_out(task: Task, a: Any, b: Any) -> Any:
    """Whether pairs of non-negative integers (n,), in either order, are held out; NumPy and JAX arrays alike."""
    low, high = a + b - abs(a - b), a + b + abs(a - b)
    mixed = low * 6364136223846793005 + high * 1442695040888963407 + 1013904223
    mixed = (mixed ^ ((mixed >> 29) & 0x7FFFFFFFF)) * 3935559000370003845
    return ((mixed >> 33) & 0x3FFFFFFF) < int(task.held_out * 2**30)


def _digits(numbers: Array, width: int) -> tuple[Array, Array]:
    """Decimal digits (b, width), highest first, and whether each belongs to the number as written."""
    powers = 10 ** jnp.arange(width - 1, -1, -1, dtype=jnp.int64)
    written = (numbers[:, None] >= powers) | (powers == 1)
    return (numbers[:, None] // powers) % 10, written


def _operand(task: Task, numbers: Array, variant: Array) -> tuple[Array, Array]:
    digits, written = _digits(numbers, task.digits)
    if task.form == "fixed":
        return digits, jnp.ones_like(written)
    blanks = jnp.where(written, digits, SPACE)
    left_padded = variant[:, None] == 1
    right_padded = variant[:, None] == 2
    shift = jnp.argsort(~written, axis=1, stable=True)
    flushed = jnp.take_along_axis(blanks, shift, axis=1)
    return jnp.where(right_padded, flushed, blanks), written | left_padded | right_padded


def encode(task: Task, a: Array, b: Array, variant: Array) -> Batch:
    """Pairs of int64 (n,) as sequences; `variant` (n,) picks the padding, 0 for none."""
    count = a.shape[0]
    column = jnp.ones((count, 1), jnp.int64)
    always = jnp.ones((count, 1), bool)
    answer, written = _digits(task.answer(a, b), task.answer_digits)
    fixed = task.form == "fixed"
    parts = [
        (SOS * column, always, False),
        (*_operand(task, a, variant), False),
        (OPERATOR * column, always, False),
        (*_operand(task, b, variant), False),
        (EQUALS * column, always, False),
        (answer, jnp.ones_like(written) if fixed else written, True),
        (EOS * column, always, not fixed),
    ]
    symbols = jnp.concatenate([symbol for symbol, _, _ in parts], axis=1)
    kept = jnp.concatenate([keep for _, keep, _ in parts], axis=1)
    counted = jnp.concatenate([keep & counts for _, keep, counts in parts], axis=1)
    order = jnp.argsort(~kept, axis=1, stable=True)
    symbols = jnp.take_along_axis(jnp.where(kept, symbols, PAD), order, axis=1)
    counted = jnp.take_along_axis(counted, order, axis=1)
    room = ((0, 0), (0, task.sequence_length - symbols.shape[1]))
    return Batch(jnp.pad(symbols, room, constant_values=PAD).astype(jnp.int32), jnp.pad(counted, room))


def training_batch(task: Task, key: Array, size: int) -> Batch:
    """A fresh batch: pairs drawn evenly and drawn again until none is held out."""
    top = 10**task.digits

    def draw(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        key, pairs, bad = state
        key, now = jax.random.split(key)
        fresh = jax.random.randint(now, (2, size), 0, top, dtype=jnp.int64)
        pairs = jnp.where(bad, fresh, pairs)
        return key, pairs, is_held_out(task, pairs[0], pairs[1])

    first = (key, jnp.zeros((2, size), jnp.int64), jnp.ones(size, bool))
    key, (a, b), _ = jax.lax.while_loop(lambda state: jnp.any(state[2]), draw, first)
    swap_key, variant_key = jax.random.split(key)
    if task.swap:
        turned = jax.random.bernoulli(swap_key, 0.5, (size,)) != (a > b)
        a, b = jnp.where(turned, b, a), jnp.where(turned, a, b)
    variants = 3 if task.form == "three-variant" else 1
    return encode(task, a, b, jax.random.randint(variant_key, (size,), 0, variants))


def held_out_pairs(task: Task, count: int, seed: int = 0) -> np.ndarray:
    """At most `count` different held-out unordered pairs (2, n), drawn evenly; all of them where there are no more."""
    top = 10**task.digits
    if top <= 1000:
        low, high = np.triu_indices(top)
    else:
        draws = int(count / task.held_out * 2) + 1000
        low, high = np.sort(np.random.default_rng(seed).integers(0, top, (2, draws)), axis=0)
    pairs = np.unique(np.stack([low, high]).astype(np.int64), axis=1)
    pairs = pairs[:, np.asarray(is_held_out(task, pairs[0], pairs[1]))]
    return pairs[:, np.random.default_rng(seed).permutation(pairs.shape[1])[:count]]


def validation_batch(task: Task, count: int, seed: int = 0) -> Batch:
    """The held-out set, never augmented. Raises ValueError where the task is too small to have one."""
    pairs = held_out_pairs(task, count, seed)
    if not pairs.shape[1]:
        raise ValueError(f"{task.digits}-digit {task.operation} holds no pair out: raise held_out or digits")
    low, high = map(jnp.asarray, pairs)
    return encode(task, low, high, jnp.zeros(pairs.shape[1], jnp.int64))


def text_of(task: Task, tokens: np.ndarray) -> str:
    """One sequence as people write it: padding and markers left out, × for multiplication."""
    text = "".join(SYMBOLS[int(token)] for token in tokens if token < PAD)
    return text.replace("+", "×") if task.operation == "multiplication" else text
