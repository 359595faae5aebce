"""The command line: JSON as promised, exit codes, one line for each fault, never a traceback."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scalegrad
from model.graph import quantities
from model.knobs import KNOBS
from scalegrad.cli import main


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_values_as_json(capsys):
    code, out, _ = run(
        capsys,
        *("values", "--chip", "tpu-v5p", "--model", "llama-3-70b", "--set", "data_shards=512"),
        *("--set", "tensor_shards=8", "--json"),
    )
    answer = json.loads(out, parse_constant=pytest.fail)
    assert code == 0
    assert answer["knobs"]["data_shards"] == 512
    assert set(answer["knobs"]) == set(KNOBS)
    assert set(answer["values"]) == set(quantities())
    for entry in answer["values"].values():
        assert set(entry) == {"value", "unit", "reason"}
        assert (entry["value"] is None) == bool(entry["reason"])


def test_of_limits_the_answer_and_names_branches(capsys):
    code, out, _ = run(capsys, "values", "--of", "step_time", "--of", "forward_time:fsdp", "--json")
    assert code == 0
    assert list(json.loads(out)["values"]) == ["step_time", "forward_time:fsdp"]


def test_chips_may_be_typed(capsys):
    code, out, _ = run(capsys, "values", "--chip", "h100", "--set", "chips=256", "--set", "tensor_shards=8", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["knobs"]["data_shards"] == 32


def test_gradient_as_json(capsys):
    code, out, _ = run(capsys, "gradient", "--of", "step_time", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["elasticities"]["ici_bandwidth"] == 0
    assert "forward_time:math" in answer["binding"]
    tensor = [reach for reach in answer["regime"] if reach["knob"] == "ici_bandwidth" and reach["factor"] < 1]
    assert [reach["to"] for reach in tensor] == ["TP-bound"]


def test_seek_reaches_or_says_why_not(capsys):
    ask = ("seek", "--of", "train_days", "--target", "30", "--free", "data_shards", "--set", "matmul_efficiency=0.4")
    code, out, _ = run(capsys, *ask, "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["reached"]
    moved = {"data_shards": round(answer["knobs"]["data_shards"]), "matmul_efficiency": 0.4}
    assert scalegrad.values(settings=moved, of=["train_days"])["values"]["train_days"]["value"] == pytest.approx(
        30, rel=1e-3
    )
    code, out, _ = run(capsys, "seek", "--of", "mfu", "--target", "0.9", "--free", "batch_tokens", *ask[-2:])
    assert code == 1
    assert "not reached" in out


def test_jacobian_is_a_table_of_elasticities():
    table = scalegrad.jacobian(of=["step_time", "mfu"])
    assert list(table.index) == ["step_time", "mfu"]
    assert table.loc["step_time", "ici_bandwidth"] == 0


def test_verify_recomputes_every_statement_and_exits_1_when_a_verdict_changes(capsys, monkeypatch):
    code, out, _ = run(capsys, "verify", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["changed"] == []
    rows = {row["id"]: row for row in answer["rows"]}
    assert rows["roofline-v5e-critical-intensity"]["verdict"] == "agrees"
    assert rows["roofline-v5e-critical-intensity"]["via"] == ["reachable_flops", "hbm_critical_intensity"]
    monkeypatch.setattr(scalegrad, "verify", lambda: {**answer, "changed": ["roofline-v5e-critical-intensity"]})
    code, out, _ = run(capsys, "verify")
    assert code == 1
    assert "CHANGED" in out


def test_the_readable_answers_name_value_and_unit(capsys):
    _, out, _ = run(capsys, "values", "--of", "memory_per_chip")
    assert "GB" in out
    _, out, _ = run(capsys, "gradient", "--of", "mfu")
    assert "binds: " in out
    assert "exactly zero: " in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["values", "--chip", "tpu-v5"], "did you mean tpu-v5"),
        (["values", "--set", "batch_tokens=0"], "out of range"),
        (["values", "--set", "batch_tokens"], "write it as name=value"),
        (["values", "--set", "d_modle=3"], "did you mean d_model"),
        (["values", "--set", "data_shards=1.5"], "whole number"),
        (["values", "--set", "chips=100"], "does not divide by tensor_shards=8"),
        (["values", "--set", "chips=64", "--set", "data_shards=4", "--set", "tensor_shards=4"], "leave one out"),
        (["values", "--set", "batch_seqs=4", "--set", "batch_tokens=4k"], "give one of them"),
        (["values", "--set", "compute_dtype=fp4"], "no rate is printed for tpu-v5p"),
        (["values", "--set", "d_ff=4k", "--set", "d_ff=8k"], "given twice"),
        (["values", "--of", "step_tim"], "did you mean step_time"),
        (["gradient"], "--of"),
        (["gradient", "--of", "step_time:nvlink"], "no such quantity"),
        (["nonsense"], "invalid choice"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys, arguments, words):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert words in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_all_faults_are_named_at_once(capsys):
    code, _, err = run(capsys, "values", "--set", "d_ff=-1", "--set", "n_layers=many", "--chip", "abacus")
    assert code == 2
    assert len(err.strip().splitlines()) == 3


@settings(max_examples=200, deadline=None)
@given(
    name=st.sampled_from([*KNOBS, "chips", "batch_seqs"]),
    raw=st.one_of(st.text(max_size=80), st.floats(), st.integers(), st.none(), st.booleans()),
)
def test_any_setting_is_used_or_refused(name, raw):
    try:
        answer = scalegrad.values(settings={name: raw})
    except scalegrad.BadInput as error:
        faults = error.faults
    else:
        faults = ()
        json.dumps(answer, allow_nan=False)
    assert all(fault.isprintable() and len(fault) < 400 for fault in faults)
