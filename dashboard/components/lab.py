"""A lab's pieces: knobs and question at the left, what binds above the picture, numbers and references at the right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn
from panel.viewable import Viewable

import presets
from dashboard import dial
from dashboard.amount import read_amount
from dashboard.component import Component
from dashboard.components.course import open_part
from dashboard.course import Lab, chapters, labs
from dashboard.course.lab import Reading, Turn, place_words, read_lab
from dashboard.course.live import rows
from dashboard.session import Session, State
from dashboard.views.lab_figure import LabFigure
from model.errors import BadInput
from model.graph import quantities
from model.knobs import KNOBS
from model.numerals import parts, show
from model.words import capital, times

_LAYOUT = """
:host { display: grid !important; grid-template-areas: "side head head" "side figure facts";
  grid-template-rows: auto 1fr; grid-template-columns: 288px minmax(0, 1fr) 336px;
  gap: 16px 36px; align-items: start; }
.scroll-button { display: none; }
@media (max-width: 1199px) { :host { display: flex !important; flex-direction: column; align-items: stretch; } }
"""


class LabPiece(Component):
    """One of three pieces; `spec["kind"]` says which: `side`, `head` or `facts`."""

    @classmethod
    def _piece(cls) -> str:
        return "lab"


class LabView:
    """A view of the open lab: reads the point, writes its few knobs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._guess: float | None = None
        self._refusal = ""
        self._looked = False
        self._binds: tuple[str, str] = ("", "")
        self._side, self._head, self._facts = (
            LabPiece(self._hear, spec={"kind": kind}) for kind in ("side", "head", "facts")
        )
        self._figure = LabFigure()
        areas = {"head": self._head, "side": self._side, "figure": self._figure.body, "facts": self._facts}
        for area, part in areas.items():
            part.styles = {"grid-area": area, "min-width": "0"}
        self._body = pn.Column(*areas.values(), sizing_mode="stretch_width", margin=0, stylesheets=[_LAYOUT])

    @property
    def body(self) -> Viewable:
        """All pieces and the picture."""
        return self._body

    def paint(self, state: State) -> None:
        """Show the state's lab at the state's point; nothing while none is open."""
        if state.page != "course" or state.part not in labs():
            self._binds = ("", "")
            return
        lab = labs()[state.part]
        if lab.slug != self._binds[0]:
            self._guess, self._refusal, self._looked = None, "", False
        reading = read_lab(lab, state.point)
        flipped = self._binds[0] == lab.slug and self._binds[1] not in ("", reading.binds)
        self._binds = lab.slug, reading.binds
        self._side.data = self._side_data(lab, state, reading)
        self._head.data = {
            "title": lab.title,
            "aim": lab.aim,
            "sentence": capital(reading.sentence),
            "flipped": flipped,
            "reason": state.evaluation.reasons.get(lab.curves[0].of.partition(":")[0], "") if lab.fit else "",
        }
        self._figure.draw(lab, reading, state.theme, guess=self._guess, looked=self._shown)
        self._facts.data = _facts(lab, state)

    @property
    def _shown(self) -> bool:
        """Whether the flip may be shown: after a guess, or a look."""
        return self._looked or self._guess is not None

    def _side_data(self, lab: Lab, state: State, reading: Reading) -> dict[str, Any]:
        flip = reading.flips[0].place if reading.flips else None
        chapter = chapters()[lab.chapter]
        return {
            "slug": lab.slug,
            "count": f"Lab {lab.number} of {len(labs())}",
            "chapter": {"slug": chapter.slug, "title": f"Chapter {chapter.number}, {chapter.title}"},
            "picks": [_pick(kind, state) for kind in lab.picks],
            "turns": [_turn(turn, state) for turn in lab.turns],
            "flip": dial.position(lab.across.knob, flip) if flip is not None and self._shown else None,
            "flipWords": f"flips at {show(flip, lab.across.knob.unit)}" if flip is not None and self._shown else "",
            "ask": lab.ask,
            "unit": lab.across.knob.unit,
            "verdict": self._verdict(lab, flip),
            "tries": list(lab.tries) if self._shown else [],
        }

    def _verdict(self, lab: Lab, flip: float | None) -> str:
        if self._refusal:
            return self._refusal
        if not self._shown:
            return ""
        if flip is None:
            return "Nothing flips here: no batch of this range reaches the other side."
        answer = f"It flips at {place_words(lab, flip)}."
        if self._guess is None:
            return answer
        ratio = self._guess / flip
        if abs(ratio - 1) <= 0.1:
            return f"Well predicted. {answer}"
        return f"Too low by {times(1 / ratio)}. {answer}" if ratio < 1 else f"Too high by {times(ratio)}. {answer}"

    def _hear(self, message: Mapping[str, Any]) -> None:
        session, kind, lab = self._session, message["kind"], labs()[self._session.state.part]
        turns = {turn.name: turn for turn in lab.turns}
        if kind == "turn":
            turn = turns[message["name"]]
            value = dial.value_at(turn.knob, float(message["place"]), None)
            session.write({turn.name: value}, drag=True)
        elif kind == "nudge":
            turn = turns[message["name"]]
            value = dial.nudged(turn.knob, session.point.numbers_by_name()[turn.name], int(message["steps"]))
            session.write({turn.name: value})
        elif kind == "choose":
            turn = turns[message["name"]]
            session.write({turn.name: turn.options[message["word"]]})
        elif kind == "pick":
            session.pick(**{message["of"]: message["slug"]})
        elif kind == "restart":
            session.jump(lab.start())
        elif kind == "guess":
            self._hear_guess(lab, str(message["text"]))
        elif kind == "look":
            self._looked = True
            self.paint(session.state)
        elif kind == "open":
            open_part(session, str(message["part"]))
        elif kind == "carry":
            session.open(lab.home)

    def _hear_guess(self, lab: Lab, text: str) -> None:
        try:
            value = read_amount(text, lab.across.knob.unit)
        except BadInput as error:
            self._refusal = f"{capital('; '.join(fault.removeprefix('target ') for fault in error.faults))}."
        else:
            self._refusal = "" if value > 0 else "Guess a number above 0."
            self._guess = value if value > 0 else None
        self.paint(self._session.state)


def _pick(kind: str, state: State) -> dict[str, Any]:
    named = presets.chips() if kind == "chip" else presets.models()
    chosen = state.point.chip if kind == "chip" else state.point.model
    return {
        "of": kind,
        "label": capital(kind),
        "options": [[slug, entry.name] for slug, entry in named.items()],
        "chosen": chosen,
    }


def _turn(turn: Turn, state: State) -> dict[str, Any]:
    knob, value = turn.knob, state.point.values[turn.name]
    number, unit = dial.words(knob, value)
    row: dict[str, Any] = {"name": turn.name, "label": knob.label, "symbol": knob.symbol}
    row |= {"number": number, "unit": unit}
    if turn.options:
        chosen = next((word for word, option in turn.options.items() if option == value), "")
        return {**row, "options": [*turn.options, *([] if chosen else [number])], "chosen": chosen or number}
    return {**row, "place": dial.position(knob, state.point.numbers_by_name()[turn.name]), "doc": KNOBS[turn.name].doc}


def _facts(lab: Lab, state: State) -> dict[str, Any]:
    values, reasons = state.evaluation.values, state.evaluation.reasons
    tiles = []
    for name in lab.tiles:
        number, unit = parts(values[name], quantities()[name].unit)
        if name == "mfu" and name not in reasons:
            number, unit = f"{100 * values[name]:.3g}", "%"
        tiles.append(
            {
                "of": name,
                "label": quantities()[name].label,
                "number": number,
                "unit": unit,
                "below": capital(reasons.get(name, "")),
            }
        )
    order = list(labs())
    return {
        "tiles": tiles,
        "references": [_reference(name) for name in lab.references],
        "next": order[lab.number % len(order)],
        "home": capital(lab.home),
    }


def _reference(name: str) -> dict[str, str]:
    row = rows()[name]
    statement = row.statement
    return {
        "text": capital(statement.text),
        "book": statement.printed or show(statement.stated, statement.unit),
        "here": show(row.recomputed, statement.unit),
        "full": f"{row.recomputed!r} {statement.unit}",
        "verdict": row.verdict,
    }
