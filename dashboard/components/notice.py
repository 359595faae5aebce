"""One line for a person: what was refused, where, and the mend. Screen readers hear it as it comes."""

from __future__ import annotations

from dashboard.component import Component
from dashboard.session import Session


class Notice(Component):
    """The line itself; see `Notices`."""


class Notices:
    """Shows the session's notice until the next change takes it away."""

    def __init__(self, session: Session) -> None:
        self.body = Notice(lambda _: setattr(session, "notice", ""), data={"line": session.notice})
        session.param.watch(lambda event: setattr(self.body, "data", {"line": event.new}), "notice")
