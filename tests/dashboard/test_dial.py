"""The dial: sliders stop at round values that the knob takes, and what is typed counts in the unit beside it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard import dial
from model.entry import read
from model.knobs import KNOBS

NUMERIC = [knob for knob in KNOBS.values() if knob.kind != "choice"]
PLACES = st.floats(0, 1)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NUMERIC), PLACES)
def test_every_place_is_a_value_that_the_knob_takes_and_lies_near(knob, place) -> None:
    value = dial.value_at(knob, place, None)
    assert read(knob, value) == value
    stops = 3 if knob.bounds[1] <= 4 else 12
    assert abs(dial.position(knob, value) - place) <= 1 / stops


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NUMERIC), PLACES, st.sampled_from([-6, -1, 1, 6]))
def test_an_arrow_key_moves_that_way_until_the_end(knob, place, steps) -> None:
    value = dial.value_at(knob, place, None)
    moved = dial.nudged(knob, value, steps)
    assert read(knob, moved) == moved
    end = knob.bounds[1] if steps > 0 else knob.bounds[0]
    assert (moved - value) * steps > 0 or moved == end == value


def test_the_preset_pulls_the_thumb() -> None:
    knob = KNOBS["data_shards"]
    assert dial.value_at(knob, dial.position(knob, 1120) + 0.001, 1120.0) == 1120


def test_ways_of_splitting_stop_at_powers_of_two() -> None:
    knob = KNOBS["tensor_shards"]
    stops = {dial.value_at(knob, index / 500, None) for index in range(501)}
    assert stops == {float(2**power) for power in range(17)}


@pytest.mark.parametrize(
    ("name", "text", "unit", "value"),
    [
        ("peak_flops", "500", "TFLOP/s", 5e14),
        ("peak_flops", "500 TFLOP/s", "TFLOP/s", 5e14),
        ("peak_flops", "1.2e15", "TFLOP/s", 1.2e15),
        ("ici_bandwidth", "0.2T", "GB/s", 2e11),
        ("hbm_capacity", "1,000", "GB", 1e12),
        ("batch_tokens", "4M", "tok", 4e6),
        ("batch_tokens", "4194304", "tok", 4194304),
        ("train_tokens", "2", "T tok", 2e12),
        ("collective_latency", "2.5", "μs", 2.5e-6),
        ("collective_latency", "2 ms", "μs", 2e-3),
        ("price_per_chip_hour", "$3.5", "$/h", 3.5),
        ("price_per_chip_hour", "", "$/h", None),
        ("weight_bytes", "int8", "B", 1.0),
        ("matmul_efficiency", "0.4", "", 0.4),
    ],
)
def test_typed_text_counts_in_the_unit_beside_it(name, text, unit, value) -> None:
    assert read(KNOBS[name], dial.typed(KNOBS[name], text, unit)) == value


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("peak_flops", 4.59e14, ("459", "TFLOP/s")),
        ("matmul_efficiency", 0.41, ("0.41", "")),
        ("matmul_efficiency", 0.4123, ("0.412", "")),
        ("d_ff", 28672.0, ("28,672", "")),
        ("batch_tokens", 4194304.0, ("4,194,304", "tok")),
        ("train_tokens", 15e12, ("15.0", "T tok")),
        ("weight_bytes", 0.5, ("0.50", "B")),
        ("price_per_chip_hour", None, ("", "$/h")),
    ],
)
def test_a_row_shows_three_digits_or_the_exact_count(name, value, shown) -> None:
    assert dial.words(KNOBS[name], value) == shown
