"""The verifier's table: a row a statement, filters above it, and the open row at length beside it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from dashboard.component import Component
from dashboard.session import Session, State
from dashboard.statement import home, line, told
from model.knobs import KNOBS
from model.verify import Row, Verification, verify
from model.words import capital, listed
from presets import VERDICTS


class Verifier(Component):
    """The table itself; see `VerifierTable`."""


class VerifierTable:
    """A view that reads no state: statements stand at their own points, and can be loaded into the session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        started = time.perf_counter()
        verification = verify()
        seconds = time.perf_counter() - started
        self._rows = {row.statement.id: (number, row) for number, row in enumerate(verification.rows, 1)}
        self.body = Verifier(
            self._hear, spec=_spec(verification, seconds), data={"open": told(verification.rows[0], 1)}
        )

    def paint(self, state: State) -> None:
        """Show nothing new: no knob of the page enters."""

    def _hear(self, message: Mapping[str, Any]) -> None:
        found = self._rows.get(message["id"] or "")
        if message["kind"] == "load" and found:
            self._load(found[1])
        elif message["kind"] == "open":
            self.body.data = {"open": told(found[1], found[0]) if found else None}

    def _load(self, row: Row) -> None:
        quantity = row.statement.quantity
        if row.point is not None:
            focus = self._session.state.focus if quantity in KNOBS else quantity
            self._session.visit(row.point, home(quantity), focus)


def _spec(verification: Verification, seconds: float) -> dict[str, Any]:
    lines = [line(row, number) for number, row in enumerate(verification.rows, 1)]
    return {
        "rows": lines,
        "title": f"{len(lines):,} statements, recomputed",
        "counts": count_words(verification),
        "seconds": f"{seconds:.2f}\u2009s",
        "filters": [
            {"key": "chapter", "label": "Chapter", "options": _options(lines, "chapter")},
            {"key": "verdict", "label": "Verdict", "options": [[name, capital(name)] for name in VERDICTS]},
            {"key": "lab", "label": "Lab", "options": _options(lines, "lab")},
        ],
    }


def _options(lines: list[dict[str, Any]], key: str) -> list[list[str]]:
    names = dict.fromkeys(line[key] for line in lines if line[key])
    return [[name, capital(name.replace("-", " ")) if key == "lab" else name] for name in names]


def count_words(verification: Verification) -> list[str]:
    """Return how many agree, how many differ, and the rest, as three pieces of one line."""
    counts = verification.counts
    rounded = counts["agrees with the book's rounded inputs"]
    agree = counts["agrees"] + rounded
    rest = [f"{counts['quoted']} only quote an input", f"{counts['not derivable']} can't be derived"]
    changed = len(verification.changed)
    after = f" {capital(listed(rest))}."
    if changed:
        after += f" {changed} {'verdict is' if changed == 1 else 'verdicts are'} not the recorded one."
    return [
        f"{agree} agree",
        f", {rounded} of them with the book's rounded inputs. ",
        f"{counts['differs']} differ.",
        after,
    ]
