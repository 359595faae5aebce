"""Goal-seek: which knobs give a wanted value, or the least of one; nothing moves until the answer is applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

from panel.viewable import Viewable

from dashboard.amount import read_amount
from dashboard.answers import Answer, of_minimum, of_seek
from dashboard.components.goal_answer import GoalAnswer
from dashboard.components.goal_form import GoalForm
from dashboard.job import Job, Told
from dashboard.layout import grid
from dashboard.names import label_of
from dashboard.questions import OBJECTIVES, Question, form, freeable, shown_value, targets, usual
from dashboard.session import Session, State
from dashboard.view import View
from dashboard.views.seek_path import Path, SeekPath
from model.errors import BadInput, did_you_mean
from model.evaluate import Evaluation
from model.graph import quantities
from model.knobs import KNOBS
from model.point import Point
from model.seek import Constraint, Minimum, SeekResult, SeekStep, minimise, seek_steps


def page(session: Session) -> View:
    """Build the page: the question beside the path, the answer below."""
    return SeekPage(session)


class SeekPage:
    """A view that asks; the target is the value in focus, and an answer lasts until the point moves."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._question = Question()
        self._asked_of = ""
        self._job = Job()
        self._status = ""
        self._running = False
        self._path: Path | None = None
        self._answer: Answer | None = None
        self._applied = False
        self._at: Point = session.point
        spec = {"targets": _unlike(targets()), "objectives": [{"of": of, "label": label_of(of)} for of in OBJECTIVES]}
        self.form = GoalForm(self._hear, spec=spec, data=self._form(session.state))
        self.answer = GoalAnswer(self._hear)
        self.plot = SeekPath()
        parts: dict[str, Viewable] = {"form": self.form, "path": self.plot.body, "answer": self.answer}
        self._body = grid(parts, ("form path", "answer answer"), "minmax(0, 416fr) minmax(0, 600fr)")

    @property
    def body(self) -> Viewable:
        """The grid."""
        return self._body

    def paint(self, state: State) -> None:
        """Show the question at a state; an answer for another point goes."""
        if state.point != self._at:
            self._forget()
        self._at = state.point
        self._show(state)

    def _show(self, state: State) -> None:
        self.form.data = self._form(state)
        self.answer.data = {**self._answer.shown(), "applied": self._applied} if self._answer else {}
        self.plot.body.visible = self._question.mode == "reach"
        self.plot.draw(self._path, state.theme)

    def _form(self, state: State) -> dict[str, Any]:
        """Return the form; another value asked about frees the knobs usual for it."""
        of = self._question.of(state)
        asked = f"{self._question.mode} {of}"
        if asked != self._asked_of:
            kept = self._question.target if self._asked_of.endswith(f" {of}") else ""
            self._question = replace(self._question, freed=usual(of, self._question.mode, state), target=kept)
            self._asked_of = asked
        data = form(self._question, state)
        limits = [{**limit, "label": label_of(limit["of"])} for limit in data["limits"]]
        return {**data, "limits": limits, "running": self._running, "status": self._status}

    def _forget(self) -> None:
        self._job.cancel()
        self._running, self._applied, self._status = False, False, ""
        self._answer = self._path = None

    def _hear(self, message: Mapping[str, Any]) -> None:
        kind = message["kind"]
        if kind == "run":
            self._run(message)
        elif kind == "apply" and self._answer is not None and self._answer.point is not None:
            self._at = self._answer.point
            self._applied = True
            self._session.jump(self._answer.point)
        elif kind in ("cancel", "discard"):
            self._forget()
            self._status = "Cancelled." if kind == "cancel" else ""
        elif kind == "of":
            self._aim(str(message["of"]))
        else:
            self._ask(message)
        self._show(self._session.state)

    def _aim(self, of: str) -> None:
        if of in quantities():
            self._forget()
            self._session.look_at(of)
        else:
            names = {label_of(name): name for name in quantities()}
            hint = did_you_mean(of, [*names, *names.values()]) or "choose one from the list"
            self._session.notice = f"{of or 'empty'}: no such value; {hint}"

    def _ask(self, message: Mapping[str, Any]) -> None:
        question = self._question
        match message["kind"]:
            case "mode":
                self._forget()
                self._question = replace(question, mode="least" if message["mode"] == "least" else "reach")
            case "objective" if message["of"] in OBJECTIVES:
                self._question = replace(question, objective=message["of"])
            case "target":
                self._question = replace(question, target=str(message["target"]))
            case "hold":
                self._question = replace(question, hold_chips=bool(message["on"]))
            case "limit":
                self._question = replace(question, limits={**question.limits, message["of"]: str(message["text"])})
            case "free" if message["name"] in KNOBS:
                others = tuple(name for name in question.freed if name != message["name"])
                self._question = replace(question, freed=(*others, message["name"]) if message["on"] else others)

    def _run(self, message: Mapping[str, Any]) -> None:
        self._forget()
        limits = {name: str(text) for name, text in message["limits"].items()}
        self._question = replace(self._question, target=str(message["target"]), limits=limits)
        state = self._session.state
        able = set(freeable(self._question.of(state), state))
        free = [name for name in self._question.freed if name in able]
        try:
            work = self._work(state, free)
        except BadInput as error:
            self._refuse(error)
            return
        self._running, self._status = True, "Searching…"
        self._show(state)
        self._job.start(work, Told(self._step, lambda found: self._done(state.evaluation, found), self._refuse))

    def _work(self, state: State, free: list[str]) -> Generator[SeekStep, None, SeekResult | Minimum]:
        """Return the search asked for; everything typed is read first."""
        question, of = self._question, self._question.of(state)
        hold = question.hold_chips and {"data_shards", "tensor_shards"} <= set(free)
        if question.mode == "reach":
            target = read_amount(question.target, quantities()[of.partition(":")[0]].unit)
            self._path = Path(of, target, ())
            return seek_steps(state.point, of, target, free, hold_chips=hold)
        asked: list[Constraint] = [
            (name, "<=", read_amount(text, quantities()[name].unit))
            for name, text in question.limits.items()
            if text.strip()
        ]
        return _least(state.point, of, free, asked, hold)

    def _step(self, step: SeekStep) -> None:
        if self._path is not None:
            self._path = replace(self._path, steps=(*self._path.steps, step))
            self._status = f"Step {step.iteration}: {shown_value(self._path.of, step.value)}"
        self._show(self._session.state)

    def _done(self, start: Evaluation, found: SeekResult | Minimum) -> None:
        self._running, self._status = False, ""
        self._answer = of_seek(start, found) if isinstance(found, SeekResult) else of_minimum(start, found)
        self._show(self._session.state)

    def _refuse(self, error: BadInput) -> None:
        self._running, self._status = False, ""
        self._path = None
        self._session.notice = "; ".join(error.faults)
        self._show(self._session.state)


def _least(
    point: Point, of: str, free: list[str], asked: list[Constraint], hold: bool
) -> Generator[SeekStep, None, Minimum]:
    """Search for the least: one long step, so none is told."""
    yield from ()
    return minimise(point, of, free, asked, hold_chips=hold)


def _unlike(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows with labels that differ, the name added where two would not."""
    counts = Counter(row["label"] for row in rows)
    return [
        {**row, "label": f"{row['label']} ({row['of']})" if counts[row["label"]] > 1 else row["label"]} for row in rows
    ]
