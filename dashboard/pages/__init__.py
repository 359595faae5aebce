"""The pages, in the order of the navigation. A page is a module of this package that gives `page(session)`."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.session import Session
    from dashboard.view import View


@dataclass(frozen=True)
class Page:
    """One entry of the navigation: its title, the value first in focus, and whether the knobs stand beside it."""

    slug: str
    title: str
    focus: str = "step_time"
    knobs: bool = True

    def build(self, session: Session) -> View:
        """Build the page's view; done at its first visit, since the module may be heavy."""
        return importlib.import_module(f"dashboard.pages.{self.slug}").page(session)


_PLANNED = (
    Page("training", "Training"),
    Page("inference", "Inference", focus="decode_step_time"),
    Page("architecture", "Architecture"),
    Page("seek", "Goal-seek", focus="mfu"),
    Page("verifier", "Verifier", knobs=False),
    Page("course", "Course", knobs=False),
    Page("laws", "Laws", focus="law_optimal_loss"),
    Page("kernel", "Kernel", focus="fused_moe_speedup"),
    Page("limits", "Limits"),
)

PAGES: Mapping[str, Page] = {
    page.slug: page for page in _PLANNED if importlib.util.find_spec(f"dashboard.pages.{page.slug}")
}
"""The pages that exist, by slug."""
