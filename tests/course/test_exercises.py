"""Exercises: enough of them, each accepting the graph's answer and refusing what is wrong, its unit included."""

from dataclasses import replace

import pytest

from dashboard.course.exercise import TOLERANCE, exercises

ALL = list(exercises())


def test_there_are_at_least_sixty_over_ten_chapters() -> None:
    assert len(ALL) >= 60
    assert {exercise.chapter for exercise in exercises().values()} == {1, 2, 3, 4, 5, 6, 7, 8, 9, 12}


@pytest.mark.parametrize("name", ALL)
def test_it_accepts_right_and_refuses_wrong(name: str) -> None:
    exercise = exercises()[name]
    unit = "" if exercise.unit == "1" else f" {exercise.unit}"
    right = exercise.answer
    assert exercise.check(f"{right!r}{unit}")[0] == "right"
    assert exercise.check(f"{right * (1 + 0.9 * TOLERANCE)!r}{unit}")[0] == "right"
    assert exercise.check(f"{right * (1 + 1.1 * TOLERANCE)!r}{unit}")[0] == "high"
    assert exercise.check(f"{right * 0.5!r}{unit}")[0] == "low"
    assert exercise.check(f"{right!r} furlongs")[0] == "unread"
    assert exercise.check("")[0] == "unread"
    if unit:
        verdict, words = exercise.check(f"{right!r}")
        assert verdict == "unread"
        assert "unit" in words
    assert all(exercise.hints)
    assert exercise.question.count("?") == 1


@pytest.mark.parametrize(
    ("name", "text", "verdict"),
    [
        ("roofline-q2-int8w-bf16", "120 tokens", "right"),
        ("roofline-q2-int8w-bf16", "240 tokens", "high"),
        ("roofline-q2-int8w-bf16", "120 B", "unread"),
        ("tpus-q6-hbm", "20.9 ms", "right"),
        ("tpus-q6-hbm", "20.9 s", "high"),
        ("tpus-q6-hbm", "20.9", "unread"),
        ("training-q2-state", "130 GB", "right"),
        ("training-q2-state", "130 TB", "high"),
        ("training-q2-state", "130 G", "unread"),
        ("gpus-qz5-2-days", "40.3 days", "right"),
    ],
)
def test_printed_answers_of_the_book(name: str, text: str, verdict: str) -> None:
    assert exercises()[name].check(text)[0] == verdict


def test_the_answer_is_the_graphs() -> None:
    exercise = exercises()["roofline-q2-int8w-bf16"]
    doubled = replace(exercise, row=replace(exercise.row, recomputed=2 * exercise.answer))
    assert doubled.check("120 tokens")[0] == "low"
