"""`scalegrad fit` and `sweep`: a known law found again, refusals in one line, a sweep run, resumed, cancelled."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from distributed import LocalCluster

import model.lab.cells
import scalegrad
from model.lab.cells import ladder_plan
from model.lab.tasks import Task
from scalegrad.cli import main

TRUTH = {"E": 1.7, "A": 420.0, "B": 900.0, "alpha": 0.36, "beta": 0.31}


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def table() -> str:
    """Nine budgets of seven sizes of a known law, half a percent of noise."""
    random = np.random.default_rng(7)
    lines = ["params,flop,loss"]
    for flop in np.logspace(18, 22, 9):
        centre = 0.09 * flop**0.46
        for params in centre * np.exp(np.linspace(-2, 2, 7)):
            tokens = flop / 6 / params
            loss = TRUTH["E"] + TRUTH["A"] / params ** TRUTH["alpha"] + TRUTH["B"] / tokens ** TRUTH["beta"]
            lines.append(f"{params:.6g},{flop:.6g},{loss * np.exp(random.normal(0, 0.005)):.6g}")
    return "\n".join(lines)


def test_fit_finds_a_known_law_again_and_answers_in_json(capsys, tmp_path, table):
    path = tmp_path / "runs.csv"
    path.write_text(table)
    code, out, err = run(capsys, "fit", path, "--json")
    answer = json.loads(out, parse_constant=pytest.fail)
    assert (code, err, answer["runs"]) == (0, "", 63)
    for name, value in {**TRUTH, "a": 0.31 / 0.67}.items():
        found = answer["parametric"][name]
        assert abs(found["value"] - value) <= found["hi"] - found["lo"], name
        assert found["lo"] <= found["value"] <= found["hi"], name
    assert [row["approach"][0] for row in answer["approaches"]] == ["1", "2", "3"]
    assert len(answer["isoflops"]) == 9
    assert answer == scalegrad.fit(table)


def test_fit_in_words_names_intervals_and_leaves_out_what_it_is_told_to(capsys, tmp_path, table):
    (tmp_path / "runs.csv").write_text(table)
    code, out, _ = run(capsys, "fit", tmp_path / "runs.csv", "--drop-highest", "3", "--resamples", "20")
    assert code == 0
    assert "60 runs, 3 of highest loss left out" in out
    assert "a by 2 parabola vertices" in out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read (No such file or directory)"),
        (b"", "is empty"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"params,flop\n1,2\n", "no column loss"),
        (b"params,flop,loss\n" + b"1e6,1e15,nan\n" * 9, "line 2: loss is nan"),
        (b"params,flop,loss\n" + b"1e6,1e15,2\n" * 9, "fewer than 3 different params"),
        (b"params,flop,loss\n1e6,1e15,2\n", "1 runs: a law of five coefficients needs at least 8"),
        (b"x" * 5_000_001, "more than 5,000,000 bytes"),
    ],
)
def test_a_bad_table_is_one_line_with_the_file_and_exit_2(capsys, tmp_path, content, words):
    path = tmp_path / "runs.csv"
    if content is not None:
        path.write_bytes(content)
    code, out, err = run(capsys, "fit", path, "--json")
    assert (code, out, len(err.strip().splitlines())) == (2, "", 1)
    assert str(path) in err
    assert words in err


def test_too_many_left_out_is_refused(capsys, tmp_path, table):
    (tmp_path / "runs.csv").write_text(table)
    code, _, err = run(capsys, "fit", tmp_path / "runs.csv", "--drop-highest", "63")
    assert (code, "drop fewer" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--plan", "defualt"), "did you mean default?"),
        (("--scheduler", "nowhere"), "write it as tcp://host:port"),
        (("--workers", "0"), "use 1 or more"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused(capsys, tmp_path, arguments, words):
    code, out, err = run(capsys, "sweep", "--db", tmp_path / "runs.sqlite", *arguments)
    assert (code, out, len(err.strip().splitlines())) == (2, "", 1)
    assert words in err
    assert not (tmp_path / "runs.sqlite").exists()


def test_a_results_file_in_no_folder_is_refused(capsys, tmp_path):
    code, _, err = run(capsys, "sweep", "--db", tmp_path / "none" / "runs.sqlite")
    assert (code, "choose another path" in err) == (2, True)


def test_without_the_extra_the_line_says_how_to_get_it(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(model.lab, "PACKAGES", ("numpy", "no_such_package"))
    code, _, err = run(capsys, "sweep", "--db", tmp_path / "runs.sqlite")
    assert code == 2
    assert err == "sweep: no_such_package not installed; pip install 'scalegrad[lab]'\n"


def test_other_commands_do_not_load_the_lab():
    code = "import sys, scalegrad.cli; scalegrad.cli.main(['values']); print({'flax', 'dask'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "set()"


def test_a_sweep_trains_tells_its_progress_and_is_not_run_twice(capsys, tmp_path, monkeypatch):
    tiny = ladder_plan("tiny", {1e8: (0, 2)}, task=Task("addition", 1, held_out=0.3))
    monkeypatch.setattr(model.lab.cells, "plans", lambda: {"tiny": tiny})
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        arguments = ("sweep", "--plan", "tiny", "--db", tmp_path / "runs.sqlite", "--json")
        code, out, err = run(capsys, *arguments, "--scheduler", cluster.scheduler_address)
    answer = json.loads(out, parse_constant=pytest.fail)
    assert (code, answer["state"], answer["finished"]) == (0, "finished", 2)
    assert [row["total_params"] for row in answer["runs"]] == [16 * d * d + 19 * d for d in (2, 4)]
    assert all(0 < row["loss"] < 10 for row in answer["runs"])
    assert "2 runs: a law of five coefficients needs at least 8" in answer["laws"]["dense"]["reason"]
    assert "2/2 runs" in err
    begun = json.loads(run(capsys, *arguments)[1])
    assert begun["runs"] == answer["runs"]


def test_ctrl_c_cancels_in_order(tmp_path):
    """The whole group of processes is interrupted, as a terminal does it: workers too."""
    command = [sys.executable, "-m", "scalegrad.cli", "sweep", "--plan", "quick", "--db", str(tmp_path / "runs.sqlite")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as sweep:
        assert sweep.stderr is not None
        assert "0/15 runs" in sweep.stderr.readline()
        os.killpg(sweep.pid, signal.SIGINT)
        out, err = sweep.communicate(timeout=120)
    assert sweep.returncode == 130, err
    assert "cancelling; what is finished stays in the file" in err
    assert "Traceback" not in err + out
    assert "start the same command again" in out
