"""Course: the book as chapters to click through, each argument a lab on the graph."""

from __future__ import annotations

import panel as pn
from panel.viewable import Viewable

from dashboard.components.course import CourseReader
from dashboard.components.lab import LabView
from dashboard.course import labs
from dashboard.session import Session, State
from dashboard.view import View


class CoursePage:
    """The reader and the lab: one of the two is shown."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reader = CourseReader(session)
        self._lab: LabView | None = None
        self._body = pn.Column(self._reader.body, sizing_mode="stretch_width", margin=0)

    @property
    def body(self) -> Viewable:
        """Both."""
        return self._body

    def paint(self, state: State) -> None:
        """Show what is open; the lab is built when one is first opened."""
        in_lab = state.part in labs()
        if in_lab and self._lab is None:
            self._lab = LabView(self._session)
            self._body.append(self._lab.body)
        self._reader.body.visible = not in_lab
        if self._lab is not None:
            self._lab.body.visible = in_lab
            self._lab.paint(state)
        if not in_lab:
            self._reader.paint(state)


def page(session: Session) -> View:
    """Build the page."""
    return CoursePage(session)
