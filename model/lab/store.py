"""The results of a sweep in one SQLite file: a run is there whole or not at all, and once."""

import fcntl
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from model.lab.cells import Cell, Plan
from model.lab.train import Trained
from model.laws.runs import Runs, RunsError, make_runs

SCHEMA = """
create table if not exists sweep (settings text not null);
create table if not exists runs (
    id text primary key, kind text not null, budget real not null, d_model integer not null, n_layers integer not null,
    seed integer not null, rate_factor real not null, steps integer not null, tokens integer not null,
    flop real not null, total_params integer not null, active_params integer not null, peak_rate real not null,
    loss real, accuracy real, train_loss real, solved integer not null, diverged integer not null,
    curve text not null, histogram text not null, expert_load text not null,
    seconds real not null, finished real not null, worker text not null
) strict;
create table if not exists failures (id text not null, message text not null, at real not null) strict;
"""
_LISTS = ("curve", "histogram", "expert_load")


class StoreError(ValueError):
    """One line that says why a results file cannot be used, and the mend."""


class Store:
    """An open results file. `locked` keeps other sweeps from writing to it, and the kernel frees the lock on a kill."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
            self.connection.row_factory = sqlite3.Row
            self.connection.execute("pragma journal_mode = wal")
            self.connection.execute("pragma synchronous = full")
            self.connection.execute("pragma wal_autocheckpoint = 1")  # the one file is whole after every run
            self.connection.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: not a results file ({error}); choose another path") from None

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only sweep on this file, or raise `StoreError`."""
        with open(f"{self.path}.lock", "w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StoreError(f"{self.path}: another sweep is writing to it; wait for it or cancel it") from None
            yield

    def adopt(self, plan: Plan) -> None:
        """Note the plan's settings, or raise `StoreError` where the file holds runs of other settings."""
        settings = plan.settings()
        found = self.connection.execute("select settings from sweep").fetchone()
        if found is None:
            self.connection.execute("insert into sweep values (?)", (settings,))
        elif found["settings"] != settings:
            raise StoreError(f"{self.path}: holds runs of another task or recipe; choose another path")

    def finished_ids(self) -> set[str]:
        """Ids of the cells that are done."""
        return {row["id"] for row in self.connection.execute("select id from runs")}

    def record(self, cell: Cell, result: Trained, worker: str) -> None:
        """Write one finished run, in one transaction. A second run of a cell raises sqlite3.IntegrityError."""
        row: dict[str, Any] = {"id": cell.id, "budget": cell.flop, "finished": time.time(), "worker": worker}
        row |= {name: getattr(cell, name) for name in ("kind", "d_model", "n_layers", "seed", "rate_factor")}
        row |= {key: json.dumps(value) if key in _LISTS else value for key, value in result._asdict().items()}
        marks = ", ".join(f":{name}" for name in row)
        self.connection.execute(f"insert into runs ({', '.join(row)}) values ({marks})", row)

    def record_failure(self, cell: Cell, message: str) -> None:
        """Write down why a cell failed; it runs again at the next start."""
        self.connection.execute("insert into failures values (?, ?, ?)", (cell.id, message, time.time()))

    def rows(self) -> list[dict[str, Any]]:
        """Every finished run as a plain dictionary, by kind, budget, size and seed."""
        query = "select * from runs order by kind, budget, active_params, seed, rate_factor"
        rows = [dict(row) for row in self.connection.execute(query)]
        return [{key: json.loads(value) if key in _LISTS else value for key, value in row.items()} for row in rows]


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    """The runs of a results file, while a sweep writes to it or later."""
    if not Path(path).is_file():
        raise StoreError(f"{path}: no such results file")
    store = Store(path)
    try:
        return store.rows()
    finally:
        store.close()


def runs_of(rows: list[dict[str, Any]], kind: str, size: str = "active_params") -> Runs:
    """The finished runs of one kind as a table to fit: N is the column `size`, the runs of one cell's seeds a cluster.

    Diverged runs and runs of a changed learning rate are left out. Raises `RunsError` where nothing is left.
    """
    kept = [row for row in rows if row["kind"] == kind and not row["diverged"] and row["rate_factor"] == 1]
    if not kept:
        raise RunsError(f"no finished {kind} runs: run the sweep first")
    column = {name: np.array([row[name] for row in kept], float) for name in (size, "tokens", "loss", "flop")}
    cluster = np.array([f"{row['budget']:g} {row['d_model']} {row['n_layers']}" for row in kept])
    return make_runs(column[size], column["tokens"], column["loss"], column["flop"], cluster)
