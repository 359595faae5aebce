"""Where a person gives a config.json: pasted, dropped or chosen, counted at once or refused in one line."""

from __future__ import annotations

from dashboard.component import Component


class ConfigReader(Component):
    """`spec`: `limit` in bytes. `data`: `line`, `refused`, `loadable`. Sends `read` (text, file) and `load`."""
