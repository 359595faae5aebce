"""Sweeps on real Dask workers: killed and resumed, cancelled, failing, on a scheduler of one's own."""

import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from distributed import LocalCluster

from model.lab.cells import Cell, Plan, ladder_plan, learning_rate_plan, plans, seed_plan, shape_near
from model.lab.flops import counts
from model.lab.store import Store, StoreError, read_rows, runs_of
from model.lab.sweep import run_sweep
from model.lab.tasks import Task
from model.lab.train import Trained
from model.laws import RunsError
from presets.laws import printed_laws

PRETENDED = Path(__file__).with_name("pretended.py")
CELLS = 12


def result(loss: float = 2.0, **changes) -> Trained:
    return Trained(10, 640, 1e9, 1176, 1176, 0.01, loss, 0.5, loss, False, False, [], [1], [], 0.1)._replace(**changes)


def start(folder: Path, seconds: float, *more: str) -> subprocess.Popen:
    arguments = [sys.executable, str(PRETENDED), str(folder / "runs.sqlite"), str(folder / "log"), str(seconds), *more]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def wait_for(condition, seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def lines(folder: Path, word: str) -> Counter:
    log = folder / "log"
    text = log.read_text().splitlines() if log.exists() else []
    return Counter(line.split()[1] for line in text if line.startswith(word))


def test_a_killed_sweep_resumes_and_nothing_is_lost_or_run_twice(tmp_path):
    results = tmp_path / "runs.sqlite"
    killed = start(tmp_path, 0.6)
    wait_for(lambda: results.exists() and len(read_rows(results)) >= 3)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    killed.stdout.close()
    before = read_rows(results)
    assert 3 <= len(before) < CELLS
    begun_before = lines(tmp_path, "begin")
    time.sleep(1.5)
    assert lines(tmp_path, "begin") == begun_before, "workers of a killed sweep still begin cells"

    resumed = start(tmp_path, 0.1)
    assert "state='finished'" in resumed.communicate(timeout=240)[0]
    after = {row["id"]: row for row in read_rows(results)}
    assert len(after) == CELLS
    assert [after[row["id"]] for row in before] == before, "a finished run changed"
    begun = lines(tmp_path, "begin")
    assert all(begun[row["id"]] == 1 for row in before), "a finished run was run again"
    under_way = {cell for cell in begun_before if cell not in {row["id"] for row in before}}
    assert {cell for cell, count in begun.items() if count > 1} <= under_way
    assert len(under_way) <= 2, "only what was under way at the kill may start anew"

    once_more = start(tmp_path, 0.1)
    assert f"finished={CELLS}" in once_more.communicate(timeout=240)[0]
    assert lines(tmp_path, "begin") == begun


def test_a_scheduler_of_ones_own_a_failing_cell_progress_and_cancel(tmp_path):
    plan = ladder_plan("tiny", {1e8: (0, 3)}, task=Task("addition", 1, held_out=0.3))

    def fails_once(plan: Plan, cell: Cell) -> Trained:
        if cell.d_model == 4:
            raise RuntimeError("out of luck")
        return result()

    told = []
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        first = run_sweep(plan, tmp_path / "runs.sqlite", address, on_progress=told.append, run=fails_once)
        assert (first.finished, first.failed, first.state) == (2, 1, "failed")
        assert any("out of luck" in progress.last for progress in told)
        assert [progress.share for progress in told] == sorted(progress.share for progress in told)
        assert told[-1].eta_seconds is not None
        second = run_sweep(plan, tmp_path / "runs.sqlite", address)
        assert (second.finished, second.failed, second.state) == (3, 0, "finished")
        rows = read_rows(tmp_path / "runs.sqlite")
        trained = next(row for row in rows if row["d_model"] == 4)
        assert trained["loss"] > 0, "the default run trains"
        assert trained["total_params"] == 332
        stopped = run_sweep(plan, tmp_path / "other.sqlite", address, should_stop=lambda: True)
        assert (stopped.state, stopped.finished) == ("cancelled", 0)


def test_two_sweeps_on_one_file_and_other_settings_are_refused(tmp_path):
    store = Store(tmp_path / "runs.sqlite")
    plan = ladder_plan("one", {1e9: (0, 2)})
    store.adopt(plan)
    with store.locked(), pytest.raises(StoreError, match="another sweep is writing"):
        run_sweep(plan, tmp_path / "runs.sqlite")
    other = ladder_plan("two", {1e9: (0, 2)}, task=Task("addition"))
    with pytest.raises(StoreError, match="another task or recipe"):
        run_sweep(other, tmp_path / "runs.sqlite")
    (tmp_path / "text.sqlite").write_text("no database" * 1000)
    with pytest.raises(StoreError, match="not a results file"):
        Store(tmp_path / "text.sqlite")
    with pytest.raises(StoreError, match="no such results file"):
        read_rows(tmp_path / "none.sqlite")


def test_a_cell_is_recorded_once_and_whole(tmp_path):
    store = Store(tmp_path / "runs.sqlite")
    cell = Cell("moe", 1e9, 8, 1, 0)
    store.record(cell, result(curve=[(10, 2.5, 2.4)], expert_load=[[3, 1]], loss=float("nan"), diverged=True), "w")
    with pytest.raises(sqlite3.IntegrityError):
        store.record(cell, result(), "w")
    [row] = store.rows()
    assert (row["curve"], row["expert_load"], row["loss"]) == ([[10, 2.5, 2.4]], [[3, 1]], None)
    assert store.connection.execute("pragma journal_mode").fetchone()[0] == "wal"


def test_runs_of_leaves_out_what_is_no_run_of_the_plan(tmp_path):
    store = Store(tmp_path / "runs.sqlite")
    store.record(Cell("dense", 1e9, 8, 1, 0), result(2.5), "w")
    store.record(Cell("dense", 1e9, 8, 1, 1), result(2.4), "w")
    store.record(Cell("dense", 1e9, 12, 1, 0), result(float("nan"), diverged=True), "w")
    store.record(Cell("dense", 1e9, 8, 1, 0, rate_factor=2.0), result(2.2), "w")
    runs = runs_of(store.rows(), "dense")
    assert runs.loss.tolist() == [2.5, 2.4]
    assert len(set(runs.cluster)) == 1, "seeds of one cell are drawn together"
    with pytest.raises(RunsError, match="no finished moe runs"):
        runs_of(store.rows(), "moe")


def test_plans_have_distinct_cells_and_the_seeds_grids_their_sizes_and_budgets():
    for plan in plans().values():
        assert len({cell.id for cell in plan.cells}) == len(plan.cells)
        assert all(plan.shape(cell).kind == cell.kind for cell in plan.cells)
    for slug, grid in printed_laws().grids.items():
        plan = seed_plan(slug)
        assert sorted({cell.flop for cell in plan.cells}) == list(grid.budgets)
        assert len({cell.seed for cell in plan.cells}) == grid.stated["seeds"]
    for size in (3.5e3, 268e3, 1.0e6, 10.5e6):
        assert counts(shape_near(size), 1).active_params == pytest.approx(size, rel=0.06)


def test_a_learning_rate_plan_scans_each_shape_at_its_smallest_budget():
    base = plans()["default"]
    scan = learning_rate_plan(base, (0.5, 1, 2))
    shapes = {(cell.d_model, cell.n_layers) for cell in base.cells}
    assert len(scan.cells) == 3 * len(shapes)
    assert {cell.rate_factor for cell in scan.cells} == {0.5, 1, 2}
    assert scan.settings() == base.settings(), "a scan may share its sweep's file"


def test_progress_of_a_finished_file_needs_no_workers(tmp_path):
    plan = ladder_plan("one", {1e9: (0, 1)})
    store = Store(tmp_path / "runs.sqlite")
    store.record(plan.cells[0], result(), "w")
    begun = time.monotonic()
    assert run_sweep(plan, tmp_path / "runs.sqlite").state == "finished"
    assert time.monotonic() - begun < 2
