"""Which runs the page of laws is about: what comes with the program, printed tables, or a CSV of one's own."""

from __future__ import annotations

from dashboard.component import Component


class RunsSource(Component):
    """`spec`: `limit` in bytes. `data`: `options` (groups of keys and titles), `chosen`, `line`, `refused`, `busy`.

    Sends `choose` with a `key`, and `read` with a file's `text` and name.
    """
