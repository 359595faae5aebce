"""Training runs as arrays: parameters, tokens, FLOPs and final loss, read from a CSV that may be anyone's."""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

MAX_BYTES = 5_000_000
MAX_ROWS = 20_000
MIN_RUNS = 8
"""Five coefficients need more than five runs before any interval means something."""

REQUIRED = ("params", "flop", "loss")
OPTIONAL = ("tokens", "cluster")
ALIASES = {"n": "params", "d": "tokens", "c": "flop", "flops": "flop", "l": "loss", "seed": "cluster"}


class RunsError(ValueError):
    """One line that says what is wrong with a table of runs, where, and how to mend it."""


@dataclass(frozen=True)
class Runs:
    """n training runs: arrays of shape (n,) of parameters N, tokens D, training FLOPs C, final loss (nats) and cluster.

    Runs that share a `cluster` label are resampled together by the bootstrap (say, all runs of one seed).
    """

    params: np.ndarray
    tokens: np.ndarray
    flop: np.ndarray
    loss: np.ndarray
    cluster: np.ndarray

    def __len__(self) -> int:
        return len(self.loss)

    def where(self, keep: np.ndarray) -> "Runs":
        """The runs that a mask of shape (n,) or an index array selects."""
        return Runs(self.params[keep], self.tokens[keep], self.flop[keep], self.loss[keep], self.cluster[keep])


def make_runs(
    params: np.ndarray,
    tokens: np.ndarray,
    loss: np.ndarray,
    flop: np.ndarray | None = None,
    cluster: np.ndarray | None = None,
) -> Runs:
    """Runs from arrays of shape (n,); `flop` defaults to 6ND, `cluster` to one cluster a run."""
    n, d, y = (np.asarray(column, float) for column in (params, tokens, loss))
    c = 6 * n * d if flop is None else np.asarray(flop, float)
    labels = np.arange(len(y)) if cluster is None else np.unique(np.asarray(cluster), return_inverse=True)[1]
    runs = Runs(n, d, c, y, labels)
    for name in ("params", "tokens", "flop", "loss"):
        column = getattr(runs, name)
        bad = np.flatnonzero(~(np.isfinite(column) & (column > 0)))
        if len(bad):
            raise RunsError(f"run {bad[0] + 1}: {name} is {column[bad[0]]:g}; it must be positive and finite")
    return runs


def drop_highest_losses(runs: Runs, count: int) -> Runs:
    """All runs but the `count` of highest loss: a declared rule for outliers, in the runs' own order."""
    if not 0 <= count < len(runs):
        raise RunsError(f"cannot drop {count} of {len(runs)} runs: drop fewer")
    order = np.argsort(runs.loss, kind="stable")
    return runs.where(np.sort(order[: len(runs) - count]))


def parse_runs(text: str) -> Runs:
    """Runs from CSV text with columns params, flop, loss and, if given, tokens (else D = C/6N) and cluster or seed.

    Lines that begin with # are remarks. Raises `RunsError` with the line, the fault and the mend.
    """
    if len(text) > MAX_BYTES:
        raise RunsError(f"the table has {len(text):,} characters; at most {MAX_BYTES:,} are read: send fewer runs")
    lines = _numbered_rows(text)
    header = next(lines, None)
    if header is None:
        raise RunsError("the table is empty: it needs a header line params,flop,loss and one line a run")
    names = _column_names(header[1])
    columns: dict[str, list[float]] = {name: [] for name in (*REQUIRED, *OPTIONAL) if name in names}
    labels: dict[str, int] = {}
    for line, cells in lines:
        if [cell.lower() for cell in cells] == [cell.lower() for cell in header[1]]:
            raise RunsError(f"line {line}: the header is there twice; delete the second one")
        if len(cells) != len(names):
            raise RunsError(f"line {line}: {len(cells)} cells where the header has {len(names)}; mend that line")
        for name, cell in zip(names, cells, strict=True):
            if name == "cluster":
                columns[name].append(labels.setdefault(cell, len(labels)))
            elif name in columns:
                columns[name].append(_positive(cell, name, line))
        if len(columns["loss"]) > MAX_ROWS:
            raise RunsError(f"more than {MAX_ROWS:,} runs: send fewer, for instance only final losses")
    return _checked(columns)


def _numbered_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped) and not stripped[0].startswith("#"):
                yield reader.line_num, stripped
    except csv.Error as error:
        raise RunsError(f"line {reader.line_num}: not readable as CSV ({error}); save the table as plain CSV") from None


def _column_names(header: list[str]) -> list[str]:
    names = [ALIASES.get(cell.lower(), cell.lower()) for cell in header]
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise RunsError(f"no column {', '.join(missing)}: the header needs params,flop,loss; it has {','.join(header)}")
    twice = sorted({name for name in names if names.count(name) > 1 and name in (*REQUIRED, *OPTIONAL)})
    if twice:
        raise RunsError(f"column {', '.join(twice)} is there twice: keep one of them")
    return names


def _positive(cell: str, name: str, line: int) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise RunsError(f"line {line}: {name} is {cell[:40]!r}; write a number such as 1.5e9") from None
    if not (math.isfinite(value) and value > 0):
        raise RunsError(f"line {line}: {name} is {cell[:40]}; it must be positive and finite")
    return value


def require_enough(runs: Runs) -> None:
    """Raise `RunsError` where no law can be fitted: too few runs, or too few different sizes or token counts."""
    if len(runs) < MIN_RUNS:
        raise RunsError(f"{len(runs)} runs: a law of five coefficients needs at least {MIN_RUNS}; add runs")
    for name in ("params", "tokens"):
        if len(np.unique(getattr(runs, name))) < 3:
            raise RunsError(f"fewer than 3 different {name}: an exponent needs at least 3; vary {name} more")


def _checked(columns: dict[str, list[float]]) -> Runs:
    params, flop, loss = (np.array(columns[name]) for name in REQUIRED)
    tokens = np.array(columns["tokens"]) if "tokens" in columns else flop / (6 * params)
    runs = make_runs(params, tokens, loss, flop, np.array(columns["cluster"]) if "cluster" in columns else None)
    require_enough(runs)
    return runs
