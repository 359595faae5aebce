"""The comparison rounds or truncates at the stated digits, in decimal."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.verify import agrees_to


@pytest.mark.parametrize(
    ("recomputed", "stated", "digits"),
    [
        (4.984756097560976e-3, 4.98e-3, 3),  # rounds
        (4377.777777777777, 4377, 4),  # truncates
        (46.60337777777778e-6, 46e-6, 2),  # truncates
        (46.60337777777778e-6, 47e-6, 2),  # rounds
        (0.29999999999999993, 0.3, 1),  # noise of a float just below
        (1237.5, 1237, 4),
        (1237.5, 1238, 4),
        (9.96, 10, 2),  # rounding carries into a new digit
        (0.9996948707777744, 1, 1),
        (295.22, 300, 1),
        (70553706496.0, 70553706496, 11),
        (-0.0125, -0.013, 2),
        (0.0, 0.0, 1),
    ],
)
def test_agreement(recomputed: float, stated: float, digits: int) -> None:
    assert agrees_to(recomputed, stated, digits)


@pytest.mark.parametrize(
    ("recomputed", "stated", "digits"),
    [
        (4.991125853658536e-3, 4.98e-3, 3),
        (46.60337777777778e-6, 45e-6, 2),
        (46.60337777777778e-6, 48e-6, 2),
        (55.0, 100, 1),  # the place is the recomputed number's own
        (70552387584.0, 70553706496, 11),
        (240.0, -240, 3),
        (0.0, 1.0, 1),
        (1e-30, 0.0, 1),
        (float("nan"), 1.0, 1),
        (float("inf"), 1.0, 1),
    ],
)
def test_disagreement(recomputed: float, stated: float, digits: int) -> None:
    assert not agrees_to(recomputed, stated, digits)


numbers = st.decimals(min_value="1e-12", max_value="1e25", allow_nan=False, allow_infinity=False, places=None)


@given(numbers, st.integers(1, 8), st.sampled_from([ROUND_HALF_UP, ROUND_DOWN]))
def test_what_decimal_rounds_or_truncates_agrees(number: Decimal, digits: int, rounding: str) -> None:
    exact = Context(prec=12).plus(number)
    stated = Context(prec=digits, rounding=rounding).plus(exact)
    assert agrees_to(float(exact), float(stated), digits)


@given(numbers, st.integers(2, 8), st.integers(2, 50))
def test_two_units_in_the_last_place_are_too_far(number: Decimal, digits: int, units: int) -> None:
    stated = Context(prec=digits).plus(number)
    place = Decimal(1).scaleb(stated.adjusted() - digits + 1)
    farther = stated + units * place
    if farther.adjusted() == stated.adjusted():
        assert not agrees_to(float(farther), float(stated), digits)
