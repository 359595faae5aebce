"""The point as a command line: what to type to get the page's numbers in a shell."""

from __future__ import annotations

import shlex

from dashboard.link import written
from model.point import DEFAULT_CHIP, DEFAULT_MODEL, Point


def as_command(point: Point, focus: str) -> str:
    """Return the `scalegrad gradient` command that gives the value in focus and its elasticities at this point."""
    words = ["scalegrad", "gradient", "--of", focus]
    if point.chip != DEFAULT_CHIP:
        words += ["--chip", point.chip]
    if point.model != DEFAULT_MODEL:
        words += ["--model", point.model]
    for name, value in point.changes().items():
        words += ["--set", f"{name}={written(value)}"]
    return shlex.join(words)
