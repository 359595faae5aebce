"""The limits page without a browser: effects against whole evaluations, evidence against the book, omissions here."""

import json
import math
from collections import Counter

import pytest

from dashboard.components.limits import LimitsTable, change_words
from dashboard.headlines import HEADLINES
from dashboard.session import Session
from model.conventions import WATCHED, Effect, conventions, effects, needed_by_book
from model.evaluate import evaluate
from model.graph import quantities
from model.knobs import KNOBS
from model.omissions import OMISSIONS, beyond_fabric, fabric_sentence
from model.point import resolve


def _here(name: str, chip: str | None = None, **settings: object) -> str:
    (omission,) = (omission for omission in OMISSIONS if omission.name == name)
    return omission.here(evaluate(resolve(chip, None, settings)))


def test_every_choice_is_a_convention() -> None:
    listed = {convention.knob.name for convention in conventions()}
    assert {name for name, knob in KNOBS.items() if knob.kind == "choice"} <= listed
    assert {"matmul_efficiency", "collective_latency", "weight_bytes", "kv_bytes", "gather_bytes"} <= listed


@pytest.mark.parametrize("chip", ["tpu-v5p", "h100"])
def test_an_effect_is_the_difference_of_two_whole_evaluations(chip: str) -> None:
    settings = {"decode_chips": 16, "tensor_shards": 4}
    point = resolve(chip, "llama-3-8b", settings)
    before = evaluate(point, gate=False).values
    for name, found in effects(point).items():
        for effect in (effect for effect in found if effect.changes):
            after = evaluate(resolve(chip, "llama-3-8b", {**settings, name: effect.option}), gate=False).values
            for watched in WATCHED:
                expected = after[watched] / before[watched] - 1
                assert effect.changes.get(watched, 0.0) == pytest.approx(expected, abs=1e-11), (name, watched)


def test_effects_that_can_be_told_by_hand() -> None:
    found = {(name, effect.option): effect for name, each in effects(resolve()).items() for effect in each}
    assert found["matmul_efficiency", 0.4].changes["step_time"] == pytest.approx(1.5), "compute-bound: 1/0.4"
    assert found["weight_bytes", 1.0].changes["decode_memory_per_chip"] < 0
    assert "step_time" not in found["weight_bytes", 1.0].changes
    assert found["compute_dtype", "fp8"].reason.startswith("compute_dtype=fp8: no rate is printed")
    assert not found["compute_dtype", "fp8"].changes


def test_what_stops_fitting_is_said() -> None:
    """70.6 GB of int8 weights fit two chips of 96 GB; the same in fp32 are 282 GB."""
    point = resolve(None, None, {"decode_chips": 2, "weight_bytes": 1, "decode_batch": 1, "context_len": 128})
    four = next(effect for effect in effects(point)["weight_bytes"] if effect.option == 4.0)
    assert four.reason.startswith("does not fit")


def test_the_book_needs_what_it_says_that_it_does() -> None:
    """Chapter 6 counts 6ND with both embeddings and no attention; chapter 7 leaves out comms and adds KV time."""
    needed = needed_by_book()
    expected = {"head_flops": "book", "attention_flops": "none", "inference_comms": "off", "kv_in_max": "outside"}
    assert {name: needed[name].most_common(1)[0][0] for name in expected} == expected
    assert needed["collective_latency"].most_common(1)[0][0] == 1e-6


def test_the_page_is_plain_json_and_tells_every_convention() -> None:
    session = Session()
    table = LimitsTable(session)
    table.paint(session.state)
    assert set(table.body.data["rows"]) == {convention.knob.name for convention in conventions()}
    json.dumps([table.body.spec, table.body.data], allow_nan=False)
    listed = [row["name"] for section in table.body.spec["sections"] for row in section["rows"]]
    assert Counter(listed) == Counter(list(table.body.data["rows"]))


def test_a_choice_writes_the_knob_and_a_refusal_puts_it_back() -> None:
    session = Session()
    table = LimitsTable(session)
    table._hear({"kind": "choose", "name": "recompute", "option": "full"})
    assert session.point.values["recompute"] == "full"
    table._hear({"kind": "choose", "name": "matmul_efficiency", "option": "0.4"})
    assert session.point.values["matmul_efficiency"] == 0.4
    table._hear({"kind": "choose", "name": "compute_dtype", "option": "fp4"})
    assert session.point.values["compute_dtype"] == "bf16"
    assert "no rate is printed" in session.notice
    assert table.body.data["rows"]["compute_dtype"]["value"] == "bf16"
    table._hear({"kind": "reset", "name": "recompute"})
    assert session.point.values["recompute"] == "none"


def test_words_of_an_effect() -> None:
    assert change_words(Effect("x", {}, "")) == "nothing"
    both = Effect("x", {"step_time": 0.0372, "train_cost": 0.0372, "memory_per_chip": -0.5}, "")
    assert change_words(both) == "step time and training bill +3.72\u2009%; memory a chip −50.0\u2009%"
    assert change_words(Effect("x", {"train_cost": math.nan}, "")) == "training bill can be had on one side only"


def test_a_mesh_beyond_one_fabric_is_said_and_the_superpod_named() -> None:
    """An NVLink domain joins 8 H100s (book, ch. 12); a v5p pod 8,960 chips."""
    inside = evaluate(resolve("h100", None, {"data_shards": 1, "tensor_shards": 8, "decode_chips": 8}))
    beyond = evaluate(resolve("h100", None, {"data_shards": 2, "tensor_shards": 8, "decode_chips": 8}))
    assert beyond_fabric(inside) == []
    assert beyond_fabric(beyond) == ["16 training chips"]
    assert "H100 SuperPod" in fabric_sentence(beyond)
    assert beyond_fabric(evaluate(resolve())) == []


def test_omissions_say_what_they_come_to_here() -> None:
    assert "12.5\u2009% over 8 tensor shards" in _here("The share (N−1)/N of a ring", tensor_shards=8)
    assert _here("AllToAll of expert parallelism") == "A dense model: nothing here."
    assert "75.0\u2009%" in _here("Reductions in the switch (SHARP)", chip="h100"), "2 x 7/8 - 1"
    assert "1,318,912 parameters" in _here("Norms, rotary embeddings, biases"), "(2L + 1) D of LLaMA-3 70B"
    assert "2.00×" in _here("Copies of KV heads", decode_chips=16)
    assert "some are split" in _here("Context parallelism", data_shards=1120, batch_tokens=4194304, seq_len=4096)


def test_no_overlap_takes_as_long_as_its_parts_together() -> None:
    evaluation = evaluate(resolve())
    branches = [branch for name in ("forward_time", "backward_time") for branch in evaluation.branches[name]]
    parts = sum(branch.value for branch in branches)
    whole = evaluation.values["forward_time"] + evaluation.values["backward_time"]
    assert f"{parts / whole:.2f}×" in _here("Perfect overlap")


@pytest.mark.parametrize("chip", ["v100", "tpu-v2", "h100", "gb200-nvl72", "tpu7x"])
def test_no_omission_shows_what_is_no_number(chip: str) -> None:
    evaluation = evaluate(resolve(chip))
    said = " ".join(omission.here(evaluation) for omission in OMISSIONS)
    assert "nan" not in said.lower().replace("nanosecond", "")
    assert "inf" not in said.lower().split()


def test_each_headline_stands_under_what_it_is() -> None:
    standings = LimitsTable(Session()).body.spec["standings"]
    shown = {(each["page"], each["of"]): group["standing"] for group in standings for each in group["shown"]}
    assert shown == {
        (page, headline.of): quantities()[headline.of].standing
        for page, headlines in HEADLINES.items()
        for headline in headlines
    }
    assert sum(group["count"] for group in standings) == len(quantities())
