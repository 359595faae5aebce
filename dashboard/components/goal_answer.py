"""The answer: reached or the reason, now, the continuous and the rounded answer abreast, apply or discard."""

from __future__ import annotations

from dashboard.component import Component


class GoalAnswer(Component):
    """`data`: see `answers.Answer.shown`, and `applied`; empty without an answer. Messages: `apply`, `discard`."""
