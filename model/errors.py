"""What a person typed and cannot be used."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInput(ValueError):
    """One or more faults in what a person gave; each is one line that says what, where and the mend."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `did you mean a, b?` with the names closest to `name`, or the empty string."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"did you mean {', '.join(near)}?" if near else ""
