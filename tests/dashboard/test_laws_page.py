"""The page of laws without a browser: its tables, its refusals, its plan, and a sweep that is told line by line."""

import io
import json
import threading

import numpy as np
import pytest

import dashboard.components.sweep as sweep_piece
import dashboard.sweeping
import model.lab.child
from dashboard.law_words import exponent_groups, plan_table, seed_rows
from dashboard.pages.laws import LawsPage
from dashboard.session import Session
from dashboard.views.axes import counts, steps
from model.lab.cells import Cell
from model.lab.store import Store
from model.lab.train import Trained
from presets.laws import printed_laws

LAW = {"E": 1.7, "A": 420.0, "B": 900.0, "alpha": 0.36, "beta": 0.31}


def _table(largest: float = 22) -> str:
    """Nine budgets of seven sizes of a known law, without noise."""
    lines = ["params,flop,loss"]
    for flop in np.logspace(largest - 4, largest, 9):
        for params in 0.09 * flop**0.46 * np.exp(np.linspace(-2, 2, 7)):
            loss = LAW["E"] + LAW["A"] / params ** LAW["alpha"] + LAW["B"] / (flop / 6 / params) ** LAW["beta"]
            lines.append(f"{params:.17g},{flop:.17g},{loss:.17g}")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def laws() -> LawsPage:
    """The page with a table of a known law read and fitted."""
    session = Session(page="laws", focus="law_optimal_loss")
    laws = LawsPage(session)
    laws.paint(session.state)
    laws._hear_source({"kind": "read", "text": _table(), "file": "mine.csv"})
    laws._rest.finish()
    return laws


def _rows(laws: LawsPage, title: str) -> dict[str, dict]:
    group = next(group for group in laws.exponents.data["groups"] if group["title"] == title)
    return {row["label"]: row for row in group["rows"]}


def test_what_is_read_is_drawn_fitted_and_set_beside_what_others_print(laws: LawsPage) -> None:
    own = _rows(laws, "mine.csv")
    assert own["3 parametric"]["value"] == pytest.approx(0.31 / 0.67, abs=2e-3)
    assert own["3 parametric"]["lo"] <= own["3 parametric"]["value"] <= own["3 parametric"]["hi"]
    published = _rows(laws, "As published")
    assert published["Kaplan 2020"]["value"] == 0.73
    assert published["Hoffmann 2022, approach 2"]["range"] == "0.46 to 0.53"
    assert _rows(laws, "arithmetic lab, dense v2")["of its vertices"]["text"] == "0.173"
    assert laws.source.data["line"].startswith("63 runs, R² 1.000.")
    assert laws.source.data["busy"] is False
    runs = laws.isoflops._runs.data_source.data
    assert len(runs["x"]) == len(laws.residuals._runs.data_source.data["x"]) == 63
    assert np.abs(laws.residuals._runs.data_source.data["y"]).max() < 0.1
    assert len(laws.isoflops._parabolas.data_source.data["xs"]) == 9
    json.dumps([piece.data for piece in (laws.source, laws.exponents, laws.plan, laws.moe)], allow_nan=False)


def test_the_curves_end_at_their_runs_and_the_vertex_is_the_optimum(laws: LawsPage) -> None:
    """On a centred noise-free grid the vertex is within a tenth of N_opt = G (C/6)^a, and every one is bracketed."""
    curves = laws.isoflops._curves
    factor = (LAW["alpha"] * LAW["A"] / (LAW["beta"] * LAW["B"])) ** (1 / 0.67)
    for curve in curves:
        assert curve.problem is None
        assert curve.vertex is not None
        assert curve.vertex[0] == pytest.approx(factor * (curve.flop / 6) ** (0.31 / 0.67), rel=0.1)
        assert (curve.along[0], curve.along[-1]) == pytest.approx((min(curve.params), max(curve.params)))


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "is empty"), ("params,flop\n1,2", "no column loss"), ("params,flop,loss\n1,2,x", "line 2: loss is 'x'")],
)
def test_a_bad_table_is_one_line_and_changes_nothing(laws: LawsPage, text: str, words: str) -> None:
    before = laws.source.data["chosen"], laws.exponents.data
    laws._hear_source({"kind": "read", "text": text, "file": "bad.csv"})
    assert laws.source.data["refused"] is True
    assert laws.source.data["line"].startswith("bad.csv: ")
    assert words in laws.source.data["line"]
    assert (laws.source.data["chosen"], laws.exponents.data) == before


def test_the_plan_follows_the_knobs_and_takes_the_law_of_the_runs(laws: LawsPage) -> None:
    session = laws._session
    laws._session.param.watch(lambda event: laws.paint(event.new), "state")
    assert session.write({"law_days": 0.1, "chips": 1024})
    flop = session.state.evaluation.values["law_training_flops"]
    row = {name: cells for name, *cells in laws.plan.data["rows"]}["Compute-optimal loss"]
    params = (420 * 0.36 / (900 * 0.31)) ** (1 / 0.67) * (flop / 6) ** (0.31 / 0.67)
    loss = 1.7 + 420 / params**0.36 + 900 / (flop / 6 / params) ** 0.31
    assert row[1] == f"{loss:.2f}\u2009nats"
    assert session.state.gradient.elasticities["peak_flops"] < 0
    laws._hear_plan({"kind": "act"})
    assert session.state.evaluation.values["law_optimal_loss"] == pytest.approx(loss, rel=1e-3)
    assert session.state.point.values["law_alpha"] == pytest.approx(0.36, abs=2e-3)


def test_a_law_does_not_plan_far_beyond_its_runs(laws: LawsPage) -> None:
    session = Session(page="laws")
    session.write({"law_days": 1e5, "chips": 100_000 * 8})
    assert laws._study is not None
    table = plan_table(laws._study, session.state.evaluation, "mine.csv")
    assert table["action"] is None
    assert {cells[2] for cells in table["rows"]} == {"–"}
    assert "too far for any law of these runs" in table["notes"][0]


def test_printed_tables_have_no_fit_and_come_first(laws: LawsPage) -> None:
    fresh = LawsPage(Session(page="laws"))
    fresh._hear_source({"kind": "choose", "key": "printed:moe"})
    fresh._rest.finish()
    assert fresh.exponents.data["groups"][0]["title"] == "arithmetic lab, MoE v2"
    assert [row["text"] for row in fresh.exponents.data["groups"][0]["rows"]] == ["0.852", "0.853", "0.182"]
    assert len(fresh.isoflops._vertices.data_source.data["x"]) == 4
    assert len(fresh.residuals._runs.data_source.data["x"]) == 0


def test_the_contradictions_are_told() -> None:
    """Facts of the seed: .434, .304 and .173 for one data set; 126 runs stated where 5 x 3 x 9 make 135."""
    tables, grids = seed_rows()
    assert tables["rows"][0][1:] == ["0.434 and 0.304", "0.304", "0.173"]
    assert grids["rows"][0][1:3] == ["126", "135"]
    assert "E sits on its bound" in tables["notes"][1]
    groups = exponent_groups("", None, printed_laws().tables["dense"])
    assert groups[0]["title"] == "arithmetic lab, dense v2"


def test_a_sweep_is_told_drawn_and_ended(laws: LawsPage, tmp_path, monkeypatch) -> None:
    path = tmp_path / "quick.sqlite"
    monkeypatch.setattr("dashboard.law_sources.results_file", lambda plan: path)
    fresh = LawsPage(Session(page="laws"))
    runner = fresh.sweep
    runner._plan = "quick"
    base = {"finished": 0, "failed": 0, "total": 15, "share": 0.0, "elapsed_seconds": 0.0, "eta_seconds": None}
    runner.report({**base, "last": "", "state": "starting"})
    assert "0 of 15 runs" in runner.body.data["words"]
    store = Store(path)
    trained = Trained(10, 640, 1e9, 1176, 1176, 0.01, 2.1, 0.5, 2.1, False, False, [], [1], [], 0.1)
    for width in (2, 4, 6, 8, 12):
        cell = Cell("dense", 1e9, width, 1, 0)
        store.record(
            cell, trained._replace(active_params=16 * width**2 + 19 * width, loss=2 + (width - 6) ** 2 / 50), "w"
        )
    store.close()
    runner.report({**base, "finished": 5, "share": 0.4, "eta_seconds": 75, "last": "a run", "state": "running"})
    assert runner.body.data["words"] == "5 of 15 runs, 40% of the FLOPs; 1 min 15 s left"
    assert runner.body.data["lines"] == ["a run"]
    assert fresh.source.data["chosen"] == "sweep:quick:dense"
    assert len(fresh.isoflops._runs.data_source.data["x"]) == 5
    runner.report({**base, "finished": 5, "share": 0.4, "last": "", "state": "cancelled"})
    runner.report({"state": "ended", "code": 0})
    assert runner.body.data["words"].startswith("Cancelled; start it again to go on. ")
    assert fresh.source.data["busy"] is True
    fresh._rest.finish()
    assert "at least 8; add runs" in fresh.source.data["line"]


def test_a_child_sweep_reports_by_line_and_ends_when_told(monkeypatch, tmp_path) -> None:
    """The real child process, cancelled at its first report: nothing of it is left."""
    monkeypatch.setattr(dashboard.sweeping, "results_file", lambda plan: tmp_path / "quick.sqlite")
    heard: list[dict] = []
    first = threading.Event()

    def hear(report) -> None:
        heard.append(dict(report))
        first.set()

    sweeping = dashboard.sweeping.Sweeping("quick", hear)
    assert first.wait(120)
    sweeping.cancel()
    sweeping.wait(120)
    assert (heard[0]["state"], heard[0]["total"]) == ("starting", 15)
    assert heard[-2]["state"] == "cancelled"
    assert heard[-1] == {"state": "ended", "code": 0}


def test_a_file_that_is_no_results_file_is_refused_by_the_child(tmp_path) -> None:
    (tmp_path / "text.sqlite").write_text("no database" * 1000)
    answers = io.StringIO()
    assert model.lab.child.main("quick", str(tmp_path / "text.sqlite"), io.StringIO(), answers) == 2
    assert "not a results file" in json.loads(answers.getvalue())["refused"]


def test_without_the_extra_the_page_says_so(monkeypatch) -> None:
    monkeypatch.setattr(sweep_piece, "missing_packages", lambda: ["flax"])
    runner = sweep_piece.SweepRunner(lambda plan, ended: None)
    assert runner.body.spec["missing"] == "A sweep needs flax, not installed here: pip install 'scalegrad[lab]'."


def test_ticks_are_round_and_inside() -> None:
    assert list(steps(1.57, 2.23).values()) == ["1.6", "1.8", "2.0", "2.2"]
    assert list(steps(-8, 8, 4).values()) == ["−5", "0", "5"]
    assert list(counts(2.3, 4.6).values()) == ["300", "1,000", "3,000", "10,000", "30,000"]
    assert [10**place for place in counts(5, 9)] == pytest.approx([1e5, 1e6, 1e7, 1e8, 1e9])
