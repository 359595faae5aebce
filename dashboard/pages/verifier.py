"""Verifier: what the book states, recomputed at its printed specs, whatever the knobs say."""

from __future__ import annotations

from dashboard.components.verifier import VerifierTable
from dashboard.session import Session
from dashboard.view import View


def page(session: Session) -> View:
    """Build the page: every statement is recomputed as it opens."""
    return VerifierTable(session)
