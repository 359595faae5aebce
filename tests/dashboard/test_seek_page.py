"""The goal-seek page: what is typed, reached and stuck answers, apply, undo, minimise."""

import json

import pytest

from dashboard.amount import read_amount
from dashboard.pages.seek import SeekPage
from dashboard.session import Session
from model.errors import BadInput
from model.evaluate import evaluate
from model.point import resolve

POINT = resolve(settings={"matmul_efficiency": 0.41})


def opened(session: Session) -> SeekPage:
    """The page, painted from each state as the app does."""
    view = SeekPage(session)
    session.param.watch(lambda event: view.paint(event.new), "state")
    view.paint(session.state)
    return view


def ask(view: SeekPage, target: str, *freed: str) -> dict:
    """Free these knobs and no others, and search."""
    for group in view.form.data["groups"]:
        for knob in group["knobs"]:
            if knob["freed"] != (knob["name"] in freed):
                view.form._handle_msg({"kind": "free", "name": knob["name"], "on": not knob["freed"]})
    view.form._handle_msg({"kind": "run", "target": target, "limits": {}})
    json.dumps([view.form.data, view.answer.data], allow_nan=False)
    return view.answer.data


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("40 %", "1", 0.4),
        ("0.35", "1", 0.35),
        ("30 days", "days", 30.0),
        ("2 weeks", "days", 14.0),
        ("500 ms", "s", 0.5),
        ("1.2", "s", 1.2),
        ("3 μs", "s", 3e-6),
        ("$10 M", "$", 1e7),
        ("$1.50", "$/Mtok", 1.5),
        ("4 M tokens/s", "tokens/s", 4e6),
        ("12 GB", "B", 1.2e10),
        ("12 B", "B", 12.0),
        ("2 GiB", "B", 2.0**31),
        ("4B", "tokens", 4e9),
        ("180 GB/s", "B/s", 1.8e11),
        ("1,120", "chips", 1120.0),
        ("−3 GB", "B", -3e9),
    ],
)
def test_a_target_is_read_with_its_unit(text: str, unit: str, value: float) -> None:
    assert read_amount(text, unit) == value


@pytest.mark.parametrize(("text", "unit"), [("", "s"), ("soon", "s"), ("30 days", "1"), ("40 %", "s"), ("1e999", "s")])
def test_what_is_no_target_is_refused(text: str, unit: str) -> None:
    with pytest.raises(BadInput, match="target"):
        read_amount(text, unit)


def test_a_reached_target_is_applied_as_one_step_of_undo() -> None:
    session = Session(POINT, page="seek", focus="train_days")
    view = opened(session)
    assert view.form.data["now"].startswith("44.6")
    answer = ask(view, "30 days", "data_shards")
    assert answer["verdict"] == "Reached."
    rows = {row["of"]: [cell["text"] for cell in row["cells"]] for row in answer["rows"]}
    shards = int(rows["data_shards"][2].replace(",", ""))
    assert evaluate(POINT.with_settings({"data_shards": shards})).values["train_days"] == pytest.approx(30, rel=1e-3)
    assert [step.iteration for step in view._path.steps] == [0, 1] if view._path else False
    assert session.point == POINT
    view.answer._handle_msg({"kind": "apply"})
    assert session.point.values["data_shards"] == shards
    assert view.answer.data["applied"]
    session.undo()
    assert session.point == POINT
    assert view.answer.data == {}


def test_mfu_above_the_matmul_efficiency_is_not_reached_and_says_what_binds() -> None:
    session = Session(POINT, page="seek", focus="mfu")
    view = opened(session)
    assert [knob["name"] for knob in view.form.data["groups"][0]["knobs"] if knob["freed"]] == [
        "data_shards",
        "batch_tokens",
    ]
    answer = ask(view, "60 %", "batch_tokens", "data_shards")
    assert answer["verdict"] == "Not reached."
    assert "0.410: compute-bound" in answer["words"]
    view.answer._handle_msg({"kind": "discard"})
    assert view.answer.data == {}
    assert session.point == POINT


def test_freeing_the_matmul_efficiency_reaches_it() -> None:
    view = opened(Session(POINT, page="seek", focus="mfu"))
    answer = ask(view, "50 %", "matmul_efficiency")
    cells = next(row["cells"] for row in answer["rows"] if row["of"] == "matmul_efficiency")
    assert float(cells[2]["full"]) == pytest.approx(0.5, rel=1e-6)


def test_the_least_cost_under_a_deadline_keeps_it() -> None:
    session = Session(POINT, page="seek", focus="mfu")
    view = opened(session)
    view.form._handle_msg({"kind": "mode", "mode": "least"})
    view.form._handle_msg({"kind": "objective", "of": "train_cost"})
    freed = [knob["name"] for knob in view.form.data["groups"][0]["knobs"] if knob["freed"]]
    assert freed == ["data_shards", "tensor_shards", "batch_tokens"]
    view.form._handle_msg({"kind": "run", "target": "", "limits": {"train_days": "20 days", "train_cost": ""}})
    answer = view.answer.data
    assert answer["verdict"] == "Found."
    assert "Time to train 20.0\N{THIN SPACE}days of 20\N{THIN SPACE}days, nothing to spare" in answer["words"]
    assert "the present point" not in answer["words"]
    view.answer._handle_msg({"kind": "apply"})
    values = session.state.evaluation.values
    assert values["train_days"] <= 20 * (1 + 1e-9)
    assert values["memory_per_chip"] <= 96e9


def test_bad_questions_are_one_line_and_another_point_drops_the_answer() -> None:
    session = Session(POINT, page="seek", focus="train_days")
    view = opened(session)
    assert ask(view, "soon", "data_shards") == {}
    assert session.notice.startswith("target soon: write a number in days")
    assert ask(view, "30 days") == {}
    assert session.notice.startswith("free: no knob is freed")
    view.form._handle_msg({"kind": "of", "of": "train dayz"})
    assert "no such value" in session.notice
    assert ask(view, "30 days", "data_shards")["verdict"] == "Reached."
    session.write({"peak_flops": 5e14})
    assert view.answer.data == {}
