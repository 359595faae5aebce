"""Assembles the page of one visitor: session, head, knob column, notices, and pages built at their first visit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

import panel as pn

from dashboard.compiled import keep_compiled
from dashboard.components.all_values import ValueList
from dashboard.components.header import PageHead
from dashboard.components.jacobian import JacobianTable
from dashboard.components.knobs import KnobColumn
from dashboard.components.notice import Notices
from dashboard.link import read_query
from dashboard.pages import PAGES
from dashboard.palette import custom_properties, theme_named
from dashboard.session import Session, State
from dashboard.view import View
from model.programs import pullback_program, values_program

FOLDER = Path(__file__).parent
STATIC = f"{FOLDER.name}/static"
"""Address of the static files, from the folder of the page's address: Bokeh serves a directory's own there."""

keep_compiled()
# Traced and emitted once a process, before the first visitor: `panel serve --warm` imports this module at start-up.
values_program()
pullback_program()


class Book:
    """The pages of one visitor: builds each at its first visit, shows one, and paints only that one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._built: dict[str, View] = {}
        self.body = pn.Column(sizing_mode="stretch_width", margin=0)
        self.paint(session.state)

    def paint(self, state: State) -> None:
        """Turn to the state's page and paint it."""
        if state.page not in self._built:
            self._built[state.page] = PAGES[state.page].build(self._session)
            self._built[state.page].paint(state)
            self.body.append(self._built[state.page].body)
        else:
            self._built[state.page].paint(state)
        for slug, page in self._built.items():
            page.body.visible = slug == state.page


def assemble(query: str = "", theme: str = "") -> tuple[Session, pn.Template]:
    """Return the session and the template of one visit.

    Args:
        query: the address's query string; what can't be used of it becomes the first notice.
        theme: the colour theme that the browser remembers, if any.
    """
    place = read_query(query)
    session = Session(place.point, page=place.page, focus=place.focus, theme=theme_named(theme), part=place.part)
    session.notice = "; ".join(place.faults)
    head, knobs, book, values = PageHead(session), KnobColumn(session), Book(session), ValueList(session)
    slopes = JacobianTable(session)
    views = (knobs, book, values, slopes, head)
    session.param.watch(lambda event: [view.paint(event.new) for view in views], "state")
    template = pn.Template((FOLDER / "template.html").read_text(encoding="utf-8"))
    template.add_variable("static", STATIC)
    template.add_variable("app_favicon", f"{STATIC}/icon.svg")
    template.add_variable("apple_icon", f"{STATIC}/icon.svg")
    template.add_variable("colours", custom_properties())
    notices = Notices(session)
    parts = {"head": head, "knobs": knobs, "main": book, "values": values, "slopes": slopes, "notice": notices}
    for name, part in parts.items():
        template.add_panel(name, part.body)
    return session, template


def visit() -> pn.Template:
    """Return the template for the request being served."""
    return assemble(_query(pn.state.session_args), pn.state.cookies.get("scalegrad-theme", ""))[1]


def _query(arguments: Mapping[str, Sequence[bytes]]) -> str:
    pairs = [(key, value.decode("utf-8", "replace")) for key, values in arguments.items() for value in values]
    return urlencode(pairs)
