"""Architecture: any model counted from its config.json, two side by side, and into the graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn
from panel.viewable import Viewable

from dashboard.components.caption import Caption
from dashboard.components.config_reader import ConfigReader
from dashboard.components.counts import Counts, count_rows
from dashboard.components.plot_head import PlotHead
from dashboard.components.saved import SavedLists
from dashboard.layout import grid
from dashboard.session import Session, State
from dashboard.shelf import HERE, Shelf
from dashboard.view import View
from dashboard.views.part_bars import PartBars
from model.counting import MAX_BYTES, ConfigRefused

_FIRST = "preset:deepseek-v3"


def page(session: Session) -> View:
    """Build the page: the reader, the picture beside the counts, and the notes on both models."""
    return ArchitecturePage(session)


class ArchitecturePage:
    """A view of two models, which it keeps itself: they are what is looked at, not where the point is."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shelf = Shelf(session)
        self._sides = [HERE, _FIRST]
        self._said: dict[str, Any] = {"line": "", "refused": False, "loadable": False}
        self._last_read = ""
        self.reader = ConfigReader(self._hear_reader, spec={"limit": MAX_BYTES}, data=self._said)
        self.counts = Counts(self._hear_counts, data={"sides": [], "groups": [], "rows": []})
        self._picture = PartBars(session)
        self._notes = Caption()
        notes = pn.Column(PlotHead(spec={"title": "What the numbers hold"}), self._notes, margin=0)
        self._saved = SavedLists(session)
        parts = {
            "reader": self.reader,
            "picture": self._picture.body,
            "counts": self.counts,
            "notes": notes,
            "saved": self._saved.body,
        }
        self._body = grid(
            parts, ("reader reader", "picture counts", "notes saved"), "minmax(0, 600fr) minmax(0, 456fr)"
        )

    @property
    def body(self) -> Viewable:
        """The grid."""
        return self._body

    def paint(self, state: State) -> None:
        """Show both models; the one on the knobs follows the state."""
        shelf = self._shelf
        titles = [shelf.title(key) for key in self._sides]
        pictures = [shelf.picture(key, state) for key in self._sides]
        self._picture.draw(list(zip(titles, pictures, strict=True)), state.theme)
        self.counts.data = {
            "sides": [self._side(key, title) for key, title in zip(self._sides, titles, strict=True)],
            "groups": shelf.options(),
            "rows": count_rows(pictures),
            "remark": f"sequences of {pictures[0].seq_len:,} tokens",
        }
        self._saved.paint(state)
        both = dict(zip(titles, self._sides, strict=True))
        self._notes.data = {"lines": [f"{title}: {'; '.join(shelf.notes(key))}." for title, key in both.items()]}

    def _side(self, key: str, title: str) -> dict[str, Any]:
        reading = self._shelf.reading(key)
        reason = reading.imported if reading and isinstance(reading.imported, str) else ""
        text = "on the knobs" if key == HERE else "not in the graph" if reason else "Use this one"
        return {
            "key": key,
            "title": title,
            "load": {"able": key != HERE and not reason, "text": text, "reason": reason},
        }

    def _hear_reader(self, message: Mapping[str, Any]) -> None:
        if message["kind"] == "load":
            self._load(self._last_read)
            return
        try:
            self._last_read = self._shelf.take(str(message["text"]), str(message["file"]))
        except ConfigRefused as error:
            self._say(str(error), refused=True)
            return
        reading = self._shelf.reading(self._last_read)
        self._sides = [self._last_read, HERE]
        self.paint(self._session.state)
        if reading is not None:
            reason = reading.imported if isinstance(reading.imported, str) else ""
            line = f"{reading.name}: {reading.count.total_params:,} parameters."
            self._say(f"{line} {reason}".strip(), loadable=not reason)

    def _say(self, line: str, *, refused: bool = False, loadable: bool = False) -> None:
        # The serial makes each answer a change, so that "Counting…" goes even where the line is the one before.
        serial = self._said.get("serial", 0) + 1
        self._said = {"line": line, "refused": refused, "loadable": loadable, "serial": serial}
        self.reader.data = self._said

    def _hear_counts(self, message: Mapping[str, Any]) -> None:
        side = 1 if message["side"] else 0
        if message["kind"] == "load":
            self._load(self._sides[side])
        elif self._shelf.known(message["key"]):
            self._sides[side] = message["key"]
            self.paint(self._session.state)

    def _load(self, key: str) -> None:
        if self._shelf.known(key) and key != HERE and self._shelf.load(key):
            self._sides = [key, HERE]
            self._session.open("training")
