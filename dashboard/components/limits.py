"""The limits of the model: conventions to switch and what each changes here, omissions, and what each value is."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

import panel as pn

from dashboard import dial
from dashboard.component import Component
from dashboard.headlines import HEADLINES
from dashboard.link import written
from dashboard.pages import PAGES
from dashboard.session import Session, State
from model.conventions import Effect, conventions, effects, needed_by_book
from model.graph import Standing, quantities
from model.knobs import KNOBS, Knob, KnobValue
from model.numerals import digits
from model.omissions import OMISSIONS, beyond_fabric, fabric_sentence
from model.words import listed

_TITLES = {
    "Training": "Training",
    "Inference": "Inference",
    "Hardware": "Hardware",
    "Transformer": "The model, as published",
    "Architecture": "The model, as published",
}
"""Sections of the table by the group of a knob, in the order shown; other groups follow under `_LABS`."""

_LABS = "Labs"

_MEANINGS: Mapping[Standing, str] = {
    "lower bound": "no machine is faster under these conventions; a real one is slower",
    "estimate": "made from bounds and conventions, and off where they are",
    "threshold": "where two bounds cross",
    "exact": "counted",
}


class Limits(Component):
    """The page itself; see `LimitsTable`."""


class LimitsTable:
    """A view that writes: a convention is switched here as in the knob column."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._needed: Mapping[str, Counter[KnobValue]] | None = None
        self.body = Limits(self._hear, spec=_spec())
        self._learn()

    def paint(self, state: State) -> None:
        """Show the present choices, what each other one changes, and what the omissions come to."""
        preset, changes = state.point.preset(), state.point.changes()
        self.body.data = {
            "rows": {
                name: {
                    **_option(KNOBS[name], state.point.values[name]),
                    "preset": option_words(KNOBS[name], preset[name]) if name in changes else None,
                    "effects": _told(KNOBS[name], found),
                    "book": self._book(KNOBS[name]),
                }
                for name, found in effects(state.point).items()
            },
            "here": [omission.here(state.evaluation) for omission in OMISSIONS],
            "beyond": fabric_sentence(state.evaluation) if beyond_fabric(state.evaluation) else "",
        }

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message["kind"] == "choose":
            before = self._session.state
            self._session.write({message["name"]: message["option"]})
            if self._session.state is before:  # Refused: the select goes back to what is.
                self.paint(before)
        elif message["kind"] == "reset":
            self._session.reset(message["name"])
        elif message["kind"] == "focus":
            self._session.open(message["page"], message["of"])

    def _learn(self) -> None:
        """Find out what the book takes, beside the page that is shown at once: a second's work, once a process."""
        document = pn.state.curdoc
        if document is None:
            self._needed = needed_by_book()
            return

        def work() -> None:
            needed = needed_by_book()
            document.add_next_tick_callback(lambda: self._know(needed))

        threading.Thread(target=work, daemon=True).start()

    def _know(self, needed: Mapping[str, Counter[KnobValue]]) -> None:
        self._needed = needed
        self.paint(self._session.state)

    def _book(self, knob: Knob) -> dict[str, Any]:
        if self._needed is None:
            return {"choice": "…", "evidence": ""}
        counts = [(value, count) for value, count in self._needed[knob.name].most_common() if count]
        if not counts:
            return {"choice": "–", "evidence": "no statement turns on it"}
        (most, count), *rest = counts
        others = "".join(f"; {_number_words(knob, value)} by {times}" for value, times in rest)
        needed = f"needed by {count} statement{'' if count == 1 else 's'}"
        return {"choice": option_words(knob, most), "evidence": f"{needed}{others}"}


def _spec() -> dict[str, Any]:
    titles = {_TITLES.get(convention.knob.group, _LABS) for convention in conventions()}
    return {
        "sections": [
            {
                "title": title,
                "rows": [
                    {
                        "name": convention.knob.name,
                        "label": convention.knob.label,
                        "symbol": convention.knob.symbol,
                        "doc": convention.knob.doc,
                        "options": [_option(convention.knob, option) for option in convention.options],
                    }
                    for convention in conventions()
                    if _TITLES.get(convention.knob.group, _LABS) == title
                ],
            }
            for title in dict.fromkeys((*_TITLES.values(), _LABS))
            if title in titles
        ],
        "omissions": [
            {"name": omission.name, "error": omission.error, "sentence": omission.sentence} for omission in OMISSIONS
        ],
        "standings": [_standing(standing) for standing in get_args(Standing)],
    }


def _standing(standing: Standing) -> dict[str, Any]:
    every = [name for name, quantity in quantities().items() if quantity.standing == standing]
    shown = [
        {"page": page, "title": PAGES[page].title, "of": headline.of, "label": quantities()[headline.of].label}
        for page, headlines in HEADLINES.items()
        for headline in headlines
        if headline.of in every
    ]
    return {"standing": standing, "meaning": _MEANINGS[standing], "shown": shown, "count": len(every)}


def option_words(knob: Knob, value: KnobValue) -> str:
    """Return a value of a convention in words: `causal`, `2.00 B (bf16)`."""
    names = [name for name, named in knob.names.items() if named == value]
    return f"{_number_words(knob, value)} ({', '.join(names)})" if names else _number_words(knob, value)


def _number_words(knob: Knob, value: KnobValue) -> str:
    number, unit = dial.words(knob, value)
    return f"{number}\u2009{unit}" if unit else number


def _option(knob: Knob, value: KnobValue) -> dict[str, str]:
    return {"value": written(value), "words": option_words(knob, value)}


def _told(knob: Knob, found: tuple[Effect, ...]) -> list[dict[str, str]]:
    if len(found) > 1 and not any(effect.changes or effect.reason for effect in found):
        return [{"option": "any other", "change": "nothing", "reason": ""}]
    return [
        {"option": _number_words(knob, effect.option), "change": change_words(effect), "reason": effect.reason}
        for effect in found
    ]


def change_words(effect: Effect) -> str:
    """Return what an effect changes: quantities that change alike together, `nothing` where none does."""
    alike: dict[str, list[str]] = {}
    for name, change in effect.changes.items():
        label = quantities()[name].label
        alike.setdefault(_percent(change), []).append(label[:1].lower() + label[1:])
    if not alike:
        return "" if effect.reason else "nothing"
    return "; ".join(f"{listed(labels)} {change}" for change, labels in alike.items())


def _percent(change: float) -> str:
    if math.isnan(change):
        return "can be had on one side only"
    return f"{'+' if change > 0 else '−'}{digits(100 * abs(change))}\u2009%"
