"""The point in a link: one codec between a query string and a point, a page and a focus.

Keys are `v` (the codec's version), `page`, `part` (a chapter or lab of the course), `focus`, `chip`, `model` and knob
names. Only what differs from the presets is written, so a link stays short and survives new knobs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from dashboard.course import labs, parts
from dashboard.pages import PAGES
from model.errors import BadInput
from model.knobs import KNOBS
from model.point import DEFAULT_CHIP, DEFAULT_MODEL, TYPED, Point, resolve
from model.programs import values_program

VERSION = "1"
MAX_QUERY = 8192
"""Characters of a query string that are read; a longer one is refused whole."""


@dataclass(frozen=True)
class Place:
    """What a link says: a point, a page with the part open on it, and the value in focus.

    `faults` names each key that could not be used.
    """

    point: Point
    page: str = "training"
    focus: str = "step_time"
    faults: tuple[str, ...] = ()
    part: str = ""


def write_query(point: Point, page: str, focus: str, part: str = "") -> str:
    """Return the query string of a place, without the question mark; the empty string for the opening place."""
    keys: dict[str, str] = {}
    if page != "training":
        keys["page"] = page
    if page == "course" and part:
        keys["part"] = part
    if focus != PAGES[page].focus:
        keys["focus"] = focus
    if point.chip != DEFAULT_CHIP:
        keys["chip"] = point.chip
    if point.model != DEFAULT_MODEL:
        keys["model"] = point.model
    for name, value in point.changes().items():
        keys[name] = written(value)
    return urlencode({"v": VERSION, **keys}) if keys else ""


def written(value: float | str | None) -> str:
    """Return a knob's value as text that reads back as exactly that value."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def read_query(query: str) -> Place:
    """Return the place that a query string names. What can't be used is left at its preset and named in `faults`."""
    if len(query) > MAX_QUERY:
        return Place(resolve(), faults=(f"the link is {len(query):,} characters long; at most {MAX_QUERY:,} are read",))
    keys: dict[str, str] = {}
    faults: list[str] = []
    for key, value in parse_qsl(query.removeprefix("?"), keep_blank_values=True, max_num_fields=None):
        if key in keys:
            faults.append(f"{_short(key)}: given twice; the first is used")
        else:
            keys[key] = value
    if keys.pop("v", VERSION) != VERSION:
        faults.append(f"v: this page reads links of version {VERSION}; newer keys may be missing")
    page = _one_of(keys.pop("page", "training"), PAGES, "training", "page", faults)
    part = _one_of(keys.pop("part", ""), ("", *parts()), "", "part", faults) if page == "course" else ""
    first = PAGES[page].focus
    focus = keys.pop("focus", first)
    if focus not in values_program().outputs:
        faults.append(f"focus={_short(focus)}: no such quantity; {first} is shown")
        focus = first
    # A lab's bare link opens it where it starts; with knobs, where they say.
    point = labs()[part].start() if part in labs() and not keys else _tolerant_point(keys, faults)
    return Place(point, page, focus, tuple(faults), part)


def _tolerant_point(keys: dict[str, str], faults: list[str]) -> Point:
    chip, model = keys.pop("chip", None), keys.pop("model", None)
    try:
        resolve(chip)
    except BadInput as error:
        faults.extend(error.faults)
        chip = None
    try:
        resolve(None, model)
    except BadInput as error:
        faults.extend(error.faults)
        model = None
    for key in [key for key in keys if key not in KNOBS and key not in TYPED]:
        faults.append(f"{_short(key)}: no such knob; left out")
        del keys[key]
    try:
        return resolve(chip, model, keys)
    except BadInput:
        pass  # One of them is at fault: find out which, and keep the others.
    settings: dict[str, object] = {}
    for key, value in keys.items():
        try:
            resolve(chip, model, {**settings, key: value})
        except BadInput as error:
            faults.extend(error.faults)
        else:
            settings[key] = value
    return resolve(chip, model, settings)


def _one_of(
    value: str, allowed: Mapping[str, object] | tuple[str, ...], fallback: str, key: str, faults: list[str]
) -> str:
    if value in allowed:
        return value
    names = ", ".join(name for name in allowed if name)
    faults.append(f"{key}={_short(value)}: use one of {names}; {fallback or 'the first'} is shown")
    return fallback


def _short(text: str) -> str:
    text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return text if len(text) <= 40 else f"{text[:39]}…"
