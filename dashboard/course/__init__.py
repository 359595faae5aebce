"""The course: the book as chapters with live numbers, labs and exercises, all on the one graph.

A *part* is what can be open on the page: a chapter by its slug (`5-training`) or a lab by its own (`decode-step`).
"""

from dashboard.course.chapter import Chapter as Chapter
from dashboard.course.chapter import chapters as chapters
from dashboard.course.lab import Lab as Lab
from dashboard.course.lab import labs as labs

FIRST = "0-introduction"
"""The chapter that the page opens with."""


def parts() -> tuple[str, ...]:
    """Return the slug of every chapter and lab."""
    return (*chapters(), *labs())
