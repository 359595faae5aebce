"""Run a plan on Dask distributed: resumable after a kill at any moment, with progress, an ETA and a way to cancel."""

import logging
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dask.config
from distributed import Client, Future, LocalCluster

from model.lab.cells import Cell, Plan
from model.lab.store import Store
from model.lab.train import Trained, train

POLL_SECONDS = 0.5
WORKER_ENVIRONMENT = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "OMP_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.3",
}
"""A worker is one process on one core: JAX's own threads would only fight over the others. What one worker has compiled
the others read from a folder that lasts as long as the sweep."""


QUIET = {"DASK_LOGGING__DISTRIBUTED": "critical"}
"""Set before a worker starts, since it reads it then: a heartbeat that a cancelled cluster misses is no news."""


@dataclass(frozen=True)
class Progress:
    """Where a sweep stands: `share` of all the plan's FLOPs, `eta_seconds` None until a run of this start has ended."""

    finished: int
    failed: int
    total: int
    share: float
    elapsed_seconds: float
    eta_seconds: float | None
    last: str
    state: str


def run_cell(plan: Plan, cell: Cell) -> Trained:
    """Train one cell; the function that workers run."""
    return train(plan.shape(cell), plan.task, plan.recipe, cell.flop, cell.seed, cell.rate_factor)


def _run_and_record(
    run: Callable[[Plan, Cell], Trained], plan: Plan, cell: Cell, path: str | None, worker: str
) -> Trained:
    """Run a cell on a worker and, where it shares the results' disk, write the result before anything can be lost."""
    result = run(plan, cell)
    if path:
        store = Store(path)
        try:
            store.record(cell, result, worker)
        except sqlite3.IntegrityError:
            pass  # a worker that outlived a killed sweep for a moment was faster: its run stands
        finally:
            store.close()
    return result


def run_sweep(
    plan: Plan,
    path: str | Path,
    scheduler: str | None = None,
    workers: int = 2,
    on_progress: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
    run: Callable[[Plan, Cell], Trained] = run_cell,
) -> Progress:
    """Run what is not yet in the file `path`, on `scheduler` (tcp://...) or on a local cluster of `workers`.

    A local worker writes each result itself the moment it is there (a remote one sends it), so a kill costs only the
    runs that were under way, and those start anew next time. `should_stop` is asked twice a second; `run` is what a
    worker does with a cell. Raises `StoreError` where the file is another sweep's.
    """
    store = Store(path)
    try:
        with store.locked():
            store.adopt(plan)
            return _Sweep(plan, store, run, on_progress, should_stop).run(scheduler, workers)
    finally:
        store.close()


@contextmanager
def _client(scheduler: str | None, workers: int) -> Iterator[Client]:
    if scheduler:
        with Client(scheduler, timeout="30s", set_as_default=False) as client:
            yield client
        return
    with (
        tempfile.TemporaryDirectory(prefix="scalegrad-", ignore_cleanup_errors=True) as compiled,
        dask.config.set({f"distributed.nanny.pre-spawn-environ.{name}": value for name, value in QUIET.items()}),
    ):
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.ERROR,
            memory_limit=0,
            env=WORKER_ENVIRONMENT | {"JAX_COMPILATION_CACHE_DIR": compiled},
        )
        with cluster, Client(cluster, set_as_default=False) as client:
            yield client


class _Sweep:
    """One start of a sweep."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        train_cell: Callable[[Plan, Cell], Trained],
        on_progress: Callable[[Progress], None],
        should_stop: Callable[[], bool],
    ) -> None:
        self.plan, self.store, self.train_cell = plan, store, train_cell
        self.on_progress, self.should_stop = on_progress, should_stop
        done = store.finished_ids()
        self.pending = sorted((cell for cell in plan.cells if cell.id not in done), key=lambda cell: -cell.flop)
        self.finished = len(plan.cells) - len(self.pending)
        self.failed = 0
        self.flop_before = self.flop_done = sum(cell.flop for cell in plan.cells if cell.id in done)
        self.flop_total = sum(cell.flop for cell in plan.cells)
        self.begun = time.monotonic()

    def run(self, scheduler: str | None, workers: int) -> Progress:
        if not self.pending:
            return self._tell("", "finished")
        self._tell("", "starting")
        with _client(scheduler, workers) as client:
            futures = {self._submit(client, cell, local=not scheduler): cell for cell in self.pending}
            while futures:
                if self.should_stop():
                    client.cancel(list(futures), force=True)
                    return self._tell("", "cancelled")
                ended = [future for future in futures if future.done()]
                for future in ended:
                    self._take(future, futures.pop(future), remote=bool(scheduler))
                if not ended:
                    time.sleep(POLL_SECONDS)
        return self._tell("", "failed" if self.failed else "finished")

    def _submit(self, client: Client, cell: Cell, local: bool) -> Future:
        key = f"{self.plan.name}-{time.time_ns()}-{cell.id}"
        path = str(self.store.path.resolve()) if local else None
        return client.submit(_run_and_record, self.train_cell, self.plan, cell, path, key, key=key, pure=False)

    def _take(self, future: Future, cell: Cell, remote: bool) -> None:
        if future.status == "finished":
            result = future.result()
            if remote:
                self.store.record(cell, result, worker=str(future.key))
            self.finished += 1
            self.flop_done += cell.flop
            self._tell(f"{cell.id}: loss {result.loss:.4f} in {result.seconds:.1f} s", "running")
            return
        message = repr(future.exception()) if future.status == "error" else str(future.status)
        self.store.record_failure(cell, message)
        self.failed += 1
        self._tell(f"{cell.id}: failed, {message}", "running")

    def _tell(self, last: str, state: str) -> Progress:
        elapsed = time.monotonic() - self.begun
        here = self.flop_done - self.flop_before
        eta = elapsed * (self.flop_total - self.flop_done) / here if here else None
        share = self.flop_done / self.flop_total if self.flop_total else 1.0
        progress = Progress(self.finished, self.failed, len(self.plan.cells), share, elapsed, eta, last, state)
        self.on_progress(progress)
        return progress
