"""A published run against its roofline: measured values as published, beside the graph's at the run's settings."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from dashboard.course.live import LiveNumber, at_settings
from model.numerals import digits, show

_FILE = Path(__file__).with_name("profiles.toml")


@dataclass(frozen=True)
class Profile:
    """One run.

    Attributes:
        title: which run.
        source, link: where it was published.
        measured: quantities as published, by name, in their units.
        bounds: the graph's values of the same quantities.
        parts: more values of the graph, for which nothing was published.
    """

    title: str
    source: str
    link: str
    measured: Mapping[str, float]
    bounds: Mapping[str, LiveNumber]
    parts: tuple[LiveNumber, ...]

    @property
    def html(self) -> str:
        """A table with a row a quantity, and bars for the two step times."""
        rows = [
            f"<tr><th scope='row'>{escape(bound.label)}</th><td>{escape(_shown(bound, self.measured[name]))}</td>"
            f"<td>{escape(bound.shown)}</td><td>{_ratio(self.measured[name], bound.value)}</td></tr>"
            for name, bound in self.bounds.items()
        ]
        rows += [
            f"<tr><th scope='row'>{escape(part.label)}</th><td>\N{EN DASH}</td><td>{escape(part.shown)}</td><td></td>"
            "</tr>"
            for part in self.parts
        ]
        heads = "".join(f"<th scope='col'>{word}</th>" for word in ("quantity", "measured", "roofline", "ratio"))
        credit = f"<a href='{escape(self.link)}'>{escape(self.source)}</a>"
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        caption = f"<figcaption>{escape(self.title)}. {credit}</figcaption>"
        return f"<figure class='profile'>{self._bars()}{table}{caption}</figure>"

    def _bars(self) -> str:
        times = {"measured": self.measured["step_time"], "roofline": self.bounds["step_time"].value}
        longest = max(times.values())
        return "".join(
            f"<div class='lane'><span>{name}</span>"
            f"<span class='bar {name}' style='width: {70 * time / longest:.1f}%'></span>"
            f"<span>{show(time, 's')}</span></div>"
            for name, time in times.items()
        )


def _shown(bound: LiveNumber, value: float) -> str:
    return f"{digits(100 * value)}\u2009%" if bound.percent else show(value, bound.unit)


def _ratio(measured: float, bound: float) -> str:
    return f"{digits(measured / bound)}×"


@functools.cache
def profiles() -> Mapping[str, Profile]:
    """Return every run by its name."""
    tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {
        name: Profile(
            table["title"],
            table["source"],
            table["link"],
            table["measured"],
            {of: at_settings(of, table["settings"]) for of in table["measured"]},
            tuple(at_settings(of, table["settings"]) for of in table["parts"]),
        )
        for name, table in tables.items()
    }
