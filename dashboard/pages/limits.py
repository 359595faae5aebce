"""Limits: what the model assumes, as knobs to switch, and what it leaves out."""

from __future__ import annotations

from dashboard.components.limits import LimitsTable
from dashboard.session import Session
from dashboard.view import View


def page(session: Session) -> View:
    """Build the page: conventions, omissions, and the standing of every value that the other pages show."""
    return LimitsTable(session)
