"""Labs: focused views on the graph, each a table of `labs.toml`: a few knobs, one picture, one question.

A lab computes nothing of its own. Its line is the graph's along one knob, its flip is where the graph's larger branch
changes, and its reference numbers are statements of the book.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from model.along import Flip, Line, Walk, largest
from model.knobs import KNOBS, Knob
from model.numerals import parts
from model.point import Point, resolve
from model.words import capital, times

_FILE = Path(__file__).with_name("labs.toml")


@dataclass(frozen=True)
class Turn:
    """A knob of a lab: its name and its ends there, or the values to choose from by their words."""

    name: str
    low: float
    high: float
    options: Mapping[str, float | str]

    @property
    def knob(self) -> Knob:
        """The graph's knob, its bounds those of the lab."""
        return KNOBS[self.name] if self.options else dataclasses.replace(KNOBS[self.name], bounds=(self.low, self.high))


@dataclass(frozen=True)
class Curve:
    """A value drawn against the first knob; `whole` is the thick one that the lab is about."""

    of: str
    label: str
    whole: bool


@dataclass(frozen=True)
class Lab:
    """One lab.

    Attributes:
        number: from 1, in the book's order.
        chapter: slug of the chapter in which it sits.
        slug: its own, `decode-step`; statements name it.
        title: of the view.
        aim: the point that it makes, in one sentence.
        chip, model, settings: where it starts.
        picks: what can be chosen from the presets.
        turns: knobs; the picture runs along the first.
        curves: what the picture shows.
        says: by value that can be the largest, what it means where it is.
        tiles: quantities shown as numbers.
        references: statements of the book beside the live numbers.
        ask: what to predict; the answer is the first flip.
        tries: what to do next.
        home: the page that carries the point on.
        fit: a headroom; where it is below 0, the point does not fit.
    """

    number: int
    chapter: str
    slug: str
    title: str
    aim: str
    chip: str
    model: str
    settings: Mapping[str, float | str]
    picks: tuple[Literal["chip", "model"], ...]
    turns: tuple[Turn, ...]
    curves: tuple[Curve, ...]
    says: Mapping[str, str]
    tiles: tuple[str, ...]
    references: tuple[str, ...]
    ask: str
    tries: tuple[str, ...]
    home: str
    fit: str

    @property
    def across(self) -> Turn:
        """The knob along which the picture runs."""
        return self.turns[0]

    def start(self) -> Point:
        """Return where the lab starts."""
        return resolve(self.chip, self.model, self.settings)


@dataclass(frozen=True)
class Reading:
    """What a lab shows at a point.

    Attributes:
        line: the curves, and the headroom if the lab has one.
        flips: where another value becomes the largest, ascending.
        place: where the point lies.
        here: the curves' values there, gate off.
        binds: the largest value there; empty where none can be had.
        sentence: what that means, and where it ends.
    """

    line: Line
    flips: tuple[Flip, ...]
    place: float
    here: Mapping[str, float]
    binds: str
    sentence: str


def read_lab(lab: Lab, point: Point) -> Reading:
    """Return the line, the flips and the words of a lab at a point."""
    names = [*(curve.of for curve in lab.curves), *lab.says, *([lab.fit] if lab.fit else [])]
    of = tuple(dict.fromkeys(names))
    across = lab.across
    walk = Walk(point, of, across.name, across.low, across.high)
    place = point.numbers_by_name()[across.name]
    row = walk.at(place)
    here = {name: row[name] for name in of}
    bound = tuple(lab.says)
    flips = walk.flips(bound)
    binds = largest(row, bound)
    return Reading(walk.line(), flips, place, here, binds, _sentence(lab, flips, place, here, binds))


def _sentence(lab: Lab, flips: tuple[Flip, ...], place: float, here: Mapping[str, float], binds: str) -> str:
    if not binds:
        return "A figure that this needs is not printed for the chip: choose another one."
    rest = [here[name] for name in lab.says if name != binds and here[name] > 0]
    factor = f", by {times(here[binds] / max(rest))} here" if rest else ""
    below = [flip for flip in flips if flip.place <= place]
    above = [flip for flip in flips if flip.place > place]
    if below:
        where = f"Above {place_words(lab, below[-1].place)}"
    elif above:
        where = f"Below {place_words(lab, above[0].place)}"
    else:
        return f"{capital(lab.says[binds])}{factor}; nothing flips within the range of {_named(lab)}."
    return f"{where} {lab.says[binds]}{factor}."


def place_words(lab: Lab, place: float) -> str:
    """Return a place on the first knob in words: `batch 120 sequences`."""
    number, unit = parts(place, lab.across.knob.unit)
    words = f"{number}\u2009{unit}".rstrip()
    return words if unit == _named(lab) else f"{_named(lab)} {words}"


def _named(lab: Lab) -> str:
    return lab.across.knob.label.lower()


@functools.cache
def labs() -> Mapping[str, Lab]:
    """Return every lab by its slug, in the book's order."""
    tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {slug: _lab(number, slug, table) for number, (slug, table) in enumerate(tables.items(), 1)}


def _lab(number: int, slug: str, table: Mapping[str, Any]) -> Lab:
    turns = (
        Turn(turn["name"], turn.get("low", 0.0), turn.get("high", 0.0), turn.get("options", {}))
        for turn in table["turns"]
    )
    curves = tuple(Curve(of, label, of == table["whole"]) for of, label in table["curves"].items())
    return Lab(
        number=number,
        chapter=table["chapter"],
        slug=slug,
        title=table["title"],
        aim=table["aim"],
        chip=table["chip"],
        model=table["model"],
        settings=table.get("settings", {}),
        picks=tuple(table["picks"]),
        turns=tuple(turns),
        curves=curves,
        says=table["says"],
        tiles=tuple(table["tiles"]),
        references=tuple(table["references"]),
        ask=table["ask"],
        tries=tuple(table["tries"]),
        home=table["home"],
        fit=table.get("fit", ""),
    )
