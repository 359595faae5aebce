"""A small table with a title, a remark, lines of words below it, and a button if there is something to do."""

from __future__ import annotations

from dashboard.component import Component


class FactsTable(Component):
    """`spec`: `title`, `heads`. `data`: `remark`, `rows` (texts; the first is the row's name), `notes`, `action`.

    `action` is a button's words, or None. Sends `{"kind": "act"}`.
    """
