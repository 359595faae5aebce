"""The course's reader: chapters with live numbers, and exercises that the graph checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.component import Component
from dashboard.course import FIRST, chapters, labs
from dashboard.course.exercise import Exercise, exercises
from dashboard.pages import PAGES
from dashboard.session import Session, State
from dashboard.statement import home, told
from model.graph import quantities


class Course(Component):
    """The reader itself; see `CourseReader`."""


class CourseReader:
    """A view of the open chapter. It reads no knob: its numbers stand at the points that the text states."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._replies: dict[str, dict[str, Any]] = {}
        self._open = ""
        self.body = Course(self._hear, spec={"chapters": _contents(), "labs": _lab_list()})

    def paint(self, state: State) -> None:
        """Open the state's chapter, if another one is open."""
        slug = state.part if state.part in chapters() else FIRST
        if slug != self._open:
            self._open = slug
            self._replies = {}
            self._write()

    def _write(self) -> None:
        self.body.data = {**_page(self._open), "replies": self._replies}

    def _hear(self, message: Mapping[str, Any]) -> None:
        kind = message["kind"]
        if kind == "open":
            open_part(self._session, str(message["part"]))
        elif kind == "live":
            number = chapters()[self._open].numbers[int(message["number"])]
            focus = number.of if number.of in quantities() else PAGES[home(number.of)].focus
            self._session.visit(number.point, home(number.of), focus)
        elif str(message.get("id")) in exercises():
            exercise = exercises()[message["id"]]
            reply = _reply(exercise, kind, str(message.get("text", "")))
            self._replies = {**self._replies, exercise.id: {**self._replies.get(exercise.id, {}), **reply}}
            self._write()


def open_part(session: Session, part: str) -> None:
    """Open a chapter or a lab; a lab starts at its own point, which is one step of undo."""
    if part in labs():
        lab = labs()[part]
        session.visit(lab.start(), "course", session.state.focus, part)
    elif part in chapters():
        session.visit(session.point, "course", session.state.focus, part)


def _contents() -> list[dict[str, Any]]:
    return [{"slug": chapter.slug, "number": chapter.number, "title": chapter.title} for chapter in chapters().values()]


def _lab_list() -> list[dict[str, Any]]:
    return [{"slug": lab.slug, "number": lab.number, "title": lab.title} for lab in labs().values()]


def _page(slug: str) -> dict[str, Any]:
    chapter, order = chapters()[slug], list(chapters())
    lab = next((lab for lab in labs().values() if lab.chapter == slug), None)
    following = order[chapter.number + 1] if chapter.number + 1 < len(order) else ""
    return {
        "slug": slug,
        "number": chapter.number,
        "title": chapter.title,
        "aim": chapter.aim,
        "link": chapter.link,
        "html": chapter.html,
        "lab": {"slug": lab.slug, "title": lab.title, "aim": lab.aim, "number": lab.number} if lab else None,
        "next": {"slug": following, "title": chapters()[following].title} if following else None,
        "exercises": [
            {"id": exercise.id, "question": exercise.question, "given": list(exercise.given), "unit": exercise.unit}
            for exercise in exercises().values()
            if exercise.chapter == chapter.number
        ],
    }


def _reply(exercise: Exercise, kind: str, text: str) -> dict[str, Any]:
    if kind == "answer":
        verdict, words = exercise.check(text)
        return {"verdict": verdict, "words": words, "text": text}
    if kind == "hint":
        return {"hints": list(exercise.hints)}
    shown = told(exercise.row, 0)
    return {"worked": {key: shown[key] for key in ("formula", "numbers", "steps", "inputs", "found")}}
