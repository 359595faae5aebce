"""Scaling laws: fitted to runs with intervals, compared between dense and MoE models, and planned with."""

from model.laws.compare import Comparison, compare, compute_multiplier, law_multiplier
from model.laws.contradictions import contradictions
from model.laws.isoflop import Isoflop, PowerLaw, envelope_law, isoflops, parabola, vertex_law
from model.laws.parametric import Bootstrap, Fit, bootstrap, fit, intervals
from model.laws.plan import evaluate_plan, law_knobs, plan_intervals
from model.laws.report import Study, fit_report, study
from model.laws.runs import Runs, RunsError, drop_highest_losses, make_runs, parse_runs
from model.laws.surface import Law

__all__ = [
    "Bootstrap",
    "Comparison",
    "Fit",
    "Isoflop",
    "Law",
    "PowerLaw",
    "Runs",
    "RunsError",
    "Study",
    "bootstrap",
    "compare",
    "compute_multiplier",
    "contradictions",
    "drop_highest_losses",
    "envelope_law",
    "evaluate_plan",
    "fit",
    "fit_report",
    "intervals",
    "isoflops",
    "law_knobs",
    "law_multiplier",
    "make_runs",
    "parabola",
    "parse_runs",
    "plan_intervals",
    "study",
    "vertex_law",
]
