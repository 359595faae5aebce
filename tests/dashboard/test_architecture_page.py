"""The Architecture page without a browser: reading, refusing, comparing and loading, and what the browser keeps."""

import json
from typing import Any

import pytest

from dashboard.components.saved import SavedLists
from dashboard.pages.architecture import ArchitecturePage
from dashboard.session import OWN_KNOBS, Session
from model.point import resolve

MISTRAL = {
    "architectures": ["MistralForCausalLM"],
    "model_type": "mistral",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 32000,
    "max_position_embeddings": 32768,
    "sliding_window": 4096,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
PUBLISHED = 7_241_732_096  # metadata.total_size of mistralai/Mistral-7B-v0.1 over two bytes
OPT = {
    "architectures": ["OPTForCausalLM"],
    "model_type": "opt",
    "hidden_size": 1024,
    "word_embed_proj_dim": 512,
    "ffn_dim": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "vocab_size": 50272,
    "max_position_embeddings": 2048,
    "do_layer_norm_before": False,
}


@pytest.fixture
def session() -> Session:
    return Session(page="architecture")


@pytest.fixture
def shown(session: Session) -> ArchitecturePage:
    built = ArchitecturePage(session)
    built.paint(session.state)
    session.param.watch(lambda event: built.paint(event.new), "state")
    return built


def _read(shown: ArchitecturePage, config: object, file: str = "config.json") -> dict[str, Any]:
    shown.reader._handle_msg({"kind": "read", "text": json.dumps(config), "file": file})
    return shown.reader.data


def _counts(shown: ArchitecturePage) -> dict[str, Any]:
    json.dumps(shown.counts.data, allow_nan=False)
    return shown.counts.data


def test_a_file_is_counted_and_stands_beside_the_knobs(shown: ArchitecturePage) -> None:
    said = _read(shown, MISTRAL, "mistral-7b-v0.1.json")
    assert said["line"] == f"mistral-7b-v0.1: {PUBLISHED:,} parameters."
    assert said["loadable"]
    table = _counts(shown)
    assert [side["title"] for side in table["sides"]] == ["mistral-7b-v0.1", "LLaMA-3 70B"]
    total = next(row for row in table["rows"] if row["label"] == "Total parameters")
    assert total["cells"][0] == ("7.24", "B", f"{PUBLISHED:,} params")
    copies = next(row for row in table["rows"] if "64 tensor shards" in row["label"])
    assert [cell[0] for cell in copies["cells"]] == ["8×", "8×"]


def test_a_read_model_goes_into_the_graph_in_one_step(shown: ArchitecturePage, session: Session) -> None:
    before = session.point
    _read(shown, MISTRAL, "mistral-7b-v0.1.json")
    shown.reader._handle_msg({"kind": "load"})
    assert session.state.page == "training"
    assert session.name_of("model") == "mistral-7b-v0.1"
    norms = 65 * 4096
    assert session.state.evaluation.values["total_params"] == PUBLISHED - norms
    session.undo()
    assert session.point == before


def test_a_refused_file_changes_nothing(shown: ArchitecturePage, session: Session) -> None:
    before = _counts(shown)
    said = _read(shown, {**MISTRAL, "num_key_value_heads": 5})
    assert said["refused"]
    assert not said["loadable"]
    assert "num_key_value_heads: is 5, which does not divide num_attention_heads = 32" in said["line"]
    assert _counts(shown) == before
    assert session.point == resolve()


def test_what_the_graph_can_not_hold_is_counted_only(shown: ArchitecturePage, session: Session) -> None:
    said = _read(shown, OPT)
    assert said["line"].startswith("opt, 331\u2009M: 331,196,416 parameters. layers: the embedding is 512 wide")
    assert not said["loadable"]
    side = _counts(shown)["sides"][0]
    assert not side["load"]["able"]
    shown.counts._handle_msg({"kind": "load", "side": 0})
    assert session.point == resolve()
    assert "the embedding is 512 wide" in session.notice


def test_two_presets_stand_side_by_side(shown: ArchitecturePage, session: Session) -> None:
    shown.counts._handle_msg({"kind": "pick", "side": 0, "key": "preset:mixtral-8x7b"})
    shown.counts._handle_msg({"kind": "pick", "side": 1, "key": "preset:nothing"})
    table = _counts(shown)
    assert [side["title"] for side in table["sides"]] == ["Mixtral 8x7B", "DeepSeek-V3"]
    shown.counts._handle_msg({"kind": "load", "side": 0})
    assert session.point == resolve(None, "mixtral-8x7b")


def test_the_model_on_the_knobs_follows_them(shown: ArchitecturePage, session: Session) -> None:
    session.write({"n_layers": 40})
    side = _counts(shown)["sides"][0]
    assert side["title"] == "LLaMA-3 70B, changed"
    total = _counts(shown)["rows"][0]["cells"][0]
    assert total[2] == f"{session.state.evaluation.values['total_params']:,.0f} params"


def test_names_stay_apart_and_short(shown: ArchitecturePage) -> None:
    for _ in range(12):
        _read(shown, {**MISTRAL, "_name_or_path": "someone/" + "m" * 99 + "\n"})
    groups = dict(_counts(shown)["groups"])
    titles = [title for _, title in groups["Read here"]]
    assert len(titles) == len(set(titles)) == 8
    assert all(len(title) < 50 and title.isprintable() for title in titles)


def test_a_saved_model_comes_back_under_its_name() -> None:
    session = Session()
    saved = SavedLists(session)
    session.write({"n_layers": 12, "n_experts": 8, "peak_flops": 1e15})
    saved.paint(session.state)
    kept = json.loads(json.dumps(saved.body.data))
    session.reset()
    saved.body._handle_msg({"kind": "model", "name": "Small", "settings": kept["model"]["settings"]})
    assert session.name_of("model") == "Small"
    assert session.point.values["n_experts"] == 8
    assert session.point.values["peak_flops"] == 459e12
    saved.body._handle_msg({"kind": "chip", "name": "Fast", "settings": kept["chip"]["settings"]})
    assert session.name_of("chip") == "Fast"
    assert session.point.values["peak_flops"] == 1e15


@pytest.mark.parametrize("settings", [None, [], "n_layers", {"n_layers": {}}, {"nothing": "1"}, {"n_layers": "many"}])
def test_damaged_storage_is_refused_or_ignored(settings: object) -> None:
    session = Session()
    SavedLists(session).body._handle_msg({"kind": "model", "name": "Odd", "settings": settings})
    assert session.point == resolve()
    assert set(OWN_KNOBS["model"]).isdisjoint(session.point.changes())
