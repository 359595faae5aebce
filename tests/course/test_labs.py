"""Labs: each evaluates, flips where the graph's larger branch flips, and quotes statements of its own."""

import math

import pytest

from dashboard.course import labs
from dashboard.course.lab import read_lab
from dashboard.course.live import rows
from dashboard.link import read_query, write_query
from model.evaluate import evaluate
from model.graph import quantities
from model.knobs import KNOBS

ALL = list(labs())


def test_the_labs_are_those_that_statements_name() -> None:
    assert set(ALL) == {row.statement.lab for row in rows().values()} - {""}


@pytest.mark.parametrize("slug", ALL)
def test_a_lab_evaluates_and_flips_where_the_graph_does(slug: str) -> None:
    lab = labs()[slug]
    reading = read_lab(lab, lab.start())
    assert 3 <= len(lab.turns) <= 7
    assert reading.binds
    assert len(reading.flips) >= 1
    assert all(any(map(math.isfinite, reading.line.values[curve.of])) for curve in lab.curves)
    for flip in reading.flips:
        sides = []
        for place in (flip.place * (1 - 1e-6), flip.place * (1 + 1e-6)):
            numbers = {**lab.start().values, lab.across.name: place}
            point = type(lab.start())(lab.chip, lab.model, numbers)
            found = evaluate(point, gate=False)
            known = {name: found.bounds[name] for name in lab.says if math.isfinite(found.bounds[name])}
            sides.append(max(known, key=lambda name: known[name]))
            for name in lab.says:
                owner, _, branch = name.partition(":")
                if branch:
                    assert found.branches[owner][0].name == sides[-1].partition(":")[2]
        assert sides == [flip.before, flip.after]


@pytest.mark.parametrize(
    ("slug", "place", "near"),
    [
        ("decode-step", 120.12, 1e-4),  # the book: 120 sequences
        ("allgather", 4 * 45e3, 1e-9),  # four shards of the book's 45 kB
        ("roofline", 1 / (820e9 / 197e12 - 2 / 8192), 1e-9),  # BDF/(BD + DF + BF) = C/W, solved for B
        ("memory-budget", 10 * 13.016e9 / (2 * 40 * (5120 + 2 * 13824)), 1e-3),  # 10P = 2LB(D + 2F)
    ],
)
def test_known_flips(slug: str, place: float, near: float) -> None:
    lab = labs()[slug]
    assert read_lab(lab, lab.start()).flips[0].place == pytest.approx(place, rel=near)


@pytest.mark.parametrize("slug", ALL)
def test_reference_numbers_are_statements_of_this_lab(slug: str) -> None:
    lab = labs()[slug]
    assert len(lab.references) >= 4
    for name in lab.references:
        row = rows()[name]
        assert row.statement.lab == slug
        assert row.verdict.startswith("agrees")
    assert all(name in quantities() for name in lab.tiles)
    for turn in lab.turns:
        if turn.options:
            options = [KNOBS[turn.name].numbers.get(str(value), value) for value in turn.options.values()]
            assert len(set(options)) == len(options) >= 2
        else:
            low, high = KNOBS[turn.name].bounds
            assert low <= turn.low < turn.high <= high


@pytest.mark.parametrize("slug", ALL)
def test_a_link_opens_a_lab_at_its_start_or_at_its_point(slug: str) -> None:
    lab = labs()[slug]
    place = read_query(f"page=course&part={slug}")
    assert (place.point, place.part, place.faults) == (lab.start(), slug, ())
    turned = lab.start().with_settings({lab.across.name: 2 * lab.across.low})
    again = read_query(write_query(turned, "course", "step_time", slug))
    assert (again.point, again.part, again.faults) == (turned, slug, ())


def test_a_part_that_does_not_exist_is_named() -> None:
    (fault,) = read_query("page=course&part=lab-9").faults
    assert "lab-9" in fault
    assert "decode-step" in fault
