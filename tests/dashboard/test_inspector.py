"""The inspector: what it says of a value, the walk down the graph, and what is found once the point rests."""

import json

import pytest

from dashboard.components.inspector import InspectorView
from dashboard.session import Session
from model.evaluate import evaluate, gradient
from model.knobs import KNOBS
from model.point import resolve


def shown(session: Session) -> InspectorView:
    """An inspector painted at the session's state, all found."""
    view = InspectorView(session)
    session.param.watch(lambda event: view.paint(event.new), "state")
    view.paint(session.state)
    view.rest.finish()
    return view


def test_it_walks_down_the_graph_and_back() -> None:
    session = Session()
    view = shown(session)
    inputs = {row["of"]: row for row in view.body.data["inputs"]}
    assert list(inputs) == ["n_layers", "layer_time", "head_time"]
    assert inputs["n_layers"]["knob"]
    assert inputs["n_layers"]["number"] == "80"
    for of in ("layer_time", "forward_time", "forward_math_time"):
        assert of in {row["of"] for row in view.body.data["inputs"]}
        view.body._handle_msg({"kind": "look", "of": of})
        assert session.state.focus == of
    assert view.body.data["trail"] == ["Step time", "Layer time", "Forward time, a layer", "Forward compute, a layer"]
    view.body._handle_msg({"kind": "back", "at": 1})
    assert session.state.focus == "layer_time"
    assert view.body.data["trail"] == ["Step time", "Layer time"]
    session.look_at("mfu")
    assert view.body.data["trail"] == ["MFU"]


def test_the_binding_branch_is_marked_in_formula_and_bars_and_told() -> None:
    session = Session(resolve(settings={"ici_bandwidth": 2e10}), focus="forward_time")
    view = shown(session)
    view.body._handle_msg({"kind": "open"})
    data = view.body.data
    assert data["formula"].count('class="binds"') == 1
    [maximum] = data["maxima"]
    binding = [branch for branch in maximum["branches"] if branch["binds"]]
    assert [branch["of"] for branch in binding] == ["forward_time:tp"]
    assert binding[0]["share"] == 1
    assert data["sentence"].startswith("TP-bound. ")
    assert data["book"] == {
        "words": "Book, ch. 5",
        "address": "https://jax-ml.github.io/scaling-book/training",
    }


def test_a_reach_ends_where_another_branch_takes_over() -> None:
    session = Session()
    rows = {row["name"]: row for row in shown(session).body.data["found"]["reaches"]}
    end = rows["peak_flops"]["up"]
    assert end["kind"] == "binds"
    assert end["words"].startswith("TP-bound at")
    for factor, binding in ((0.999, ("math",)), (1.001, ("tp",))):
        there = evaluate(session.point.with_settings({"peak_flops": float(end["full"]) * factor}))
        assert there.binding("step_time")["forward_time"] == binding
    assert rows["peak_flops"]["down"]["kind"] == "knob ends"


def test_worth_is_the_graph_evaluated_again() -> None:
    session = Session()
    worth = shown(session).body.data["found"]["worth"]
    rows = {row["name"]: row for row in worth["rows"]}
    more = evaluate(session.point.with_settings({"peak_flops": 4.59e14 * 1.1})).values
    now = session.state.evaluation.values
    told = [float(effect["full"]) for effect in rows["peak_flops"]["effects"]]
    assert told == pytest.approx([more[of] - now[of] for of in ("step_time", "train_days", "train_cost")], rel=1e-9)
    assert told[0] != pytest.approx(-0.1 * now["step_time"], rel=0.02)
    assert {row["name"] for row in worth["nothing"]} >= {"ici_bandwidth"}
    assert worth["brief"][0]["words"].startswith("saves ")


def test_both_sides_of_a_tie_are_told() -> None:
    session = Session(focus="forward_time")
    times = {branch.name: branch.value for branch in session.state.evaluation.branches["forward_time"]}
    tied = 1.8e11 * times["tp"] / times["math"]
    session.write({"ici_bandwidth": tied})
    sides = {row["name"]: row for row in shown(session).body.data["found"]["sides"]}
    assert sides["ici_bandwidth"]["below"] == "−1.00"
    assert sides["ici_bandwidth"]["above"] == "+0.00"


def test_a_value_that_cannot_be_had_gives_its_reason() -> None:
    session = Session(resolve(settings={"hbm_capacity": 1e9}))
    view = shown(session)
    view.body._handle_msg({"kind": "open"})
    data = view.body.data
    assert data["number"] == "–"
    assert data["numbers"] == ""
    assert data["reason"].startswith("Does not fit")
    json.dumps(data, allow_nan=False)


def test_what_was_found_goes_with_the_next_change_and_zeros_carry_reasons() -> None:
    session = Session()
    view = shown(session)
    zeros = {row["name"]: row["why"] for row in view.body.data["found"]["zeros"]}
    flat = gradient(session.state.evaluation, "step_time").elasticities
    assert zeros
    assert all(flat[name] == pytest.approx(0, abs=1e-12) and why for name, why in zeros.items())
    assert KNOBS["ici_bandwidth"].name in zeros
    session.write({"peak_flops": 5e14})
    assert view.body.data["found"] == {}
