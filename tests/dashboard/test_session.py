"""The session: one publication a change, undo in strokes, and refusals that change nothing."""

import presets
from dashboard.session import Session
from model.point import resolve


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
