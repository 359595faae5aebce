"""What the tests of the dashboard share: any operating point that a person could set."""

import pytest
from hypothesis import strategies as st

import presets
from model.errors import BadInput
from model.knobs import KNOBS, Knob
from model.point import Point, resolve


def _entry(knob: Knob) -> st.SearchStrategy[object]:
    if knob.kind == "choice":
        return st.sampled_from(list(knob.numbers))
    low, high = knob.bounds
    if knob.integer:
        return st.integers(int(low), int(high))
    number = st.floats(low, high)
    return st.none() | number if knob.optional else number


SETTINGS = st.fixed_dictionaries({}, optional={name: _entry(knob) for name, knob in KNOBS.items()})


@st.composite
def _points(draw: st.DrawFn) -> Point:
    chip, model = draw(st.sampled_from(list(presets.chips()))), draw(st.sampled_from(list(presets.models())))
    chosen = draw(SETTINGS)
    for left_out in (set(), {"compute_dtype"}):
        try:
            return resolve(chip, model, {name: value for name, value in chosen.items() if name not in left_out})
        except BadInput:
            continue
    return resolve(chip, model)


@pytest.fixture(scope="session")
def points() -> st.SearchStrategy[Point]:
    """Points of every chip and model, with any knobs moved anywhere within their bounds."""
    return _points()
