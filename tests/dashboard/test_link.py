"""The link: what is written reads back as exactly the same place, and what can't be read is named, never fatal."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.link import MAX_QUERY, read_query, write_query
from dashboard.pages import PAGES
from model.point import Point, resolve
from model.programs import values_program


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(list(PAGES)), st.sampled_from(values_program().outputs))
def test_every_place_reads_back_exactly(
    points: st.SearchStrategy[Point], data: st.DataObject, page: str, focus: str
) -> None:
    point = data.draw(points)
    place = read_query(write_query(point, page, focus))
    assert (place.point, place.page, place.focus, place.faults) == (point, page, focus, ())


def test_the_opening_place_has_no_query() -> None:
    assert write_query(resolve(), "training", "step_time") == ""
    assert read_query("").point == resolve()


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=200)
    | st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12))).map(
        lambda pairs: "&".join(f"{quote(key)}={quote(value)}" for key, value in pairs)
    )
)
def test_any_text_gives_a_place(query: str) -> None:
    place = read_query(query)
    assert place.page in PAGES
    assert all("\n" not in fault for fault in place.faults)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("batch_tokens=-3", "batch_tokens"),
        ("batch_tokens=NaN", "batch_tokens"),
        ("peak_flops=1e999", "peak_flops"),
        ("no_such_knob=3", "no_such_knob"),
        ("chip=tpu-v99", "tpu-v99"),
        ("model=llama-9", "llama-9"),
        ("page=admin", "admin"),
        ("focus=step_time:nothing", "step_time:nothing"),
        ("seq_len=1&seq_len=2", "seq_len"),
        ("v=2", "version 1"),
        ("x=" + "1" * MAX_QUERY, "characters long"),
    ],
)
def test_what_cannot_be_used_is_named(query: str, named: str) -> None:
    (fault,) = read_query(query).faults
    assert named in fault
    assert read_query(query).point == (resolve(None, None, {"seq_len": 1}) if "seq_len" in query else resolve())


def test_the_good_keys_of_a_bad_link_are_kept() -> None:
    place = read_query("tensor_shards=4&batch_tokens=lots&seq_len=8192")
    assert place.point == resolve(None, None, {"tensor_shards": 4, "seq_len": 8192})
    assert len(place.faults) == 1


def test_a_rate_that_is_not_printed_reads_back_with_its_dtype() -> None:
    point = resolve("tpu-v5p", None, {"peak_flops": 9e14, "compute_dtype": "fp8"})
    assert read_query(write_query(point, "training", "mfu")).point == point
