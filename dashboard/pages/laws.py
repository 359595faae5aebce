"""Laws: a scaling law fitted to runs, what it can be believed, and what it plans for the training page's compute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn
from panel.viewable import Viewable

from dashboard.components.exponents import Exponents
from dashboard.components.facts_table import FactsTable
from dashboard.components.gradient import GradientBars
from dashboard.components.runs_source import RunsSource
from dashboard.components.sweep import SweepRunner
from dashboard.components.tiles import TileStrip
from dashboard.law_sources import (
    Source,
    curves_of,
    printed,
    shipped,
    shipped_study,
    source,
    sweep_comparisons,
    sweep_runs,
)
from dashboard.law_words import exponent_groups, moe_rows, multiplier_rows, plan_table, seed_rows
from dashboard.layout import grid
from dashboard.rest import Rest
from dashboard.session import Session, State
from dashboard.view import View
from dashboard.views.fit_checks import ResidualPlot, WindowPlot
from dashboard.views.isoflop_plot import IsoflopPlot
from model.laws import RunsError, Study, law_knobs, parse_runs, study
from model.laws.runs import MAX_BYTES


def page(session: Session) -> View:
    """Build the page: the plan's headlines, the runs, their curves and exponents, the checks, and a sweep."""
    return LawsPage(session)


class LawsPage:
    """A view of one table of runs, which it keeps itself; the plan follows the state."""

    def __init__(self, session: Session) -> None:
        self._session, self._rest, self._comparing = session, Rest(), Rest()
        self._own: dict[str, Source] = {}
        self._key = next(iter(shipped()))
        self._study: Study | None = None
        self._said: dict[str, Any] = {"line": "", "refused": False, "busy": False, "serial": 0}
        self._theme = ""
        self.tiles, self.gradient = TileStrip(session, "laws"), GradientBars(session)
        self.source = RunsSource(self._hear_source, spec={"limit": MAX_BYTES}, data=self._source_data())
        self.isoflops, self.residuals, self.windows = IsoflopPlot(), ResidualPlot(), WindowPlot()
        scale = {"low": 0.0, "high": 1.2, "ticks": [0, 0.5, 1]}
        remark = "N_opt grows as C to the a; bars are 95 %"
        self.exponents = Exponents(spec={"title": "Exponent a", "remark": remark, **scale}, data={"groups": []})
        heads = ["", "by the knobs", "by these runs", "95 %"]
        self.plan = FactsTable(self._hear_plan, spec={"title": "The plan, by both laws", "heads": heads})
        self.moe = FactsTable(spec={"title": "Dense against MoE", "heads": ["", "worth", ""]}, data=moe_rows([]))
        tables, grids = seed_rows()
        heads = ["exponents of one data set", "stated", "of its surface", "of its vertices"]
        self.seed = FactsTable(
            spec={"title": "What printed tables say against themselves", "heads": heads}, data=tables
        )
        heads = ["runs of one grid", "stated", "as factors", "as listed"]
        self.grids = FactsTable(spec={"title": "Grids that do not add up", "heads": heads}, data=grids)
        self.sweep = SweepRunner(self._show_sweep)
        self._body = grid(
            {
                "tiles": self.tiles.body,
                "source": self.source,
                "curves": _stack(self.isoflops.body, self.residuals.body),
                "exponents": self.exponents,
                "windows": self.windows.body,
                "plan": self.plan,
                "gradient": self.gradient.body,
                "moe": self.moe,
                "sweep": self.sweep.body,
                "seed": _stack(self.seed, self.grids),
            },
            ("tiles tiles", "source source", "curves exponents", "windows plan", "gradient moe", "sweep seed"),
            "minmax(0, 600fr) minmax(0, 456fr)",
        )
        self._choose(self._key)

    @property
    def body(self) -> Viewable:
        """The grid."""
        return self._body

    def paint(self, state: State) -> None:
        """Show the plan at a state; the runs stay, but for the colours."""
        self.tiles.paint(state)
        self.gradient.paint(state)
        self.plan.data = plan_table(self._study, state.evaluation, self._shown().title)
        if state.theme != self._theme:
            self._theme = state.theme
            self._draw()

    def _shown(self) -> Source:
        return self._own[self._key] if self._key in self._own else source(self._key)

    def _source_data(self) -> dict[str, Any]:
        options = [["Run here or brought", [[key, own.title] for key, own in self._own.items()]]] if self._own else []
        options += [["Shipped", list(map(list, shipped().items()))], ["Printed", list(map(list, printed().items()))]]
        return {"options": options, "chosen": self._key, **self._said}

    def _say(self, line: str, *, refused: bool = False, busy: bool = False) -> None:
        # The serial makes each answer a change, so that "Reading…" goes even where the line is the one before.
        self._said = {"line": line, "refused": refused, "busy": busy, "serial": self._said["serial"] + 1}
        self.source.data = self._source_data()

    def _hear_source(self, message: Mapping[str, Any]) -> None:
        if message["kind"] == "choose":
            if message["key"] in (*self._own, *shipped(), *printed()):
                self._choose(message["key"])
            return
        name = str(message["file"])
        try:
            runs = parse_runs(str(message["text"]))
        except RunsError as error:
            self._say(f"{name}: {error}", refused=True)
            return
        self._own[f"own:{name}"] = Source(name, runs=runs)
        self._choose(f"own:{name}")

    def _choose(self, key: str) -> None:
        """Show a table at once, and its fit when it is there."""
        self._key, self._study = key, None
        shown = self._shown()
        self._draw()
        if shown.runs is None:
            self._rest.cancel()
            self._say("Printed vertices: exponents as stated, and as these rows themselves give them.")
            return
        self._say(f"{len(shown.runs)} runs. Fitting…", busy=True)
        runs = shown.runs

        def fitted() -> Study | RunsError:
            try:
                return shipped_study(key) if key in shipped() else study(runs)
            except RunsError as error:
                return error

        self._rest.ask(fitted, self._fitted)

    def _fitted(self, found: Study | RunsError) -> None:
        if isinstance(found, RunsError):
            self._say(f"{self._shown().title}: {found}", refused=True)
            return
        self._study = found
        report = found.report
        fit = f"{len(found.runs)} runs, R² {report['fit']['r_squared']:.3f}."
        self._say(" ".join([fit, *(f"{line[:1].upper()}{line[1:]}." for line in report["warnings"])]))
        self._draw()
        self.plan.data = plan_table(found, self._session.state.evaluation, self._shown().title)

    def _draw(self) -> None:
        shown, theme, found = self._shown(), self._session.state.theme, self._study
        self.isoflops.draw(curves_of(shown), "dots are runs" if shown.runs is not None else "printed vertices", theme)
        self.exponents.data = {"groups": exponent_groups(shown.title, found, shown.table)}
        report = found.report if found else {"fit": {"residuals": []}, "windows": []}
        flop = found.runs.flop.tolist() if found else []
        self.residuals.draw(flop, report["fit"]["residuals"], theme)
        self.windows.draw(report["windows"], theme)

    def _hear_plan(self, _: Mapping[str, Any]) -> None:
        if self._study:
            self._session.write(law_knobs(self._study.law))

    def _show_sweep(self, plan: str, ended: bool) -> None:
        """Take what a sweep has so far: draw it, and fit it when it ends."""
        self._own |= {f"sweep:{plan}:{kind}": shown for kind, shown in sweep_runs(plan).items()}
        key = f"sweep:{plan}:dense"
        if key not in self._own:
            return
        if ended:
            self._choose(key)
            self._comparing.ask(lambda: multiplier_rows(sweep_comparisons(plan)), self._compared)
        else:
            self._key, self._study = key, None
            self._rest.cancel()
            self._say(f"{len(self._own[key].runs or ())} dense runs so far; they are fitted when the sweep ends.")
            self._draw()

    def _compared(self, rows: list[list[str]]) -> None:
        self.moe.data = moe_rows(rows)


def _stack(*parts: Viewable) -> pn.Column:
    return pn.Column(*parts, sizing_mode="stretch_width", margin=0, styles={"gap": "24px"})
