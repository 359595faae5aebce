"""Scaling laws: fitted to runs with intervals, compared between dense and MoE models, and planned with."""

from model.laws.isoflop import Isoflop, PowerLaw, envelope_law, isoflops, vertex_law
from model.laws.parametric import Bootstrap, Fit, bootstrap, fit, intervals
from model.laws.report import fit_report
from model.laws.runs import Runs, RunsError, drop_highest_losses, make_runs, parse_runs
from model.laws.surface import Law

__all__ = [
    "Bootstrap",
    "Fit",
    "Isoflop",
    "Law",
    "PowerLaw",
    "Runs",
    "RunsError",
    "bootstrap",
    "drop_highest_losses",
    "envelope_law",
    "fit",
    "fit_report",
    "intervals",
    "isoflops",
    "make_runs",
    "parse_runs",
    "vertex_law",
]
