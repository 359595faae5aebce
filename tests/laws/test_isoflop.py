"""Approaches 1 and 2: exact where they must be, silent where the minima are not bracketed."""

import numpy as np
import pytest

from model.laws import Law, drop_highest_losses, envelope_law, isoflops, make_runs, parse_runs, vertex_law

EQUAL = Law(E=1.7, A=420.0, B=420.0, alpha=0.34, beta=0.34)


def test_parabolas_are_exact_for_equal_exponents_on_centred_grids(sweep):
    runs = sweep(EQUAL)
    curves = isoflops(runs)
    assert len(curves) == 9
    for curve in curves:
        assert curve.bracketed
        assert curve.params == pytest.approx(float(EQUAL.optimum(curve.flop)[0]), rel=1e-8)
    assert vertex_law(runs, curves).exponent.value == pytest.approx(0.5, abs=1e-9)


def test_vertices_and_envelope_find_the_exponent_of_unequal_ones(known, sweep):
    runs = sweep(noise=0.002, sizes=15)
    curves = isoflops(runs)
    for law, error in ((vertex_law(runs, curves), 0.01), (envelope_law(runs, curves), 0.04)):
        assert law.exponent.value == pytest.approx(known.a, abs=error)
        assert law.exponent.lo < law.exponent.value < law.exponent.hi
        assert law.r_squared > 0.9


@pytest.mark.parametrize(("shift", "edge"), [(2.5, "smallest"), (-2.5, "largest")])
def test_unbracketed_minima_are_flagged_and_give_no_exponent(shift, edge, sweep):
    runs = sweep(shift=shift)
    curves = isoflops(runs)
    assert len(curves) == 9
    assert not any(curve.bracketed for curve in curves)
    assert all(edge in curve.problem for curve in curves)
    for law in (vertex_law(runs, curves), envelope_law(runs, curves)):
        assert law.exponent is None
        assert law.reason.startswith("0 of 9 budgets")


def test_a_curve_that_opens_downward_has_no_vertex():
    params = np.logspace(7, 9, 7)
    runs = make_runs(params, 1e19 / (6 * params), 3 - 0.1 * (np.log(params) - np.log(1e8)) ** 2)
    [curve] = isoflops(runs)
    assert "opens downward" in curve.problem
    assert np.isnan(curve.params)


@pytest.mark.shared
def test_chinchilla_points_give_an_exponent_inside_hoffmanns_interval_of_approach_2(shared):
    runs = drop_highest_losses(parse_runs((shared / "laws" / "chinchilla-points.csv").read_text()), 5)
    curves = isoflops(runs)
    law = vertex_law(runs, curves)
    assert 0.462 <= law.exponent.value <= 0.534
    assert any(not curve.bracketed for curve in curves), "the largest budget has its lowest loss at the smallest size"
