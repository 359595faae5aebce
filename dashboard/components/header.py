"""The head of the page: navigation, undo and redo, links out, the colour theme; and the one writer of the address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.command import as_command
from dashboard.component import Component
from dashboard.link import read_query, write_query
from dashboard.pages import PAGES
from dashboard.palette import theme_named
from dashboard.rest import Rest
from dashboard.session import Session, State


class Header(Component):
    """The head itself; see `PageHead`."""


class PageHead:
    """A view that steers: it opens pages, travels in history, and keeps the browser's address at the present point."""

    def __init__(self, session: Session) -> None:
        self._session, self._rest, self._exports = session, Rest(), 0
        pages = [{"slug": page.slug, "title": page.title, "knobs": page.knobs} for page in PAGES.values()]
        self.body = Header(self._hear, spec={"pages": pages})
        session.param.watch(lambda _: self.paint(session.state), "moves")
        self.paint(session.state)

    def paint(self, state: State) -> None:
        """Show which page is open and what undo can do; give the address and the command of the present point."""
        undo, redo = self._session.moves
        self.body.data = {
            "page": state.page,
            "part": state.part,
            "query": write_query(state.point, state.page, state.focus, state.part),
            "links": {slug: write_query(state.point, slug, page.focus, state.part) for slug, page in PAGES.items()},
            "command": as_command(state.point, state.focus),
            "undo": undo,
            "redo": redo,
            "theme": state.theme,
        }

    def _hear(self, message: Mapping[str, Any]) -> None:
        session, kind = self._session, message["kind"]
        if kind == "open":
            session.open(message["page"])
        elif kind == "travel":
            place = read_query(message["query"])
            session.visit(place.point, place.page, place.focus, place.part)
            session.notice = "; ".join(place.faults)
        elif kind == "theme":
            session.paint_in(theme_named(message["theme"]))
        elif kind == "export":
            self._export()
        elif kind == "undo":
            session.undo()
        elif kind == "redo":
            session.redo()

    def _export(self) -> None:
        """Write the present point as a live report beside the page, and hand it to the browser."""
        from dashboard.report.document import report_of  # Figures and emitted programs: only when someone asks.

        state = self._session.state
        self._rest.ask(lambda: report_of(state), self._deliver)

    def _deliver(self, page: str) -> None:
        self._exports += 1
        # Gone again with the next paint.
        self.body.data = {**self.body.data, "report": {"serial": self._exports, "html": page}}
