"""The question: the value wanted, the knobs freed for it, or what to make least and under which limits."""

from __future__ import annotations

from dashboard.component import Component


class GoalForm(Component):
    """`spec`: the `targets` and `objectives` to choose from. `data`: see `questions.form`, and `running`, `status`.

    Messages: `mode`, `of`, `objective`, `target`, `free`, `hold`, `limit`, `run`, `cancel`.
    """
