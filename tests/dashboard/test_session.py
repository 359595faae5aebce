"""The session: one publication a change, undo in strokes, and refusals that change nothing."""

import presets
from dashboard.link import read_query, write_query
from dashboard.session import OWN_KNOBS, Session
from model.point import preset_values, resolve


def _published(session: Session) -> list[float]:
    found: list[float] = []
    session.param.watch(lambda event: found.append(event.new.evaluation.values["step_time"]), "state")
    return found


def test_a_write_publishes_once_and_undo_takes_it_back() -> None:
    session = Session()
    before, published = session.state, _published(session)
    assert session.write({"peak_flops": "500T"})
    assert len(published) == 1
    assert session.state.evaluation.values["step_time"] < before.evaluation.values["step_time"]
    session.undo()
    assert session.point == before.point
    session.redo()
    assert session.point.values["peak_flops"] == 5e14
    assert session.moves == (True, False)


def test_a_drag_is_one_step_of_undo_and_the_next_drag_another() -> None:
    session = Session()
    for stroke in ((64, 48, 32), (16, 8)):
        for index, layers in enumerate(stroke):
            session.write({"n_layers": layers}, drag=index > 0)
    session.undo()
    assert session.point.values["n_layers"] == 32
    session.undo()
    assert session.point == resolve()
    assert session.moves == (False, True)


def test_a_drag_that_starts_where_it_stands_is_undone_to_there() -> None:
    session = Session()
    session.write({"seq_len": 8192})
    session.write({"n_layers": 80})
    session.write({"n_layers": 64}, drag=True)
    session.undo()
    assert session.point == resolve(None, None, {"seq_len": 8192})


def test_a_refusal_is_a_notice_and_changes_nothing() -> None:
    session = Session()
    before, published = session.state, _published(session)
    assert not session.write({"batch_tokens": "lots"})
    assert session.state is before
    assert published == []
    assert "batch_tokens=lots" in session.notice
    assert session.write({"batch_tokens": "8M"})
    assert session.notice == ""


def test_another_chip_brings_its_figures_and_keeps_the_rest() -> None:
    session = Session()
    session.write({"peak_flops": "1e15", "matmul_efficiency": 0.4, "tensor_shards": 4})
    assert session.pick(chip="h100")
    printed = presets.chip("h100").peak_flops["bf16"].value
    assert session.point.values["peak_flops"] == printed
    assert session.point.changes() == {"matmul_efficiency": 0.4, "tensor_shards": 4.0}
    session.undo()
    assert session.point.chip == "tpu-v5p"


def test_a_dtype_without_a_printed_rate_falls_back_with_a_notice() -> None:
    session = Session(resolve("h100", None, {"compute_dtype": "fp8"}))
    assert session.pick(chip="tpu-v5p")
    assert session.point.values["compute_dtype"] == "bf16"
    assert "fp8" in session.notice


def test_each_page_keeps_its_focus() -> None:
    session = Session()
    session.look_at("mfu")
    session.open("inference")
    assert session.state.focus == "decode_step_time"
    session.open("training")
    assert session.state.focus == "mfu"
    session.paint_in("dark")
    assert (session.state.theme, session.state.focus) == ("dark", "mfu")


def test_a_loaded_model_is_one_step_keeps_its_name_and_survives_a_link() -> None:
    session = Session()
    session.write({"tensor_shards": 16, "n_layers": 40})
    before, published = session.point, _published(session)
    settings = {**preset_values("tpu-v5p", "mixtral-8x7b", "bf16"), "n_layers": 8.0, "window_layers": 8.0}
    settings = {name: settings[name] for name in OWN_KNOBS["model"]}
    assert session.load("model", "My mixture", settings)
    assert len(published) == 1
    assert {name: session.point.values[name] for name in settings} == settings
    assert session.point.values["tensor_shards"] == 16
    assert session.point.model == "mixtral-8x7b"
    assert session.name_of("model") == "My mixture"
    assert read_query(write_query(session.point, "training", "step_time")).point == session.point
    session.write({"n_layers": 9})
    assert session.name_of("model") == "Mixtral 8x7B"
    session.undo()
    assert session.name_of("model") == "My mixture"
    session.undo()
    assert session.point == before
    session.redo()
    assert session.pick(model="llama-3-8b")
    assert dict(session.point.values) == dict(resolve(None, "llama-3-8b", {"tensor_shards": 16}).values)


def test_what_equals_a_preset_is_the_preset() -> None:
    session = Session()
    values = preset_values("tpu-v5p", "deepseek-v3", "bf16")
    assert session.load("model", "config", {name: values[name] for name in OWN_KNOBS["model"]})
    assert session.point == resolve(None, "deepseek-v3")
    assert session.name_of("model") == "DeepSeek-V3"


def test_a_loaded_chip_keeps_the_model_and_refuses_other_knobs() -> None:
    session = Session()
    assert session.load("chip", "TPU v9", {"peak_flops": 2e15, "hbm_bandwidth": "9T", "price_per_chip_hour": "none"})
    assert session.point.values["hbm_bandwidth"] == 9e12
    assert session.name_of("chip") == "TPU v9"
    before = session.state
    assert not session.load("chip", "TPU v9", {"n_layers": 3})
    assert session.notice == "TPU v9: n_layers is no knob of a chip; leave it out"
    assert session.state is before
